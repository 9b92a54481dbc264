// SPDX-License-Identifier: Apache-2.0
// The viewer's page: web/page.html with the script and the style, which the build inserts, and with
// a title and data, which wick inserts. It has two forms:
//
//     file      contains the data as base64; its security policy forbids all connections
//     served    fetches the data from the server that sent the page (server.h)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/output.h"

namespace wick {

// Writes the whole page with its data.
void write_page(std::string_view title, const std::vector<std::string>& parts, Output& out);

// The page for the server. It fetches `parts` parts with the names of part_name().
std::string served_page(std::string_view title, size_t parts);
std::string part_name(size_t part);

// Writes the page of a sweep: web/sweep.html with `json` (experiment/sweep/json.h). It needs no
// server and links to the profiles in its directory.
void write_sweep_page(std::string_view title, std::string_view json, Output& out);

}  // namespace wick
