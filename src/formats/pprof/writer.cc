// SPDX-License-Identifier: Apache-2.0
// Writes profile.proto (pprof.h). Samples of the same stack, thread, labels and events become one:
// the format has no times, and pprof would add them up anyway.
//
//     Types      the columns of values: the number of samples first, if it is known, and the first
//                event last, which tools show by default
//     Rows       the merged samples, in order of their first row
//     Writer     value types, samples, code (code_writer.h), and the rest
//
// A pair of events "after" and "before" is written as pprof -diff_base does. The same profile gives
// the same bytes.
#include <algorithm>
#include <map>
#include <vector>

#include "base/path.h"
#include "formats/made_once.h"
#include "formats/pprof/code_writer.h"
#include "formats/pprof/pprof.h"
#include "formats/pprof/value_types.h"
#include "profile/names.h"

namespace wick::pprof {
namespace {

bool is_plain_count(const Profile& profile, const Event& event) {
  return profile.strings[event.name] == kSamplesType &&
         profile.strings[event.unit] == kSamplesType && event.scale == 1;
}

// Rounds to whole units; times in finer units are exact in nanoseconds.
struct Unit {
  std::string name;
  int64_t factor = 1;
  int64_t divisor = 1;
  int64_t value(int64_t weight) const {
    int64_t product = 0;
    if (__builtin_mul_overflow(weight, factor, &product)) {
      return weight / divisor * factor;
    }
    return product / divisor + (product % divisor * 2 >= divisor ? 1 : 0);
  }
};

Unit unit_of(const Profile& profile, const Event& event) {
  std::string_view unit = profile.strings[event.unit];
  Unit result{.name = std::string(unit), .divisor = event.scale};
  if (event.scale != 1 && (unit == "milliseconds" || unit == "microseconds" || unit == "seconds")) {
    result.name = "nanoseconds";
    result.factor = unit == "seconds" ? 1'000'000'000 : unit == "milliseconds" ? 1'000'000 : 1'000;
  }
  return result;
}

class Types {
 public:
  explicit Types(const Profile& profile) : profile_(profile), is_pair_(is_before_after(profile)) {
    const SampleColumns& samples = profile.samples;
    bool has_counts = false;
    bool is_counted =
        profile.events.size() == 1 && is_plain_count(profile, profile.events[EventId(0)]);
    for (size_t row = 0; row < samples.size(); ++row) {
      has_counts = has_counts || samples.count[row] != 0;
      is_counted = is_counted && static_cast<uint64_t>(samples.weight[row]) == samples.count[row];
    }
    has_samples_ = has_counts && !is_counted;
    for (const Event& event : profile.events) {
      units_.push_back(unit_of(profile, event));
    }
  }

  bool is_pair() const { return is_pair_; }
  size_t size() const { return (has_samples_ ? 1U : 0U) + (is_pair_ ? 1U : units_.size()); }
  size_t column_of(EventId event) const {
    bool is_last = event.index() == 0 || is_pair_;
    return is_last ? size() - 1 : event.index() - (has_samples_ ? 0U : 1U);
  }
  void add(const Sample& sample, std::span<int64_t> values) const {
    bool is_base = is_pair_ && sample.event.index() == 1;
    int64_t sign = is_base ? -1 : 1;
    values[column_of(sample.event)] += sign * units_[sample.event.index()].value(sample.weight);
    if (has_samples_) {
      values[0] += sign * static_cast<int64_t>(sample.count);
    }
  }

  void write(StringNumbers& strings, ProtoWriter& out) const {
    if (has_samples_) {
      write_type(1, kSamplesType, kCountUnit, strings, out);
    }
    for (size_t event = is_pair_ ? units_.size() : 1; event < units_.size(); ++event) {
      write_event(1, event, strings, out);
    }
    if (!units_.empty()) {
      write_event(1, 0, strings, out);
    }
  }
  // The period and the default value type.
  void write_rest(StringNumbers& strings, ProtoWriter& out) const {
    if (units_.empty()) {
      return;
    }
    const Event& event = profile_.events[EventId(0)];
    if (event.period != 0) {
      write_event(11, 0, strings, out);
      out.number(12, static_cast<uint64_t>(units_[0].value(static_cast<int64_t>(event.period))));
    }
    out.number(14, strings.number(name_of(0)));
  }

