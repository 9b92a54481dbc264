// SPDX-License-Identifier: Apache-2.0
#include "formats/firefox/damage.h"

#include <array>

#include "formats/damage_rows.h"

namespace wick::firefox {
namespace {

constexpr std::array<DamageRow<Damage>, 12> kRows = {{
    {&Damage::values, "values of the wrong type or out of range", "values"},
    {&Damage::parents, "stacks whose parent does not come before them became roots", "stacks"},
    {&Damage::frames, "stacks whose frame is not in the table of frames", "stacks"},
    {&Damage::functions, "frames whose function is not in its table", "frames"},
    {&Damage::stacks, "samples whose stack is not in the table of stacks", "stacks"},
    {&Damage::weights, "samples with a negative or huge weight", "samples"},
    {&Damage::times, "samples without a usable time", "times"},
    {&Damage::rows, "samples with a time but without a stack: the table was cut", "samples"},
    {&Damage::halves,
     "markers that begin without an end, or end without a begin, became moments",
     "markers",
     LossClass::kNotice},
    {&Damage::markers, "markers without a name or a time", "markers"},
    {&Damage::points, "points of counters without a time or value", "points"},
    {&Damage::processes, "processes nested too deeply", "processes"},
}};

}  // namespace

void Damage::report(ProfileBuilder& builder) const {
  add_losses<Damage>(*this, kRows, builder);
}

}  // namespace wick::firefox
