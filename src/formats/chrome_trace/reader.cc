// SPDX-License-Identifier: Apache-2.0
// Reads a trace in one pass. Moments and counters go into the profile at once. Spans and samples
// wait until the end of the trace, because they are not in the order of time, and because only then
// it is known whether the trace has samples.
#include <cmath>

#include "base/escape.h"
#include "formats/broken_input.h"
#include "formats/chrome_trace/chrome_trace.h"
#include "formats/chrome_trace/durations.h"
#include "formats/chrome_trace/samples.h"
#include "formats/json_shape.h"

namespace wick::chrome_trace {
namespace {

class Reader {
 public:
  explicit Reader(Input& input) : json_(input), name_(terminal_text(input.name())) {}

  Result<Profile> run();

 private:
  // Distinct arguments; each takes about 60 bytes.
  static constexpr size_t kMaxLabels = size_t{1} << 20;

  bool begins(JsonToken bracket);
  void skip_wrong();
  void read_events();
  void add_event();
  bool add_span();
  bool add_async();
  bool add_moment();
  void add_metadata();
  void add_counters();
  void add_sample();
  void read_object();
  void read_frames();
  void read_frame(const std::string& id);
  StringId read_string();
  void read_frame_value(std::string_view key,
                        StackFrame& described,
                        Function& function,
                        Frame& frame);
  void read_samples();
  void read_other_data();
  void read_known_events();

  RawSpan raw_span(int64_t duration_ns);
  LabelSetId labels();
  ThreadId thread() { return tracks_.thread(event_.pid, event_.tid); }
  std::string async_key() const;
  bool has_time() const { return event_.time_ns != kNoTime; }

