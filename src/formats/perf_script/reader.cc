// SPDX-License-Identifier: Apache-2.0
// Reads in one pass, line by line. An event line opens a sample, frame lines fill it, a blank line
// or the next event line ends it. The first character shows the kind of most lines; the others need
// a closer look:
//
//     tab         a frame, or the instructions of a branch stack (branches.h)
//     blank       a frame, a source line, branches, registers, or an event line of a sample without
//                 a call chain (perf aligns the comm to the right then)
//     #           a header line
//     otherwise   an event line; a frame, if a tool removed the blanks of all lines
//
// Almost all lines are frames that were seen before. They cost a hash and a lookup (locations.h).
#include <array>
#include <string>

#include "base/escape.h"
#include "base/lines.h"
#include "formats/broken_input.h"
#include "formats/perf_script/branches.h"
#include "formats/perf_script/compat.h"
#include "formats/perf_script/event_line.h"
#include "formats/perf_script/findings.h"
#include "formats/perf_script/frame_line.h"
#include "formats/perf_script/header.h"
#include "formats/perf_script/locations.h"
#include "formats/perf_script/origins.h"
#include "formats/perf_script/perf_script.h"
#include "formats/perf_script/sight.h"
#include "formats/perf_script/stack_maker.h"
#include "formats/perf_script/text.h"
#include "profile/validate.h"

namespace wick::perf_script {
namespace {

constexpr std::array<Flag, 1> kReadFlags = {{
    {.name = "compat",
     .kind = FlagKind::kText,
     .value = "PROGRAM[,OPTION...]",
     .fallback = "",
     .help = "read perf script text as another program does: stackcollapse (stackcollapse-perf.pl; "
             "options kernel, jit, all, pid, tid, addrs, srcline, event-filter=NAME)"},
}};

class Reader {
 public:
  Reader(Input& input, Layout layout) : lines_(input), layout_(layout) {
    if (layout.callers_in_calls) {
      locations_.user_callers_are_in_calls();
    }
  }

  Result<Profile> run(const std::string& input_name) {
    while (std::optional<Line> line = lines_.next()) {
      number_ = line->number;
      take(*line);
    }
    finish_sample();
    add_unread_rest(lines_.error(), builder_);
    add_cut_line(cut_line_, builder_);
    if (samples_ == 0) {
      return fail("{} has no samples of perf script: {}.",
                  terminal_text(input_name),
                  !findings_.first_problem().empty() ? findings_.first_problem()
                  : cut_line_ != 0 ? fmt::format("line {} has no line end", cut_line_)
                                   : "no line starts one");
    }
    findings_.bad_branches(branches_.bad_entries());
    findings_.report(builder_);
    builder_.add_fact("format", "perf-script");
    Profile profile = builder_.finish();
    origins_.name_processes(profile);
    return profile;
  }

 private:
  // A frame of the current sample; none while its location waits for a module.
  struct Slot {
    LocationId location;
    FrameId frame;
    bool sampled;  // it, or a function inlined in it, was sampled; else it is a caller
  };

  void take(const Line& line) {
    std::string_view text = line.text;
    if (!line.has_end) {
      take_without_end(line);
    } else if (text.empty()) {
      take_blank();
    } else if (line.cut) {
      bad_line("it is longer than 64 MiB");
    } else if (text[0] == '\t') {
      take_indented(text);
    } else if (text[0] == ' ') {
      take_spaced(text);
    } else if (text[0] == '#') {
      take_comment(text);
    } else {
      take_at_margin(text);
    }
  }

  // No frame of the current sample came yet, or its stack has ended.
  bool is_between() const { return stack_.empty() || ended_; }

  // The text was cut here: a part of a line can look like another frame, or like an event with a
  // shorter number. A frame that was seen before is whole.
  void take_without_end(const Line& line) {
    if (ends_with_module(line.text)) {
      take({.text = line.text, .number = line.number});
      return;
    }
    if (size_t blank = line.text.find_last_of(" \t");
        find_branch_flags(line.text) != std::string_view::npos && blank != 0) {
      take({.text = line.text.substr(0, blank), .number = line.number});
      cut_line_ = blank + 1 < line.text.size() ? line.number : 0;  // the last branch
      return;
    }
    cut_line_ = line.number;
    LocationId known = open_ ? locations_.find(hash_line(line.text)) : LocationId();
    if (known.valid()) {
      add_frame(known);
    }
  }

