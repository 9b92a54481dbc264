// SPDX-License-Identifier: Apache-2.0
// Reads the words three times: to find the text after them, to find the frames of the signal handler
// (HandlerFrames), and to make the stacks (Assembly). Maps and java_names() read the text. A file
// that is cut loses its text or the end of it, so addresses have no modules; the loss says so.
#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/escape.h"
#include "base/frame_address.h"
#include "base/hash.h"
#include "base/lines.h"
#include "base/parse_number.h"
#include "base/path.h"
#include "base/whole_input.h"
#include "formats/broken_input.h"
#include "formats/gperftools/gperftools.h"
#include "formats/gperftools/words.h"
#include "profile/builder.h"
#include "profile/validate.h"

namespace wick::gperftools {
namespace {

std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  std::string_view word = text.substr(0, text.find_first_of(" \t"));
  text.remove_prefix(word.size());
  return word;
}

// Addresses come from the file, which must not choose the slots of a table.
struct AddressHash {
  size_t operator()(uint64_t address) const { return hash_mix(address, 0); }
};

// Executable mappings, in order of the text.
class Maps {
 public:
  struct Mapping {
    uint64_t start = 0;
    uint64_t end = 0;
    uint64_t offset = 0;
    std::string path;
  };

  explicit Maps(std::string_view text) {
    for_each_line(text, [&](std::string_view line) { take(line); });
    by_start_ = mappings_;
    std::ranges::stable_sort(by_start_, {}, &Mapping::start);
  }

  const std::vector<Mapping>& all() const { return mappings_; }
  // The mapping of an address, or the one whose file begins before it: some profiles list only a
  // part of a file's mappings.
  const Mapping* find(uint64_t address) const {
    auto after = std::ranges::upper_bound(by_start_, address, {}, &Mapping::start);
    if (after != by_start_.begin() && address < std::prev(after)->end) {
      return &*std::prev(after);
    }
    bool is_before = after != by_start_.end() && after->start - address <= after->offset;
    return is_before ? &*after : nullptr;
  }
  // The program: the first file that is not a library.
  std::string_view program() const {
    auto is_program = [](const Mapping& mapping) {
      return mapping.path.find(".so") == std::string::npos && !mapping.path.starts_with('[');
    };
    auto found = std::ranges::find_if(mappings_, is_program);
    return found == mappings_.end() ? std::string_view() : file_name_of(found->path);
  }

 private:
  void take(std::string_view line) {
    constexpr std::string_view kBuild = "build=";
    if (line.starts_with(kBuild)) {
      build_ = line.substr(kBuild.size());
      return;
    }
    std::string_view range = take_word(line);
    std::string_view access = take_word(line);
    std::optional<uint64_t> offset = parse_hex(take_word(line));
    take_word(line);  // device
    take_word(line);  // inode
    size_t dash = range.find('-');
    std::optional<uint64_t> start = parse_hex(range.substr(0, dash));
    std::optional<uint64_t> end =
        dash == std::string_view::npos ? std::nullopt : parse_hex(range.substr(dash + 1));
    std::string_view path = trimmed(line);
    bool is_code = access.find('x') != std::string_view::npos && !path.empty();
    if (is_code && start && end && offset && *end > *start) {
      constexpr std::string_view kVariable = "$build";
      std::string full(path);
      if (path.starts_with(kVariable)) {
        full = build_ + full.substr(kVariable.size());
      }
      mappings_.push_back({*start, *end, *offset, std::move(full)});
    }
  }

