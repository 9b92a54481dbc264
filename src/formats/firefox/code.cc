// SPDX-License-Identifier: Apache-2.0
// Each function looks a row up in one table and returns the profile's record for it. Frames and
// modules are made when a stack first needs them; stacks are made in the order of their table, in
// which parents come first.
#include "formats/firefox/code.h"

#include <numeric>

#include "formats/firefox/categories.h"
#include "formats/firefox/location.h"

namespace wick::firefox {
namespace {

constexpr int64_t kFirstCallAddresses = 38;
constexpr int32_t kLibraryResource = 1;

uint32_t positive(int32_t number) {
  return number > 0 ? static_cast<uint32_t>(number) : 0;
}

constexpr std::string_view kPython = kCategories[kPythonCategory].name;

Mode mode_of(std::string_view category) {
  return category == "Kernel"                        ? Mode::kKernel
         : category == "User" || category == kPython ? Mode::kUser
                                                     : Mode::kUnknown;
}

}  // namespace

CodeMaker::CodeMaker(const CodeView& view, ProfileBuilder& builder, Damage& damage)
    : view_(view),
      builder_(builder),
      damage_(damage),
      has_return_addresses_(view.raw.version < kFirstCallAddresses),
      frames_(view.tables.frames.size()),
      leaf_frames_(has_return_addresses_ ? frames_.size() : 0),
      modules_(view.libs.size()) {
  if (view.raw.is_gecko()) {
    libs_by_address_.resize(view.libs.size());
    std::iota(libs_by_address_.begin(), libs_by_address_.end(), 0);
    std::ranges::sort(libs_by_address_, {}, [&](uint32_t lib) { return view.libs[lib].start; });
  }
  make_stacks();
}

void CodeMaker::make_stacks() {
  size_t size = view_.tables.stacks.size();
  stacks_.reserve(size);
  leaves_.reserve(has_return_addresses_ ? size : 0);
  for (size_t row = 0; row < size; ++row) {
    int32_t parent = parent_of(row);
    bool is_bad = parent >= static_cast<int64_t>(row);
    damage_.parents += is_bad ? 1U : 0U;
    bool is_root = parent < 0 || is_bad;
    StackId below = is_root ? kEmptyStack : stacks_[static_cast<size_t>(parent)];
    int32_t index = view_.tables.stacks.frame[row];
    FrameId caller = frame(index, false);
    damage_.frames += caller.valid() ? 0U : 1U;
    stacks_.push_back(caller.valid() ? builder_.stack(below, caller) : below);
    if (has_return_addresses_) {
      FrameId leaf = frame(index, true);
      leaves_.push_back(leaf.valid() ? builder_.stack(below, leaf) : below);
    }
  }
}

int32_t CodeMaker::parent_of(size_t row) const {
  const StackTable& stacks = view_.tables.stacks;
  if (stacks.prefix_offset.size() == 0) {
    return at(stacks.prefix, row);
  }
  int32_t distance = at(stacks.prefix_offset, row);
  int64_t parent = static_cast<int64_t>(row) - distance;
  bool is_root = distance == 0;
  bool is_bad = distance < 0 || parent < 0;
  return is_root ? kNone
                 : static_cast<int32_t>(is_bad ? static_cast<int64_t>(row)
                                               : parent);  // itself: counted as bad
}

StackId CodeMaker::stack(int32_t index) {
  if (index < 0) {
    return kEmptyStack;
  }
  if (static_cast<size_t>(index) >= stacks_.size()) {
    ++damage_.stacks;
    return kEmptyStack;
  }
  return (has_return_addresses_ ? leaves_ : stacks_)[static_cast<size_t>(index)];
}

StringId CodeMaker::string(int32_t index) const {
  bool exists = index >= 0 && static_cast<size_t>(index) < view_.strings.size();
  damage_.texts += exists || index < 0 ? 0U : 1U;
  return exists ? view_.strings[static_cast<size_t>(index)] : StringId();
}

FrameId CodeMaker::frame(int32_t row, bool is_leaf) {
  if (row < 0 || static_cast<size_t>(row) >= frames_.size()) {
    return {};
  }
  FrameId& known = (is_leaf ? leaf_frames_ : frames_)[static_cast<size_t>(row)];
  if (!known.valid()) {
    known = make_frame(static_cast<size_t>(row), is_leaf);
  }
  return known;
}

FrameId CodeMaker::make_frame(size_t row, bool is_leaf) {
  Frame frame = common_frame(row);
  return view_.tables.frames.location.size() > 0 ? frame_of_location(row, frame, is_leaf)
                                                 : frame_of_function(row, frame, is_leaf);
}

bool CodeMaker::has(size_t row, int32_t bit) const {
  const Ints& flags = view_.tables.frames.flags;
  return flags.size() == 0 || (at(flags, row, 0) & bit) != 0;
}

bool CodeMaker::func_has(size_t func, int32_t bit) const {
  const Ints& flags = view_.tables.funcs.flags;
  return flags.size() == 0 || (at(flags, func, 0) & bit) != 0;
}

Frame CodeMaker::common_frame(size_t row) {
  const FrameTable& frames = view_.tables.frames;
  Frame frame;
  frame.line = has(row, kFrameHasLine) ? positive(at(frames.line, row)) : 0;
  frame.column = has(row, kFrameHasColumn) ? positive(at(frames.column, row)) : 0;
  bool is_inlined =
      frames.flags.size() > 0 ? has(row, kFrameInlined) : at(frames.inline_depth, row) > 0;
  frame.flags = is_inlined ? kInlined : 0;
  if (at(frames.implementation, row) >= 0) {
    frame.flags |= kJit;
  }
  int32_t category = has(row, kFrameHasCategory) ? at(frames.category, row) : kNone;
  if (category >= 0 && static_cast<size_t>(category) < view_.categories.size()) {
    const RawCategory& known = view_.categories[static_cast<size_t>(category)];
    frame.mode = mode_of(builder_.text(known.name));
    frame.language = builder_.text(known.name) == kPython ? Language::kPython : Language::kUnknown;
    auto sub = static_cast<size_t>(at(frames.subcategory, row));  // kNone is too large
    std::string_view name = sub < known.subcategories.size()
                                ? builder_.text(known.subcategories[sub])
                                : std::string_view();
    if (name.starts_with("JIT")) {
      frame.flags |= kJit;
    } else if (name == "Waker") {
      frame.flags |= kWaker;
    }
  }
  return frame;
}

uint64_t CodeMaker::address_of(size_t row, bool is_leaf) const {
  int64_t address = at(view_.tables.frames.address, row, int64_t{kNone});
  if (address <= 0 || !has(row, kFrameHasAddress)) {
    return 0;
  }
  bool is_return = has_return_addresses_ && !is_leaf;
  return static_cast<uint64_t>(address) - (is_return ? 1 : 0);
}

FrameId CodeMaker::frame_of_location(size_t row, Frame frame, bool is_leaf) {
  StringId text = string(at(view_.tables.frames.location, row));
  std::string copy(builder_.text(text));  // interning moves the table
  Location location = parse_location(copy);
  if (location.address) {
    uint64_t address = *location.address - (is_leaf || *location.address == 0 ? 0 : 1);
    frame.module = module_at(address, frame.address);
    if (frame.module.valid()) {
      return builder_.frame(frame);
    }
    location.name = copy;
  }
  Function function{.name = builder_.string(location.name), .file = builder_.string(location.file)};
  if (!location.library.empty()) {
    function.module = builder_.module({.path = builder_.string(location.library)});
    frame.module = function.module;
  }
  bool is_script = !location.file.empty();
  frame.language = is_script ? Language::kJavaScript : Language::kUnknown;
  function.line = location.line;
  frame.column = frame.line == 0 ? location.column : frame.column;
  frame.line = frame.line == 0 ? location.line : frame.line;
  frame.function = builder_.function(function);
  return builder_.frame(frame);
}

FrameId CodeMaker::frame_of_function(size_t row, Frame frame, bool is_leaf) {
  const FuncTable& funcs = view_.tables.funcs;
  auto func = static_cast<size_t>(at(view_.tables.frames.func, row));  // kNone is too large
  if (func >= funcs.name.size()) {
    ++damage_.functions;
    func = funcs.name.size();
  }
  frame.module = module(lib_of(row, func));
  frame.address = frame.module.valid() ? address_of(row, is_leaf) : 0;
  Function function = function_of(func);
  function.module = frame.module;
  std::string_view name = builder_.text(function.name);
  bool is_unnamed = function.name.empty() || parse_address(name).has_value();
  if (is_unnamed && frame.module.valid() && frame.address != 0) {
    return builder_.frame(frame);
  }
  int32_t symbol = has(row, kFrameHasSymbol) ? at(view_.tables.frames.native_symbol, row) : kNone;
  if (symbol >= 0 && (frame.flags & kInlined) == 0) {
    int64_t start = at(view_.tables.symbols.address, static_cast<size_t>(symbol), int64_t{0});
    function.address = static_cast<uint64_t>(std::max<int64_t>(start, 0));
  }
  bool is_js = funcs.flags.size() > 0 ? func_has(func, kFuncIsJs) : at(funcs.is_js, func) > 0;
  frame.language = is_js ? Language::kJavaScript : frame.language;
  frame.function = builder_.function(function);
  return builder_.frame(frame);
}

Function CodeMaker::function_of(size_t func) {
  const FuncTable& funcs = view_.tables.funcs;
  Function function{.name = string(at(funcs.name, func))};
  int32_t source = func_has(func, kFuncHasSource) ? at(funcs.source, func) : kNone;
  int32_t file =
      source >= 0 ? at(view_.source_files, static_cast<size_t>(source)) : at(funcs.file_name, func);
  function.file = string(file);
  function.line = func_has(func, kFuncHasLine) ? positive(at(funcs.line, func)) : 0;
  int64_t start = at(funcs.address, func, int64_t{0});
  function.address = static_cast<uint64_t>(std::max<int64_t>(start, 0));
  return function;
}

int32_t CodeMaker::lib_of(size_t row, size_t func) const {
  const CodeTables& tables = view_.tables;
  if (tables.frames.lib.size() > 0) {
    return has(row, kFrameHasAddress) ? at(tables.frames.lib, row) : kNone;
  }
  int32_t resource = func_has(func, kFuncHasResource) ? at(tables.funcs.resource, func) : kNone;
  if (resource < 0) {
    return kNone;
  }
  auto index = static_cast<size_t>(resource);
  bool is_library = at(tables.resources.type, index, kLibraryResource) == kLibraryResource;
  return is_library ? at(tables.resources.lib, index) : kNone;
}

ModuleId CodeMaker::module(int32_t lib) {
  if (lib < 0 || static_cast<size_t>(lib) >= modules_.size()) {
    return {};
  }
  auto index = static_cast<size_t>(lib);
  if (!modules_[index].valid()) {
    const Library& known = view_.libs[index];
    modules_[index] = builder_.module({.path = known.path, .build_id = known.build_id});
  }
  return modules_[index];
}

ModuleId CodeMaker::module_at(uint64_t address, uint64_t& in_module) {
  auto after = std::ranges::upper_bound(
      libs_by_address_, address, {}, [&](uint32_t lib) { return view_.libs[lib].start; });
  if (after == libs_by_address_.begin()) {
    return {};
  }
  uint32_t lib = *std::prev(after);
  const Library& known = view_.libs[lib];
  if (address >= known.end) {
    return {};
  }
  in_module = address - known.start + known.offset;
  return module(static_cast<int32_t>(lib));
}

}  // namespace wick::firefox
