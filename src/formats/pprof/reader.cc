// SPDX-License-Identifier: Apache-2.0
// The second pass over the message: samples become rows (pprof.h says how).
//
//     read          decodes the tables (message.h), then runs a SampleReader
//     SampleReader  run() reads all samples once. If it meets a sample of a difference, it stops,
//                   and read() starts another one that makes a pair of events.
//     Levels        the stack of the previous sample. Neighbouring samples share their outermost
//                   frames in most files, so only the others are looked up.
//
// Invariants: the sums of weights and of counts stay below kMaxTotalWeight, and the number of
// looked-up frames below a multiple of the message's size: a few bytes can refer to a location with
// many inlined functions again and again.
#include <algorithm>
#include <numeric>

#include "base/escape.h"
#include "base/whole_input.h"
#include "formats/broken_input.h"
#include "formats/pprof/code.h"
#include "formats/pprof/labels.h"
#include "formats/pprof/pprof.h"
#include "formats/pprof/sample_decoder.h"
#include "formats/pprof/value_types.h"
#include "profile/validate.h"

namespace wick::pprof {
namespace {

constexpr auto kMaxTotal = static_cast<int64_t>(kMaxTotalWeight) - 1;

// A value in units of its event; none if it is too large.
std::optional<int64_t> scaled(int64_t value, int64_t factor) {
  int64_t result = 0;
  bool overflows = __builtin_mul_overflow(value, factor, &result);
  return overflows || result > kMaxTotal || result < -kMaxTotal ? std::nullopt
                                                                : std::optional(result);
}

class SampleReader {
 public:
  SampleReader(const Message& message, bool is_difference)
      : message_(message),
        types_(type_events(message)),
        is_difference_(is_difference),
        code_(message, builder_),
        source_(add_source()),
        labels_(message, builder_, code_.add_process(source_)),
        frames_left_(kFramesOfAnyInput + kFramesPerByte * message.bytes.size()) {
    add_events();
  }

  // False if the samples turned out to be a difference.
  bool run() {
    ProtoReader fields(message_.bytes);
    while (fields.next()) {
      if (fields.is(2, ProtoKind::kBytes) && !take(fields.bytes())) {
        return false;
      }
    }
    return true;
  }

  Profile finish(const std::string& input_error) {
    add_unread_rest(input_error, builder_);
    if (message_.damage.unread_bytes > 0) {
      builder_.add_loss({.reason = kInputBrokeOff,
                         .what = "rest of the input",
                         .detail = fmt::format("{} bytes after the last complete field",
                                               message_.damage.unread_bytes),
                         .count = 0});
    }
    code_.report();
    report();
    add_facts();
    Profile profile = builder_.finish();
    choose_counts(profile);
    return profile;
  }

 private:
  static constexpr uint64_t kFramesOfAnyInput = 1 << 22;
  static constexpr uint64_t kFramesPerByte = 16;

  // The stack of the previous sample up to one of its locations.
  struct Level {
    uint64_t location = 0;
    StackId stack = kEmptyStack;
    bool has_user = false;  // a location that is not dropped; before it, nothing is
    bool has_ended = false;
  };

  SourceId add_source() {
    return message_.time_ns > 0 ? builder_.source({.wall_clock_ns = message_.time_ns}) : SourceId();
  }

  void add_events() {
    if (!is_difference_) {
      for (const TypeEvent& type : types_.events) {
        events_.push_back(builder_.event(event_of(type, builder_)));
      }
      return;
    }
    for (std::string_view name : {"after", "before"}) {
      Event event = event_of(types_.events.front(), builder_);
      event.name = builder_.string(name);
      events_.push_back(builder_.event(event));
    }
  }

