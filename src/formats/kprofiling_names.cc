// SPDX-License-Identifier: Apache-2.0
// Other tools write brackets, too: "[libc.so.6]", "[unknown]", "[0x1234]". Names are those of
// redox-kprofiling only if almost all functions are in brackets and some are paths of Rust.
#include "formats/kprofiling_names.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

#include "profile/map_stacks.h"

namespace wick::kprofiling {
namespace {

constexpr std::string_view kProcess = "kernel";
constexpr std::string_view kModule = "[redox]";  // as formats/redox calls it

// The text in brackets; empty if the name is not of this form.
std::string_view inner_name(std::string_view name) {
  bool has_brackets = name.size() > 2 && name.starts_with('[') && name.ends_with(']');
  std::string_view inner = has_brackets ? name.substr(1, name.size() - 2) : std::string_view();
  bool is_remark = inner == "unknown" || inner.starts_with("0x") ||
                   (inner.contains(' ') && !inner.contains("::"));  // "[frames too narrow to draw]"
  return is_remark ? std::string_view() : inner;
}

// The digits after the last '+', or empty: "[f+1929]" has "1929".
std::string_view offset_digits(std::string_view inner) {
  constexpr size_t kMaxDigits = 8;
  size_t plus = inner.rfind('+');
  if (plus == std::string_view::npos || plus == 0) {
    return {};
  }
  std::string_view digits = inner.substr(plus + 1);
  bool is_number = !digits.empty() && digits.size() <= kMaxDigits &&
                   digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  return is_number ? digits : std::string_view();
}

// What a function's name says.
struct PlainName {
  std::string name;  // empty if the name stays as it is
  uint64_t offset = 0;
  bool has_offset = false;
};

class PlainNames {
 public:
  explicit PlainNames(Profile profile) : profile_(std::move(profile)) {}

  Profile run() {
    if (!is_of_kprofiling()) {
      return std::move(profile_);
    }
    read_names();
    bool has_root = has_process_at_root();
    rename();
    rewrite_stacks(has_root);
    return std::move(profile_);
  }

 private:
  std::string_view name_of(FunctionId function) const {
    return profile_.strings[profile_.functions[function].name];
  }

  bool is_of_kprofiling() const {
    size_t bracketed = 0;
    size_t paths = 0;
    size_t others = 0;
    for (const Function& function : profile_.functions) {
      std::string_view name = profile_.strings[function.name];
      std::string_view inner = inner_name(name);
      bool is_remark = name.starts_with('[') && inner.empty();
      bracketed += inner.empty() ? 0U : 1U;
      paths += inner.contains("::") ? 1U : 0U;
      others += inner.empty() && !is_remark && name != kProcess ? 1U : 0U;
    }
    return paths > 0 && paths * 4 >= bracketed && others * 10 <= bracketed;
  }

  void read_names() {
    auto has_letter = [](std::string_view digits) {
      return digits.find_first_of("abcdef") != std::string_view::npos;
    };
    bool is_hexadecimal = std::ranges::any_of(profile_.functions, [&](const Function& function) {
      return has_letter(offset_digits(inner_name(profile_.strings[function.name])));
    });
    for (const Function& function : profile_.functions) {
      PlainName& plain = names_.emplace_back();
      std::string_view inner = inner_name(profile_.strings[function.name]);
      std::string_view digits = offset_digits(inner);
      if (!digits.empty()) {
        std::from_chars(
            digits.data(), digits.data() + digits.size(), plain.offset, is_hexadecimal ? 16 : 10);
        plain.has_offset = true;
        inner.remove_suffix(digits.size() + 1);
      }
      plain.name = inner;
    }
  }

  const PlainName* plain_name(FrameId frame) const {
    FunctionId function = profile_.frames[frame].function;
    const PlainName* plain = function.valid() ? &names_[function.index()] : nullptr;
    return plain != nullptr && !plain->name.empty() ? plain : nullptr;
  }

  // Whether all stacks begin with the frame "kernel".
  bool has_process_at_root() const {
    bool has_any = false;
    for (size_t row = 1; row < profile_.stacks.size(); ++row) {
      StackId stack = StackId::from_index(row);
      if (profile_.stacks.parent(stack) != kEmptyStack) {
        continue;
      }
      FunctionId function = profile_.frames[profile_.stacks.frame(stack)].function;
      if (!function.valid() || name_of(function) != kProcess) {
        return false;
      }
      has_any = true;
    }
    return has_any;
  }

  void rename() {
    StringInterner strings(std::move(profile_.strings));
    ModuleId module = profile_.modules.push_back(
        {.path = strings.intern(kModule), .address_kind = AddressKind::kInFunction});
    for (size_t row = 0; row < profile_.frames.size(); ++row) {
      Frame& frame = profile_.frames[FrameId::from_index(row)];
      const PlainName* plain = plain_name(FrameId::from_index(row));
      if (plain == nullptr) {
        continue;
      }
      Function& function = profile_.functions[frame.function];
      frame.mode = Mode::kKernel;
      if (frame.address == 0) {
        frame.module = module;
        frame.address = plain->offset;
        function.module = module;
      } else if (plain->has_offset && function.address == 0) {
        function.address = frame.address - plain->offset;
      }
    }
    for (size_t row = 0; row < names_.size(); ++row) {
      if (!names_[row].name.empty()) {
        profile_.functions[FunctionId::from_index(row)].name = strings.intern(names_[row].name);
      }
    }
    process_name_ = strings.intern(kProcess);
    profile_.strings = strings.release();
  }

  // Option x: a function, and on top of it the same function with an offset.
  bool repeats_parent(FrameId frame, FrameId parent) const {
    const PlainName* name = plain_name(frame);
    const PlainName* below = parent.valid() ? plain_name(parent) : nullptr;
    return name != nullptr && below != nullptr && name->has_offset && !below->has_offset &&
           name->name == below->name;
  }

  void rewrite_stacks(bool has_root) {
    std::vector<StackId> moved(profile_.stacks.size(), kEmptyStack);
    map_stacks(profile_, [&](StackInterner& stacks, StackId parent, StackId old) {
      const StackTree& tree = profile_.stacks;
      StackId old_parent = tree.parent(old);
      FrameId frame = tree.frame(old);
      StackId below = parent;
      if (old_parent != kEmptyStack && repeats_parent(frame, tree.frame(old_parent))) {
        below = moved[tree.parent(old_parent).index()];
      }
      bool is_root = has_root && old_parent == kEmptyStack;
      moved[old.index()] = is_root ? kEmptyStack : stacks.intern(below, frame);
      return moved[old.index()];
    });
    if (has_root) {
      set_process();
    }
  }

  void set_process() {
    ProcessId process = profile_.processes.push_back({.pid = 0, .name = process_name_});
    ThreadId thread = profile_.threads.push_back({.process = process, .name = process_name_});
    profile_.samples.thread.transform(
        [&](ThreadId known) { return known.valid() ? known : thread; });
  }

  Profile profile_;
  std::vector<PlainName> names_;  // by function
  StringId process_name_;
};

}  // namespace

Profile with_plain_names(Profile profile) {
  return PlainNames(std::move(profile)).run();
}

}  // namespace wick::kprofiling
