// SPDX-License-Identifier: Apache-2.0
// Stacks become nodes of one tree while they are read, so that a million equal ones cost little. Each
// list of a profile has one function; what it cannot read, it counts and leaves out.
#include "formats/speedscope/raw_profile.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace wick::speedscope {
namespace {

constexpr double kMaxAmount = 9e18;  // fits into 64 bits

std::optional<FrameId> frame_of(const JsonReader& json) {
  std::optional<uint64_t> index = json.as_uint64();
  return index && *index < FrameId::kNone ? std::optional(FrameId::from_index(*index))
                                          : std::nullopt;
}

// [[0, 1, 2], [0]]: one node for each stack; nothing for a stack that cannot be read.
std::vector<uint32_t> read_stacks(JsonReader& json, StackInterner& stacks, Damage& damage) {
  std::vector<uint32_t> nodes;
  if (!begins(JsonToken::kBeginArray, json, damage)) {
    return nodes;
  }
  while (json.next_item()) {
    if (!json.is(JsonToken::kBeginArray)) {
      json.skip();
      ++damage.unpaired;
      nodes.push_back(RawSamples::kIdle);
      continue;
    }
    StackId stack = kEmptyStack;
    bool is_good = true;
    while (json.next_item()) {
      std::optional<FrameId> frame = frame_of(json);
      json.skip();
      is_good = is_good && frame;
      stack = is_good ? stacks.intern(stack, *frame) : stack;
    }
    damage.bad_frames += is_good ? 0U : 1U;
    if (!json.failed()) {
      nodes.push_back(is_good ? stack.value : RawSamples::kIdle);
    }
  }
  return nodes;
}

Amounts read_weights(JsonReader& json, Damage& damage) {
  Amounts weights;
  if (!begins(JsonToken::kBeginArray, json, damage)) {
    return weights;
  }
  while (json.next_item()) {
    std::optional<Amount> amount = amount_of(json);
    json.skip();
    bool is_good = amount && amount->value() >= 0;
    damage.bad_numbers += is_good ? 0U : 1U;
    weights.add(is_good ? *amount : Amount());
  }
  return weights;
}

struct FrameEvent {
  bool opens = false;
  bool is_known = false;  // "O" or "C"
  std::optional<FrameId> frame;
  std::optional<Amount> at;
};

FrameEvent read_event(JsonReader& json, Damage& damage) {
  FrameEvent event;
  while (json.next_key()) {
    if (json.text() == "type") {
      std::string_view type = read_text(json, damage);
      event.opens = type == "O";
      event.is_known = type == "O" || type == "C";
    } else if (json.text() == "frame") {
      json.next();
      event.frame = frame_of(json);
      json.skip();
    } else if (json.text() == "at") {
      json.next();
      event.at = amount_of(json);
      json.skip();
    } else {
      json.skip();
    }
  }
  return event;
}

// Turns events into samples: the time between two events belongs to the open frames.
class EventStack {
 public:
  EventStack(StackInterner& stacks, RawProfile& profile, Damage& damage)
      : stacks_(stacks), profile_(profile), damage_(damage) {}

  void add(const FrameEvent& event) {
    if (!event.is_known || !event.frame || !event.at) {
      ++(event.at ? damage_.bad_frames : damage_.bad_numbers);
      return;
    }
    advance(*event.at);
    event.opens ? open(*event.frame) : close(*event.frame);
  }
  void finish() { damage_.open_at_end += frames_.size(); }

 private:
  void advance(const Amount& at) {
    if (!has_time_) {
      has_time_ = true;
      profile_.start = last_ = at;
    }
    Amount passed = at - last_;
    if (passed.value() < 0) {
      ++damage_.backwards;
      return;
    }
    if (passed.value() > 0) {
      profile_.samples.add(frames_.empty() ? RawSamples::kIdle : nodes_.back().value, passed);
    }
    last_ = at;
  }
  void open(FrameId frame) {
    StackId parent = nodes_.empty() ? kEmptyStack : nodes_.back();
    frames_.push_back(frame);
    nodes_.push_back(stacks_.intern(parent, frame));
    ++open_[frame.value];
  }
  // A frame that is not on top ends together with those above it.
  void close(FrameId frame) {
    bool is_top = !frames_.empty() && frames_.back() == frame;
    damage_.unmatched_ends += is_top ? 0U : 1U;
    if (open_[frame.value] == 0) {
      return;
    }
    for (FrameId ended; ended != frame;) {
      ended = frames_.back();
      --open_[ended.value];
      frames_.pop_back();
      nodes_.pop_back();
    }
  }

