// From loaded profiles to the viewer's page.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "viewer/page_data.h"

namespace wick {

// The page of `runs` as one file.
Result<> write_page_file(std::vector<PageRun> runs,
                         const std::string& title,
                         const std::string& path);

// "profile.wick" of "some/where/profile.wick".
std::string file_title(const std::string& path);

}  // namespace wick