  // " (/bin/x)" and " ([kernel.kallsyms])" end a frame: only the line end is missing, as in texts
  // that people edit.
  static bool ends_with_module(std::string_view text) {
    size_t module = text.rfind(" (");
    return module != std::string_view::npos && module + 2 < text.size() && text.ends_with(')') &&
           (text[module + 2] == '/' || text[module + 2] == '[');
  }

  // A sample without frames stays open: some writers put a blank line before the stack, too. The
  // instructions of a branch stack may follow the blank line after a stack.
  void take_blank() {
    if (!maybe_event_.empty()) {
      finish_sample();
    }
    ended_ = !stack_.empty() || !branches_.empty();
  }

  void take_indented(std::string_view text) {
    LineHash hash = hash_line(text);
    if (LocationId known = locations_.find(hash); known.valid()) {
      add_frame(known);
    } else if (!take_odd_comm(text)) {
      take_new_indented(text, hash);
    }
  }

  void take_new_indented(std::string_view text, const LineHash& hash) {
    if (trim_start(text).empty()) {
      take_blank();
    } else if (is_branch_line(text)) {
      take_branches(text);
    } else if (std::optional<FrameLine> frame = parse_frame_line(text)) {
      add_frame(locations_.add(hash, *frame));
    } else if (!is_namespace_line(text)) {
      bad_line("it does not start with an address");
    }
  }

  void take_spaced(std::string_view text) {
    if (layout_.aligned_events) {
      if (std::optional<EventLine> event = parse_event_line(text);
          event && is_event(text, *event)) {
        start_sample(*event);
        return;
      }
    }
    LineHash hash = hash_line(text);
    if (LocationId known = locations_.find(hash); known.valid()) {
      add_spaced_frame(known);
    } else if (!find_source(hash)) {
      take_new_spaced(text, hash);
    }
  }

  void take_new_spaced(std::string_view text, const LineHash& hash) {
    std::optional<EventLine> event = parse_event_line(text);
    if (trim_start(text).empty()) {
      take_blank();
    } else if (event && is_event(text, *event)) {
      layout_.aligned_events = true;
      start_sample(*event);
      // NOLINTNEXTLINE(bugprone-branch-clone): the order of the questions matters
    } else if (event && is_lone_thread(text, *event)) {
      keep_as_maybe(text);
    } else if (is_branch_line(text)) {
      take_frame_before_branches(text);
      take_branches(text);
    } else if (text.starts_with(" ABI:")) {
      findings_.registers();
    } else if (text.starts_with(" ilen: ") || text.starts_with(" insn: ")) {
      findings_.instruction();
    } else if (std::optional<FrameLine> frame = parse_frame_line(text)) {
      add_spaced_frame(locations_.add(hash, *frame));
    } else if (take_source(text, hash)) {
    } else if (event && !event->event.empty() && is_between() && !is_record(*event)) {
      keep_as_maybe(text);  // "    cpu-clock:", aligned with another name
    } else {
      bad_line("it starts with a blank, but is neither a frame nor a source line");
    }
  }

  // "     5629ec742901 0x5629ec7428f4/0x5629ec742901/P/-/-/19/": -F ip,brstack
  void take_frame_before_branches(std::string_view text) {
    if (LocationId location = location_of(find_frame(text).text); location.valid()) {
      add_spaced_frame(location);
    }
  }

  void take_branches(std::string_view text) {
    // -F brstack: a line is a sample.
    if (layout_.no_events && stack_.empty() && !branches_.empty()) {
      finish_sample();
    }
    if (!open_) {
      start_without_event();
    }
    ended_ = false;
    if (text[0] == '\t' && find_branch_flags(text) == std::string_view::npos) {
      branches_.add_instruction_line(text);
    } else {
      branches_.add_entries(text);
    }
  }

