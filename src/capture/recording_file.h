// SPDX-License-Identifier: Apache-2.0
// The file of a recording: a journal during the recording, a finished profile at its end.
//
// Each second wick appends the new rows, so a recording that is killed loses no more than a second.
// But facts that are known only at the end (names, inlined functions, the order of events) change
// the numbers of rows. So wick writes the finished profile next to the journal and then replaces
// the journal in one step. If that fails, the journal still exists, and acquire names it when it
// reads it.
//
// A target that cannot be replaced (a pipe, a device) is written once, at the end, but a pipe that
// no program reads any more is an error at once. Until the file appears, an older file of the same
// name is unchanged.
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
  static Result<std::unique_ptr<RecordingFile>> open(const std::string& path,
                                                     const OutputOptions& options);
  Result<> publish() { return journal_.publish(); }
  RecordingFile(const RecordingFile&) = delete;
  RecordingFile& operator=(const RecordingFile&) = delete;

  // `profile` is the profile so far: the same object each time, with more rows.
  Result<> append(const Profile& profile);
  Result<> finish(const Profile& profile);

  uint64_t bytes() const { return bytes_; }
  // Why no more can be written (errno), or 0.
  int error() const { return journal_.error(); }

 private:
  std::string retained_text(const Profile& profile) const;

  RecordingFile(std::string path, OutputOptions options, Output journal)
      : path_(std::move(path)),
        options_(std::move(options)),
        journal_(std::move(journal)),
        writer_(journal_) {}

  std::string path_;
  OutputOptions options_;
  Output journal_;
  native::NativeWriter writer_;
  uint64_t bytes_ = 0;
  size_t retained_ = 0;  // samples in the journal
};

}  // namespace wick::capture
