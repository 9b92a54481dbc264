// SPDX-License-Identifier: Apache-2.0
#include "pipeline/runtime_names.h"

namespace wick {

void RuntimeNames::read_once() {
  if (!is_read_) {
    RuntimeProcess process = context_.runtime_process(pid_);
    read(open_file(process), process);
  }
}

bool RuntimeNames::has_changed(bool now) {
  if (!is_read_ || (!now && Clock::now() < next_read_)) {
    return false;
  }
  RuntimeProcess process = context_.runtime_process(pid_);
  RuntimeFile opened = open_file(process);
  // A file that has disappeared since the last reading does not change the names.
  bool is_other = now || opened.file.bytes().size() != size_;
  if (opened.file.bytes().empty() || !is_other) {
    return false;
  }
  forget_answers();
  read(opened, process);
  return true;
}

void RuntimeNames::read(const RuntimeFile& opened, const RuntimeProcess& process) {
  constexpr int kWaitByReading = 100;
  Clock::time_point began = Clock::now();
  parse(opened.file.bytes());
  is_read_ = true;
  size_ = opened.file.bytes().size();
  refused_ = opened.refused;
  dump_path_ = process.dump_path();
  Clock::time_point ended = Clock::now();
  next_read_ = ended + kWaitByReading * (ended - began);
}

void RuntimeNames::report(NameNotes& notes, NameFiles& files) const {
  ListedNames::report(notes, files);
  if (!refused_.empty()) {
    notes.add("a file with names of generated code belongs to another user and is not used",
              refused_);
  }
}

}  // namespace wick
