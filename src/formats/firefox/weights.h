// SPDX-License-Identifier: Apache-2.0
// What the weights of a Firefox profile count, and their conversion to whole numbers.
//
//     weightType "samples", or none   numbers of samples
//     "tracing-ms"                    measured milliseconds, not samples: the count is unknown
//     "bytes"                         bytes; negative ones are memory that was freed
//
// A file that wick wrote says more: meta.wickEvent has the event, samples.count the samples.
#pragma once

#include <optional>

#include "formats/firefox/damage.h"
#include "formats/firefox/tables.h"
#include "profile/builder.h"
#include "profile/validate.h"

namespace wick::firefox {

struct Weight {
  int64_t weight = 0;
  uint64_t count = 0;
};

// The weights of one event.
class Weights {
 public:
  // `factor`: units of the event for each unit of the file.
  Weights(EventId event, double factor, bool are_samples)
      : event_(event), factor_(factor), are_samples_(are_samples) {}

  EventId event() const { return event_; }
  // The weight of a row; nothing if the profile cannot hold it. `total` is the sum so far.
  std::optional<Weight> of(const SampleTable& samples, size_t row, int64_t& total) const;

 private:
  EventId event_;
  double factor_;
  bool are_samples_;  // the weight is the number of samples
};

// Finds or adds the events of a profile.
class WeightRules {
 public:
  WeightRules(const RawProfile& raw, ProfileBuilder& builder) : raw_(raw), builder_(builder) {}

  // For the samples of a thread.
  Weights of_samples(const SampleTable& samples);
  // For allocations in bytes.
  Weights of_bytes(std::string_view event);

 private:
  Weights of_own_event();
  Weights of_counts();
  bool has_fractions();

  const RawProfile& raw_;
  ProfileBuilder& builder_;
  std::optional<bool> has_fractions_;
};

}  // namespace wick::firefox
