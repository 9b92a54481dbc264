// SPDX-License-Identifier: Apache-2.0
// Finds the function that the user means, splits the stacks with it into a tree of its callers and
// one of its callees, and lists both around the function.
#include "analyze/sandwich/sandwich.h"

#include <algorithm>
#include <array>
#include <set>

#include "analyze/group_costs.h"
#include "analyze/listing.h"
#include "base/escape.h"
#include "base/pattern.h"
#include "base/spelling.h"
#include "report/label_forms.h"

namespace wick {
namespace {

constexpr size_t kNamesInNote = 5;

constexpr std::array kSandwichFlags = {
    Flag{"depth", 'd', FlagKind::kInteger, "N", "3", "levels of callers and callees, 0 for all"},
    Flag{"min-share", '\0', FlagKind::kNumber, "PERCENT", "0.5", "fold branches below this share"},
    Flag{"regex", 'r', FlagKind::kSwitch, "", "", "treat all matching functions as one"},
};

struct NamedTarget {
  std::string name;
  std::string title;         // the name as a title has it
  std::vector<bool> groups;  // by group: whether it is the function
  std::vector<std::string> notes;
};

using Matches = std::vector<size_t>;

// Heaviest first.
void sort_by_total(Matches& matches, const std::vector<Cost>& totals) {
  std::ranges::stable_sort(matches,
                           [&](size_t a, size_t b) { return totals[a].weight > totals[b].weight; });
}

std::vector<std::string> all_names(const FrameGroups& groups) {
  std::vector<std::string> names;
  for (size_t i = 0; i < groups.size(); ++i) {
    names.push_back(groups[GroupId::from_index(i)].name);
  }
  return names;
}

template <typename Wanted>
Matches find_groups(const std::vector<std::string>& names, Wanted wanted) {
  Matches matches;
  for (size_t i = 0; i < names.size(); ++i) {
    if (wanted(names[i])) {
      matches.push_back(i);
    }
  }
  return matches;
}

// In short: the whole names of C++ templates would fill the screen. Names that look alike in short
// are written in full, also the one that the title has.
struct ListedNames {
  std::string title;  // the first match
  std::string list;   // the matches from `from` on
};

ListedNames list_names(const std::vector<std::string>& names, const Matches& matches, size_t from) {
  std::vector<std::string> listed;
  for (size_t i = from; i < matches.size() && listed.size() < kNamesInNote; ++i) {
    std::string name = terminal_text(names[matches[i]]);
    if (std::ranges::find(listed, name) == listed.end()) {  // of another module
      listed.push_back(std::move(name));
    }
  }
  std::string first = terminal_text(names[matches[0]]);
  std::set<std::string> all(listed.begin(), listed.end());
  all.insert(first);
  auto texts = names_in_text(all);
  for (std::string& name : listed) {
    name = texts.at(name);
  }
  size_t others = matches.size() - from - listed.size();
  std::string list = fmt::format("{}", fmt::join(listed, ", "));
  return {texts.at(first), others == 0 ? list : fmt::format("{} and {} more", list, others)};
}

std::unexpected<Error> no_match(const std::vector<std::string>& names, std::string_view wanted) {
  std::string near = nearest_spelling(wanted, names);
  return fail("No function is called \"{}\"{}",
              short_terminal_text(wanted),
              near.empty() ? "." : fmt::format("; did you mean \"{}\"?", terminal_text(near)));
}

Result<NamedTarget> find_target(const Profile& profile,
                                const FrameGroups& groups,
                                const StackCosts& costs,
                                std::string_view wanted,
                                bool regex) {
  std::vector<std::string> names = all_names(groups);
  NamedTarget target{.name = std::string(wanted), .groups = std::vector<bool>(groups.size())};
  Matches matches;
  if (!regex) {
    matches = find_groups(names, [&](std::string_view name) { return name == wanted; });
  }
  if (!regex && matches.empty()) {
    matches = find_groups(names, [&](std::string_view name) { return name.contains(wanted); });
    sort_by_total(matches, group_costs(profile, costs, groups).total);
    if (matches.size() > 1) {
      ListedNames listed = list_names(names, matches, 1);
      target.notes.push_back(fmt::format("Also matches: {}.", listed.list));
      target.title = listed.title;
      matches.resize(1);
    }
    target.name = matches.empty() ? target.name : names[matches[0]];
  }
  if (matches.empty()) {
    Result<Pattern> pattern = Pattern::compile(wanted);
    if (!pattern && regex) {
      return std::unexpected(pattern.error());
    }
    if (pattern) {
      matches = find_groups(names, [&](std::string_view name) { return pattern->matches(name); });
    }
    if (matches.size() > 1) {
      target.notes.push_back(fmt::format("Combined: {}.", list_names(names, matches, 0).list));
    }
    target.name = matches.size() == 1 ? names[matches[0]] : target.name;
  }
  if (matches.empty()) {
    return no_match(names, wanted);
  }
  for (size_t match : matches) {
    target.groups[match] = true;
  }
  if (target.title.empty()) {
    bool is_one = matches.size() == 1;  // not a pattern that matches several
    target.title = is_one ? name_in_text(target.name) : target.name;
  }
  return target;
}

// Whether a group is in both sets.
bool any_of_both(const std::vector<bool>& first, const std::vector<bool>& second) {
  for (size_t i = 0; i < first.size(); ++i) {
    if (first[i] && second[i]) {
      return true;
    }
  }
  return false;
}

struct Sides {
  CallTree callers;
  CallTree callees;
  Cost self;
  Cost total;
};

// For each stack the outermost frame of the target in it, or none.
std::vector<StackId> outermost_frames(const Profile& profile,
                                      const FrameGroups& groups,
                                      const NamedTarget& target) {
  std::vector<StackId> outermost(profile.stacks.size());
  for (size_t row = 1; row < outermost.size(); ++row) {
    StackId stack = StackId::from_index(row);
    StackId above = outermost[profile.stacks.parent(stack).index()];
    bool is_target = target.groups[groups.of(profile.stacks.frame(stack)).index()];
    outermost[row] = above.valid() ? above : is_target ? stack : StackId();
  }
  return outermost;
}

Sides split(const Profile& profile,
            const FrameGroups& groups,
            const StackCosts& costs,
            const NamedTarget& target,
            size_t max_depth) {
  const StackTree& stacks = profile.stacks;
  std::vector<StackId> outermost = outermost_frames(profile, groups, target);
  std::vector<CallNode> below(stacks.size(), CallPaths::kRoot);
  std::vector<Cost> at_target(stacks.size());  // cost of each outermost frame
  CallTreeBuilder callees;
  Sides sides;
  for (size_t row = 1; row < stacks.size(); ++row) {
    StackId stack = StackId::from_index(row);
    if (!outermost[row].valid()) {
      continue;
    }
    GroupId group = groups.of(stacks.frame(stack));
    if (outermost[row] != stack) {
      below[row] = callees.child(below[stacks.parent(stack).index()], group);
    }
    Cost self = costs.self(stack);
    callees.add(below[row], self);
    at_target[outermost[row].index()] += self;
    sides.total += self;
    sides.self += target.groups[group.index()] ? self : Cost();
  }
  CallTreeBuilder callers;
  for (size_t row = 1; row < stacks.size(); ++row) {
    if (at_target[row].count == 0 && at_target[row].weight == 0) {
      continue;
    }
    CallNode node = CallPaths::kRoot;
    StackId at = stacks.parent(StackId::from_index(row));
    for (size_t depth = 0; at != kEmptyStack && depth < max_depth; ++depth) {
      node = callers.child(node, groups.of(stacks.frame(at)));
      at = stacks.parent(at);
    }
    callers.add(node, at_target[row]);
  }
  sides.callers = callers.finish();
  sides.callees = callees.finish();
  return sides;
}

}  // namespace

Result<Report> sandwich(const Profile& profile,
                        std::string_view function,
                        const SandwichOptions& options) {
  constexpr size_t kMaxCallers = 1000;  // further callers are not useful
  StackCosts costs(profile);
  Measure measure(profile, costs);
  FrameGroups groups(profile, GroupBy::kFunction);
  NamedTarget target = TRY(find_target(profile, groups, costs, function, options.regex));
  size_t depth = options.max_depth == 0 ? kMaxCallers : options.max_depth + 1;
  Sides sides = split(profile, groups, costs, target, depth);
  Report report =
      start_report(profile, costs, fmt::format("Callers and callees of {}", target.title));
  report.notes.insert(report.notes.end(), target.notes.begin(), target.notes.end());
  LateSamples late(profile, costs);
  std::vector<bool> is_late = late_groups(profile, groups, GroupBy::kFunction, late);
  Listing listing(groups,
                  measure,
                  {.min_share = options.min_share * measure.share(sides.total.weight),
                   .max_depth = options.max_depth,
                   .late = is_late});
  // A caller's own cost is not part of the function's cost. In this tree self marks where stacks
  // begin.
  Cost without_caller = sides.callers.self[0];
  std::ranges::fill(sides.callers.self, Cost());
  listing.add_branches(sides.callers, LeavesAre::kNone, kCallerRelation);
  if (without_caller.weight > 0) {
    listing.add_root("[no caller]", {}, without_caller, kCallerRelation);
  }
  listing.add_root(target.name,
                   sides.self,
                   sides.total,
                   kFunctionRelation,
                   sides.self.weight > 0 && any_of_both(is_late, target.groups));
  listing.add_branches(sides.callees, LeavesAre::kWithSelf, kCalleeRelation);
  if (listing.marks_late()) {
    report.notes.push_back(late.note());
  }
  report.sections.push_back({"calls", report.title, listing.finish()});
  return report;
}

std::span<const Flag> sandwich_flags() {
  return kSandwichFlags;
}

Result<Report> run_sandwich(const Profile& profile,
                            std::string_view argument,
                            const FlagValues& flags) {
  return sandwich(profile,
                  argument,
                  {.max_depth = flags.integer("depth"),
                   .min_share = flags.number("min-share") / 100,
                   .regex = flags.is_set("regex")});
}

}  // namespace wick
