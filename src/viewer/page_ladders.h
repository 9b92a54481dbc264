// SPDX-License-Identifier: Apache-2.0
// The forms of the names of functions, so that the page shortens names without knowing languages
// (report/label_ladder.h):
//
//     ladder.bytes      the distinct ladders, one on each line; the first is empty
//     function.ladder   a line for each row of the functions
//
// Names of few characters have no ladder: a box that is too narrow for them shows nothing.
#pragma once

#include "profile/profile.h"
#include "viewer/column_packer.h"

namespace wick {

void pack_ladders(const Profile& merged, ColumnPacker& columns);

}  // namespace wick
