// SPDX-License-Identifier: Apache-2.0
// Writes version 1.11 (otlp.h). Samples of the same stack, thread, CPU and labels are one sample of
// their profile, with a time and a value for each row; without times, the sum of their values.
#include <algorithm>
#include <bit>
#include <map>
#include <vector>

#include "base/utf8.h"
#include "formats/otlp/dictionary_writer.h"
#include "formats/otlp/otlp.h"
#include "profile/names.h"

namespace wick::otlp {
namespace {

// What makes a sample of OTLP: rows with the same key are one.
struct Key {
  uint64_t stack = 0;
  bool has_time = false;
  std::vector<uint64_t> attributes;
  friend auto operator<=>(const Key&, const Key&) = default;
};

struct WrittenSample {
  std::vector<uint64_t> values;
  std::vector<uint64_t> times;  // as many as values, or none
};

struct WrittenProfile {
  std::map<Key, size_t> numbers;
  std::vector<const Key*> keys;
  std::vector<WrittenSample> samples;
  int64_t begin = INT64_MAX;
  int64_t end = INT64_MIN;
};

class Writer {
 public:
  explicit Writer(const Profile& profile) : profile_(profile), dictionary_(profile) {}

  std::string bytes() {
    collect();
    ProtoWriter out;
    for (const auto& [process, profiles] : resources_) {
      ProtoWriter resource;
      resource.message(1, resource_attributes(process));
      ProtoWriter scope;
      scope.message(1, scope_of_wick());
      for (const auto& [event, profile] : profiles) {
        scope.message(2, profile_message(event, profile));
      }
      resource.message(2, scope);
      out.message(1, resource);
    }
    out.message(2, dictionary_.finish());
    return out.bytes();
  }

 private:
  void collect() {
    for (size_t row = 0; row < profile_.samples.size(); ++row) {
      Sample sample = profile_.samples[row];
      WrittenProfile& profile = resources_[process_of(sample.thread)][sample.event];
      Key key{.stack = dictionary_.stack(sample.stack),
              .has_time = sample.time_ns != kNoTime,
              .attributes = attributes_of(sample)};
      auto [known, is_new] = profile.numbers.try_emplace(std::move(key), profile.samples.size());
      if (is_new) {
        profile.keys.push_back(&known->first);
        profile.samples.emplace_back();
      }
      add(sample, profile, profile.samples[known->second]);
    }
  }

  ProcessId process_of(ThreadId thread) const {
    return thread.valid() ? profile_.threads[thread].process : ProcessId();
  }

  void add(const Sample& sample, WrittenProfile& profile, WrittenSample& written) const {
    auto value = static_cast<uint64_t>(whole_weight(sample));
    if (sample.time_ns == kNoTime) {
      if (written.values.empty()) {
        written.values.push_back(0);
      }
      written.values.front() += value;
      return;
    }
    int64_t time = utc(sample);
    profile.begin = std::min(profile.begin, time);
    profile.end = std::max(profile.end, time);
    written.values.push_back(value);
    written.times.push_back(static_cast<uint64_t>(time));
  }

  int64_t whole_weight(const Sample& sample) const {
    int64_t scale = profile_.events[sample.event].scale;
    int64_t half = sample.weight < 0 ? -scale / 2 : scale / 2;
    return scale == 1 ? sample.weight : (sample.weight + half) / scale;
  }

  int64_t utc(const Sample& sample) const {
    SourceId source = sample.thread.valid() ? source_of(profile_, sample.thread) : SourceId();
    int64_t offset = source.valid() ? profile_.sources[source].wall_clock_ns : kNoTime;
    int64_t time = 0;
    bool overflows = offset == kNoTime || __builtin_add_overflow(sample.time_ns, offset, &time);
    return overflows ? sample.time_ns : time;
  }

