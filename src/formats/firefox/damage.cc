// SPDX-License-Identifier: Apache-2.0
#include "formats/firefox/damage.h"

#include <array>

#include "formats/damage_rows.h"

namespace wick::firefox {
namespace {

constexpr std::array<DamageRow<Damage>, 13> kRows = {{
    {&Damage::values, "of the wrong type, or out of range", "values"},
    {&Damage::parents, "whose parent does not come before them: they became roots", "stacks"},
    {&Damage::frames, "whose frame is not in the table of frames", "stacks"},
    {&Damage::functions, "whose function is not in its table", "frames"},
    {&Damage::texts, "whose text is not in the table of strings", "names"},
    {&Damage::stacks, "whose stack is not in the table of stacks", "stacks"},
    {&Damage::weights, "with a negative or huge weight", "samples"},
    {&Damage::times, "which are not usable", "times"},
    {&Damage::rows, "with a time but without a stack: the table was cut", "samples"},
    {&Damage::halves,
     "with only a begin or only an end: they became moments",
     "markers",
     LossClass::kNotice},
    {&Damage::markers, "without a name or a time", "markers"},
    {&Damage::points, "of counters, without a time or a value", "points"},
    {&Damage::processes, "nested too deeply", "processes"},
}};

}  // namespace

void Damage::report(ProfileBuilder& builder) const {
  add_losses<Damage>(*this, kRows, builder);
}

}  // namespace wick::firefox