 private:
  std::string_view name_of(size_t event) const {
    const Event& row = profile_.events[EventId::from_index(event)];
    return profile_.strings[is_pair_ ? row.unit : row.name];
  }
  void write_event(uint32_t field, size_t event, StringNumbers& strings, ProtoWriter& out) const {
    const Event& row = profile_.events[EventId::from_index(event)];
    bool is_count = !has_samples_ && is_plain_count(profile_, row);
    write_type(field, name_of(event), is_count ? kCountUnit : units_[event].name, strings, out);
  }
  static void write_type(uint32_t field,
                         std::string_view type,
                         std::string_view unit,
                         StringNumbers& strings,
                         ProtoWriter& out) {
    ProtoWriter row;
    row.number(1, strings.number(type));
    row.number(2, strings.number(unit));
    out.message(field, row);
  }

  const Profile& profile_;
  bool is_pair_;
  bool has_samples_ = false;
  std::vector<Unit> units_;  // by event
};

// Merged samples.
class Rows {
 public:
  Rows(const Profile& profile, const Types& types)
      : types_(types), has_row_(profile.stacks.size()) {
    const SampleColumns& samples = profile.samples;
    size_t end = 0;
    for (size_t begin = 0; begin < samples.size(); begin = end) {
      end = end_of_group(samples, begin);
      events_.clear();
      for (size_t row = begin; row < end; ++row) {
        events_.push_back(samples.event[row]);
      }
      auto shape = static_cast<uint32_t>(shapes_.size());
      shape = shapes_.try_emplace(events_, shape).first->second;
      add(samples, begin, end, shape);
    }
  }

  struct Row {
    StackId stack;
    ThreadId thread;
    LabelSetId labels;
    uint32_t shape = 0;  // its events
    friend bool operator==(const Row&, const Row&) = default;
  };
  const std::vector<Row>& rows() const { return rows_; }
  std::span<const int64_t> values(size_t row) const {
    return std::span(values_).subspan(row * types_.size(), types_.size());
  }
  bool is_base(size_t row) const {
    return types_.is_pair() && base_shapes_.contains(rows_[row].shape);
  }

 private:
  // Rows of one group are one sample with several values. The number of samples is theirs together.
  static size_t end_of_group(const SampleColumns& samples, size_t begin) {
    size_t end = begin + 1;
    uint32_t group = samples.group[begin];
    while (group != 0 && end < samples.size() && samples.group[end] == group &&
           samples.stack[end] == samples.stack[begin] &&
           samples.thread[end] == samples.thread[begin] &&
           samples.labels[end] == samples.labels[begin] &&
           samples.event[end] != samples.event[begin]) {
      ++end;
    }
    return end;
  }

  void add(const SampleColumns& samples, size_t begin, size_t end, uint32_t shape) {
    Row row{samples.stack[begin], samples.thread[begin], samples.labels[begin], shape};
    // Most stacks have one row. Looking for another one would read rows in random order.
    uint32_t known = IdIndex::kNone;
    if (has_row_[row.stack.index()]) {
      known = index_.find(hash_of(row), [&](uint32_t r) { return rows_[r] == row; });
    }
    has_row_[row.stack.index()] = true;
    if (known == IdIndex::kNone) {
      known = static_cast<uint32_t>(rows_.size());
      rows_.push_back(row);
      values_.resize(values_.size() + types_.size());
      index_.add(hash_of(row), [&](uint32_t r) { return hash_of(rows_[r]); });
    }
    if (types_.is_pair() && samples.event[begin].index() == 1) {
      base_shapes_[shape] = true;
    }
    std::span<int64_t> values = std::span(values_).subspan(known * types_.size(), types_.size());
    for (size_t at = begin; at < end; ++at) {
      Sample sample{.weight = samples.weight[at],
                    .count = at == begin ? samples.count[at] : 0,
                    .event = samples.event[at]};
      types_.add(sample, values);
    }
  }

