// SPDX-License-Identifier: Apache-2.0
// Adds up the cost of code by how it was built, for each module, then writes the sentences: the
// cost decides whether a build is worth one, and the kind of build decides which remedy it names.
#include "analyze/builds.h"

#include <algorithm>

#include <fmt/format.h>

#include "analyze/clone_suffix.h"
#include "profile/names.h"

namespace wick {
namespace {

constexpr size_t kMaxModules = 2;

// The compiler, and its optimisation: the parts of a build's text.
std::string_view compiler_of(std::string_view text) {
  return text.substr(0, text.find(", "));
}
std::string_view optimisation_of(std::string_view text) {
  size_t comma = text.find(", ");
  return comma == std::string_view::npos ? "" : text.substr(comma + 2);
}

// The function that has the code of a stack's innermost frame, not one that is inlined into it.
FunctionId code_of(const Profile& profile, StackId stack) {
  while (stack != kEmptyStack) {
    const Frame& frame = profile.frames[profile.stacks.frame(stack)];
    if ((frame.flags & kInlined) == 0) {
      return frame.function;
    }
    stack = profile.stacks.parent(stack);
  }
  return {};
}

// `verb` is what to do again: "record".
std::string remedy(BuildKind kind, std::string_view compiler, std::string_view verb) {
  if (kind == BuildKind::kChecked) {
    return fmt::format("{} the interpreter's release build", verb);
  }
  if (compiler.starts_with("rustc")) {
    return fmt::format("build with `cargo build --release` and {} again", verb);
  }
  if (compiler.starts_with("Go")) {
    return fmt::format("build without -gcflags=-N and {} again", verb);
  }
  return fmt::format("build with -O2 -g and {} again", verb);
}

std::string_view problem(BuildKind kind) {
  switch (kind) {
    case BuildKind::kCargoDebug:
      return "code of Cargo's debug profile, which does not optimise by default";
    case BuildKind::kChecked:
      return "a debug build of the interpreter";
    default:
      return "code built without optimisation";
  }
}

// Unknown parts never differ. "optimised" is not a level: it equals every level except none.
bool differ(const ProvenBuild& one, const ProvenBuild& other) {
  if (one.text.empty() || other.text.empty()) {
    return false;
  }
  if (compiler_of(one.text) != compiler_of(other.text)) {
    return true;
  }
  if (one.kind == BuildKind::kUnknown || other.kind == BuildKind::kUnknown) {
    return false;
  }
  std::string_view level = optimisation_of(one.text);
  std::string_view other_level = optimisation_of(other.text);
  bool has_levels = level.starts_with('-') && other_level.starts_with('-');
  return one.kind != other.kind || (has_levels && level != other_level);
}

}  // namespace

void Builds::add(const Profile& profile, const StackCosts& costs) {
  std::vector<double> weights(profile.functions.size());
  for (StackId stack : costs.stacks()) {
    if (FunctionId function = code_of(profile, stack); function.valid()) {
      weights[function.index()] += static_cast<double>(costs.self(stack).weight);
    }
  }
  total_ += static_cast<double>(costs.total().weight);
  for (size_t row = 0; row < profile.functions.size(); ++row) {
    const Function& function = profile.functions[FunctionId::from_index(row)];
    bool is_unwanted = use_ == For::kReport && !is_for_debugging(function.build_kind);
    if (function.build.empty() || is_unwanted) {
      continue;
    }
    ProvenBuild build{std::string(profile.strings[function.build]), function.build_kind};
    if (is_for_debugging(build.kind) && weights[row] > 0) {
      add_to_module(module_name(profile, function.module), build, weights[row]);
    }
    if (use_ == For::kReport) {
      continue;
    }
    // Another level of optimisation makes copies of other functions.
    auto [known, is_new] =
        functions_.try_emplace(without_clone_suffix(profile.strings[function.name]));
    if (is_new) {
      known->second.build = std::move(build);
    } else if (known->second.build != build) {
      known->second.is_ambiguous = true;
    }
    known->second.weight += weights[row];
  }
}

void Builds::add_to_module(std::string_view module, const ProvenBuild& build, double weight) {
  auto known = std::ranges::find_if(
      debugging_, [&](const OfModule& one) { return one.module == module && one.build == build; });
  if (known == debugging_.end()) {
    debugging_.push_back({std::string(module), build, weight});
  } else {
    known->weight += weight;
  }
}

// All code of a program in target/debug is of Cargo's debug profile, also the units that are proven
// to be without optimisation: one sentence is enough.
BuildKind Builds::kind_in_sentence(const OfModule& one) const {
  bool is_of_cargo = std::ranges::any_of(debugging_, [&](const OfModule& other) {
    return other.build.kind == BuildKind::kCargoDebug && other.module == one.module &&
           compiler_of(other.build.text) == compiler_of(one.build.text);
  });
  return is_of_cargo ? BuildKind::kCargoDebug : one.build.kind;
}

std::optional<std::string> Builds::caution(BuildKind kind) const {
  std::vector<const OfModule*> modules;
  double weight = 0;
  for (const OfModule& one : debugging_) {
    if (kind_in_sentence(one) == kind) {
      modules.push_back(&one);
      weight += one.weight;
    }
  }
  if (modules.empty() || share(weight) < kLeastBuildShare) {
    return {};
  }
  std::ranges::stable_sort(modules, std::ranges::greater(), &OfModule::weight);
  std::string list;
  for (size_t i = 0; i < std::min(modules.size(), kMaxModules); ++i) {
    list += fmt::format("{}{}: {}", i == 0 ? "" : "; ", modules[i]->module, modules[i]->build.text);
  }
  if (modules.size() > kMaxModules) {
    list += fmt::format("; {} more", modules.size() - kMaxModules);
  }
  return fmt::format("{:.1f} % of the cost is in {} ({}): {}.",
                     100 * share(weight),
                     problem(kind),
                     list,
                     remedy(kind, modules[0]->build.text, "record"));
}

std::vector<std::string> Builds::cautions() const {
  std::vector<std::string> sentences;
  for (BuildKind kind : {BuildKind::kNone, BuildKind::kCargoDebug, BuildKind::kChecked}) {
    if (std::optional<std::string> sentence = caution(kind)) {
      sentences.push_back(std::move(*sentence));
    }
  }
  return sentences;
}

std::optional<std::string> Builds::difference(std::string_view name,
                                              const Builds& other,
                                              std::string_view other_name) const {
  struct Pair {
    std::string_view function;
    const OfFunction* one;
    const OfFunction* other;
    double share;  // the larger one
  };
  std::vector<Pair> pairs;
  double one_share = 0;
  double other_share = 0;
  for (const auto& [function, one] : functions_) {
    auto found = other.functions_.find(function);
    if (found == other.functions_.end() || one.is_ambiguous || found->second.is_ambiguous ||
        !differ(one.build, found->second.build)) {
      continue;
    }
    double here = share(one.weight);
    double there = other.share(found->second.weight);
    pairs.push_back({function, &one, &found->second, std::max(here, there)});
    one_share += here;
    other_share += there;
  }
  if (pairs.empty() || std::max(one_share, other_share) < kLeastBuildShare) {
    return {};
  }
  // By name if the shares are equal, because the map has no order.
  const Pair& hottest = *std::ranges::max_element(pairs, [](const Pair& a, const Pair& b) {
    return a.share != b.share ? a.share < b.share : a.function > b.function;
  });
  return fmt::format(
      "The sides are built differently: {} ({}), {} ({}), seen in {}{} with {:.1f} % and {:.1f} % "
      "of the cost: build both in the same way to compare the code.",
      name,
      hottest.one->build.text,
      other_name,
      hottest.other->build.text,
      hottest.function,
      pairs.size() == 1 ? "" : fmt::format(" and {} more", pairs.size() - 1),
      100 * one_share,
      100 * other_share);
}

std::vector<std::string> build_cautions(std::span<const BuiltSide> sides) {
  std::vector<std::string> cautions;
  for (size_t i = 1; i < sides.size(); ++i) {
    if (std::optional<std::string> sentence =
            sides[0].builds.difference(sides[0].name, sides[i].builds, sides[i].name)) {
      cautions.push_back(std::move(*sentence));
    }
  }
  for (const BuiltSide& side : sides) {
    for (const std::string& sentence : side.builds.cautions()) {
      cautions.push_back(sides.size() == 1 ? sentence : fmt::format("{}: {}", side.name, sentence));
    }
  }
  return cautions;
}

std::vector<std::string> program_cautions(std::span<const BuiltProgram> programs) {
  std::vector<std::string> cautions;
  for (size_t i = 1; i < programs.size(); ++i) {
    if (differ(programs[0].build, programs[i].build)) {
      cautions.push_back(fmt::format(
          "The programs are built differently: {} ({}), {} ({}), seen in their main: build both in "
          "the same way to compare the code.",
          programs[0].name,
          programs[0].build.text,
          programs[i].name,
          programs[i].build.text));
    }
  }
  for (const BuiltProgram& program : programs) {
    const auto& [text, kind] = program.build;
    if (is_for_debugging(kind)) {
      cautions.push_back(fmt::format("The main of {} is {} ({}): {}.",
                                     program.name,
                                     problem(kind),
                                     text,
                                     remedy(kind, text, "measure")));
    }
  }
  return cautions;
}

}  // namespace wick
