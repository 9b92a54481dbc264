// SPDX-License-Identifier: Apache-2.0
// Words, levels and constants of the C++ side as JSON, so that the page does not copy them:
//
//     {"stack_ends": [{"class", "advice"} ...]          by number of the end
//      "origin_meanings": [text ...]                    by number of the origin; may be empty
//      "modes":      [{"kernel": whether it is kernel mode} ...]     by number of the mode
//      "kinds":      [{"name", "apart": whether functions with equal names are different} ...]
//      "frame_kinds": [[kind ...] ...]                  by mode, then by flags of the frame
//      "language_kinds": [kind ...]                     by language; 0: as its mode and flags say
//      "interpreted": {"native_code", "evaluator", "evaluator_mark", "placed",
//                     "marks": [by origin], "states": [{"name",
//                     "reason", "advice"} ...], "state_of": [[incomplete, complete] by marks]}
//                                                       profile/interpreted_samples.h, shown_frames.h
//      "inlined":    the flag of inlined frames
//      "stitched":   the origin of frames that come from another sample
//      "late":       {"events": [timer ...], "functions": {name: the code before it ...}, "mode", "mark",
//                     "note", "function_note", "least_share"}    profile/late_samples.h
//      "verdicts":   {"none", "less", "more", "smaller", "larger"}
//      "level", "confidence", "deviate", "least_samples":       base/statistics.h, base/verdict.h}
//
// It is the member "words" of a profile's page, and an element of a sweep's page.
// web/src/model/words.ts is the reader.
#pragma once

#include <string>

#include "base/json_writer.h"

namespace wick {

void write_words(JsonWriter& json);

// Returns the same JSON as text.
std::string words_text();

}  // namespace wick
