// SPDX-License-Identifier: Apache-2.0
// The viewer's page: web/page.html with the viewer's script and style in it (made when wick is
// built), filled with a title and data.
//
// Two forms. Alone, the data stand in the page as base64, and its security policy allows no
// connection at all. Served, the page fetches them from where it came from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/output.h"

namespace wick {

// The whole page, data included.
void write_page(std::string_view title, const std::vector<std::string>& parts, Output& out);

// The page for the server (server.h), which has `parts` parts under part_name().
std::string served_page(std::string_view title, size_t parts);
std::string part_name(size_t part);

// The page of a sweep: web/sweep.html with `json` (experiment/sweep/json.h) in it. It stands alone
// and links to the profiles beside it.
void write_sweep_page(std::string_view title, std::string_view json, Output& out);

}  // namespace wick
