// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "base/escape.h"
#include "base/lines.h"
#include "base/parse_number.h"
#include "formats/broken_input.h"
#include "formats/callgrind/callgrind.h"
#include "formats/callgrind/parser.h"
#include "formats/callgrind/paths.h"
#include "formats/callgrind/stated_totals.h"
#include "formats/callgrind/units.h"
#include "profile/builder.h"
#include "profile/lost_share.h"
#include "profile/validate.h"

namespace wick::callgrind {
namespace {

class Reader {
 public:
  explicit Reader(Input& input) : input_(input), lines_(input) {}

  Result<Profile> run() {
    bool has_end = true;
    while (std::optional<Line> line = lines_.next()) {
      if (Result<> taken = parser_.take(*line); !taken) {
        return fail("Cannot read {}: {}.", terminal_text(input_.name()), taken.error().message);
      }
      has_end = line->has_end;
    }
    add_unread_rest(lines_.error(), builder_);
    if (!parser_.has_costs()) {
      return fail("{} has no costs in the form of callgrind: {}.",
                  terminal_text(input_.name()),
                  parser_.first_problem().empty() ? "it is blank" : parser_.first_problem());
    }
    if (!has_end) {
      builder_.add_loss({.reason = "the last line has no line end: if the text was cut, its number "
                                   "may lack digits",
                         .what = "lines",
                         .severity = LossClass::kNotice});
    }
    parser_.finish();
    return finish();
  }

 private:
  Result<Profile> finish() {
    std::vector<int64_t> factors = add_events();
    add_missing(factors);
    PathLimits limits;
    for (const CallGraph& graph : parser_.graphs()) {
      limits.stacks += 8 * graph.costs.size();
    }
    std::vector<uint32_t> scratch(parser_.functions().size());
    size_t events = parser_.events().size();
    uint64_t unplaced = 0;
    uint64_t without_callers = 0;
    bool has_cycles = false;
    StatedTotals totals;
    for (CallGraph& graph : parser_.graphs()) {
      multiply(graph, factors);
      PathEstimator paths(graph, parser_.functions(), scratch, builder_, limits);
      ThreadId thread = add_thread(graph);
      for (size_t event = 0; event < events; ++event) {
        paths.add_samples(event, events, thread, totals);
      }
      unplaced += paths.unplaced();
      without_callers += graph.has_calls ? paths.without_callers() : 0;
      has_calls_ = has_calls_ || graph.has_calls;
      has_cycles = has_cycles || paths.has_cycles();
      has_limited_totals_ = has_limited_totals_ || paths.has_limited_totals();
      graph = {};
    }
    if (has_cycles || unplaced > 0 || without_callers > 0) {  // else the stacks have these totals
      totals.add_corrections(builder_);
    }
    add_notices(unplaced, without_callers);
    Profile profile = builder_.finish();
    TRY(validate(profile));
    return profile;
  }

  // Returns the factor of each event's numbers.
  std::vector<int64_t> add_events() {
    std::vector<int64_t> factors;
    for (const std::string& text : parser_.events()) {
      EventText event = parse_event(text);
      factors.push_back(event.factor);
      builder_.event({.name = builder_.string(event.name),
                      .unit = builder_.string(event.unit),
                      .scale = event.scale,
                      .kind = event.kind});
    }
    return factors;
  }

  // As the weight of the event, so that the lost share is known.
  void add_missing(const std::vector<int64_t>& factors) {
    std::vector<int64_t> missing = parser_.missing();
    for (size_t event = 0; event < missing.size(); ++event) {
      if (missing[event] == 0) {
        continue;
      }
      std::string weight;
      builder_.with_profile_so_far([&](const Profile& profile) {
        weight = lost_weight_of(profile, EventId::from_index(event));
      });
      uint64_t most = UINT64_MAX / static_cast<uint64_t>(factors[event]);
      builder_.add_loss({.reason = "the lines add up to less than the total in the file",
                         .what = weight,
                         .count = std::min(static_cast<uint64_t>(missing[event]), most) *
                                  static_cast<uint64_t>(factors[event])});
    }
  }

