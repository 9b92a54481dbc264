// SPDX-License-Identifier: Apache-2.0
#include "analyze/tree/tree.h"

#include <array>

#include "analyze/frames_by.h"
#include "analyze/listing.h"

namespace wick {
namespace {

// Bottom up, a stack of n frames makes n separate nodes, so a chain of sampled stacks needs
// quadratic space. More than a thousand callers are not useful to a reader.
constexpr size_t kMaxCallers = 1000;

constexpr std::array kTreeFlags = {
    Flag{"bottom-up",
         'u',
         FlagKind::kSwitch,
         "",
         "",
         "start at the leaves: who calls the hot functions"},
    kFramesByFlag,
    Flag{"depth", 'd', FlagKind::kInteger, "N", "0", "how many levels, 0 for all"},
    Flag{"min-share", '\0', FlagKind::kNumber, "PERCENT", "0.5", "fold branches below this share"},
};

}  // namespace

Report call_tree(const Profile& profile, const TreeOptions& options) {
  StackCosts costs(profile);
  Measure measure(profile, costs);
  FrameGroups groups(profile, options.by);
  Report report = start_report(profile,
                               costs,
                               options.bottom_up ? "Callers of the hot functions" : "Call tree",
                               options.evidence);
  LateSamples late(profile, costs);
  Listing listing(groups,
                  measure,
                  {.min_share = options.min_share,
                   .max_depth = options.max_depth,
                   .show_self = !options.bottom_up,
                   .show_samples = options.evidence == Evidence::kSamples,
                   .late = late_groups(profile, groups, options.by, late)});
  if (options.bottom_up) {
    size_t depth = options.max_depth == 0 ? kMaxCallers : options.max_depth + 1;
    BottomUp inverted = bottom_up(profile, groups, costs, depth);
    if (inverted.cut && options.max_depth == 0) {
      report.notes.push_back(fmt::format("Callers beyond {} levels are not shown.", kMaxCallers));
    }
    listing.add_branches(inverted.tree, LeavesAre::kRoots);
  } else {
    listing.add_branches(top_down(profile, groups, costs));
  }
  if (costs.self(kEmptyStack).weight > 0) {
    listing.add_root("[empty stack]", costs.self(kEmptyStack), costs.self(kEmptyStack), "");
  }
  if (listing.folded() > 0) {
    report.notes.push_back(
        fmt::format("\"(n more)\" replaces branches below {1} % or too deep, {0} in all; "
                    "--min-share 0 shows them.",
                    listing.folded(),
                    100 * options.min_share));
  }
  if (listing.marks_late()) {
    report.notes.push_back(late.note());
  }
  report.sections.push_back({"calls", report.title, listing.finish()});
  return report;
}

std::span<const Flag> tree_flags() {
  return kTreeFlags;
}

Result<Report> run_tree(const Profile& profile, std::string_view, const FlagValues& flags) {
  FramesBy by = parse_frames_by(flags.text("by"));
  return with_frames_by(profile, by, [&](const Profile& framed) -> Result<Report> {
    return call_tree(framed,
                     {.bottom_up = flags.is_set("bottom-up"),
                      .max_depth = flags.integer("depth"),
                      .min_share = flags.number("min-share") / 100,
                      .by = by.group});
  });
}

}  // namespace wick
