// SPDX-License-Identifier: Apache-2.0
// The files of each side of a comparison, from the words of `wick diff` and `wick view`. Both verbs
// read their words here, so the same words compare the same files.
//
//     A B                one run per side; every further word is another side
//     A1 A2 -- B1 B2     several runs per side; every further -- starts another side
//     A                  one side
//     CPU0 CPU1          one side, if the files are the CPUs of one recording
//     A CPU0 CPU1        two sides
#pragma once

#include <string>
#include <vector>

#include "acquire/acquire.h"
#include "base/result.h"
#include "cli/command.h"

namespace wick {

struct FileSides {
  std::vector<std::vector<std::string>> sides;  // none of them is empty
  std::vector<std::string> notes;               // whole sentences
};

Result<FileSides> file_sides(const Invocation& call, const acquire::Options& options);

}  // namespace wick
