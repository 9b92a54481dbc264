// SPDX-License-Identifier: Apache-2.0
#include "analyze/section_sizes.h"

#include <algorithm>
#include <map>
#include <vector>

#include "analyze/flame/flame.h"
#include "analyze/flat/flat.h"
#include "analyze/tree/tree.h"
#include "profile/names.h"
#include "report/columns.h"

namespace wick {
namespace {

struct SectionBytes {
  std::string name;
  double bytes = 0;
  double uncovered = 0;
};

}  // namespace

Table section_sizes(const Profile& profile) {
  // The first frame of each stack. Parents come before their children.
  std::vector<StackId> first(profile.stacks.size(), kEmptyStack);
  for (size_t row = 1; row < first.size(); ++row) {
    StackId parent = profile.stacks.parent(StackId::from_index(row));
    first[row] = parent == kEmptyStack ? StackId::from_index(row) : first[parent.index()];
  }
  std::map<std::string, SectionBytes> by_name;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    StackId stack = profile.samples.stack[row];
    if (stack == kEmptyStack) {
      continue;
    }
    std::string name = frame_name(profile, profile.stacks.frame(first[stack.index()]));
    SectionBytes& section = by_name[name];
    section.name = name;
    auto bytes = static_cast<double>(profile.samples.weight[row]);
    section.bytes += bytes;
    bool uncovered = frame_name(profile, profile.stacks.frame(stack)) == "[no symbol]";
    section.uncovered += uncovered ? bytes : 0;
  }
  std::vector<SectionBytes> sections;
  for (auto& [name, section] : by_name) {
    sections.push_back(std::move(section));
  }
  std::ranges::stable_sort(sections, std::ranges::greater(), &SectionBytes::bytes);
  ReportColumn bytes = weight_column("bytes", "size", ColumnRole::kSelf);
  ReportColumn uncovered = weight_column("no_symbol", "no symbol");
  ReportColumn names = name_column("section");
  for (const SectionBytes& section : sections) {
    bytes.numbers.push_back(section.bytes);
    uncovered.numbers.push_back(section.uncovered);
    names.text.push_back(section.name);
  }
  return {.columns = {std::move(bytes), std::move(uncovered), std::move(names)}};
}

Result<Report> size_report(const Profile& profile, SizeShape shape) {
  if (shape == SizeShape::kFlame) {
    return flame(profile, {.evidence = Evidence::kExact});
  }
  if (shape == SizeShape::kTree) {
    Report report = call_tree(profile, {.min_share = 0.002, .evidence = Evidence::kExact});
    report.sections[0].name = "symbols";
    return report;
  }
  Report report = flat(profile,
                       {.sort = shape == SizeShape::kByTotal  ? FlatSort::kTotal
                                : shape == SizeShape::kByName ? FlatSort::kName
                                                              : FlatSort::kSelf,
                        .evidence = Evidence::kExact});
  report.sections[0].name = "symbols";
  report.sections.push_back({"sections", "Sections", section_sizes(profile)});
  return report;
}

}  // namespace wick