  std::string build_;
  std::vector<Mapping> mappings_;
  std::vector<Mapping> by_start_;
};

// The names of a Java profile: "0x6 com.example.work (Work.java:17)".
struct JavaName {
  std::string_view function;
  std::string_view file;
  uint32_t line = 0;
};
std::unordered_map<uint64_t, JavaName, AddressHash> java_names(std::string_view text) {
  std::unordered_map<uint64_t, JavaName, AddressHash> names;
  for_each_line(text, [&](std::string_view line) {
    std::string_view word = take_word(line);
    std::optional<uint64_t> address =
        word.starts_with("0x") ? parse_hex(word.substr(2)) : std::nullopt;
    std::string_view name = trimmed(line);
    if (!address || name.empty()) {
      return;
    }
    JavaName result{.function = name};
    size_t open = name.rfind(" (");
    size_t colon = name.rfind(':');
    if (name.ends_with(')') && open != std::string_view::npos) {
      bool has_line = colon != std::string_view::npos && colon > open;
      std::string_view number =
          has_line ? name.substr(colon + 1, name.size() - colon - 2) : std::string_view();
      result.function = name.substr(0, open);
      result.file = name.substr(open + 2, (has_line ? colon : name.size() - 1) - open - 2);
      result.line = parse_number<uint32_t>(number).value_or(0);
    }
    names.try_emplace(*address, result);
  });
  return names;
}

// Addresses that the profiler's signal handler left in second position (gperftools.h).
class HandlerFrames {
 public:
  HandlerFrames(Bytes bytes, const WordLayout& layout) {
    for (std::optional<uint64_t>& removed : removed_) {
      std::unordered_map<uint64_t, uint64_t, AddressHash> seconds;
      uint64_t stacks = 0;
      StackWords words(bytes, layout);
      Stack stack;
      while (words.next(stack)) {
        ++stacks;
        remove_known(stack);
        if (stack.addresses.size() > 1) {
          ++seconds[stack.addresses[1]];
        }
      }
      constexpr uint64_t kExceptions = 32;  // one in this many stacks may differ
      for (const auto& [address, count] : seconds) {
        if (count >= stacks - stacks / kExceptions) {
          removed = address;
        }
      }
    }
  }

  void remove_from(Stack& stack) const {
    remove_known(stack);
    std::vector<uint64_t>& addresses = stack.addresses;
    if (addresses.size() > 1 && addresses[0] == addresses[1]) {
      addresses.erase(addresses.begin() + 1);
    }
  }

 private:
  void remove_known(Stack& stack) const {
    for (const std::optional<uint64_t>& address : removed_) {
      if (address && stack.addresses.size() > 1 && stack.addresses[1] == *address) {
        stack.addresses.erase(stack.addresses.begin() + 1);
      }
    }
  }

  std::array<std::optional<uint64_t>, 2> removed_;
};

class Assembly {
 public:
  explicit Assembly(const Header& header) : is_java_(header.is_java) {
    constexpr uint64_t kNsPerUs = 1000;
    period_ = header.period_us * kNsPerUs;
    builder_.event({.name = builder_.string("cpu"),
                    .unit = builder_.string("nanoseconds"),
                    .kind = Quantity::kCpuTime,
                    .period = period_});
  }

  void add_text(std::string_view text) {
    if (is_java_) {
      names_ = java_names(text);
      return;
    }
    maps_.emplace(text);
    if (maps_->all().empty()) {
      return;
    }
    ProcessId process = builder_.process({.name = builder_.string(maps_->program())});
    for (const Maps::Mapping& mapping : maps_->all()) {
      builder_.add_mapping({.process = process,
                            .module = module_of(mapping),
                            .start = mapping.start,
                            .end = mapping.end,
                            .file_offset = mapping.offset});
    }
  }

  void add_cut_text() {
    builder_.add_loss({.reason = kTextWasCut,
                       .what = "rest of the input",
                       .detail = is_java_ ? "addresses after it have no names"
                                          : "addresses in the files after it have no names",
                       .count = 0});
  }

