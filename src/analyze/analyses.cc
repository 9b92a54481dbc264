// SPDX-License-Identifier: Apache-2.0
// The table of analyses. A new analysis is a folder beside this file and one row in this table.
#include "analyze/analyses.h"

#include <array>

#include "analyze/annotate/annotate.h"
#include "analyze/diff/diff.h"
#include "analyze/flame/flame.h"
#include "analyze/flat/flat.h"
#include "analyze/flow/flow.h"
#include "analyze/hot/hot.h"
#include "analyze/ipc/ipc.h"
#include "analyze/quality/quality.h"
#include "analyze/sandwich/sandwich.h"
#include "analyze/timeline/timeline.h"
#include "analyze/tree/tree.h"

namespace wick {

// NOLINTNEXTLINE(readability-function-size): a table
std::span<const Analysis> all_analyses() {
  static const std::array kAnalyses = {
      Analysis{.name = "report",
               .help = "where the time goes: self and total by function, module and more",
               .example = "wick report profile.wick --by module",
               .argument = "",
               .view = "terminal",
               .notes_unnamed_time = true,
               .flags = flat_flags(),
               .run = run_flat},
      Analysis{.name = "tree",
               .help = "call tree, from the root down or from the leaves up",
               .example = "wick tree profile.wick --bottom-up --min-share 2",
               .argument = "",
               .view = "terminal",
               .flags = tree_flags(),
               .run = run_tree},
      Analysis{.name = "sandwich",
               .help = "one function: its callers above, its callees below",
               .example = "wick sandwich profile.wick malloc",
               .argument = "FUNCTION",
               .view = "terminal",
               .flags = sandwich_flags(),
               .run = run_sandwich},
      Analysis{.name = "annotate",
               .help = "source and assembly of a function, with the heat of each line",
               .example = "wick annotate profile.wick compress_block",
               .argument = "FUNCTION",
               .argument_optional = true,
               .argument_names_files = true,
               .view = "listing",
               .page = "code_page",
               .needs_code_blocks = true,
               .flags = annotate_flags(),
               .run_on_code = run_annotate},
      Analysis{.name = "flame",
               .help = "interactive flame graph as one SVG file",
               .example = "wick flame profile.wick -o flame.svg",
               .argument = "",
               .view = "svg",
               .takes_pairs = true,
               .flags = flame_flags(),
               .run = run_flame},
      Analysis{.name = "flow",
               .help = "what loops do, from branch stacks: blocks, branches, the dominant cycle",
               .example = "wick flow perf.data compute_flag",
               .argument = "FUNCTION",
               .argument_optional = true,
               .view = "terminal",
               .needs_code_blocks = true,
               .flags = flow_flags(),
               .run = run_flow},
      Analysis{.name = "hot",
               .help = "the few functions that account for most of the time",
               .example = "wick hot profile.wick --times 3",
               .argument = "",
               .view = "terminal",
               .notes_unnamed_time = true,
               .flags = hot_flags(),
               .run = run_hot},
      Analysis{.name = "ipc",
               .help = "instructions per cycle over time and by function, or two other events",
               .example = "wick ipc perf.data --by thread --size 10ms",
               .argument = "",
               .view = "terminal",
               .compares_events = true,
               .flags = ipc_flags(),
               .run = run_ipc},
      Analysis{.name = "diff",
               .help = "compare before and after: what changed, by how much, and how certain",
               .example = "wick diff before.wick after.wick",
               .argument = "",
               .view = "terminal",
               .flags = diff_flags(),
               .compare = run_diff},
      Analysis{
          .name = "quality",
          .help = "how many stacks are complete, cut or broken, where, why, and what would help",
          .example = "wick quality perf.data",
          .argument = "",
          .view = "terminal",
          .lists_missing_names = true,
          .usual_frames = ShownFrames::kRecorded,  // it counts how frames were found
          .flags = {},
          .run = run_quality},
      Analysis{.name = "timeline",
               .help = "activity, spans, counters and marks over time, as a sketch or a picture",
               .example = "wick timeline profile.wick -o timeline.svg",
               .argument = "",
               .view = "terminal",
               .flags = timeline_flags(),
               .run = run_timeline},
  };
  return kAnalyses;
}

}  // namespace wick
