// SPDX-License-Identifier: Apache-2.0
// Labels: the names of the rows of one screen, each in its own number of columns.
//
// A row shows the longest form of its name that fits (report/label_forms.h). Only a name whose
// shortest form is too long is cut. Different names never have equal labels on one screen: rows
// that would look alike also show where their names differ, and a number if even that is too long:
//
//     push_back [int]      std::vector<int>::push_back
//     push_back [char]     std::vector<char>::push_back
//
// A label never exceeds its columns. web/src/ui/labels.ts has the same rules for the page and for
// the script of pictures; both are compared with a table that labels_table_test.cc writes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wick {

struct LabelRow {
  std::string_view name;  // escaped already
  size_t columns = 0;
};

// What distinguishes names that look alike although their labels say where they differ.
enum class Alike {
  kNumbered,  // a number: every row of a table needs a name
  kBlank,     // one of them has the label, the others none: a narrow box of a picture needs no name
};

// The labels of the rows, in their order. Equal names can have different labels if their columns
// differ.
std::vector<std::string> labels_of(std::span<const LabelRow> rows, Alike alike = Alike::kNumbered);

// The label of one name that shares its screen with no other.
std::string label_of(std::string_view name, size_t columns);

}  // namespace wick
