// SPDX-License-Identifier: Apache-2.0
// From loaded profiles to the viewer's page.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "profile/code.h"
#include "viewer/page_data.h"

namespace wick {

// The page of `runs` as one file.
Result<> write_page_file(std::vector<PageRun> runs,
                         const std::string& title,
                         const std::string& path);

// The page of one profile, with the code of its hottest functions.
Result<> write_profile_page(const Profile& profile,
                            const std::string& title,
                            CodeSource& code,
                            const std::string& path);

// "profile.wick" of "some/where/profile.wick".
std::string file_title(const std::string& path);

}  // namespace wick
