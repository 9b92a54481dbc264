// SPDX-License-Identifier: Apache-2.0
// Chooses the hottest functions of a run and reads their source and assembly for the page.
// packed_code.h writes them into it.
//
// The page gets only the text. It computes the heat of lines and instructions itself, from the
// samples that pass its filters. A function without a file or debug information has a note instead,
// which the page shows. Pages never contain kernel code.
#pragma once

#include <vector>

#include "profile/code.h"
#include "viewer/page_data.h"

namespace wick {

std::vector<PageCode> hottest_code(const Profile& profile, CodeSource& source);

}  // namespace wick