  // The location of a frame that is only a part of its line; none if it is not a frame.
  LocationId location_of(std::string_view text) {
    if (text.empty()) {
      return {};
    }
    LineHash hash = hash_line(text);
    if (LocationId known = locations_.find(hash); known.valid()) {
      return known;
    }
    std::optional<FrameLine> frame = parse_frame_line(text);
    return frame ? locations_.add(hash, *frame) : LocationId();
  }

  // Whether a line that starts with a blank is an event line rather than a frame with a colon in
  // its name: it has a time, or it has a thread (comm and number, or a number in its columns), or a
  // frame follows.
  bool is_event(std::string_view text, const EventLine& event) const {
    bool two_words = event.who.find_first_of(" \t") != std::string_view::npos;
    return event.certain && (event.time_ns != kNoTime || two_words || event.has_period ||
                             is_lone_thread(text, event) || !find_frame(event.rest).text.empty());
  }

  // A thread's number without a comm. If stacks are indented by tabs, it is not a frame.
  bool is_lone_thread(std::string_view text, const EventLine& event) const {
    return layout_.tabs && starts_with_thread(text, event);
  }

  void take_at_margin(std::string_view text) {
    std::optional<EventLine> event = parse_event_line(text);
    bool is_timed = event && event->time_ns != kNoTime;
    if (layout_.frames_at_margin && !is_timed && take_frame_at_margin(text)) {
      return;
    }
    if (is_bare_record(text)) {
      finish_sample();
      take_record(text, text);
    } else if (event && event->certain) {
      start_sample(*event);
    } else if (is_branch_line(text)) {
      take_branches(text);
    } else if (is_source_code(text)) {
      findings_.source_code();
    } else if (event && is_between() && !is_record(*event)) {
      keep_as_maybe(text);
    } else {
      bad_line("it is neither an event nor a frame");
    }
  }

  // A frame, or its source line, without its indent.
  bool take_frame_at_margin(std::string_view text) {
    LineHash hash = hash_line(text);
    LocationId known = locations_.find(hash);
    if (known.valid() || is_frame_at_margin(text)) {
      add_frame(known.valid() ? known : locations_.add(hash, *parse_frame_line(text)));
      return true;
    }
    return find_source(hash) || take_source("  " + std::string(text), hash);
  }

  // Becomes an event line if a frame follows.
  void keep_as_maybe(std::string_view text) {
    finish_sample();
    maybe_event_ = text;
    maybe_number_ = number_;
  }

  // An event line whose comm makes it look like another kind of line.
  bool take_odd_comm(std::string_view text) {
    std::optional<EventLine> event = parse_event_line(text);
    bool is_event = event && event->time_ns != kNoTime && parse_who(event->who).tid >= 0;
    if (is_event) {
      start_sample(*event);
    }
    return is_event;
  }

  void take_comment(std::string_view text) {
    if (take_odd_comm(text)) {
      return;
    }
    text = trim_start(text.substr(1));
    size_t colon = text.find(':');
    std::string_view key = trim_end(text.substr(0, colon));
    if (colon != std::string_view::npos && std::ranges::find(kFactKeys, key) != kFactKeys.end()) {
      builder_.add_fact(key, trim_end(trim_start(text.substr(colon + 1))));
    }
    if (text == kMadeUpTimes) {
      made_up_times_ = true;
    } else if (text == kNoReturnAddresses) {
      locations_.all_callers_are_in_calls();
    } else if (text.starts_with(kUnitStart)) {
      take_unit(text.substr(kUnitStart.size()));
    }
  }

  void take_unit(std::string_view text) {
    size_t middle = text.find(kUnitMiddle);
    if (middle != std::string_view::npos) {
      origins_.set_unit(text.substr(0, middle), trim_end(text.substr(middle + kUnitMiddle.size())));
    }
  }

