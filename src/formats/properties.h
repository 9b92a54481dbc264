// SPDX-License-Identifier: Apache-2.0
// What a profile has beyond stacks of named functions with weights, as a set of properties. The row
// of a format says which ones its writer retains. The difference to what a profile has is what a
// conversion drops, and wick says so with counts. Facts about the recording are not among them: they
// are for display.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.h"

namespace wick {

enum class Property : uint8_t {
  kEvents,        // several events beside each other
  kUnits,         // what weights measure, if it is neither time nor samples
  kFractions,     // of weights
  kCounts,        // the number of samples beside their weight
  kPeriods,       // the period or frequency of an event
  kTimes,         // when each sample was taken
  kThreads,       // the thread of each sample
  kProcesses,     // the process of each thread
  kCpus,          // the CPU of each sample
  kHosts,         // the machines of a merged profile, and their clocks
  kLabels,        // keys with texts
  kNumberLabels,  // keys with numbers and units
  kModules,       // the program or library of each frame
  kBuildIds,      // of modules
  kMappings,      // where processes mapped modules
  kAddresses,     // of frames
  kLines,         // source files and lines
  kColumns,       // columns of those lines
  kLinkageNames,  // of functions, beside their readable names
  kInlining,      // which frames are inlined
  kModes,         // user or kernel
  kOrigins,       // how frames were found, and how stacks ended
  kBuilds,        // how functions were compiled
  kBranches,      // branch stacks
  kSpans,         // intervals of threads
  kMarks,         // named moments
  kCounters,      // quantities over time
  kStatedTotals,  // totals of functions that the input states beside estimated stacks
  kLosses,        // what is missing from the profile, and why
};
inline constexpr size_t kPropertyCount = 29;

class PropertySet {
 public:
  constexpr PropertySet() = default;
  constexpr PropertySet(std::initializer_list<Property> properties) {
    for (Property property : properties) {
      bits_ |= bit(property);
    }
  }
  static constexpr PropertySet all() {
    PropertySet set;
    set.bits_ = (uint32_t{1} << kPropertyCount) - 1;
    return set;
  }
  constexpr PropertySet with(Property property) const {
    PropertySet set = *this;
    set.bits_ |= bit(property);
    return set;
  }
  constexpr bool contains(Property property) const { return (bits_ & bit(property)) != 0; }
  friend constexpr bool operator==(PropertySet, PropertySet) = default;

 private:
  static constexpr uint32_t bit(Property property) {
    return uint32_t{1} << static_cast<uint32_t>(property);
  }
  uint32_t bits_ = 0;
};

struct PropertyRow {
  Property property;
  std::string_view name;  // "times"
  // How many rows of the profile have it.
  uint64_t (*count)(const Profile& profile);
};
std::span<const PropertyRow> all_properties();

// Rows whose weight is not their number of samples: one of the two alone says less.
uint64_t samples_with_other_weights(const Profile& profile);

// The names of the properties of a set: "times, threads, labels", or "everything".
std::string property_names(PropertySet set);

// What the profile has and the set does not: "times (1204)".
std::vector<std::string> dropped_things(const Profile& profile, PropertySet retained);

}  // namespace wick