  static uint64_t hash_of(const Row& row) {
    return hash_mix(hash_mix(row.stack.value, row.thread.value),
                    uint64_t{row.labels.value} << 32U | row.shape);
  }

  const Types& types_;
  std::vector<Row> rows_;
  std::vector<int64_t> values_;  // types_.size() for each row
  IdIndex index_;
  std::vector<bool> has_row_;  // by stack
  std::vector<EventId> events_;
  std::map<std::vector<EventId>, uint32_t> shapes_;
  std::map<uint32_t, bool> base_shapes_;
};

class Writer {
 public:
  Writer(const Profile& profile, Output& out)
      : profile_(profile), out_(out), types_(profile), code_(profile, strings_) {}

  void run() {
    types_.write(strings_, message_);
    flush();
    if (ModuleId main = main_module(); main.valid()) {
      code_.set_main(main);
    }
    Rows rows(profile_, types_);
    for (size_t row = 0; row < rows.rows().size(); ++row) {
      write_sample(rows, row);
    }
    code_.write(message_);
    write_times();
    types_.write_rest(strings_, message_);
    write_comments();
    strings_.write(message_);
    flush();
  }

 private:
  void flush() {
    out_.write(message_.bytes());
    message_.clear();
  }

  // The module with the name of a process; pprof calls the profile by the first mapping.
  ModuleId main_module() const {
    for (const Process& process : profile_.processes) {
      std::string_view name = profile_.strings[process.name];
      for (size_t row = 0; row < profile_.modules.size() && !name.empty(); ++row) {
        ModuleId module = ModuleId::from_index(row);
        std::string_view file = module_name(profile_, module);
        constexpr size_t kLongestComm = 15;  // the kernel cuts longer ones
        if (file == name || (name.size() == kLongestComm && file.starts_with(name))) {
          return module;
        }
      }
    }
    return {};
  }

  void write_sample(const Rows& rows, size_t at) {
    const Rows::Row& row = rows.rows()[at];
    numbers_.clear();
    code_.append_locations(row.stack, numbers_);
    sample_.clear();
    sample_.numbers(1, numbers_);
    numbers_.clear();
    for (int64_t value : rows.values(at)) {
      numbers_.push_back(static_cast<uint64_t>(value));
    }
    sample_.numbers(2, numbers_);
    sample_.append(labels_of_set(row.labels));
    sample_.append(labels_of_thread(row.thread));
    if (rows.is_base(at)) {
      write_text(sample_, kBaseLabel, kBaseValue);
    }
    message_.message(2, sample_);
    constexpr size_t kEnough = 1 << 20;
    if (message_.bytes().size() > kEnough) {
      flush();
    }
  }

  const ProtoWriter& labels_of_set(LabelSetId set) {
    return set_labels_.of(set.index(), [&] {
      ProtoWriter fields;
      for (LabelId id : labels_of(profile_, set)) {
        const Label& label = profile_.labels[id];
        std::string_view key = profile_.strings[label.key];
        if (label.is_number) {
          write_number(fields, key, label.number, profile_.strings[label.unit]);
        } else {
          write_text(fields, key, profile_.strings[label.text]);
        }
      }
      return fields;
    });
  }
  const ProtoWriter& labels_of_thread(ThreadId id) {
    return thread_labels_.of(id.valid() ? id.index() + 1 : 0, [&] {
      ProtoWriter fields;
      if (id.valid()) {
        write_thread(fields, profile_.threads[id]);
      }
      return fields;
    });
  }