  std::vector<uint64_t> attributes_of(const Sample& sample) {
    std::vector<uint64_t> rows;
    if (sample.thread.valid()) {
      const Thread& thread = profile_.threads[sample.thread];
      if (thread.tid >= 0) {
        rows.push_back(dictionary_.number_attribute(kThreadId, thread.tid));
      }
      if (std::string_view name = profile_.strings[thread.name]; !name.empty()) {
        rows.push_back(dictionary_.text_attribute(kThreadName, name));
      }
    }
    if (sample.cpu != kNoCpu) {
      rows.push_back(dictionary_.number_attribute(kCpu, sample.cpu));
    }
    for (LabelId id : labels_of(profile_, sample.labels)) {
      const Label& label = profile_.labels[id];
      std::string_view key = profile_.strings[label.key];
      rows.push_back(
          label.is_number
              ? dictionary_.number_attribute(key, label.number, profile_.strings[label.unit])
              : dictionary_.text_attribute(key, profile_.strings[label.text]));
    }
    return rows;
  }

  // A resource has its own texts.
  ProtoWriter resource_attributes(ProcessId id) const {
    ProtoWriter out;
    auto add_text = [&](std::string_view key, std::string_view text) {
      if (!text.empty()) {
        ProtoWriter value;
        value.message(1, valid_utf8(text));
        add_attribute(key, value, out);
      }
    };
    if (!id.valid()) {
      add_text(kServiceName, kUnknownService);
      return out;
    }
    const Process& process = profile_.processes[id];
    std::string_view name = profile_.strings[process.name];
    add_text(kServiceName, name.empty() ? kUnknownService : name);
    add_text(kProcessName, name);
    if (process.pid >= 0) {
      ProtoWriter value;
      value.always_number(3, static_cast<uint64_t>(process.pid));
      add_attribute(kProcessPid, value, out);
    }
    if (process.source.valid()) {
      add_text(kHostName, profile_.strings[profile_.sources[process.source].host]);
    }
    return out;
  }

  static void add_attribute(std::string_view key, const ProtoWriter& value, ProtoWriter& out) {
    ProtoWriter row;
    row.text(1, key);
    row.message(2, value);
    out.message(1, row);
  }

  static ProtoWriter scope_of_wick() {
    ProtoWriter scope;
    scope.text(1, "wick");
    scope.text(2, WICK_VERSION);
    return scope;
  }

  ProtoWriter value_type(EventId id) {
    const Event& event = profile_.events[id];
    bool is_count = event.unit == event.name;
    ProtoWriter out;
    out.number(1, dictionary_.string(profile_.strings[event.name]));
    out.number(2, dictionary_.string(is_count ? "count" : profile_.strings[event.unit]));
    return out;
  }

  ProtoWriter profile_message(EventId event, const WrittenProfile& profile) {
    ProtoWriter out;
    out.message(1, value_type(event));
    for (size_t row = 0; row < profile.samples.size(); ++row) {
      const WrittenSample& sample = profile.samples[row];
      ProtoWriter fields;
      fields.number(1, profile.keys[row]->stack);
      fields.numbers(2, profile.keys[row]->attributes);
      fields.numbers(4, sample.values);
      std::string times;
      for (uint64_t time : sample.times) {
        times.append(reinterpret_cast<const char*>(&time), sizeof(time));
      }
      fields.text(5, times);
      out.message(2, fields);
    }
    if (profile.begin <= profile.end) {
      out.real(3, std::bit_cast<double>(profile.begin));
      out.number(4, static_cast<uint64_t>(profile.end) - static_cast<uint64_t>(profile.begin));
    }
    if (uint64_t period = profile_.events[event].period; period != 0) {
      out.message(5, value_type(event));
      out.number(6, period);
    }
    return out;
  }

  const Profile& profile_;
  DictionaryWriter dictionary_;
  std::map<ProcessId, std::map<EventId, WrittenProfile>> resources_;
};

}  // namespace

Result<> write(const Profile& profile, const FlagValues&, Output& out) {
  out.write(Writer(profile).bytes());
  return {};
}

}  // namespace wick::otlp
