// SPDX-License-Identifier: Apache-2.0
// Compresses bytes to one gzip member, and writes bytes as base64. A page contains its data in this
// form: gzip because browsers can unpack it, base64 because HTML is text.
#pragma once

#include <string>
#include <string_view>

namespace wick {

std::string gzip(std::string_view bytes);
std::string base64(std::string_view bytes);

}  // namespace wick