  // A source line that followed this frame before.
  bool find_source(const LineHash& hash) {
    LocationId location = stack_.empty() || ended_
                              ? LocationId()
                              : locations_.find_with_source(stack_.back().location, hash);
    if (location.valid()) {
      replace_last(location);
    }
    return location.valid();
  }

  bool take_source(std::string_view text, const LineHash& hash) {
    std::optional<SourceLine> source = parse_source_line(text);
    if (!source || is_between()) {
      return false;
    }
    replace_last(locations_.add_with_source(stack_.back().location, hash, *source));
    return true;
  }

  void replace_last(LocationId location) {
    bool sampled = stack_.back().sampled;
    stack_.back() = {location, frame_of(location, sampled), sampled};
    waiting_ = waiting_ || locations_.waits(location);
    in_sampled_ = sampled && locations_.frames(location).inlined;
  }

  void start_sample(const EventLine& event) {
    finish_sample();
    if (is_record(event)) {
      take_record(event.event.empty() ? trim_start(event.rest) : event.event, event.rest);
      return;
    }
    CountedEvent counted = origins_.event(event.event, event.has_period);
    uint64_t weight = event.has_period ? event.period : 1;
    open_ = true;
    event_number_ = number_;
    too_heavy_ = weight > kMaxTotalWeight - total_;
    sample_ = {.time_ns = made_up_times_ ? kNoTime : event.time_ns,
               .weight = static_cast<int64_t>(too_heavy_ ? 0 : weight),
               .count = counted.counts_samples && !too_heavy_ ? weight : 1,
               .thread = origins_.thread(event.who, made_up_times_ ? kNoTime : event.time_ns),
               .event = counted.id,
               .cpu = event.cpu};
    bool has_more = !trim_start(event.rest).empty();
    if (has_more && !lines_.next_starts_with('\t')) {
      take_rest(event.rest);
      from_rest_ = !stack_.empty();
    }
  }

  void take_record(std::string_view name, std::string_view details) {
    findings_.record(number_, name);
    if (name.starts_with("PERF_RECORD_MMAP")) {
      branches_.add_map(details);
    }
  }

  // The text after the event: the frame of a sample without a call chain. If a chain follows, it is
  // something else, such as a data address (-F +addr).
  void take_rest(std::string_view rest) {
    if (LocationId known = locations_.find(hash_line(rest)); known.valid()) {
      add_frame(known);
      return;
    }
    FrameText found = find_frame(rest);
    if (found.branches) {
      branches_.add_entries(rest);
    }
    if (found.registers) {
      findings_.registers();
    }
    if (LocationId location = location_of(found.text); location.valid()) {
      add_frame(location);
    }
  }

  static bool is_record(const EventLine& event) {
    constexpr std::string_view kRecord = "PERF_RECORD_";
    return event.event.starts_with(kRecord) ||
           (event.event.empty() && trim_start(event.rest).starts_with(kRecord));
  }

  void add_spaced_frame(LocationId location) {
    if (layout_.no_events && !layout_.tabs) {
      finish_sample();  // only frames: each is a sample
    }
    add_frame(location);
  }

  void add_frame(LocationId location) {
    if (!open_ || ended_ || waiting_ || from_rest_ || locations_.waits(location)) [[unlikely]] {
      prepare_for(location);
    }
    Locations::Frames frames = locations_.frames(location);
    // The frame that entered the kernel is at the instruction where it will resume, not after a
    // call.
    bool sampled = in_sampled_ || (in_kernel_ && !frames.kernel);
    stack_.push_back({location, frame_of(location, sampled), sampled});
    in_sampled_ = sampled && frames.inlined;
    in_kernel_ = frames.kernel;
  }

  FrameId frame_of(LocationId location, bool sampled) {
    const Locations::Frames& frames = locations_.frames(location);
    if (sampled || locations_.waits(location)) {
      return frames.sampled;
    }
    return frames.caller.valid() ? frames.caller : locations_.make_caller(location);
  }

