// SPDX-License-Identifier: Apache-2.0
// Code with its heat as one HTML file: the source on the left, the instructions on the right, each
// row with the part of the function's samples that it has, and its colour by that.
//
// Rows are plain HTML and are readable without the script. The script (code_page.js) links the two
// sides, and goes from one hot line to the next by keyboard. Light or dark as the reader's system
// is. All foreign text is escaped, and the page may load nothing.
#pragma once

#include "views/views.h"

namespace wick {

Result<> write_code_page(const Report& report, const FlagValues& flags, Output& out);

}  // namespace wick
