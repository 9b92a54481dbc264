// SPDX-License-Identifier: Apache-2.0
#include "formats/pprof/code_writer.h"

#include "base/utf8.h"
#include "profile/names.h"

namespace wick::pprof {

uint64_t StringNumbers::number(std::string_view text) {
  return strings_.intern(valid_utf8(text)).value;
}

void StringNumbers::write(ProtoWriter& out) const {
  for (uint32_t row = 0; row < strings_.table().size(); ++row) {
    out.message(6, strings_.table()[StringId{row}]);
  }
}

CodeWriter::CodeWriter(const Profile& profile, StringNumbers& strings)
    : profile_(profile),
      strings_(strings),
      mappings_of_(profile.modules.size()),
      plain_locations_(profile.frames.size()) {
  for (size_t row = 0; row < profile.mappings.size(); ++row) {
    if (ModuleId module = profile.mappings[row].module; module.valid()) {
      mappings_of_[module.index()].push_back(row);
    }
  }
  location_of_stack_.resize(profile.stacks.size());
  caller_of_stack_.resize(profile.stacks.size(), kEmptyStack);
  for (size_t row = 1; row < profile.stacks.size(); ++row) {
    StackId stack = StackId::from_index(row);
    StackId parent = profile.stacks.parent(stack);
    FrameId frame = profile.stacks.frame(stack);
    bool is_inlined =
        parent != kEmptyStack &&
        is_inlined_into(profile.frames[frame], profile.frames[profile.stacks.frame(parent)]);
    location_of_stack_[row] =
        location_of(is_inlined ? location_of_stack_[parent.index()] : 0, frame);
    caller_of_stack_[row] = is_inlined ? caller_of_stack_[parent.index()] : parent;
  }
}

bool CodeWriter::is_inlined_into(const Frame& inner, const Frame& outer) const {
  return (inner.flags & kInlined) != 0 && inner.function.valid() && outer.function.valid() &&
         inner.module == outer.module && inner.address == outer.address;
}

uint32_t CodeWriter::location_of(uint32_t outer, FrameId frame) {
  uint32_t& known = outer == 0 ? plain_locations_[frame.index()]
                               : inlined_locations_[uint64_t{outer} << 32U | frame.value];
  if (known == 0) {
    known = static_cast<uint32_t>(locations_.size());
    locations_.push_back({.outer = outer, .frame = frame});
  }
  return known;
}

void CodeWriter::set_main(ModuleId module) {
  Frame frame{.module = module};
  mapping_id(mapping_of(frame));
}

void CodeWriter::append_locations(StackId stack, std::vector<uint64_t>& ids) {
  for (; stack != kEmptyStack; stack = caller_of_stack_[stack.index()]) {
    uint32_t location = location_of_stack_[stack.index()];
    if (locations_[location].id == 0) {
      emit(location);
    }
    ids.push_back(locations_[location].id);
  }
}

// Chooses the recorded mapping for an offset in a file.
CodeWriter::MappingRow CodeWriter::mapping_of(const Frame& frame) const {
  const Module& module = profile_.modules[frame.module];
  MappingRow row{.module = frame.module, .limit = UINT64_MAX, .address = frame.address};
  if (module.address_kind == AddressKind::kInFunction) {
    row.address = 0;
  }
  if (module.address_kind != AddressKind::kFileOffset) {
    return row;
  }
  for (size_t at : mappings_of_[frame.module.index()]) {
    const ModuleMapping& mapping = profile_.mappings[at];
    uint64_t inside = frame.address - mapping.file_offset;
    bool has_limit = mapping.end > mapping.start;
    bool contains = frame.address == 0 || (frame.address >= mapping.file_offset &&
                                           (!has_limit || inside < mapping.end - mapping.start));
    if (contains) {
      return {.module = frame.module,
              .start = mapping.start,
              .limit = mapping.end,
              .offset = mapping.file_offset,
              .address = frame.address == 0 ? 0 : mapping.start + inside};
    }
  }
  row.start = kFileStart;
  row.limit = kFileLimit;
  row.address = frame.address == 0 ? 0 : kFileStart + frame.address;
  return row;
}

uint64_t CodeWriter::mapping_id(const MappingRow& row) {
  auto key = std::tuple(row.module.value, row.start, row.limit, row.offset);
  auto [known, is_new] = mapping_ids_.try_emplace(key, mappings_.size() + 1);
  if (is_new) {
    mappings_.push_back(row);
    known_.push_back({});
  }
  return known->second;
}

uint64_t CodeWriter::function_id(const Frame& frame) {
  if (!frame.function.valid()) {
    return 0;
  }
  StringId file = line_file(profile_, frame);
  auto [known, is_new] = function_ids_.try_emplace(
      uint64_t{frame.function.value} << 32U | file.value, functions_.size() + 1);
  if (is_new) {
    functions_.push_back({frame.function, file});
  }
  return known->second;
}

void CodeWriter::emit(uint32_t location) {
  locations_[location].id = ++used_locations_;
  const Frame& innermost = profile_.frames[locations_[location].frame];
  ProtoWriter row;
  row.number(1, used_locations_);
  Known* known = nullptr;
  if (innermost.module.valid()) {
    MappingRow mapping = mapping_of(innermost);
    uint64_t id = mapping_id(mapping);
    known = &known_[static_cast<size_t>(id - 1)];
    row.number(2, id);
    row.number(3, mapping.address);
  } else {
    row.number(3, innermost.address);
  }
  for (uint32_t at = location; at != 0; at = locations_[at].outer) {
    const Frame& frame = profile_.frames[locations_[at].frame];
    if (!frame.function.valid()) {
      continue;
    }
    ProtoWriter line;
    line.number(1, function_id(frame));
    line.number(2, frame.line);
    line.number(3, frame.column);
    row.message(4, line);
    if (known != nullptr) {
      known->functions = true;
      known->files = known->files || !line_file(profile_, frame).empty();
      known->lines = known->lines || frame.line != 0;
      known->inlined = known->inlined || locations_[at].outer != 0;
    }
  }
  written_locations_.message(4, row);
}

void CodeWriter::write_mappings(ProtoWriter& out) const {
  for (size_t at = 0; at < mappings_.size(); ++at) {
    const MappingRow& mapping = mappings_[at];
    const Module& module = profile_.modules[mapping.module];
    ProtoWriter row;
    row.number(1, at + 1);
    row.number(2, mapping.start);
    row.number(3, mapping.limit);
    row.number(4, mapping.offset);
    row.number(5, strings_.number(profile_.strings[module.path]));
    row.number(6, strings_.number(profile_.strings[module.build_id]));
    row.number(7, known_[at].functions ? 1U : 0U);
    row.number(8, known_[at].files ? 1U : 0U);
    row.number(9, known_[at].lines ? 1U : 0U);
    row.number(10, known_[at].inlined ? 1U : 0U);
    out.message(3, row);
  }
}

void CodeWriter::write_functions(ProtoWriter& out) const {
  for (size_t at = 0; at < functions_.size(); ++at) {
    const wick::Function& function = profile_.functions[functions_[at].function];
    bool is_own_file = functions_[at].file == function.file;
    std::string_view name = profile_.strings[function.name];
    std::string_view linkage = profile_.strings[function.linkage_name];
    ProtoWriter row;
    row.number(1, at + 1);
    row.number(2, strings_.number(name));
    row.number(3, strings_.number(linkage.empty() ? name : linkage));
    row.number(4, strings_.number(profile_.strings[functions_[at].file]));
    row.number(5, is_own_file ? function.line : 0);
    out.message(5, row);
  }
}

void CodeWriter::write(ProtoWriter& out) const {
  write_mappings(out);
  out.append(written_locations_);
  write_functions(out);
}

}  // namespace wick::pprof