  JsonReader json_;
  std::string name_;
  ProfileBuilder builder_;
  Damage damage_;
  Tracks tracks_{builder_};
  EventParser parser_{json_, builder_, tracks_, damage_};
  Durations durations_{builder_, damage_};
  Samples samples_{builder_, damage_};
  TraceEvent event_;
  std::vector<LabelId> label_ids_;
  size_t distinct_labels_ = 0;
  uint64_t events_ = 0;
  uint64_t rows_ = 0;        // moments and counter values
  bool is_between_ = false;  // events of a list without an object around it
};

Result<Profile> Reader::run() {
  if (json_.next() == JsonToken::kBeginArray) {
    is_between_ = true;
    read_events();
  } else if (json_.is(JsonToken::kBeginObject)) {
    read_object();
  }
  samples_.finish();
  bool has_samples = !samples_.empty();
  if (!has_samples && durations_.empty() && rows_ == 0) {
    return fail("{} has no samples, spans, moments or counters in its {} trace events{}{}",
                name_,
                events_,
                json_.failed() ? ": " : ".",
                json_.error());
  }
  durations_.finish(!has_samples);
  damage_.report(builder_, has_samples);
  // A list without its end is usual: tracers append to the file until they are stopped.
  if (!(json_.is_cut() && is_between_)) {
    add_unread_rest(json_.error(), builder_);
  }
  builder_.add_fact("format", "trace events");
  return builder_.finish();
}

void Reader::read_object() {
  while (json_.next_key()) {
    std::string_view key = json_.text();
    if (key == "stackFrames") {
      read_frames();
    } else if (key == "samples") {
      read_samples();
    } else if (key == "traceEvents") {
      if (begins(JsonToken::kBeginArray)) {
        read_events();
      }
    } else if (key == "otherData") {
      read_other_data();
    } else {
      json_.skip();
    }
  }
}

// Whether the value that follows a key begins with the bracket; another value is skipped and counted.
bool Reader::begins(JsonToken bracket) {
  if (json_.next() == bracket) {
    return true;
  }
  skip_wrong();
  return false;
}

void Reader::skip_wrong() {
  json_.skip();
  damage_.values += json_.failed() ? 0U : 1U;
}

void Reader::read_events() {
  bool is_list = is_between_;
  while (json_.next_item()) {
    if (!json_.is(JsonToken::kBeginObject)) {
      skip_wrong();
      continue;
    }
    is_between_ = false;
    parser_.read(event_);
    if (!json_.failed()) {
      ++events_;
      add_event();
      is_between_ = is_list;
    }
  }
}

void Reader::add_event() {
  if (event_.phase == 'M') {
    add_metadata();
  } else if (!has_time() || event_.phase == 0) {
    ++damage_.events;
  } else if (!add_span() && !add_async() && !add_moment()) {
    ++damage_.kinds;
  }
}

// `duration_ns`: as in RawSpan.
RawSpan Reader::raw_span(int64_t duration_ns) {
  bool is_end = duration_ns == RawSpan::kEnd;
  StringId name = event_.name;
  if (name.empty() && !is_end) {
    name = builder_.string("(unnamed)");
  }
  return {.time_ns = event_.time_ns,
          .duration_ns = duration_ns,
          .name = name,
          .labels = is_end ? kNoLabels : labels()};
}

bool Reader::add_span() {
  switch (event_.phase) {
    case 'B':
      durations_.add(raw_span(RawSpan::kBegin), thread());
      return true;
    case 'E':
      durations_.add(raw_span(RawSpan::kEnd), thread());
      return true;
    case 'X':
      durations_.add(raw_span(std::max<int64_t>(event_.duration_ns, 0)), thread());
      return true;
    default:
      return false;
  }
}

bool Reader::add_async() {
  switch (event_.phase) {
    case 'b':
    case 'S':
      durations_.add_async(raw_span(RawSpan::kBegin), thread(), async_key());
      return true;
    case 'e':
    case 'F':
      durations_.add_async(raw_span(RawSpan::kEnd), thread(), async_key());
      return true;
    default:
      return false;
  }
}

// A local id belongs to the process.
std::string Reader::async_key() const {
  bool is_local = event_.id.starts_with("local");
  return fmt::format("{}/{}/{}", event_.category.value, is_local ? event_.pid : 0, event_.id);
}

bool Reader::add_moment() {
  switch (event_.phase) {
    case 'C':
      add_counters();
      return true;
    case 'P':
      add_sample();
      return true;
    case 'i':
    case 'I':
    case 'R':
    case 'n':
    case 'T':
    case 'p':
      ++rows_;
      builder_.add_mark({.time_ns = event_.time_ns,
                         .name = event_.name,
                         .thread = event_.scope == 'g' ? ThreadId() : thread(),
                         .kind = event_.category,
                         .labels = labels()});
      return true;
    default:
      return false;
  }
}

void Reader::add_metadata() {
  std::string_view what = builder_.text(event_.name);
  bool is_process = what == "process_name";
  if (!is_process && what != "thread_name") {
    return;
  }
  for (const Argument& argument : event_.arguments) {
    if (builder_.text(argument.key) != "name") {
      continue;
    }
    StringId name = builder_.string(argument.text);
    if (is_process) {
      tracks_.name_process(event_.pid, name);
    } else {
      tracks_.name_thread(event_.pid, event_.tid, name);
    }
    return;
  }
}

// A value called "value" has the name of its event.
void Reader::add_counters() {
  for (const Argument& argument : event_.arguments) {
    if (!argument.is_number || !std::isfinite(argument.value)) {
      continue;
    }
    std::string_view key = builder_.text(argument.key);
    StringId name = event_.name;
    if (key != "value") {
      name = builder_.string(fmt::format("{} {}", builder_.text(event_.name), key));
    }
    ++rows_;
    SeriesId series = builder_.series({.name = name, .process = tracks_.process(event_.pid)});
    builder_.add_counter({.time_ns = event_.time_ns, .series = series, .value = argument.value});
  }
}

void Reader::add_sample() {
  const ProfilePart& part = event_.part;
  if (part.start_ns || !part.nodes.empty() || !part.samples.empty()) {
    samples_.add_part(event_, fmt::format("{}/{}", event_.pid, event_.id), thread());
  } else if (!event_.frame.empty()) {
    samples_.add(event_, thread());
  }
}

LabelSetId Reader::labels() {
  if (event_.arguments.empty()) {
    return kNoLabels;
  }
  if (distinct_labels_ >= kMaxLabels) {
    ++damage_.labels;
    return kNoLabels;
  }
  label_ids_.clear();
  for (const Argument& argument : event_.arguments) {
    LabelId id = builder_.label({.key = argument.key,
                                 .text = builder_.string(argument.text),
                                 .number = argument.is_whole ? argument.number : 0,
                                 .is_number = argument.is_whole});
    distinct_labels_ = std::max(distinct_labels_, id.index() + 1);
    label_ids_.push_back(id);
  }
  return builder_.label_set(label_ids_);
}

void Reader::read_frames() {
  if (!begins(JsonToken::kBeginObject)) {
    return;
  }
  while (json_.next_key()) {
    std::string id(json_.text());
    if (begins(JsonToken::kBeginObject)) {
      read_frame(id);
    }
  }
}

void Reader::read_frame(const std::string& id) {
  StackFrame described;
  Function function;
  Frame frame;
  while (json_.next_key()) {
    read_frame_value(json_.text(), described, function, frame);
  }
  function.module = frame.module;
  if (!function.name.empty()) {
    frame.function = builder_.function(function);
    described.frame = builder_.frame(frame);
    samples_.add_frame(id, described);
  }
}

void Reader::read_frame_value(std::string_view key,
                              StackFrame& described,
                              Function& function,
                              Frame& frame) {
  if (key == "name") {
    function.name = read_string();
  } else if (key == "file") {
    function.file = read_string();
  } else if (key == "module") {
    frame.module = builder_.module({.path = read_string()});
  } else if (key == "line") {
    std::optional<int64_t> line = json_.read_int64();
    frame.line = line && *line > 0 && *line <= INT32_MAX ? static_cast<uint32_t>(*line) : 0;
  } else if (key == "parent") {
    json_.next();
    if (json_.is(JsonToken::kString) || json_.is(JsonToken::kNumber)) {
      described.parent = json_.text();
    } else if (!json_.is(JsonToken::kNull)) {
      skip_wrong();
    }
  } else if (key == "category") {
    std::string_view category = json_.read_text().value_or("");
    frame.mode = category == "kernel" ? Mode::kKernel
                 : category == "user" ? Mode::kUser
                                      : Mode::kUnknown;
  } else {
    json_.skip();
  }
}

StringId Reader::read_string() {
  std::optional<std::string_view> text = json_.read_text();
  if (!text && !json_.is(JsonToken::kNull)) {
    damage_.values += json_.failed() ? 0U : 1U;
  }
  return builder_.string(text.value_or(""));
}

void Reader::read_samples() {
  if (!begins(JsonToken::kBeginArray)) {
    return;
  }
  while (json_.next_item()) {
    if (!json_.is(JsonToken::kBeginObject)) {
      skip_wrong();
      continue;
    }
    parser_.read(event_);
    if (json_.failed()) {
      return;
    }
    if (!has_time()) {
      ++damage_.events;
      continue;
    }
    ThreadId id = event_.pid == kNoTask && event_.tid != kNoTask
                      ? tracks_.thread_of_any_process(event_.tid)
                      : thread();
    samples_.add(event_, id);
  }
}

void Reader::read_other_data() {
  if (json_.next() != JsonToken::kBeginObject) {
    json_.skip();
    return;
  }
  while (json_.next_key()) {
    if (json_.text() == "wickEvents" && json_.next() == JsonToken::kBeginArray) {
      read_known_events();
    } else {
      json_.skip();
    }
  }
}

void Reader::read_known_events() {
  while (json_.next_item()) {
    KnownEvent event;
    if (!json_.is(JsonToken::kBeginObject)) {
      json_.skip();
      continue;
    }
    while (json_.next_key()) {
      std::string_view key = json_.text();
      if (key == "name" || key == "unit") {
        StringId& text = key == "name" ? event.name : event.unit;
        text = builder_.string(json_.read_text().value_or(""));
      } else if (key == "kind" || key == "period" || key == "frequency") {
        int64_t& number = key == "kind"     ? event.kind
                          : key == "period" ? event.period
                                            : event.frequency;
        number = json_.read_int64().value_or(0);
      } else {
        json_.skip();
      }
    }
    samples_.add_known(event);
  }
}

}  // namespace

bool sniff(Bytes head) {
  JsonShape shape(head);
  if (!shape.is_json()) {
    return false;
  }
  bool is_list = shape.has("[].ph") || (shape.has("[].ts") && shape.has("[].pid"));
  bool is_object = shape.has("traceEvents") || (shape.has("stackFrames") && shape.has("samples"));
  // Chrome's metadata can fill the head.
  return is_list || is_object || shape.text("metadata.dataOrigin") == "TraceEvents";
}

Result<Profile> read(Input& input, const FlagValues& /*flags*/) {
  return Reader(input).run();
}

}  // namespace wick::chrome_trace
