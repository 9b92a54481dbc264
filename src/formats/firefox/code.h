// SPDX-License-Identifier: Apache-2.0
// Makes stacks of the profile from the tables of a Firefox profile. No index of the file is
// trusted: one that points outside of its table counts as damage, and a stack whose parent does not
// precede it becomes a root, so that no chain of parents is a circle.
#pragma once

#include <vector>

#include "formats/firefox/damage.h"
#include "formats/firefox/tables.h"
#include "profile/builder.h"

namespace wick::firefox {

// Where the parts of a thread's code are; they outlive the CodeMaker.
struct CodeView {
  const RawProfile& raw;
  const CodeTables& tables;
  const std::vector<StringId>& strings;
  const Ints& source_files;
  const std::vector<Library>& libs;
  const std::vector<RawCategory>& categories;
};

class CodeMaker {
 public:
  CodeMaker(const CodeView& view, ProfileBuilder& builder, Damage& damage);

  // The stack of a sample; the empty stack for kNone and, counted, for an index outside the table.
  StackId stack(int32_t index);
  // The text at this index; empty if it does not exist.
  StringId string(int32_t index) const;

 private:
  void make_stacks();
  int32_t parent_of(size_t row) const;
  FrameId frame(int32_t row, bool is_leaf);
  FrameId make_frame(size_t row, bool is_leaf);
  Frame common_frame(size_t row);
  FrameId frame_of_location(size_t row, Frame frame, bool is_leaf);
  FrameId frame_of_function(size_t row, Frame frame, bool is_leaf);
  Function function_of(size_t func);
  int32_t lib_of(size_t row, size_t func) const;
  ModuleId module(int32_t lib);
  ModuleId module_at(uint64_t address, uint64_t& in_module);
  bool has(size_t row, int32_t bit) const;
  bool func_has(size_t func, int32_t bit) const;
  uint64_t address_of(size_t row, bool is_leaf) const;

  CodeView view_;
  ProfileBuilder& builder_;
  Damage& damage_;
  bool has_return_addresses_;  // of callers; the address of a call is one byte before
  std::vector<StackId> stacks_;
  std::vector<StackId> leaves_;  // the same with the frame as the leaf, if that differs
  std::vector<FrameId> frames_;
  std::vector<FrameId> leaf_frames_;
  std::vector<ModuleId> modules_;
  std::vector<uint32_t> libs_by_address_;  // Gecko only
};

}  // namespace wick::firefox