  StackInterner& stacks_;
  RawProfile& profile_;
  Damage& damage_;
  std::vector<FrameId> frames_;
  std::vector<StackId> nodes_;
  std::unordered_map<uint32_t, size_t> open_;  // how often a frame is open
  Amount last_;
  bool has_time_ = false;
};

void read_events(JsonReader& json, StackInterner& stacks, RawProfile& profile, Damage& damage) {
  if (!begins(JsonToken::kBeginArray, json, damage)) {
    return;
  }
  profile.is_evented = true;
  EventStack open(stacks, profile, damage);
  while (json.next_item()) {
    if (!json.is(JsonToken::kBeginObject)) {
      json.skip();
      ++damage.wrong_values;
      continue;
    }
    FrameEvent event = read_event(json, damage);
    if (!json.failed()) {
      open.add(event);
    }
  }
  open.finish();
}

// Samples without weight are left out.
void pair_up(const std::vector<uint32_t>& nodes,
             const Amounts& weights,
             RawSamples& samples,
             Damage& damage) {
  size_t count = std::min(nodes.size(), weights.size());
  damage.unpaired += std::max(nodes.size(), weights.size()) - count;
  for (size_t i = 0; i < count; ++i) {
    if (weights[i].value() > 0) {
      samples.add(nodes[i], weights[i]);
    }
  }
}

}  // namespace

bool begins(JsonToken bracket, JsonReader& json, Damage& damage) {
  if (json.next() == bracket) {
    return true;
  }
  json.skip();
  damage.wrong_values += json.failed() ? 0U : 1U;
  return false;
}

std::string_view read_text(JsonReader& json, Damage& damage) {
  std::optional<std::string_view> text = json.read_text();
  damage.wrong_values += text || json.failed() ? 0U : 1U;
  return text.value_or("");
}

double Amounts::sum() const {
  double sum = 0;
  for (size_t row = 0; row < size(); ++row) {
    sum += (*this)[row].value();
  }
  return sum;
}

std::optional<Amount> amount_of(const JsonReader& json) {
  if (std::optional<int64_t> whole = json.as_int64()) {
    return std::abs(static_cast<double>(*whole)) < kMaxAmount ? std::optional(Amount{*whole, 0})
                                                              : std::nullopt;
  }
  std::optional<double> number = json.as_double();
  if (!number || std::abs(*number) > kMaxAmount) {
    return std::nullopt;
  }
  double whole = std::trunc(*number);
  return Amount{static_cast<int64_t>(whole), *number - whole};
}

RawProfile read_profile(JsonReader& json, StackInterner& stacks, Damage& damage) {
  RawProfile profile;
  std::vector<uint32_t> nodes;
  Amounts weights;
  bool has_weights = false;
  while (json.next_key()) {
    if (json.text() == "name") {
      profile.name = read_text(json, damage);
    } else if (json.text() == "unit") {
      profile.unit = read_text(json, damage);
    } else if (json.text() == "startValue" && !profile.is_evented) {
      json.next();
      profile.start = amount_of(json).value_or(Amount());
      json.skip();
    } else if (json.text() == "event") {
      profile.event = json.read_text().value_or("");
    } else if (json.text() == "eventUnit") {
      profile.event_unit = json.read_text().value_or("");
    } else if (json.text() == "samples") {
      nodes = read_stacks(json, stacks, damage);
    } else if (json.text() == "weights") {
      weights = read_weights(json, damage);
      has_weights = true;
    } else if (json.text() == "events") {
      read_events(json, stacks, profile, damage);
    } else {
      json.skip();
    }
  }
  if (!has_weights && !json.failed()) {
    for (size_t i = 0; i < nodes.size(); ++i) {
      weights.add({1, 0});
    }
  }
  pair_up(nodes, weights, profile.samples, damage);
  return profile;
}

}  // namespace wick::speedscope
