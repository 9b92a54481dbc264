// SPDX-License-Identifier: Apache-2.0
// Writes the table of `wick hot`. find_hot_functions() (hot_functions.h) chooses the entries and
// assigns the samples; this file explains each entry in words:
//
//     inside_text    which functions below the entry have its samples: the leaves, heaviest first.
//                    Kernel code is reported by the user function that entered it
//     callers_text   which callers lead to it: the three heaviest, each followed upwards as long as
//                    one caller has nearly all (90 %) of the cost
//     HotNames       the names in both: short, but different for different functions
//     HotTable       the gain from making the entry k times as fast (Amdahl)
//
// Callers are those of the outermost frame of the entry's function in a stack, so recursion does
// not make a function its own caller. The row "[everything else]" completes the sum to the whole.
#include "analyze/hot/hot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include <fmt/ranges.h>

#include "analyze/hot/hot_functions.h"
#include "analyze/late_groups.h"
#include "analyze/summary.h"
#include "base/path.h"
#include "base/processor.h"
#include "report/label_forms.h"

namespace wick {
namespace {

constexpr size_t kCallerLevels = 8;
constexpr size_t kNamed = 3;      // number of callers and callees to list
constexpr size_t kMaxLevels = 3;  // of callers that follow one another
constexpr double kNearlyAll = 0.9;

// Details of an entry besides its cost.
struct Detail {
  std::map<GroupId, Cost> leaves;  // by user function: the samples of which it is the leaf
  std::map<GroupId, Cost> kernel;  // the same for kernel functions below user code
  CallTree callers;                // above the function, nearest first
  Cost own;
  Cost in_kernel;
};

// The names of functions in the words of all entries. Which functions these are is known when the
// words are: wick writes them twice, and distinguish() says that the first time is over.
class HotNames {
 public:
  explicit HotNames(const FrameGroups& groups) : groups_(groups) {}

  std::string of(GroupId group) {
    const std::string& name = groups_[group].name;
    auto found = texts_.find(name);
    return found != texts_.end() ? found->second : *names_.insert(name).first;
  }
  const std::string& module_of(GroupId group) const { return groups_[group].module; }

  void distinguish() { texts_ = names_in_text(names_); }

