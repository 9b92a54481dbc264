// SPDX-License-Identifier: Apache-2.0
// Finds the target in this order, and stops at the first match:
//
//   1. no text given: the hottest function with readable code (50 tries)
//   2. a function with exactly this name or linkage name, else one whose name contains the text
//   3. module:address
//   4. a source file, with or without leading directories
//   5. an inlined function, shown in the function where it costs most
//   6. the text as a regular expression on function names
//   7. an error that suggests the nearest spelling
//
// Steps 4 and 5 need the inlined functions at every sampled address (sampled_locations), which is
// expensive, so the cheap steps come first. A regular expression is last because a plain name is
// often a valid expression, too.
#include "analyze/annotate/target.h"

#include <algorithm>
#include <optional>

#include "base/escape.h"
#include "base/parse_number.h"
#include "base/path.h"
#include "base/pattern.h"
#include "base/spelling.h"
#include "profile/names.h"

namespace wick {
namespace {

using Functions = std::vector<HotFunction>;

template <typename Fits>
Functions fitting(const CodeHeat& heat, Fits fits) {
  Functions found;
  std::ranges::copy_if(heat.functions(), std::back_inserter(found), fits);
  return found;
}

// Functions with exactly this name, else those whose name contains it.
Functions by_name(const CodeHeat& heat, std::string_view wanted) {
  Functions exact = fitting(heat, [&](const HotFunction& function) {
    return function.name == wanted || function.linkage == wanted;
  });
  if (!exact.empty()) {
    return exact;
  }
  return fitting(heat, [&](const HotFunction& function) { return function.name.contains(wanted); });
}

Functions by_pattern(const CodeHeat& heat, std::string_view wanted) {
  Result<Pattern> pattern = Pattern::compile(wanted);
  if (!pattern) {
    return {};
  }
  return fitting(heat, [&](const HotFunction& function) {
    return !function.name.empty() && pattern->matches(function.name);
  });
}

Result<Target> function_target(const Profile& profile, Functions found, CodeSource& source) {
  Target target{.function = found[0].function, .frame = found[0].hottest};
  if (!is_interpreted(target.frame.origin)) {
    target.code = TRY(source.function_at(profile, target.frame));
  }
  target.also.assign(found.begin() + 1, found.end());
  return target;
}

std::string share_of(const HotFunction& function, const Cost& all) {
  double share = all.weight == 0
                     ? 0
                     : static_cast<double>(function.self.weight) / static_cast<double>(all.weight);
  return fmt::format("{:.1f} %", 100 * share);
}

std::string shown_name(const HotFunction& function) {
  return function.name.empty() ? fmt::format("{} (no name)", function.module) : function.name;
}

// The hottest function may have no readable code: a kernel function, or generated code.
Result<Target> hottest_target(const Profile& profile, const CodeHeat& heat, CodeSource& source) {
  constexpr size_t kTries = 50;
  Cost all;
  for (const HotFunction& function : heat.functions()) {
    all += function.self;
  }
  std::vector<std::string> notes;
  std::optional<Error> first;
  for (size_t i = 0; i < std::min(kTries, heat.functions().size()); ++i) {
    const HotFunction& function = heat.functions()[i];
    if (function.self.weight == 0 && i > 0) {
      break;
    }
    Result<Target> target = function_target(profile, {function}, source);
    if (target) {
      target->notes = std::move(notes);
      return target;
    }
    if (notes.empty()) {
      notes.push_back(fmt::format("The hottest function, {} with {}, is not shown. {}",
                                  shown_name(function),
                                  share_of(function, all),
                                  target.error().message));
    }
    first = first ? first : target.error();
  }
  return std::unexpected(*first);
}

// "module:0x12", "module:12" and "module+0x12" are addresses; "std::sort" is not.
struct ModuleAddress {
  std::string_view module;
  uint64_t address = 0;
};
std::optional<ModuleAddress> parse_module_address(std::string_view wanted) {
  size_t at = wanted.find_last_of(":+");
  if (at == std::string_view::npos || at == 0 || wanted[at - 1] == ':') {
    return {};
  }
  std::string_view digits = wanted.substr(at + 1);
  digits = digits.starts_with("0x") ? digits.substr(2) : digits;
  std::optional<uint64_t> address = parse_hex(digits);
  return address ? std::optional(ModuleAddress{wanted.substr(0, at), *address}) : std::nullopt;
}

// A frame at this address, if the module is in the profile.
std::optional<Frame> frame_at(const Profile& profile, const ModuleAddress& location) {
  for (const Frame& frame : profile.frames) {
    if (frame.module.valid() &&
        (module_name(profile, frame.module) == location.module ||
         profile.strings[profile.modules[frame.module].path] == location.module)) {
      return Frame{.module = frame.module, .address = location.address, .mode = frame.mode};
    }
  }
  return {};
}

// A sampled address and the functions that execute there.
struct SampledLocation {
  FrameId frame;
  Cost self;
  CodeChain chain;
};
CodeLocation interpreted_location(const Profile& profile, const Frame& frame) {
  return {.function = function_name(profile, frame.function),
          .file = std::string(profile.strings[line_file(profile, frame)]),
          .line = frame.line};
}
std::vector<SampledLocation> sampled_locations(const Profile& profile,
                                               const CodeHeat& heat,
                                               CodeSource& source) {
  std::vector<SampledLocation> locations;
  for (size_t row = 0; row < profile.frames.size(); ++row) {
    FrameId id = FrameId::from_index(row);
    const Frame& frame = profile.frames[id];
    if (heat.self(id).weight == 0) {
      continue;
    }
    if (is_interpreted(frame.origin) && frame.function.valid()) {
      locations.push_back({id, heat.self(id), {interpreted_location(profile, frame)}});
    } else if (frame.address != 0) {
      locations.push_back({id, heat.self(id), source.locations_at(profile, frame)});
    }
  }
  return locations;
}

bool names_file(std::string_view file, std::string_view wanted) {
  return file == wanted || (file.ends_with(wanted) && file[file.size() - wanted.size() - 1] == '/');
}

std::vector<HotFile> by_file(const std::vector<SampledLocation>& locations,
                             std::string_view wanted) {
  std::vector<HotFile> files;
  for (const SampledLocation& location : locations) {
    if (location.chain.empty() || !names_file(location.chain[0].file, wanted)) {
      continue;
    }
    const CodeLocation& leaf = location.chain[0];
    auto file = std::ranges::find(files, leaf.file, &HotFile::file);
    if (file == files.end()) {
      files.push_back({.file = leaf.file, .frame = location.frame});
      file = files.end() - 1;
    }
    file->lines[leaf.line] += location.self;
    file->self += location.self;
  }
  std::ranges::stable_sort(
      files, [](const HotFile& a, const HotFile& b) { return a.self.weight > b.self.weight; });
  return files;
}

// The name of the matching inlined function: the exact name, else the one with most samples that
// contains the text. Empty if there is none.
std::string inlined_name(const std::vector<SampledLocation>& locations, std::string_view wanted) {
  std::map<std::string, int64_t> fitting;
  for (const SampledLocation& location : locations) {
    for (const CodeLocation& at : location.chain) {
      if (at.function == wanted) {
        return at.function;
      }
      if (at.function.contains(wanted)) {
        fitting[at.function] += location.self.weight;
      }
    }
  }
  auto best = std::ranges::max_element(fitting, {}, [](const auto& entry) { return entry.second; });
  return best == fitting.end() ? "" : best->first;
}

// The functions that contain the code of an inlined function, with its cost in each.
Functions homes_of_inlined(const Profile& profile,
                           const CodeHeat& heat,
                           const std::vector<SampledLocation>& locations,
                           const std::string& name) {
  std::map<std::pair<FunctionId, ModuleId>, Cost> costs;
  for (const SampledLocation& location : locations) {
    if (std::ranges::find(location.chain, name, &CodeLocation::function) != location.chain.end()) {
      const Frame& frame = profile.frames[location.frame];
      costs[{frame.function, frame.module}] += location.self;
    }
  }
  Functions homes;
  for (const HotFunction& function : heat.functions()) {
    auto cost = costs.find({function.function, function.hottest.module});
    if (cost != costs.end()) {
      homes.push_back(function);
      homes.back().self = cost->second;
    }
  }
  std::ranges::stable_sort(homes, [](const HotFunction& a, const HotFunction& b) {
    return a.self.weight > b.self.weight;
  });
  return homes;
}

// Whether this is the name of an evaluator, whose frames --stacks leaves out.
bool is_evaluator(const Profile& profile, std::string_view wanted) {
  return std::ranges::any_of(profile.frames, [&](const Frame& frame) {
    return (frame.flags & kEvaluator) != 0 && frame.function.valid() &&
           function_name(profile, frame.function) == wanted;
  });
}

std::unexpected<Error> not_found(const Profile& profile,
                                 const CodeHeat& heat,
                                 const std::vector<SampledLocation>& locations,
                                 std::string_view wanted) {
  if (is_evaluator(profile, wanted)) {
    return fail(
        "{} is the evaluator of an interpreter: its cost is that of the functions that it ran. "
        "`--stacks native` shows it.",
        short_terminal_text(wanted));
  }
  std::vector<std::string> names;
  auto add = [&](const std::string& name) {
    names.push_back(name);
    size_t scope = name.rfind("::");
    if (scope != std::string::npos) {
      names.push_back(name.substr(scope + 2));  // users often omit the scope
    }
  };
  for (const HotFunction& function : heat.functions()) {
    add(function.name);
  }
  for (const SampledLocation& location : locations) {
    for (const CodeLocation& at : location.chain) {
      add(at.function);
      names.emplace_back(file_name_of(at.file));
    }
  }
  for (const Module& module : profile.modules) {
    names.emplace_back(profile.strings[module.path]);
  }
  std::string near = nearest_spelling(wanted, names);
  return fail("No function, source file or module:address is called \"{}\"{}",
              short_terminal_text(wanted),
              near.empty() ? "; `wick report` lists the functions."
                           : fmt::format("; did you mean \"{}\"?", terminal_text(near)));
}

}  // namespace

Result<Target> find_target(const Profile& profile,
                           const CodeHeat& heat,
                           std::string_view wanted,
                           CodeSource& source) {
  if (profile.samples.empty()) {
    return fail("There are no samples, so no code is hot; `wick info` shows what the input has.");
  }
  if (heat.functions().empty()) {
    return fail(
        "This input has names but no addresses, so the hot instructions are unknown. Annotate a "
        "recording (.wick or perf.data) instead; `wick report --by line` shows the lines this "
        "input has.");
  }
  if (wanted.empty()) {
    return hottest_target(profile, heat, source);
  }
  if (Functions found = by_name(heat, wanted); !found.empty()) {
    return function_target(profile, std::move(found), source);
  }
  if (std::optional<ModuleAddress> location = parse_module_address(wanted)) {
    if (std::optional<Frame> frame = frame_at(profile, *location)) {
      Target target{.frame = *frame};
      target.code = TRY(source.function_at(profile, *frame));
      return target;
    }
  }
  std::vector<SampledLocation> locations = sampled_locations(profile, heat, source);
  if (std::vector<HotFile> files = by_file(locations, wanted); !files.empty()) {
    Target target{.files = std::move(files)};
    return target;
  }
  if (std::string inlined = inlined_name(locations, wanted); !inlined.empty()) {
    Functions homes = homes_of_inlined(profile, heat, locations, inlined);
    Target target = TRY(function_target(profile, std::move(homes), source));
    target.notes.push_back(fmt::format(
        "{} has no code of its own: it was inlined. This is the function with most of its samples.",
        inlined));
    return target;
  }
  if (Functions found = by_pattern(heat, wanted); !found.empty()) {
    return function_target(profile, std::move(found), source);
  }
  return not_found(profile, heat, locations, wanted);
}

}  // namespace wick
