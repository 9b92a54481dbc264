// A report as one JSON object, for programs:
//
//     {"title":…,"unit":…,"samples":n,"total":n,
//      "rows":[{"self":12,"self_share":0.5,"self_share_low":…,"self_share_high":…,"name":"main"},…],
//      "sections":{"areas":[…]},
//      "loss":[{"reason":…,"what":…,"count":n,"detail":…,"data_loss":true}],
//      "notes":[…]}
//
// `rows` is the first section of the report, keyed by column name; further sections stand under
// `sections` by their name. Rows of a tree also have `depth` and `parent` (a row number; a root's
// is its own).
#pragma once

#include "views/views.h"

namespace wick {

Result<> write_json(const Report& report, const FlagValues& flags, Output& out);

}  // namespace wick
