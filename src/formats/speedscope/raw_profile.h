// SPDX-License-Identifier: Apache-2.0
// One profile of a speedscope file as it is written: stacks as indexes of frames, and weights in
// the file's unit. Frames, unit and type may follow the samples, so they are applied at the end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json_reader.h"
#include "profile/profile.h"

namespace wick::speedscope {

// A number that is exact beyond 2^53 if it is whole.
struct Amount {
  int64_t whole = 0;
  double fraction = 0;
  double value() const { return static_cast<double>(whole) + fraction; }
  friend Amount operator-(const Amount& a, const Amount& b) {
    return {a.whole - b.whole, a.fraction - b.fraction};
  }
};
// Nothing if the number is not finite or too large for a weight.
std::optional<Amount> amount_of(const JsonReader& json);

// Many amounts, of which most are whole.
class Amounts {
 public:
  void add(const Amount& amount) {
    whole_.push_back(amount.whole);
    if (amount.fraction != 0 && fractions_.empty()) {
      fractions_.resize(whole_.size() - 1);
    }
    if (amount.fraction != 0 || !fractions_.empty()) {
      fractions_.push_back(amount.fraction);
    }
  }
  Amount operator[](size_t row) const {
    return {whole_[row], fractions_.empty() ? 0 : fractions_[row]};
  }
  size_t size() const { return whole_.size(); }
  bool has_fractions() const { return !fractions_.empty(); }
  double sum() const;

 private:
  std::vector<int64_t> whole_;
  std::vector<double> fractions_;  // empty while all are whole
};

// Samples and their weights; node 0 is the empty stack, kIdle is time without a stack.
struct RawSamples {
  static constexpr uint32_t kIdle = UINT32_MAX;
  std::vector<uint32_t> nodes;
  Amounts weights;

  void add(uint32_t node, const Amount& weight) {
    nodes.push_back(node);
    weights.add(weight);
  }
};

struct RawProfile {
  std::string name;
  std::string unit;
  std::string event;       // in files of wick: the name of the event,
  std::string event_unit;  // and its unit if speedscope has none
  bool is_evented = false;
  Amount start;
  RawSamples samples;
};

// What was wrong in the file, counted.
struct Damage {
  uint64_t bad_numbers = 0;     // weights and times that are negative or not numbers
  uint64_t unpaired = 0;        // samples without weight, weights without sample
  uint64_t backwards = 0;       // events before their predecessor
  uint64_t unmatched_ends = 0;  // a frame closed that was not on top, or not open
  uint64_t open_at_end = 0;     // frames that never close
  uint64_t bad_frames = 0;      // indexes that are not numbers
  uint64_t wrong_values = 0;    // of another type than the format defines
};

// Whether the value that follows a key begins with the bracket; another value is skipped and counted.
bool begins(JsonToken bracket, JsonReader& json, Damage& damage);
// The text that follows a key; empty, and counted, if the value is not a text.
std::string_view read_text(JsonReader& json, Damage& damage);

// Reads one profile; the reader is at the begin of its object. FrameIds are indexes of the file.
RawProfile read_profile(JsonReader& json, StackInterner& stacks, Damage& damage);

}  // namespace wick::speedscope
