// SPDX-License-Identifier: Apache-2.0
// Imitates stackcollapse-perf.pl, including its mistakes (compat.h lists them). The line parsers
// are in compat_line.h; this file has the state between lines: one open stack, the event that it
// belongs to, and the first event name, which filters all others.
//
// For speed, a line is parsed once. runs_by_line_ maps the hash of a frame line to its frames, a
// range of pool_. The result depends on whether the process is java, so there are two caches.
// processes_by_line_ does the same for event lines. Costs are added up by stack, and become samples
// at the end.
//
// Where the Perl program drops something, wick drops it, too, but reports it as a notice: the
// totals of the two must stay equal.
#include "formats/perf_script/compat.h"

#include <array>
#include <ranges>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/lines.h"
#include "base/parse_number.h"
#include "formats/broken_input.h"
#include "formats/perf_script/compat_line.h"
#include "formats/perf_script/line_cache.h"
#include "formats/perf_script/stack_maker.h"
#include "profile/validate.h"

namespace wick::perf_script {
namespace {

class CompatReader {
 public:
  CompatReader(Input& input, const CompatOptions& options)
      : lines_(input), options_(options), filter_(options.event_filter) {}

  Result<Profile> run(const std::string& input_name) {
    uint64_t cut_line = 0;  // read all the same, as the Perl program does
    while (std::optional<Line> line = lines_.next()) {
      take(*line);
      cut_line = line->has_end ? 0 : line->number;
    }
    add_unread_rest(lines_.error(), builder_);
    add_cut_line(cut_line, builder_);
    if (events_ == 0) {
      return fail(
          "{} has nothing that stackcollapse-perf.pl takes for an event; wick may read it without "
          "--compat.",
          terminal_text(input_name));
    }
    return finish();
  }

 private:
  // A range of frames in pool_.
  struct Run {
    uint32_t begin = 0;
    uint32_t size = 0;
  };
  using RunId = Id<struct RunTag>;
  struct Process {
    Run frames;  // outermost first
    bool java = false;
  };
  using ProcessRow = Id<struct ProcessRowTag>;

  void take(const Line& line) {
    std::string_view text = line.text;
    if (text.starts_with('#')) {
      return;
    }
    if (text.empty()) {
      end_stack();
      return;
    }
    if (line.cut) {
      not_understood(line.number);
    } else if (std::optional<CompatEvent> event = parse_compat_event(text)) {
      start_stack(*event);
    } else if (options_.srcline) {
      add_frames_with_source(std::string(text), line.number);
    } else {
      add_frames(text, line.number);
    }
  }

  void start_stack(const CompatEvent& event) {
    ++events_;
    if (!event.event.empty()) {
      if (filter_.empty()) {
        filter_ = event.event;
      } else if (event.event != filter_) {
        ++left_out_;
        return;  // an open stack stays open, as in the Perl program
      }
    }
    bool weighs_one = event.period.empty() || event.period == "0";
    period_ = weighs_one ? 1 : parse_number<uint64_t>(event.period).value_or(kMaxTotalWeight + 1);
    any_period_ = any_period_ || !weighs_one;
    process_ = process(event);
    open_ = true;
  }

  Process process(const CompatEvent& event) {
    LineHash hash = hash_line(event.ids);
    if (ProcessRow known = processes_by_line_.find(hash); known.valid()) {
      return processes_[known];
    }
    std::string name = compat_process(event, options_);
    Process process{.frames = {.begin = static_cast<uint32_t>(pool_.size())},
                    .java = name.starts_with("java")};
    for (FrameId part : unmarked_frames(name)) {
      pool_.push_back(part);
    }
    process.frames.size = static_cast<uint32_t>(pool_.size()) - process.frames.begin;
    processes_by_line_.add(hash, processes_.push_back(process));
    return process;
  }

  void add_frames(std::string_view text, uint64_t number) {
    if (!open_) {  // frames of a filtered event
      if (!parse_compat_stack_line(text)) {
        not_understood(number);
      }
      return;
    }
    LineHash hash = hash_line(text);
    LineCache<RunId>& cache = runs_by_line_[process_.java ? 1 : 0];
    RunId run = cache.find(hash);
    if (!run.valid()) {
      std::optional<CompatStackLine> line = parse_compat_stack_line(text);
      if (!line) {
        not_understood(number);
        return;
      }
      run = runs_.push_back(new_run(compat_frames(*line, options_, process_.java)));
      cache.add(hash, run);
    }
    push(runs_[run]);
  }

