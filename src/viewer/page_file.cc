// SPDX-License-Identifier: Apache-2.0
#include "viewer/page_file.h"

#include "base/output.h"
#include "base/path.h"
#include "viewer/page.h"
#include "viewer/page_analyses.h"
#include "viewer/page_code.h"

namespace wick {

Result<> write_page_file(std::vector<PageRun> runs,
                         const std::string& title,
                         const std::string& path,
                         bool is_private) {
  std::vector<PageReport> reports = reports_for_page(runs);
  std::vector<std::string> parts = TRY(pack_page(std::move(runs), reports));
  Output out = TRY(Output::to_path(path, {.is_private = is_private}));
  write_page(title, parts, out);
  return out.finish();
}

Result<> write_profile_page(const Profile& profile,
                            const std::string& title,
                            CodeSource& code,
                            const std::string& path) {
  std::vector<PageRun> runs;
  runs.push_back(
      {.profile = profile, .title = title, .notes = {}, .code = hottest_code(profile, code)});
  return write_page_file(std::move(runs), title, path, true);
}

std::string file_title(const std::string& path) {
  return std::string(path == "-" ? "standard input" : file_name_of(path));
}

}  // namespace wick
