// SPDX-License-Identifier: Apache-2.0
// Code with its heat as one HTML file: the source on the left, the instructions on the right. Each
// row shows its part of the function's samples, and its colour depends on that part.
//
// The rows are plain HTML, which is readable without the script. The script (code_page.js) links
// the two sides and moves from one hot line to the next by keyboard. The page is light or dark, as
// the reader's system is.
//
// The page escapes all text from files and loads nothing from outside.
#pragma once

#include "views/views.h"

namespace wick {

Result<> write_code_page(const Report& report, const FlagValues& flags, Output& out);

}  // namespace wick