  // Reads further lines of the input, so the line must be a copy.
  void add_frames_with_source(const std::string& text, uint64_t number) {
    std::optional<CompatStackLine> line = parse_compat_stack_line(text);
    if (!line) {
      not_understood(number);
      return;
    }
    if (!open_) {
      return;
    }
    std::vector<CompatFrame> parts = compat_frames(*line, options_, process_.java);
    for (CompatFrame& part : parts) {
      std::optional<Line> next = part.wants_source ? lines_.next() : std::nullopt;
      std::string source = next ? compat_source(next->text) : "";
      if (!source.empty()) {
        part.name += mark_text(part.mark) + ":" + source;
        part.mark = CompatMark::kNone;
      }
    }
    for (size_t i = parts.size(); i-- > 0;) {
      if (parts[i].mark != CompatMark::kNone) {
        stack_.push_back(frame(parts[i].name, parts[i].mark));
        continue;
      }
      for (FrameId part : unmarked_frames(parts[i].name) | std::views::reverse) {
        stack_.push_back(part);
      }
    }
  }

  // The Perl program does not replace a ';' in a comm or a source line, so it separates frames.
  std::vector<FrameId> unmarked_frames(std::string_view name) {
    std::vector<FrameId> frames;
    for (size_t begin = 0; begin <= name.size();) {
      size_t end = std::min(name.find(';', begin), name.size());
      frames.push_back(frame(name.substr(begin, end - begin), CompatMark::kNone));
      begin = end + 1;
    }
    return frames;
  }

  static std::string mark_text(CompatMark mark) {
    switch (mark) {
      case CompatMark::kNone:
        return "";
      case CompatMark::kInlined:
        return "_[i]";
      case CompatMark::kKernel:
        return "_[k]";
      case CompatMark::kJit:
        return "_[j]";
    }
    return "";
  }

  Run new_run(const std::vector<CompatFrame>& frames) {
    Run run{.begin = static_cast<uint32_t>(pool_.size())};
    for (const CompatFrame& part : frames) {
      pool_.push_back(frame(part.name, part.mark));
    }
    run.size = static_cast<uint32_t>(frames.size());
    return run;
  }

  // The frames of a line are outermost first, those of a stack leaf first.
  void push(const Run& run) {
    for (uint32_t i = run.size; i-- > 0;) {
      stack_.push_back(pool_[run.begin + i]);
    }
  }

  FrameId frame(std::string_view name, CompatMark mark) {
    FunctionId function = builder_.function({.name = builder_.string(name)});
    Mode mode = mark == CompatMark::kKernel ? Mode::kKernel : Mode::kUnknown;
    uint8_t flags = mark == CompatMark::kInlined ? kInlined : mark == CompatMark::kJit ? kJit : 0;
    return builder_.frame({.function = function, .mode = mode, .flags = flags});
  }

  void end_stack() {
    if (!open_) {
      return;
    }
    push(process_.frames);
    open_ = false;
    StackId stack = stacks_.make(stack_);
    stack_.clear();
    if (period_ > kMaxTotalWeight - total_) {
      builder_.add_loss({.reason = "periods that add up to more than 62 bits can hold"});
      return;
    }
    total_ += period_;
    if (costs_.size() <= stack.index()) {
      costs_.resize(stack.index() + 1);
    }
    costs_[stack.index()] += Cost{static_cast<int64_t>(period_), 1};
  }

  void not_understood(uint64_t number) {
    if (not_understood_++ == 0) {
      first_not_understood_ = number;
    }
  }

  void notice(std::string_view reason,
              std::string_view what,
              uint64_t count,
              std::string_view detail) {
    builder_.add_loss({.reason = reason,
                       .what = what,
                       .detail = detail,
                       .count = count,
                       .severity = LossClass::kNotice});
  }

