// SPDX-License-Identifier: Apache-2.0
#include "formats/chrome_trace/damage.h"

#include <array>

#include "formats/damage_rows.h"

namespace wick::chrome_trace {
namespace {

constexpr std::array<DamageRow<Damage>, 9> kRows = {{
    {&Damage::values, "values of the wrong type", "values"},
    {&Damage::events, "events without a phase or a usable time", "events"},
    {&Damage::begins,
     "spans without an end last as long as the span around them",
     "spans",
     LossClass::kNotice},
    {&Damage::overlaps,
     "spans that outlast the span around them: in stacks, the outer one waits",
     "spans",
     LossClass::kNotice},
    {&Damage::frames, "samples whose frame is not in the trace", "stacks"},
    {&Damage::cycles, "frames that are their own callers", "frames"},
    {&Damage::weights, "samples with a negative or huge weight", "samples"},
    {&Damage::kinds,
     "events of kinds without a meaning for profiles (flows, objects, memory dumps)",
     "events",
     LossClass::kNotice},
    {&Damage::labels,
     "events without their arguments: the trace has too many different ones",
     "events",
     LossClass::kNotice},
}};

}  // namespace

void Damage::report(ProfileBuilder& builder, bool has_samples) const {
  add_losses<Damage>(*this, kRows, builder);
  if (ends > 0) {
    builder.add_loss({.reason = "ends of spans without a begin",
                      .what = "events",
                      .count = ends,
                      .severity = has_samples ? LossClass::kNotice : LossClass::kDataLoss});
  }
}

}  // namespace wick::chrome_trace