 private:
  const FrameGroups& groups_;
  std::set<std::string> names_;
  std::map<std::string, std::string, std::less<>> texts_;
};

// By stack: whether its frame is kernel code that user code entered. One pass from callers to callees,
// whose ids are larger: walks from each stack to its root take the square of the depth.
std::vector<bool> stacks_in_entered_kernel(const Profile& profile) {
  const StackTree& stacks = profile.stacks;
  std::vector<bool> has_user_code(stacks.size());
  std::vector<bool> result(stacks.size());
  for (size_t row = 1; row < stacks.size(); ++row) {
    StackId stack = StackId::from_index(row);
    bool kernel = is_kernel(profile.frames[stacks.frame(stack)].mode);
    bool is_below_user_code = has_user_code[stacks.parent(stack).index()];
    has_user_code[row] = is_below_user_code || !kernel;
    result[row] = is_below_user_code && kernel;
  }
  return result;
}

// By stack: the outermost frame of the group, if the stack has one.
void find_outermost(const Profile& profile,
                    const FrameGroups& groups,
                    GroupId group,
                    std::vector<StackId>& result) {
  const StackTree& stacks = profile.stacks;
  result.assign(stacks.size(), StackId());
  for (size_t row = 1; row < stacks.size(); ++row) {
    StackId stack = StackId::from_index(row);
    StackId above = result[stacks.parent(stack).index()];
    bool is_first = !above.valid() && groups.of(stacks.frame(stack)) == group;
    result[row] = is_first ? stack : above;
  }
}

CallTree callers_of(const Profile& profile,
                    const FrameGroups& groups,
                    const StackCosts& costs,
                    std::span<const StackId> sampled,
                    const std::vector<StackId>& outermost) {
  CallTreeBuilder callers;
  for (StackId stack : sampled) {
    StackId at = outermost[stack.index()];
    CallNode node = CallPaths::kRoot;
    for (size_t level = 0; level < kCallerLevels && at.valid() && at != kEmptyStack; ++level) {
      at = profile.stacks.parent(at);
      if (at != kEmptyStack) {
        node = callers.child(node, groups.of(profile.stacks.frame(at)));
      }
    }
    callers.add(node, costs.self(stack));
  }
  return callers.finish();
}

std::vector<Detail> collect_details(const Profile& profile,
                                    const FrameGroups& groups,
                                    const StackCosts& costs,
                                    const HotSummary& summary) {
  std::vector<Detail> details(summary.entries.size());
  if (details.empty()) {
    return details;
  }
  std::vector<bool> in_entered_kernel = stacks_in_entered_kernel(profile);
  std::vector<std::vector<StackId>> sampled(details.size());
  for (StackId stack : costs.stacks()) {
    uint32_t entry = summary.entry_of_stack[stack.index()];
    if (entry == HotSummary::kNoEntry) {
      continue;
    }
    sampled[entry].push_back(stack);
    Detail& detail = details[entry];
    Cost cost = costs.self(stack);
    GroupId leaf = groups.of(profile.stacks.frame(stack));
    if (in_entered_kernel[stack.index()]) {
      detail.kernel[leaf] += cost;
      detail.in_kernel += cost;
    } else {
      detail.leaves[leaf] += cost;
      detail.own += leaf == summary.entries[entry].group ? cost : Cost();
    }
  }
  std::vector<StackId> outermost;
  for (size_t i = 0; i < details.size(); ++i) {
    find_outermost(profile, groups, summary.entries[i].group, outermost);
    details[i].callers = callers_of(profile, groups, costs, sampled[i], outermost);
  }
  return details;
}

double part(const Cost& cost, const Cost& of) {
  return of.weight == 0 ? 0 : static_cast<double>(cost.weight) / static_cast<double>(of.weight);
}

// ": vsnprintf 31 %, send 20 %": the heaviest.
std::string heaviest_text(HotNames& names,
                          const std::vector<bool>& is_late,
                          const HotEntry& entry,
                          const std::map<GroupId, Cost>& costs) {
  std::vector<std::pair<GroupId, Cost>> leaves(costs.begin(), costs.end());
  std::ranges::stable_sort(
      leaves, std::ranges::greater(), [](const auto& leaf) { return leaf.second.weight; });
  std::string text;
  for (size_t i = 0; i < std::min(kNamed, leaves.size()); ++i) {
    GroupId leaf = leaves[i].first;
    text += fmt::format("{} {} {:.0f} %{}",
                        i == 0 ? ":" : ",",
                        names.of(leaf),
                        100 * part(leaves[i].second, entry.cost),
                        is_late[leaf.index()] ? fmt::format(" ({})", kLateMark) : "");
  }
  return text;
}

// "its own code" or "own code 20 %, kernel 10 %, 14 functions below: vsnprintf 31 %, send 20 %". If
// there are no functions below, the heaviest of the kernel.
std::string inside_text(HotNames& names,
                        const std::vector<bool>& is_late,
                        const HotEntry& entry,
                        const Detail& detail) {
  if (part(detail.own, entry.cost) >= kNearlyAll) {
    return "its own code";
  }
  std::map<GroupId, Cost> below = detail.leaves;
  below.erase(entry.group);
  std::vector<std::string> parts;
  if (detail.own.weight > 0) {
    parts.push_back(fmt::format("own code {:.0f} %", 100 * part(detail.own, entry.cost)));
  }
  if (detail.in_kernel.weight > 0) {
    std::string named = below.empty() || 2 * detail.in_kernel.weight >= entry.cost.weight
                            ? heaviest_text(names, is_late, entry, detail.kernel)
                            : std::string();
    parts.push_back(
        fmt::format("kernel {:.0f} %{}", 100 * part(detail.in_kernel, entry.cost), named));
  }
  if (!below.empty()) {
    parts.push_back(fmt::format("{} function{} below{}",
                                below.size(),
                                below.size() == 1 ? "" : "s",
                                heaviest_text(names, is_late, entry, below)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<CallNode> heaviest_children(const CallTree& tree,
                                        const TreeChildren<CallPaths>& children,
                                        CallNode node) {
  std::vector<CallNode> found;
  for (CallNode child = children.first(node); child.valid(); child = children.next(child)) {
    found.push_back(child);
  }
  std::ranges::stable_sort(found, std::ranges::greater(), [&](CallNode child) {
    return tree.total[child.index()].weight;
  });
  return found;
}

// The caller's name; with its module, if another caller of the list has the same name.
std::string caller_name(HotNames& names,
                        const CallTree& tree,
                        std::span<const CallNode> listed,
                        CallNode caller) {
  auto name_of = [&](CallNode node) { return names.of(tree.paths.label(node)); };
  std::string name = name_of(caller);
  bool is_one_of_several = std::ranges::count(listed, name, name_of) > 1;
  std::string_view module = file_name_of(names.module_of(tree.paths.label(caller)));
  return is_one_of_several && !module.empty() ? fmt::format("{} ({})", name, module) : name;
}

// "work 80 % < main, parse 20 % < main": the nearest callers, each followed by its own callers as
// long as there is only one, but not to the start of the program.
std::string callers_text(HotNames& names, const HotEntry& entry, const CallTree& tree) {
  TreeChildren<CallPaths> children(tree.paths);
  std::vector<CallNode> nearest = heaviest_children(tree, children, CallPaths::kRoot);
  std::string text;
  std::span<const CallNode> listed(nearest.data(), std::min(kNamed, nearest.size()));
  for (CallNode node : listed) {
    double share = part(tree.total[node.index()], entry.cost);
    text += fmt::format("{}{}", text.empty() ? "" : ", ", caller_name(names, tree, listed, node));
    text += share < 0.995 ? fmt::format(" {:.0f} %", 100 * share) : "";
    for (size_t level = 1; level < kMaxLevels; ++level) {
      std::vector<CallNode> above = heaviest_children(tree, children, node);
      if (above.empty() ||
          part(tree.total[above[0].index()], tree.total[node.index()]) < kNearlyAll) {
        break;
      }
      node = above[0];
      text += " < " + names.of(tree.paths.label(node));
    }
  }
  if (nearest.size() > kNamed) {
    text += fmt::format(" and {} more", nearest.size() - kNamed);
  }
  return text.empty() ? "nothing (no caller is known)" : text;
}

class HotTable {
 public:
  HotTable(const Measure& measure, double times) : measure_(measure), times_(times) {
    saved_.title = fmt::format("{:g} x saves %", times);
  }

  void add(const std::string& name,
           const Cost& cost,
           const std::string& inside,
           const std::string& callers,
           const std::string& module) {
    costs_.push_back(cost);
    double share = measure_.share(cost.weight);
    double saved = 1 - 1 / times_;
    saved_.numbers.push_back(share * saved);
    speed_up_.numbers.push_back(1 / (1 - share * saved));
    limit_.numbers.push_back(share < 1 ? 1 / (1 - share) : INFINITY);
    name_.text.push_back(name);
    inside_.text.push_back(inside);
    callers_.text.push_back(callers);
    module_.text.push_back(module);
  }

  // No gain is shown: "everything else" cannot be made faster as a unit.
  void add_rest(const Cost& cost) {
    add("[everything else]", cost, "", "", "");
    for (ReportColumn* column : {&saved_, &speed_up_, &limit_}) {
      column->numbers.back() = NAN;
    }
  }

  Table finish() {
    ReportColumn share = share_column(measure_, "time", ColumnRole::kSelf, costs_);
    share.name = "share";
    ReportColumn weight = weight_column(measure_, "weight", ColumnRole::kSelf, costs_);
    weight.title = "time";
    // People need the module where several functions have the same name: "_start".
    std::set<std::string_view> names;
    for (size_t row = 0; row < name_.text.size(); ++row) {
      names.insert(name_.text[row]);
    }
    ReportColumn module =
        names.size() < name_.text.size() ? std::move(module_) : for_programs(std::move(module_));
    return {.columns = {std::move(share),
                        std::move(weight),
                        std::move(saved_),
                        std::move(speed_up_),
                        std::move(limit_),
                        std::move(name_),
                        std::move(inside_),
                        std::move(callers_),
                        std::move(module)}};
  }

 private:
  const Measure& measure_;
  double times_;
  std::vector<Cost> costs_;
  ReportColumn saved_ = share_column("saved", "");
  ReportColumn speed_up_ = for_programs(number_column("speed_up", "speed-up"));
  ReportColumn limit_ = for_programs(number_column("speed_up_limit", "at most"));
  ReportColumn name_ = name_column("function");
  ReportColumn inside_ = text_column("inside", "where the time is");
  ReportColumn callers_ = text_column("callers", "called from");
  ReportColumn module_ = module_column();
};

void add_facts(const Profile& profile, Report& report) {
  for (std::string_view key : {"command", "host", "started"}) {
    for (const Fact& fact : profile.facts) {
      if (profile.strings[fact.key] == key) {
        report.notes.push_back(fmt::format(
            "Recorded {}: {}.", key == "started" ? "at" : key, profile.strings[fact.value]));
      }
    }
  }
}

}  // namespace

Report hot(const Profile& profile, const HotOptions& options) {
  StackCosts costs(profile);
  Measure measure(profile, costs);
  FrameGroups groups(profile, GroupBy::kFunction);
  GroupCosts sums = group_costs(profile, costs, groups);
  HotSummary summary = find_hot_functions(
      profile, groups, costs, sums, {.cover = options.cover, .most = options.most});
  std::vector<Detail> details = collect_details(profile, groups, costs, summary);
  Report report = start_report(profile, costs, "Where the time goes");
  LateSamples late(profile, costs);
  std::vector<bool> is_late = late_groups(profile, groups, GroupBy::kFunction, late);
  HotNames names(groups);
  for (size_t i = 0; i < summary.entries.size(); ++i) {
    names.of(summary.entries[i].group);
    inside_text(names, is_late, summary.entries[i], details[i]);
    callers_text(names, summary.entries[i], details[i].callers);
  }
  names.distinguish();
  HotTable table(measure, options.times);
  Cost rest = costs.total();
  for (size_t i = 0; i < summary.entries.size(); ++i) {
    const HotEntry& entry = summary.entries[i];
    const Group& group = groups[entry.group];
    rest = rest - entry.cost;
    table.add(group.name,
              entry.cost,
              inside_text(names, is_late, entry, details[i]),
              callers_text(names, entry, details[i].callers),
              group.module);
  }
  if (rest.weight > 0) {
    table.add_rest(rest);
  }
  report.sections.push_back({"entries", report.title, table.finish()});
  double explained = 1 - measure.share(rest.weight);
  if (explained < options.cover) {
    report.notes.push_back(fmt::format(
        "This is less than the requested {:g} %: the rest has no entry of 1 % or more, or needs "
        "more than {} entries (--most).",
        100 * options.cover,
        options.most));
  }
  if (summary.entries.empty()) {
    add_facts(profile, report);
    return report;
  }
  report.notes.push_back(fmt::format(
      "{} account{} for {:.0f} % of the time; no sample counts twice. Making an entry {:g} times "
      "as fast saves the share of the program's time shown; removing it saves its whole share.",
      summary.entries.size() == 1 ? "One entry" : fmt::format("{} entries", summary.entries.size()),
      summary.entries.size() == 1 ? "s" : "",
      100 * explained,
      options.times));
  if (late.matter()) {
    report.notes.push_back(late.note());
  }
  add_facts(profile, report);
  return report;
}

namespace {

constexpr std::array kHotFlags = {
    Flag{"cover", '\0', FlagKind::kNumber, "PERCENT", "80", "share of the time to account for"},
    Flag{"most", '\0', FlagKind::kInteger, "N", "12", "maximum number of entries"},
    Flag{"times",
         '\0',
         FlagKind::kNumber,
         "K",
         "2",
         "show the gain if an entry becomes K times as fast"},
};

}  // namespace

std::span<const Flag> hot_flags() {
  return kHotFlags;
}

Result<Report> run_hot(const Profile& profile, std::string_view, const FlagValues& flags) {
  HotOptions options{.cover = flags.number("cover") / 100,
                     .most = flags.integer("most"),
                     .times = flags.number("times")};
  if (options.cover <= 0 || options.cover > 1) {
    return fail_usage("--cover takes a percentage above 0, up to 100.");
  }
  if (options.times <= 1) {
    return fail_usage("--times takes a number above 1: how many times as fast an entry gets.");
  }
  if (options.most == 0) {
    return fail_usage("--most takes the number of entries, 1 or more.");
  }
  return hot(profile, options);
}

}  // namespace wick
