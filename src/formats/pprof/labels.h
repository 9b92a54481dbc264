// SPDX-License-Identifier: Apache-2.0
// The labels of a sample: its thread and process, and the other labels.
//
// Samples have few different sets of labels, so each set is decoded once and found again by its
// bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "formats/pprof/message.h"
#include "profile/builder.h"

namespace wick::pprof {

struct SampleLabels {
  LabelSetId labels = kNoLabels;
  ThreadId thread;
  int64_t time_ns = kNoTime;
  uint16_t cpu = kNoCpu;
  bool is_base = false;  // of the earlier profile of a difference
  bool is_damaged = false;
};

class LabelReader {
 public:
  // `main` is the process of threads without a process of their own; it may be none.
  LabelReader(const Message& message, ProfileBuilder& builder, ProcessId main)
      : message_(message), builder_(builder), main_(main) {}

  // `fields` are the bytes of all label fields of a sample, with their keys. They must live as long
  // as the reader.
  const SampleLabels& read(std::string_view fields);
  // The same for bytes that do not.
  const SampleLabels& read_copy(std::string fields);

 private:
  struct Task {
    int64_t pid = -1;
    int64_t tid = -1;
    std::string_view process;
    std::string_view thread;
    bool is_known() const { return pid >= 0 || tid >= 0 || !process.empty() || !thread.empty(); }
  };
  struct Field {
    std::string_view key;
    std::string_view text;
    int64_t number = 0;
    std::string_view unit;
    bool is_number = false;
  };

  SampleLabels decode(std::string_view bytes);
  Field decode_field(Bytes bytes, bool& is_damaged) const;
  // Whether the field says nothing but the thread, so that it need not be a label, too.
  static bool take_task(const Field& field, Task& task);
  bool take_special(const Field& field, SampleLabels& result) const;
  ThreadId thread_of(const Task& task);

  const Message& message_;
  ProfileBuilder& builder_;
  ProcessId main_;
  struct BytesHash {
    size_t operator()(std::string_view bytes) const { return hash_bytes(bytes); }
  };
  std::unordered_map<std::string_view, SampleLabels, BytesHash> known_;
  std::vector<std::unique_ptr<std::string>> copies_;
};

}  // namespace wick::pprof