  // The parser's limit on sums holds for the numbers in the file; a factor must not exceed it.
  void multiply(CallGraph& graph, const std::vector<int64_t>& factors) {
    for (size_t i = 0; i < graph.costs.size(); ++i) {
      int64_t factor = factors[i % factors.size()];
      if (factor == 1) {
        continue;
      }
      int64_t& left = graph.items[i / factors.size()].callee == kNoFunction ? left_ : left_calls_;
      if (graph.costs[i] > left / factor) {
        builder_.add_loss({.reason = "a cost is too large for its unit", .what = "lines"});
        graph.costs[i] = 0;
        continue;
      }
      graph.costs[i] *= factor;
      left -= graph.costs[i];
    }
  }

  ThreadId add_thread(const CallGraph& graph) {
    const std::string& command = parser_.command();
    if (graph.pid < 0 && graph.thread < 0 && command.empty()) {
      return {};
    }
    std::string_view program = std::string_view(command).substr(0, command.find(' '));
    program.remove_prefix(program.rfind('/') + 1);
    ProcessId process = builder_.process(
        {.pid = graph.pid, .name = builder_.string(program), .command = builder_.string(command)});
    return builder_.thread(
        {.tid = graph.thread, .process = process, .name = builder_.string(program)});
  }

  void add_notices(uint64_t unplaced, uint64_t without_callers) {
    if (has_calls_) {
      notice(
          "stacks are estimated from the costs of calls",
          "the file has none; self costs, and totals in an unfiltered `wick report`, are those of "
          "the file; long paths, and totals elsewhere, are likely ones");
    }
    if (has_limited_totals_) {
      notice("totals of some functions in recursion are upper limits",
             "the file counts calls inside of calls again; `wick report` shows at most what enters "
             "the recursion");
    }
    if (without_callers > 0) {
      notice("some costs have no callers",
             fmt::format("{} of the self costs: sums that do not agree, or too many paths",
                         without_callers));
    }
    if (unplaced > 0) {
      notice("some calls cost more than the functions that they call",
             fmt::format("{} in all; total costs of the callers do not contain it", unplaced));
    }
  }
  void notice(std::string_view reason, std::string_view detail) {
    builder_.add_loss({.reason = reason,
                       .what = "",
                       .detail = detail,
                       .count = 0,
                       .severity = LossClass::kNotice});
  }

  Input& input_;
  LineReader lines_;
  ProfileBuilder builder_;
  Parser parser_{builder_};
  bool has_calls_ = false;
  bool has_limited_totals_ = false;
  int64_t left_ = static_cast<int64_t>(kMaxTotalWeight) / 2;
  int64_t left_calls_ = static_cast<int64_t>(kMaxTotalWeight) / 2;
};

bool starts_with_any(std::string_view line, std::span<const std::string_view> starts) {
  return std::ranges::any_of(starts,
                             [&](std::string_view start) { return line.starts_with(start); });
}

}  // namespace

// The header, as far as `events:`, and the start of the body.
bool sniff(Bytes head) {
  constexpr std::array<std::string_view, 12> kHeader = {"#",
                                                        "version:",
                                                        "creator:",
                                                        "pid:",
                                                        "cmd:",
                                                        "part:",
                                                        "desc:",
                                                        "thread:",
                                                        "positions:",
                                                        "summary:",
                                                        "event:",
                                                        "events:"};
  constexpr std::array<std::string_view, 3> kBody = {"fl=", "fn=", "ob="};
  // Its first line in new files, whatever follows.
  if (as_text(head).starts_with("# callgrind format")) {
    return true;
  }
  bool has_events = false;
  bool is_other = false;
  bool has_body = false;
  for_each_line_of_head(as_text(head), [&](std::string_view line) {
    if (has_body || is_other || trimmed(line).empty()) {
      return;
    }
    has_events = has_events || line.starts_with("events:");
    has_body = has_events && starts_with_any(line, kBody);
    is_other = !has_body && !starts_with_any(line, kHeader);
  });
  return has_body || (has_events && !is_other);
}

Result<Profile> read(Input& input, const FlagValues& /*flags*/) {
  return Reader(input).run();
}

}  // namespace wick::callgrind
