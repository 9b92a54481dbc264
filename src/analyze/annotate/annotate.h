// SPDX-License-Identifier: Apache-2.0
// annotate: which instructions and which source lines of a function are hot.
//
// The code comes in as values (profile/code.h). The report has these sections:
//
//     instructions   by address: self, its share with interval, its part of the function, total
//                    (with its callees), the instruction, its jump target, its source line; and
//                    where branch stacks were recorded, what they say (branch_columns.h)
//     lines          the function's source lines in order, each with the sum of its instructions
//     parts          the function itself and the functions inlined into it, by their own samples
//     function       the function shown: name, module, file, range, self and share
//     matches        other functions that match the user's text
//
// Self adds up: over instructions, over lines and over parts it is the self of the function's code.
// `wick report --no-inline` shows the same number for the function; without --no-inline it is the
// sum of the function and the functions inlined into it. Samples that hit no instruction of the
// available code have a separate row.
//
// A source file has the sections lines and file only; a function that an interpreter ran has lines,
// function and matches.
#pragma once

#include <span>

#include "analyze/analyses.h"

namespace wick {

struct AnnotateOptions {
  bool with_source = true;
};
Result<Report> annotate(const Profile& profile,
                        std::string_view wanted,
                        CodeSource& source,
                        const AnnotateOptions& options = {});

std::span<const Flag> annotate_flags();
Result<Report> run_annotate(const Profile& profile,
                            std::string_view argument,
                            const FlagValues& flags,
                            CodeSource& source);

}  // namespace wick