  void write_thread(ProtoWriter& fields, const Thread& thread) {
    write_text(fields, "thread", profile_.strings[thread.name]);
    if (thread.tid >= 0) {
      write_number(fields, "tid", thread.tid, {});
    }
    if (!thread.process.valid()) {
      return;
    }
    const Process& process = profile_.processes[thread.process];
    if (process.pid >= 0) {
      write_number(fields, "pid", process.pid, {});
    }
    if (process.pid >= 0 || profile_.processes.size() > 1) {
      write_text(fields, "comm", profile_.strings[process.name]);
    }
    if (profile_.sources.size() > 1 && process.source.valid()) {
      write_text(fields, "host", source_name(profile_, process.source));
    }
  }

  void write_text(ProtoWriter& fields, std::string_view key, std::string_view text) {
    if (text.empty()) {
      return;
    }
    label_.clear();
    label_.number(1, strings_.number(key));
    label_.number(2, strings_.number(text));
    fields.message(3, label_);
  }
  void write_number(ProtoWriter& fields,
                    std::string_view key,
                    int64_t number,
                    std::string_view unit) {
    label_.clear();
    label_.number(1, strings_.number(key));
    label_.signed_number(3, number);
    label_.number(4, strings_.number(unit));
    fields.message(3, label_);
  }

  void write_times() {
    int64_t begin = INT64_MAX;
    int64_t end = INT64_MIN;
    auto add = [&](int64_t time) {
      begin = time == kNoTime ? begin : std::min(begin, time);
      end = time == kNoTime ? end : std::max(end, time);
    };
    for (size_t row = 0; row < profile_.samples.size(); ++row) {
      add(profile_.samples.time_ns[row]);
    }
    for (size_t row = 0; row < profile_.processes.size() && end < begin; ++row) {
      const Process& process = profile_.processes[ProcessId::from_index(row)];
      add(process.begin_ns);
      add(process.end_ns);
    }
    begin = end < begin ? 0 : begin;
    end = std::max(end, begin);
    int64_t wall_clock =
        profile_.sources.empty() ? kNoTime : profile_.sources[SourceId(0)].wall_clock_ns;
    int64_t start = 0;
    if (wall_clock != kNoTime && !__builtin_add_overflow(wall_clock, begin, &start) && start > 0) {
      message_.signed_number(9, start);
    }
    int64_t duration = 0;
    if (!__builtin_sub_overflow(end, begin, &duration)) {
      message_.signed_number(10, duration);
    }
  }

  // Comments, and what is missing from the numbers. pprof prints comments above each of its
  // reports, so other facts do not become comments.
  void write_comments() {
    numbers_.clear();
    for (const Fact& fact : profile_.facts) {
      std::string_view key = profile_.strings[fact.key];
      std::string_view value = profile_.strings[fact.value];
      if (key == "documentation") {
        message_.number(15, strings_.number(value));
      } else if (key == "comment") {
        numbers_.push_back(strings_.number(value));
      }
    }
    for (const Loss& loss : profile_.losses) {
      if (loss.severity != LossClass::kNotice) {
        numbers_.push_back(strings_.number(fmt::format("lost: {} {}: {}",
                                                       loss.count,
                                                       profile_.strings[loss.what],
                                                       profile_.strings[loss.reason])));
      }
    }
    message_.numbers(13, numbers_);
  }

  const Profile& profile_;
  Output& out_;
  StringNumbers strings_;
  Types types_;
  CodeWriter code_;
  ProtoWriter message_;  // fields that are not written yet
  ProtoWriter sample_;
  ProtoWriter label_;
  MadeOnce<ProtoWriter> set_labels_;
  MadeOnce<ProtoWriter> thread_labels_;  // row 0: no thread
  std::vector<uint64_t> numbers_;
};

}  // namespace

Result<> write(const Profile& profile, const FlagValues& /*flags*/, Output& out) {
  Writer(profile, out).run();
  return {};
}

}  // namespace wick::pprof
