// SPDX-License-Identifier: Apache-2.0
// Source and assembly of the hottest functions, for the viewer's page.
//
// The page computes the heat of lines and instructions itself, from the samples that its filters
// leave; here it gets their text. What cannot be had (no file, no debug information) is left out:
// the page says so. So is the kernel's code.
#pragma once

#include <vector>

#include "profile/code.h"
#include "viewer/page_data.h"

namespace wick {

std::vector<PageCode> hottest_code(const Profile& profile, CodeSource& source);

}  // namespace wick