  // Rare work before a frame is added: starts a sample, drops a frame that was mistaken for the
  // only one, or gives inlined frames the module that they wait for.
  void prepare_for(LocationId location) {
    if (ended_) {
      finish_sample();
    }
    if (!open_) {
      start_without_event();
    }
    if (from_rest_) {
      clear_stack();  // there is a chain after all
      from_rest_ = false;
    }
    if (waiting_ && locations_.has_module(location)) {
      for (size_t at = stack_.size(); at > 0 && !stack_[at - 1].frame.valid(); --at) {
        Slot& slot = stack_[at - 1];
        slot.frame = locations_.frame_inside(slot.location, location, slot.sampled);
      }
    }
    waiting_ = waiting_ || locations_.waits(location);
  }

  // A frame without an event line: its event line was not recognised, or the text has none at all,
  // or the frame is the rest of a damaged sample.
  void start_without_event() {
    if (!maybe_event_.empty()) {
      std::string text = std::exchange(maybe_event_, {});
      start_sample(*parse_event_line(text));
      return;
    }
    open_ = true;
    too_heavy_ = false;
    orphaned_ = !layout_.no_events;
    if (!orphaned_) {
      sample_ = {.event = origins_.event("", false).id};
    } else {
      findings_.orphan(number_);
    }
  }

  void finish_sample() {
    if (!maybe_event_.empty()) {
      findings_.bad_line(maybe_number_, "it is neither an event nor a frame");
      maybe_event_.clear();
    }
    if (!open_) {
      return;
    }
    if (too_heavy_) {
      findings_.bad_line(event_number_, "the periods add up to more than 62 bits can hold");
    } else if (!orphaned_) {
      add_sample();
    }
    branches_.finish();
    clear_stack();
    open_ = false;
    ended_ = false;
    waiting_ = false;
    orphaned_ = false;
    from_rest_ = false;
  }

  void clear_stack() {
    stack_.clear();
    in_sampled_ = true;
    in_kernel_ = false;
  }

  void add_sample() {
    if (waiting_) {
      for (Slot& slot : stack_) {
        slot.frame = slot.frame.valid()
                         ? slot.frame
                         : locations_.frame_inside(slot.location, LocationId(), slot.sampled);
      }
    }
    sample_.stack = stacks_.make(stack_, &Slot::frame);
    sample_.branches = branches_.finish();
    total_ += static_cast<uint64_t>(sample_.weight);
    ++samples_;
    builder_.add_sample(sample_);
  }

  void bad_line(std::string_view problem) { findings_.bad_line(number_, problem); }

  LineReader lines_;
  Layout layout_;
  ProfileBuilder builder_;
  Locations locations_{builder_};
  Origins origins_{builder_};
  StackMaker stacks_{builder_};
  Branches branches_{builder_};
  Findings findings_;
  uint64_t number_ = 0;    // of the line
  uint64_t cut_line_ = 0;  // the last line if it has no end, or 0

  // The current sample.
  bool open_ = false;
  bool ended_ = false;         // a blank line came after its stack
  bool orphaned_ = false;      // its event line is missing
  bool too_heavy_ = false;     // its period does not fit
  bool from_rest_ = false;     // its frame is on its event line
  bool waiting_ = false;       // some of its frames wait for a module
  bool in_sampled_ = true;     // the next frame is the sampled one, or has it inlined
  bool in_kernel_ = false;     // the last frame is the kernel's
  uint64_t event_number_ = 0;  // of its event line
  Sample sample_;
  std::vector<Slot> stack_;  // leaf first

  std::string maybe_event_;  // a line that starts a sample if a frame follows
  uint64_t maybe_number_ = 0;

  bool made_up_times_ = false;
  uint64_t total_ = 0;
  uint64_t samples_ = 0;
};

}  // namespace

std::span<const Flag> read_flags() {
  return kReadFlags;
}

Result<Profile> read(Input& input, const FlagValues& flags) {
  if (flags.given("compat")) {
    CompatOptions options = TRY(parse_compat(flags.text("compat")));
    return read_compat(input, options);
  }
  return Reader(input, look_at_layout(input.head())).run(input.name());
}

}  // namespace wick::perf_script
