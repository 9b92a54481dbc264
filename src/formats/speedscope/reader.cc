// SPDX-License-Identifier: Apache-2.0
// Reads a file in one pass. Stacks are collected in a tree of frame indexes, whose frames may
// follow later in the file; at the end the indexes become frames of the profile.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/escape.h"
#include "formats/broken_input.h"
#include "formats/counts.h"
#include "formats/json_shape.h"
#include "formats/speedscope/raw_profile.h"
#include "formats/speedscope/speedscope.h"
#include "profile/validate.h"

namespace wick::speedscope {
namespace {

constexpr int64_t kFractionScale = 1'000'000;
constexpr int64_t kMostUnits = 9'000'000'000'000'000'000;  // of a weight or time

struct RawFrame {
  std::string name;
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;
};

uint32_t position_of(std::optional<int64_t> number) {
  return number && *number > 0 && *number <= UINT32_MAX ? static_cast<uint32_t>(*number) : 0;
}

// Nanoseconds of a unit of time; 0 for other units.
int64_t nanoseconds_of(std::string_view unit) {
  struct Time {
    std::string_view unit;
    int64_t nanoseconds;
  };
  constexpr std::array<Time, 4> kTimes = {{{"nanoseconds", 1},
                                           {"microseconds", 1'000},
                                           {"milliseconds", 1'000'000},
                                           {"seconds", 1'000'000'000}}};
  for (const Time& time : kTimes) {
    if (time.unit == unit) {
      return time.nanoseconds;
    }
  }
  return 0;
}

class Reader {
 public:
  explicit Reader(Input& input) : input_(input), json_(input) {}

  Result<Profile> read() {
    if (json_.next() != JsonToken::kBeginObject) {
      return fail("{} is not a speedscope file.", terminal_text(input_.name()));
    }
    while (json_.next_key()) {
      read_member(json_.text());
    }
    if (json_.failed() && (!json_.is_cut() || profiles_.empty())) {
      return fail("{} cannot be read: {}", terminal_text(input_.name()), json_.error());
    }
    make_frames();
    make_stacks();
    for (RawProfile& profile : profiles_) {
      add_profile(profile);
      profile.samples = {};
    }
    add_losses();
    return builder_.finish();
  }

 private:
  void read_member(std::string_view key) {
    if (key == "shared") {
      read_shared();
    } else if (key == "profiles") {
      read_profiles();
    } else if (key == "exporter") {
      exporter_ = json_.read_text().value_or("");
    } else {
      json_.skip();
    }
  }

  void read_profiles() {
    if (!begins(JsonToken::kBeginArray, json_, damage_)) {
      return;
    }
    while (json_.next_item()) {
      if (json_.is(JsonToken::kBeginObject)) {
        profiles_.push_back(read_profile(json_, stacks_, damage_));
      } else {
        json_.skip();
        ++damage_.wrong_values;
      }
    }
  }

  void read_shared() {
    if (!begins(JsonToken::kBeginObject, json_, damage_)) {
      return;
    }
    while (json_.next_key()) {
      if (json_.text() == "frames") {
        read_frames();
      } else {
        json_.skip();
      }
    }
  }

  void read_frames() {
    if (!begins(JsonToken::kBeginArray, json_, damage_)) {
      return;
    }
    while (json_.next_item()) {
      frames_.push_back(read_frame());
    }
  }

  RawFrame read_frame() {
    RawFrame frame;
    if (!json_.is(JsonToken::kBeginObject)) {
      json_.skip();
      ++damage_.wrong_values;
      return frame;
    }
    while (json_.next_key()) {
      if (json_.text() == "name") {
        frame.name = read_text(json_, damage_);
      } else if (json_.text() == "file") {
        frame.file = json_.read_text().value_or("");
      } else if (json_.text() == "line") {
        frame.line = position_of(json_.read_int64());
      } else if (json_.text() == "col") {
        frame.column = position_of(json_.read_int64());
      } else {
        json_.skip();
      }
    }
    return frame;
  }

  void make_frames() {
    for (const RawFrame& raw : frames_) {
      FunctionId function =
          builder_.function({.name = builder_.string(raw.name.empty() ? "[unknown]" : raw.name),
                             .file = builder_.string(raw.file)});
      ids_.push_back(
          builder_.frame({.function = function, .line = raw.line, .column = raw.column}));
    }
  }

  // The stack of each node; none if a frame of it is not in the table.
  void make_stacks() {
    tree_ = stacks_.release();
    made_.assign(tree_.size(), StackId());
    made_[0] = kEmptyStack;
    for (size_t row = 1; row < tree_.size(); ++row) {
      StackId node = StackId::from_index(row);
      StackId parent = made_[tree_.parent(node).index()];
      size_t frame = tree_.frame(node).index();
      if (parent.valid() && frame < ids_.size()) {
        made_[row] = builder_.stack(parent, ids_[frame]);
      }
    }
  }

  // What the weights of a profile mean.
  struct Scale {
    EventId event;
    int64_t factor = 1;            // of the weights in the file
    bool counts_samples = false;   // a weight is a number of samples
    bool is_row_a_sample = false;  // each row is one sample; wick adds up neighbours
    bool has_time = false;
  };

  Scale scale_of(const RawProfile& profile) {
    int64_t nanoseconds = nanoseconds_of(profile.unit);
    if (nanoseconds != 0) {
      EventId event = event_of(named(profile, "time"), "nanoseconds", 1, Quantity::kUnknown);
      return {.event = event,
              .factor = nanoseconds,
              .is_row_a_sample = !profile.is_evented && !is_own_file(),
              .has_time = !is_own_file()};
    }
    bool fractions = profile.samples.weights.has_fractions();
    int64_t scale = fractions ? kFractionScale : 1;
    if (profile.unit == "bytes") {
      return {.event = event_of(named(profile, "bytes"), "bytes", scale, Quantity::kBytes),
              .factor = scale};
    }
    if (!profile.event_unit.empty() && profile.event_unit != "samples") {
      return {.event = event_of(named(profile, "weight"), profile.event_unit, scale, {}),
              .factor = scale};
    }
    const Amounts& weights = profile.samples.weights;
    if (profile.is_evented || are_weights(fractions, weights.sum(), weights.size())) {
      return {.event = event_of(named(profile, "weight"), "units", scale, Quantity::kUnknown),
              .factor = scale};
    }
    return {.event = event_of(named(profile, "samples"), "samples", 1, Quantity::kUnknown),
            .counts_samples = true};
  }

  static std::string_view named(const RawProfile& profile, std::string_view usual) {
    return profile.event.empty() ? usual : std::string_view(profile.event);
  }

  EventId event_of(std::string_view name, std::string_view unit, int64_t scale, Quantity kind) {
    return builder_.event({.name = builder_.string(name),
                           .unit = builder_.string(unit),
                           .scale = static_cast<uint32_t>(scale),
                           .kind = kind});
  }

  bool is_own_file() const { return exporter_.starts_with("wick@"); }

  void add_profile(const RawProfile& profile) {
    if (is_own_file() && profiles_.size() > 1 && profile.name.ends_with(kAllThreads)) {
      return;
    }
    Scale scale = scale_of(profile);
    ThreadId thread = builder_.thread({.name = builder_.string(profile.name)});
    Sample sample{.thread = thread, .event = scale.event};
    Amount at = profile.start;
    for (size_t i = 0; i < profile.samples.nodes.size(); ++i) {
      uint32_t node = profile.samples.nodes[i];
      Amount weight = profile.samples.weights[i];
      sample.weight = times(weight, scale.factor).value_or(INT64_MAX);
      sample.count = scale.counts_samples    ? static_cast<uint64_t>(sample.weight)
                     : scale.is_row_a_sample ? 1
                                             : 0;
      sample.time_ns = scale.has_time ? times(at, scale.factor).value_or(kNoTime) : kNoTime;
      sample.stack = node == RawSamples::kIdle ? StackId() : made_[node];
      at = sum_of(at, weight);
      if (sample.stack.valid() && takes(sample.weight)) {
        builder_.add_sample(sample);
      }
      lost_samples_ += node != RawSamples::kIdle && !sample.stack.valid() ? 1U : 0U;
    }
  }

  // The sum of all weights must stay countable.
  bool takes(int64_t weight) {
    if (static_cast<uint64_t>(weight) >= kMaxTotalWeight - total_) {
      ++too_large_;
      return false;
    }
    total_ += static_cast<uint64_t>(weight);
    return true;
  }
  // The rounded product; nothing if it does not fit.
  static std::optional<int64_t> times(const Amount& amount, int64_t factor) {
    int64_t product = 0;
    auto rest = std::llround(amount.fraction * static_cast<double>(factor));
    bool overflows = __builtin_mul_overflow(amount.whole, factor, &product) ||
                     __builtin_add_overflow(product, rest, &product);
    return overflows || std::abs(product) > kMostUnits ? std::nullopt : std::optional(product);
  }
  // What does not fit stays at the largest number, which is not a time.
  static Amount sum_of(const Amount& a, const Amount& b) {
    Amount sum{.fraction = a.fraction + b.fraction};
    bool overflows = __builtin_add_overflow(a.whole, b.whole, &sum.whole);
    return overflows ? Amount{INT64_MAX, 0} : sum;
  }

  void add_loss(std::string_view reason, std::string_view what, uint64_t count) {
    if (count > 0) {
      builder_.add_loss({.reason = reason, .what = what, .count = count});
    }
  }

  void add_losses() {
    add_loss("frames are missing in the file's table", "samples", lost_samples_);
    add_loss("weights are too large to add up", "samples", too_large_);
    add_loss("frames are not numbers of the table", "samples", damage_.bad_frames);
    add_loss("weights or times are negative or not numbers", "samples", damage_.bad_numbers);
    add_loss("the numbers of samples and weights differ", "samples", damage_.unpaired);
    add_loss("times go backwards", "events", damage_.backwards);
    add_loss(
        "functions end while they are not on top of the stack", "events", damage_.unmatched_ends);
    add_loss("functions never end", "events", damage_.open_at_end);
    add_loss("of the wrong type", "values", damage_.wrong_values);
    add_unread_rest(json_.failed() ? json_.error() : "", builder_);
  }

  Input& input_;
  JsonReader json_;
  ProfileBuilder builder_;
  StackInterner stacks_;  // of frame indexes
  std::vector<RawProfile> profiles_;
  std::vector<RawFrame> frames_;
  std::string exporter_;
  Damage damage_;
  std::vector<FrameId> ids_;  // by frame index
  StackTree tree_;
  std::vector<StackId> made_;  // by node
  uint64_t lost_samples_ = 0;
  uint64_t total_ = 0;  // of the weights
  uint64_t too_large_ = 0;
};

}  // namespace

bool sniff(Bytes head) {
  JsonShape shape(head);
  return shape.text("$schema").find("speedscope.app/file-format-schema.json") !=
             std::string_view::npos ||
         shape.has("shared.frames[].name") || shape.text("exporter").starts_with("speedscope@") ||
         (shape.has("profiles[].events[].at") && shape.has("profiles[].events[].frame")) ||
         (shape.has("profiles[].samples[][]") && shape.has("profiles[].startValue"));
}

Result<Profile> read(Input& input, const FlagValues& /*flags*/) {
  return Reader(input).read();
}

}  // namespace wick::speedscope