  bool take(Bytes bytes) {
    sample_.decode(bytes);
    if (sample_.is_damaged) {
      ++damaged_;
      return true;
    }
    const SampleLabels& labels = sample_.moved_labels.empty()
                                     ? labels_.read(sample_.labels)
                                     : labels_.read_copy(std::move(sample_.moved_labels));
    damaged_labels_ += labels.is_damaged ? 1U : 0U;
    wrong_values_ += sample_.values.size() == message_.value_types.size() ? 0U : 1U;
    sample_.values.resize(message_.value_types.size());
    auto is_negative = [](int64_t value) { return value < 0; };
    if (!is_difference_ && (labels.is_base || std::ranges::any_of(sample_.values, is_negative))) {
      return false;
    }
    if (std::ranges::all_of(sample_.values, [](int64_t value) { return value == 0; })) {
      return true;
    }
    if (!add_stack()) {
      ++too_large_;
      return true;
    }
    Sample sample{.time_ns = labels.time_ns,
                  .count = count_of(sample_.values),
                  .stack = levels_.empty() ? kEmptyStack : levels_.back().stack,
                  .thread = labels.thread,
                  .cpu = labels.cpu,
                  .labels = labels.labels};
    is_difference_ ? add_pair(sample, labels.is_base) : add_rows(sample);
    return true;
  }

  // Makes levels_ the stack of the sample. False if that takes too many frames.
  bool add_stack() {
    const std::vector<uint64_t>& ids = sample_.locations;
    size_t common = 0;
    while (common < std::min(ids.size(), levels_.size()) &&
           ids[ids.size() - 1 - common] == levels_[common].location) {
      ++common;
    }
    levels_.resize(common);
    bool is_missing = false;
    for (size_t at = ids.size() - common; at-- > 0;) {
      Level level = levels_.empty() ? Level() : levels_.back();
      level.location = ids[at];
      LocationFrames found = code_.frames_of(ids[at]);
      if (found.frames.size() > frames_left_) {
        levels_.clear();
        return false;
      }
      frames_left_ -= found.frames.size();
      is_missing = is_missing || message_.location_rows.find(ids[at]) == RowIds::kNone;
      extend(level, found);
      levels_.push_back(level);
    }
    missing_ += is_missing ? 1U : 0U;
    return true;
  }

  void extend(Level& level, const LocationFrames& found) {
    bool ends_here = level.has_user && found.drop != Drop::kNothing;
    if (level.has_ended || (ends_here && found.drop == Drop::kLocation)) {
      level.has_ended = true;
      return;
    }
    for (FrameId frame : found.frames) {
      level.stack = builder_.stack(level.stack, frame);
    }
    level.has_ended = ends_here;
    level.has_user = level.has_user || found.drop == Drop::kNothing;
  }

  // 0 if unknown. A difference has negative ones.
  uint64_t count_of(const std::vector<int64_t>& values) const {
    int64_t count = types_.samples_column ? values[*types_.samples_column] : 0;
    count = count == INT64_MIN ? 0 : std::abs(count);
    return static_cast<uint64_t>(count);
  }

  void add_rows(Sample sample) {
    auto has_value = [&](const TypeEvent& type) { return sample_.values[type.column] != 0; };
    auto rows = std::ranges::count_if(types_.events, has_value);
    if (rows == 0) {  // samples without a weight
      add_row(sample, 0, 0);
      return;
    }
    if (rows > 1 && groups_ < UINT32_MAX) {
      sample.group = ++groups_;
    }
    for (size_t row = 0; row < types_.events.size(); ++row) {
      if (has_value(types_.events[row])) {
        std::optional<int64_t> weight =
            scaled(sample_.values[types_.events[row].column], types_.events[row].factor);
        weight ? add_row(sample, row, *weight) : void(++too_large_);
      }
    }
  }

  // The earlier profile has negative values.
  void add_pair(const Sample& sample, bool is_base) {
    const TypeEvent& type = types_.events.front();
    std::optional<int64_t> weight = scaled(sample_.values[type.column], type.factor);
    if (!weight) {
      ++too_large_;
    } else if (*weight != 0) {
      has_base_label_ = has_base_label_ || is_base;
      add_row(sample, is_base || *weight < 0 ? 1 : 0, std::abs(*weight));
    }
  }

  void add_row(Sample sample, size_t event, int64_t weight) {
    sample.event = events_[event];
    sample.weight = weight;
    const TypeEvent& type = types_.events[is_difference_ ? 0 : event];
    if (!types_.samples_column && type.unit == "samples") {
      sample.count = static_cast<uint64_t>(weight);
    }
    auto count = static_cast<int64_t>(std::min<uint64_t>(sample.count, kMaxTotal));
    if (weight > kMaxTotal - weights_ || count > kMaxTotal - counts_) {
      ++too_large_;
      return;
    }
    weights_ += weight;
    counts_ += count;
    builder_.add_sample(sample);
  }

