// SPDX-License-Identifier: Apache-2.0
#include "formats/pprof/labels.h"

#include <array>
#include <memory>
#include <optional>

#include "base/parse_number.h"
#include "base/protobuf.h"
#include "formats/pprof/value_types.h"

namespace wick::pprof {
namespace {

enum class TaskPart : uint8_t { kPid, kTid, kProcess, kThread };

// What collectors call threads and processes. The first four are written by wick.
struct TaskKey {
  std::string_view key;
  TaskPart part;
  bool is_own;
};
constexpr std::array<TaskKey, 14> kTaskKeys = {{
    {"pid", TaskPart::kPid, true},
    {"tid", TaskPart::kTid, true},
    {"comm", TaskPart::kProcess, true},
    {"thread", TaskPart::kThread, true},
    {"process_id", TaskPart::kPid, false},
    {"process id", TaskPart::kPid, false},
    {"thread_id", TaskPart::kTid, false},
    {"thread id", TaskPart::kTid, false},
    {"thread native id", TaskPart::kTid, false},
    {"process_name", TaskPart::kProcess, false},
    {"process name", TaskPart::kProcess, false},
    {"thread_name", TaskPart::kThread, false},
    {"thread name", TaskPart::kThread, false},
    {"thread_comm", TaskPart::kThread, false},
}};

std::optional<int64_t> id_of(bool is_number, int64_t number, std::string_view text) {
  std::optional<int64_t> id = is_number ? number : parse_number<int64_t>(text);
  return id && *id >= 0 && *id <= UINT32_MAX ? id : std::nullopt;
}

}  // namespace

LabelReader::Field LabelReader::decode_field(Bytes bytes, bool& is_damaged) const {
  Field field;
  ProtoReader fields(bytes);
  uint64_t text = 0;
  while (fields.next()) {
    if (fields.kind() != ProtoKind::kNumber) {
      is_damaged = true;
    } else if (fields.field() == 1) {
      field.key = message_.text(fields.number());
    } else if (fields.field() == 2) {
      text = fields.number();
    } else if (fields.field() == 3) {
      field.number = fields.signed_number();
    } else if (fields.field() == 4) {
      field.unit = message_.text(fields.number());
    }
  }
  is_damaged = is_damaged || !fields.ok();
  field.is_number = text == 0;
  field.text = message_.text(text);
  if (!field.is_number) {
    field.number = 0;
    field.unit = {};
  }
  return field;
}

bool LabelReader::take_task(const Field& field, Task& task) {
  for (const TaskKey& row : kTaskKeys) {
    if (row.key != field.key) {
      continue;
    }
    bool is_id = row.part == TaskPart::kPid || row.part == TaskPart::kTid;
    std::optional<int64_t> id = id_of(field.is_number, field.number, field.text);
    int64_t& known_id = row.part == TaskPart::kPid ? task.pid : task.tid;
    std::string_view& known_name = row.part == TaskPart::kProcess ? task.process : task.thread;
    if (is_id && id && known_id < 0) {
      known_id = *id;
      return row.is_own && field.is_number && field.unit.empty();
    }
    if (!is_id && !field.is_number && known_name.empty()) {
      known_name = field.text;
      return row.is_own;
    }
    if (row.part == TaskPart::kThread && field.is_number && id && task.tid < 0) {
      task.tid = *id;  // "thread" with a number
    }
    return false;
  }
  return false;
}

// Labels that are properties of a sample. They depend on the sample, so they would make a set of
// labels for each.
bool LabelReader::take_special(const Field& field, SampleLabels& result) const {
  if (field.key == kBaseLabel && field.text == kBaseValue) {
    result.is_base = true;
    return true;
  }
  bool is_time = field.key == "timestamp_ns" || field.key == "end_timestamp_ns";
  if (is_time && field.is_number && field.number > 0 && result.time_ns == kNoTime) {
    // Since 1970, or on another clock; the time of the profile is since 1970.
    bool is_wall_clock = message_.time_ns > 0 && field.number >= message_.time_ns;
    result.time_ns = is_wall_clock ? field.number - message_.time_ns : field.number;
    return true;
  }
  if (field.key == "cpu" && field.is_number && field.number >= 0 && field.number < kNoCpu &&
      field.unit.empty() && result.cpu == kNoCpu) {
    result.cpu = static_cast<uint16_t>(field.number);
    return true;
  }
  return false;
}

ThreadId LabelReader::thread_of(const Task& task) {
  if (!task.is_known()) {
    return {};
  }
  ProcessId process = main_;
  if (task.pid >= 0 || !task.process.empty()) {
    process = builder_.process({.pid = task.pid, .name = builder_.string(task.process)});
  }
  return builder_.thread(
      {.tid = task.tid, .process = process, .name = builder_.string(task.thread)});
}

SampleLabels LabelReader::decode(std::string_view bytes) {
  SampleLabels result;
  Task task;
  std::vector<LabelId> labels;
  ProtoReader fields(as_bytes(bytes));
  while (fields.next()) {
    Field field = decode_field(fields.bytes(), result.is_damaged);
    if (field.key.empty() || take_special(field, result) || take_task(field, task)) {
      continue;
    }
    labels.push_back(builder_.label({.key = builder_.string(field.key),
                                     .text = builder_.string(field.text),
                                     .number = field.number,
                                     .unit = builder_.string(field.unit),
                                     .is_number = field.is_number}));
  }
  result.labels = builder_.label_set(labels);
  result.thread = thread_of(task);
  return result;
}

const SampleLabels& LabelReader::read(std::string_view fields) {
  auto [known, is_new] = known_.try_emplace(fields);
  if (is_new) {
    known->second = decode(fields);
  }
  return known->second;
}

const SampleLabels& LabelReader::read_copy(std::string fields) {
  if (auto known = known_.find(fields); known != known_.end()) {
    return known->second;
  }
  copies_.push_back(std::make_unique<std::string>(std::move(fields)));
  return read(*copies_.back());
}

}  // namespace wick::pprof
