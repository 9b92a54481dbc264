// SPDX-License-Identifier: Apache-2.0
// Text of a profile in the page's header. It passes through terminal_text(), so no control
// character and no direction override reaches the page.
#pragma once

#include <string_view>

#include "base/escape.h"
#include "base/json_writer.h"

namespace wick {

inline void write_text(JsonWriter& json, std::string_view name, std::string_view text) {
  json.field(name, std::string_view(terminal_text(text)));
}

}  // namespace wick
