// SPDX-License-Identifier: Apache-2.0
#include "formats/chrome_trace/damage.h"

#include <array>

#include "formats/damage_rows.h"

namespace wick::chrome_trace {
namespace {

constexpr std::array<DamageRow<Damage>, 9> kRows = {{
    {&Damage::values, "of the wrong type", "values"},
    {&Damage::events, "without a phase, or without a usable time", "events"},
    {&Damage::begins,
     "without an end: they last as long as the span around them",
     "spans",
     LossClass::kNotice},
    {&Damage::overlaps,
     "which outlast the span around them: in stacks, the outer one lasts as long as they do",
     "spans",
     LossClass::kNotice},
    {&Damage::frames, "whose frame is not in the trace", "stacks"},
    {&Damage::cycles, "which are their own callers", "frames"},
    {&Damage::weights, "with a negative or huge weight", "samples"},
    {&Damage::kinds,
     "of kinds that mean nothing in a profile (flows, objects, memory dumps)",
     "events",
     LossClass::kNotice},
    {&Damage::labels,
     "without their arguments: the trace has too many different ones",
     "events",
     LossClass::kNotice},
}};

}  // namespace

void Damage::report(ProfileBuilder& builder, bool has_samples) const {
  add_losses<Damage>(*this, kRows, builder);
  if (ends > 0) {
    builder.add_loss({.reason = "whose span did not begin",
                      .what = "events",
                      .count = ends,
                      .severity = has_samples ? LossClass::kNotice : LossClass::kDataLoss});
  }
}

}  // namespace wick::chrome_trace
