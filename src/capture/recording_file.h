// SPDX-License-Identifier: Apache-2.0
// The file of a recording: a journal while it is made, a finished profile at its end.
//
// Each second the new rows are appended, so that a recording that is killed loses no more than
// that. But what is known at the end (names, inlined functions, the order of events) gives rows
// other numbers than they were written under. So the finished profile is written next to the
// journal and replaces it in one step; when that fails, the journal is still there, and acquire
// gives it names when it is read.
//
// What cannot be replaced (a pipe, a device) is written once, at the end. Until the file appears,
// the older file of its name is unchanged.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/output.h"
#include "base/result.h"
#include "formats/native/writer.h"
#include "profile/profile.h"

namespace wick::capture {

class RecordingFile {
 public:
  static Result<std::unique_ptr<RecordingFile>> open(const std::string& path);
  Result<> appear() { return journal_.appear(); }
  RecordingFile(const RecordingFile&) = delete;
  RecordingFile& operator=(const RecordingFile&) = delete;

  // The profile so far: the same one each time, with rows added.
  Result<> append(const Profile& profile);
  Result<> finish(const Profile& profile);

  uint64_t bytes() const { return bytes_; }
  // Why nothing more can be written (errno), or 0.
  int error() const { return journal_.error(); }

 private:
  std::string retained_text(const Profile& profile) const;

  RecordingFile(std::string path, Output journal)
      : path_(std::move(path)), journal_(std::move(journal)), writer_(journal_) {}

  std::string path_;
  Output journal_;
  native::NativeWriter writer_;
  uint64_t bytes_ = 0;
  size_t retained_ = 0;  // samples in the journal
};

}  // namespace wick::capture