  void add(const Stack& stack) {
    uint64_t weight = 0;
    bool overflows = __builtin_mul_overflow(stack.count, period_, &weight) ||
                     weight >= kMaxTotalWeight - weights_;
    if (overflows || stack.count == 0) {
      too_large_ += overflows ? 1U : 0U;
      return;
    }
    weights_ += weight;
    StackId id = kEmptyStack;
    for (size_t at = stack.addresses.size(); at-- > 0;) {
      id = builder_.stack(id, frame_of(stack.addresses[at], at == 0));
    }
    builder_.add_sample(
        {.weight = static_cast<int64_t>(weight), .count = stack.count, .stack = id});
  }

  ProfileBuilder& builder() { return builder_; }
  Profile finish() {
    if (too_large_ > 0) {
      builder_.add_loss({.reason = "too large to add up", .count = too_large_});
    }
    builder_.add_fact("format", "gperftools");
    return builder_.finish();
  }

 private:
  ModuleId module_of(const Maps::Mapping& mapping) {
    return builder_.module({.path = builder_.string(mapping.path),
                            .build_id = {},
                            .address_kind = AddressKind::kFileOffset});
  }

  FrameId frame_of(uint64_t address, bool is_leaf) {
    auto [known, is_new] = frames_[is_leaf ? 1 : 0].try_emplace(address);
    if (is_new) {
      known->second = builder_.frame(is_java_ ? java_frame(address) : frame_at(address, is_leaf));
    }
    return known->second;
  }

  Frame java_frame(uint64_t address) {
    auto name = names_.find(address);
    if (name == names_.end()) {
      return {};
    }
    FunctionId function = builder_.function({.name = builder_.string(name->second.function),
                                             .file = builder_.string(name->second.file)});
    return {.function = function, .line = name->second.line};
  }

  Frame frame_at(uint64_t address, bool is_leaf) {
    uint64_t inside = FrameAddress::in_chain(address, is_leaf || address == 0).lookup();
    Frame frame{.address = inside,
                .mode = Mode::kUser,
                .origin = is_leaf ? FrameOrigin::kSampled : FrameOrigin::kUnknown};
    if (const Maps::Mapping* mapping = maps_ ? maps_->find(inside) : nullptr) {
      frame.module = module_of(*mapping);
      frame.address = inside - mapping->start + mapping->offset;
    }
    return frame;
  }

  bool is_java_;
  uint64_t period_ = 0;
  ProfileBuilder builder_;
  std::optional<Maps> maps_;
  std::unordered_map<uint64_t, JavaName, AddressHash> names_;
  std::array<std::unordered_map<uint64_t, FrameId, AddressHash>, 2>
      frames_;  // of callers and of leaves
  uint64_t weights_ = 0;
  uint64_t too_large_ = 0;
};

}  // namespace

bool sniff(Bytes head) {
  return header_of(head).has_value();
}

Result<Profile> read(Input& input, const FlagValues& /*flags*/) {
  WholeInput whole(input);
  Bytes bytes = as_bytes(whole.text());
  std::optional<Header> header = header_of(bytes);
  if (!header) {
    return fail("{} is not a CPU profile of gperftools: its header is damaged.",
                terminal_text(input.name()));
  }
  StackWords end(bytes, header->layout);
  Stack stack;
  while (end.next(stack)) {
  }
  Assembly assembly(*header);
  if (end.is_complete()) {
    std::string_view text = as_text(end.rest());
    std::string_view lines = text.substr(0, text.rfind('\n') + 1);
    assembly.add_text(lines);
    if (lines.size() < text.size()) {
      assembly.add_cut_text();
    }
  }
  HandlerFrames handler(bytes, header->layout);
  StackWords words(bytes, header->layout);
  while (words.next(stack)) {
    if (!header->is_java) {
      handler.remove_from(stack);
    }
    assembly.add(stack);
  }
  std::string error = whole.error();
  if (error.empty() && !end.is_complete()) {
    error = fmt::format("the end mark is missing; {} bytes are not a stack", end.rest().size());
  }
  add_unread_rest(error, assembly.builder());
  return assembly.finish();
}

}  // namespace wick::gperftools
