// SPDX-License-Identifier: Apache-2.0
// The forms of a name (label_forms.h) as a short text. It travels beside the name into pages and
// pictures, so that their scripts choose among forms and know no language. Forms are separated by
// tabs, the most complete one first:
//
//     (nothing)   the name itself
//     7,12,3      parts of the name: 7 characters retained, 12 left out, 3 retained
//     /7,12,3     the same, with "." instead of each "/"
//     .7          the last form without its first 7 characters, after ".."
//     -7          the same without ".."
//     "text       the form itself
//     $           after the last form: a cut must leave the end of the name
//
// A name without ladder has one form: itself. web/src/ui/label_forms.ts is the reader. It counts
// UTF-16 units, so names beyond ASCII are not split: their forms are complete texts.
#pragma once

#include <string>
#include <string_view>

#include "report/label_forms.h"

namespace wick {

// `label` are the forms of `name`, which contains no control character.
std::string label_ladder(std::string_view name, const LabelForms& label);

}  // namespace wick