  void report() {
    auto add = [&](std::string_view reason, uint64_t count) {
      if (count > 0) {
        builder_.add_loss({.reason = reason, .count = count});
      }
    };
    add("damaged: they have bytes that are not fields", damaged_);
    add("with labels that are damaged", damaged_labels_);
    add("with another number of values than there are value types", wrong_values_);
    add("with locations that do not exist: these frames are unknown", missing_);
    add("too large to add up, or with too many inlined frames", too_large_);
    if (is_difference_) {
      report_difference();
    }
  }

  void report_difference() {
    if (!has_base_label_) {
      builder_.add_loss({.reason = "the input is the difference of two profiles: what they have in "
                                   "common is missing",
                         .what = "",
                         .detail = "pprof -diff_base retains it, pprof -base does not",
                         .count = 0,
                         .severity = LossClass::kNotice});
    }
    std::string reason =
        fmt::format("not read: of a difference, wick reads {} only", types_.events[0].name);
    for (size_t row = 1; row < types_.events.size(); ++row) {
      builder_.add_loss({.reason = reason,
                         .what = "value types",
                         .detail = types_.events[row].name,
                         .severity = LossClass::kNotice});
    }
  }

  void add_facts() {
    builder_.add_fact("format", "pprof");
    if (is_difference_) {
      builder_.add_fact("value type", types_.events.front().name);
    }
    if (!types_.unused_period.empty()) {
      builder_.add_fact("period", types_.unused_period);
    }
    for (uint64_t comment : message_.comments) {
      builder_.add_fact("comment", message_.text(comment));
    }
    if (std::string_view url = message_.text(message_.documentation); !url.empty()) {
      builder_.add_fact("documentation", url);
    }
  }

  // Without a number of samples, weights of time that are all multiples of the period say it.
  void choose_counts(Profile& profile) const {
    if (types_.samples_column || is_difference_) {
      return;
    }
    std::vector<uint64_t> periods(profile.events.size());
    for (size_t event = 0; event < types_.events.size(); ++event) {
      const TypeEvent& type = types_.events[event];
      periods[events_[event].index()] = type.unit == "nanoseconds" ? type.period : 0;
    }
    const SampleColumns& samples = profile.samples;
    for (size_t row = 0; row < samples.size(); ++row) {
      uint64_t& period = periods[samples.event[row].index()];
      period = period != 0 && static_cast<uint64_t>(samples.weight[row]) % period == 0 ? period : 0;
    }
    if (std::accumulate(periods.begin(), periods.end(), uint64_t{0}) == 0) {
      return;
    }
    Column<uint64_t> counts;
    for (size_t row = 0; row < samples.size(); ++row) {
      uint64_t period = periods[samples.event[row].index()];
      auto weight = static_cast<uint64_t>(samples.weight[row]);
      counts.push_back(period == 0 ? samples.count[row] : weight / period);
    }
    profile.samples.count = std::move(counts);
  }

  const Message& message_;
  TypeEvents types_;
  bool is_difference_;
  ProfileBuilder builder_;
  Code code_;
  SourceId source_;
  LabelReader labels_;
  std::vector<EventId> events_;  // by TypeEvents::events; after and before of a difference
  SampleFieldsDecoder sample_;
  std::vector<Level> levels_;  // outermost first
  uint64_t frames_left_;
  int64_t weights_ = 0;
  int64_t counts_ = 0;
  uint32_t groups_ = 0;
  bool has_base_label_ = false;
  uint64_t damaged_ = 0;
  uint64_t damaged_labels_ = 0;
  uint64_t wrong_values_ = 0;
  uint64_t missing_ = 0;
  uint64_t too_large_ = 0;
};

}  // namespace

Result<Profile> read(Input& input, const FlagValues& /*flags*/) {
  WholeInput whole(input);
  Message message = Message::decode(as_bytes(whole.text()));
  constexpr size_t kMostTypes = 256;
  if (message.value_types.empty() || message.value_types.size() > kMostTypes) {
    return fail("{} is not a pprof profile, or damaged: it has {} value types.",
                terminal_text(input.name()),
                message.value_types.size());
  }
  SampleReader reader(message, false);
  if (reader.run()) {
    return reader.finish(whole.error());
  }
  SampleReader pair(message, true);
  pair.run();
  return pair.finish(whole.error());
}

}  // namespace wick::pprof
