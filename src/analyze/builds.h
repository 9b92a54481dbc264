// SPDX-License-Identifier: Apache-2.0
// How the code with samples was built, as sentences to read before the numbers: code without
// optimisation, debug builds of a runtime, and sides of a comparison that are built differently.
//
// The share is that of samples whose innermost frame is in such code, with the functions inlined
// into it. Only functions that the profile contains count, not the rest of a program.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profile/profile.h"
#include "profile/stack_costs.h"

namespace wick {

// A smaller share says nothing about the rest.
inline constexpr double kLeastBuildShare = 0.01;

struct ProvenBuild {
  std::string text;  // as in the profile's column `build`
  BuildKind kind = BuildKind::kUnknown;
  friend bool operator==(const ProvenBuild&, const ProvenBuild&) = default;
};

// The sentences about programs that ran without a profile: their differences from the first one,
// then those that are for debugging.
struct BuiltProgram {
  std::string name;
  ProvenBuild build;
};
std::vector<std::string> program_cautions(std::span<const BuiltProgram> programs);

// The builds in one or more runs of a program.
class Builds {
 public:
  // Only comparisons need the functions.
  enum class For : uint8_t { kReport, kComparison };
  explicit Builds(For use = For::kComparison) : use_(use) {}
  Builds(const Profile& profile, const StackCosts& costs, For use = For::kComparison) : use_(use) {
    add(profile, costs);
  }
  void add(const Profile& profile, const StackCosts& costs);

  // Whole sentences; empty if nothing is wrong, or if the builds are unknown.
  std::vector<std::string> cautions() const;
  // What differs from the builds of another side, for functions that both sides have.
  std::optional<std::string> difference(std::string_view name,
                                        const Builds& other,
                                        std::string_view other_name) const;

 private:
  struct OfFunction {
    ProvenBuild build;
    double weight = 0;
    bool is_ambiguous = false;  // several functions of this name are built differently
  };
  struct OfModule {
    std::string module;
    ProvenBuild build;
    double weight = 0;
  };

  double share(double weight) const { return total_ > 0 ? weight / total_ : 0; }
  void add_to_module(std::string_view module, const ProvenBuild& build, double weight);
  BuildKind kind_in_sentence(const OfModule& one) const;
  std::optional<std::string> caution(BuildKind kind) const;

  For use_;
  double total_ = 0;
  std::unordered_map<std::string, OfFunction> functions_;  // by name
  std::vector<OfModule> debugging_;                        // builds for debugging only
};

// The sentences about several sides: differences from the first one, then those of each side.
struct BuiltSide {
  std::string name;
  Builds builds;
};
std::vector<std::string> build_cautions(std::span<const BuiltSide> sides);

}  // namespace wick
