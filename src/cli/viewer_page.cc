#include "cli/viewer_page.h"

#include "base/output.h"
#include "base/path.h"
#include "cli/page_comparison.h"
#include "viewer/page.h"

namespace wick {

Result<> write_page_file(std::vector<PageRun> runs,
                         const std::string& title,
                         const std::string& path) {
  std::vector<PageReport> reports = compared_runs(runs);
  std::vector<std::string> parts = TRY(pack_page(std::move(runs), reports));
  Output out = TRY(Output::to_path(path));
  write_page(title, parts, out);
  return out.finish();
}

std::string file_title(const std::string& path) {
  return std::string(path == "-" ? "standard input" : file_name_of(path));
}

}  // namespace wick
