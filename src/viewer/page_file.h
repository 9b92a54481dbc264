// SPDX-License-Identifier: Apache-2.0
// Writes loaded profiles as the viewer's page in one file: packs the data (page_data.h), adds the
// comparison of two runs (page_comparison.h) and fills the page (page.h).
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "profile/code.h"
#include "viewer/page_data.h"

namespace wick {

// Writes the page of `runs`. Only its owner can read a private one.
Result<> write_page_file(std::vector<PageRun> runs,
                         const std::string& title,
                         const std::string& path,
                         bool is_private = false);

// Writes the page of a profile that was just recorded, with the code of its hottest functions. It
// is private, as the recording is.
Result<> write_profile_page(const Profile& profile,
                            const std::string& title,
                            CodeSource& code,
                            const std::string& path);

// "some/where/profile.wick" becomes "profile.wick".
std::string file_title(const std::string& path);

}  // namespace wick
