// SPDX-License-Identifier: Apache-2.0
// Bytes as one gzip member, and as base64: what a page's data are wrapped in.
#pragma once

#include <string>
#include <string_view>

namespace wick {

std::string gzip(std::string_view bytes);
std::string base64(std::string_view bytes);

}  // namespace wick
