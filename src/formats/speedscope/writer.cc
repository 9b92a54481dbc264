// SPDX-License-Identifier: Apache-2.0
// Writes the lists of samples and weights as one text for each profile, without a tree in memory.
#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "base/json_writer.h"
#include "formats/json_numbers.h"
#include "formats/speedscope/speedscope.h"
#include "profile/frame_kinds.h"
#include "profile/names.h"

namespace wick::speedscope {
namespace {

std::string_view unit_of(std::string_view unit) {
  return unit == "nanoseconds" || unit == "bytes" ? unit : "none";
}

// The frames of the file. speedscope adds up by frame, so one frame is what a row of wick's report
// is: a name, in a module, in user or kernel mode, inlined or not.
class Frames {
 public:
  explicit Frames(const Profile& profile) {
    std::unordered_map<std::string, uint32_t> known;
    for (size_t row = 0; row < profile.frames.size(); ++row) {
      FrameId id = FrameId::from_index(row);
      const Frame& frame = profile.frames[id];
      std::string name = frame_name(profile, id);
      std::string_view kind = frame_kind(frame);
      std::string key = fmt::format(
          "{}\n{}\n{}", separates_namesakes(kind) ? kind : "", module_name(profile, frame), name);
      auto [entry, is_new] = known.emplace(std::move(key), static_cast<uint32_t>(first_.size()));
      if (is_new) {
        first_.push_back(id);
        names_.push_back(std::move(name));
      }
      numbers_.push_back(entry->second);
    }
  }
  uint32_t number(FrameId frame) const { return numbers_[frame.index()]; }

  void write(const Profile& profile, JsonWriter& json) const {
    json.begin_array();
    for (size_t i = 0; i < first_.size(); ++i) {
      json.newline();
      json.begin_object();
      json.field("name", std::string_view(names_[i]));
      FunctionId id = profile.frames[first_[i]].function;
      if (id.valid() && !profile.functions[id].file.empty()) {
        json.field("file", profile.strings[profile.functions[id].file]);
        if (profile.functions[id].line != 0) {
          json.field("line", uint64_t{profile.functions[id].line});
        }
      }
      json.end_object();
    }
    json.end_array();
  }

 private:
  std::vector<std::string> names_;
  std::vector<FrameId> first_;
  std::vector<uint32_t> numbers_;  // by frame
};

void append_number(std::string& text, int64_t number) {
  fmt::format_int digits(number);
  text.append(digits.data(), digits.size());
}

// Weights are whole numbers of 1/scale units.
void append_weight(std::string& text, int64_t weight, uint32_t scale) {
  std::array<char, kMostDecimalBytes> number;
  text.append(number.data(), print_decimal(number.data(), weight, scale));
}

class Writer {
 public:
  Writer(const Profile& profile, Output& out)
      : profile_(profile), out_(out), json_(out), frames_(profile) {}

  void write() {
    json_.begin_object();
    json_.field("exporter", "wick@" WICK_VERSION);
    json_.field("$schema", "https://www.speedscope.app/file-format-schema.json");
    json_.key("shared");
    json_.begin_object();
    json_.key("frames");
    frames_.write(profile_, json_);
    json_.end_object();
    json_.field("activeProfileIndex", uint64_t{0});
    json_.key("profiles");
    json_.begin_array();
    std::vector<uint32_t> rows = rows_in_order();
    for (size_t event = 0; event < profile_.events.size(); ++event) {
      write_event(EventId::from_index(event), rows);
    }
    json_.end_array();
    json_.end_object();
    out_.write("\n");
  }

 private:
  // By time, where it is known.
  std::vector<uint32_t> rows_in_order() const {
    std::vector<uint32_t> rows(profile_.samples.size());
    std::iota(rows.begin(), rows.end(), 0);
    if (profile_.has_time()) {
      std::ranges::stable_sort(
          rows, {}, [&](uint32_t row) { return profile_.samples.time_ns[row]; });
    }
    return rows;
  }

  // All threads together, then each, the busiest first.
  void write_event(EventId event, const std::vector<uint32_t>& rows) {
    std::vector<uint32_t> all;
    std::vector<std::vector<uint32_t>> threads(profile_.threads.size() + 1);
    std::vector<int64_t> weights(threads.size());
    for (uint32_t row : rows) {
      if (profile_.samples.event[row] == event && profile_.samples.weight[row] > 0) {
        ThreadId thread = profile_.samples.thread[row];
        size_t slot = thread.valid() ? thread.index() : profile_.threads.size();
        all.push_back(row);
        threads[slot].push_back(row);
        weights[slot] += profile_.samples.weight[row];
      }
    }
    std::vector<size_t> order(threads.size());
    std::iota(order.begin(), order.end(), 0);
    std::erase_if(order, [&](size_t slot) { return threads[slot].empty(); });
    std::ranges::stable_sort(order, std::greater(), [&](size_t slot) { return weights[slot]; });
    if (order.size() != 1) {
      write_profile(event, kAllThreads, all);
    }
    for (size_t slot : order) {
      bool is_thread = slot < profile_.threads.size();
      std::string name = is_thread ? thread_name(profile_, ThreadId::from_index(slot)) : "";
      write_profile(event, name.empty() ? "no thread" : name, threads[slot]);
    }
  }

  void write_profile(EventId id, std::string_view name, const std::vector<uint32_t>& rows) {
    const Event& event = profile_.events[id];
    std::string weights;
    int64_t total = 0;
    json_.newline();
    json_.begin_object();
    json_.field("type", "sampled");
    json_.field("name",
                profile_.events.size() > 1
                    ? std::string_view(fmt::format("{}: {}", profile_.strings[event.name], name))
                    : name);
    json_.field("unit", unit_of(profile_.strings[event.unit]));
    json_.field("event", profile_.strings[event.name]);
    if (unit_of(profile_.strings[event.unit]) == "none") {
      json_.field("eventUnit", profile_.strings[event.unit]);
    }
    json_.field("startValue", uint64_t{0});
    json_.key("samples");
    json_.begin_array();
    for (size_t i = 0; i < rows.size();) {
      StackId stack = profile_.samples.stack[rows[i]];
      int64_t weight = 0;
      for (; i < rows.size() && profile_.samples.stack[rows[i]] == stack; ++i) {
        weight += profile_.samples.weight[rows[i]];
      }
      write_stack(stack);
      weights += weights.empty() ? "" : ",";
      append_weight(weights, weight, event.scale);
      total += weight;
    }
    json_.end_array();
    json_.key("weights");
    json_.raw("[" + weights + "]");
    json_.key("endValue");
    weights.clear();
    append_weight(weights, total, event.scale);
    json_.raw(weights);
    json_.end_object();
  }

  void write_stack(StackId stack) {
    path_.clear();
    for (; stack != kEmptyStack; stack = profile_.stacks.parent(stack)) {
      path_.push_back(frames_.number(profile_.stacks.frame(stack)));
    }
    text_ = "[";
    for (size_t i = path_.size(); i-- > 0;) {
      append_number(text_, path_[i]);
      text_ += i > 0 ? "," : "";
    }
    text_ += "]";
    json_.raw(text_);
  }

  const Profile& profile_;
  Output& out_;
  JsonWriter json_;
  Frames frames_;
  std::vector<uint32_t> path_;
  std::string text_;
};

}  // namespace

Result<> write(const Profile& profile, const FlagValues& /*flags*/, Output& out) {
  Writer(profile, out).write();
  return {};
}

}  // namespace wick::speedscope