  Profile finish() {
    if (open_) {
      notice(
          "no blank line ends the last stack, so stackcollapse-perf.pl drops it", "samples", 1, "");
    }
    if (not_understood_ > 0) {
      notice("lines that stackcollapse-perf.pl does not understand",
             "lines",
             not_understood_,
             fmt::format("line {}", first_not_understood_));
    }
    if (left_out_ > 0) {
      notice("samples of other events are left out, as stackcollapse-perf.pl does",
             "samples",
             left_out_,
             fmt::format("only {} is read", terminal_text(filter_)));
    }
    // "units": folded text gets these numbers unchanged.
    EventId event = builder_.event({.name = builder_.string(filter_.empty() ? "samples" : filter_),
                                    .unit = builder_.string(any_period_ ? "units" : "samples")});
    for (size_t row = 0; row < costs_.size(); ++row) {
      if (costs_[row].count > 0) {
        builder_.add_sample({.weight = costs_[row].weight,
                             .count = costs_[row].count,
                             .stack = StackId::from_index(row),
                             .event = event});
      }
    }
    builder_.add_fact("format", "perf-script");
    builder_.add_fact("read as", "stackcollapse-perf.pl");
    return builder_.finish();
  }

  LineReader lines_;
  CompatOptions options_;
  ProfileBuilder builder_;
  StackMaker stacks_{builder_};
  std::string filter_;
  std::vector<FrameId> pool_;
  IdVector<RunId, Run> runs_;
  LineCache<RunId> runs_by_line_[2];  // the second for processes that run java
  IdVector<ProcessRow, Process> processes_;
  LineCache<ProcessRow> processes_by_line_;
  std::vector<Cost> costs_;  // by stack

  bool open_ = false;
  Process process_;
  uint64_t period_ = 0;
  std::vector<FrameId> stack_;  // leaf first

  bool any_period_ = false;
  uint64_t total_ = 0;
  uint64_t events_ = 0;
  uint64_t left_out_ = 0;
  uint64_t not_understood_ = 0;
  uint64_t first_not_understood_ = 0;
};

Result<> set_option(std::string_view word, CompatOptions& options) {
  constexpr std::string_view kFilter = "event-filter=";
  struct Switch {
    std::string_view word;
    bool CompatOptions::* option;
  };
  constexpr std::array kSwitches = {Switch{"kernel", &CompatOptions::kernel},
                                    Switch{"jit", &CompatOptions::jit},
                                    Switch{"all", &CompatOptions::kernel},
                                    Switch{"all", &CompatOptions::jit},
                                    Switch{"pid", &CompatOptions::pid},
                                    Switch{"tid", &CompatOptions::tid},
                                    Switch{"addrs", &CompatOptions::addrs},
                                    Switch{"srcline", &CompatOptions::srcline}};
  bool known = false;
  for (const Switch& row : kSwitches) {
    if (row.word == word) {
      options.*row.option = true;
      known = true;
    }
  }
  if (word.starts_with(kFilter)) {
    options.event_filter = word.substr(kFilter.size());
    known = true;
  }
  if (word == "inline" || word == "context") {
    return fail_usage(
        "--compat stackcollapse,{} would run addr2line; record with inlined frames "
        "(perf script prints them) instead.",
        word);
  }
  if (!known) {
    return fail_usage(
        "--compat stackcollapse has no option \"{}\"; the options are kernel, jit, all, "
        "pid, tid, addrs, srcline and event-filter=NAME.",
        terminal_text(word));
  }
  return {};
}

}  // namespace

Result<CompatOptions> parse_compat(std::string_view text) {
  size_t comma = std::min(text.find(','), text.size());
  std::string_view program = text.substr(0, comma);
  if (program != "stackcollapse") {
    return fail_usage("--compat takes stackcollapse, not \"{}\".", terminal_text(program));
  }
  CompatOptions options;
  while (comma < text.size()) {
    text.remove_prefix(comma + 1);
    comma = std::min(text.find(','), text.size());
    TRY(set_option(text.substr(0, comma), options));
  }
  return options;
}

Result<Profile> read_compat(Input& input, const CompatOptions& options) {
  return CompatReader(input, options).run(input.name());
}

}  // namespace wick::perf_script
