// SPDX-License-Identifier: Apache-2.0
#include "capture/recording_file.h"

#include <fmt/format.h>

#include "base/escape.h"

namespace wick::capture {

Result<std::unique_ptr<RecordingFile>> RecordingFile::open(const std::string& path,
                                                           const OutputOptions& options) {
  Result<Output> journal = Output::growing(path, options);
  if (!journal) {
    return fail("{} Nothing was recorded; choose another file.", journal.error().message);
  }
  return std::unique_ptr<RecordingFile>(new RecordingFile(path, options, std::move(*journal)));
}

Result<> RecordingFile::append(const Profile& profile) {
  if (!journal_.can_be_replaced()) {
    journal_.check_reader();
    return {};
  }
  TRY(writer_.append(profile));
  journal_.flush();
  bytes_ = journal_.size();
  if (journal_.error() == 0) {
    retained_ = profile.samples.size();
  }
  return {};
}

Result<> RecordingFile::finish(const Profile& profile) {
  if (!journal_.can_be_replaced()) {
    TRY(writer_.finish(profile));
    bytes_ = journal_.size();
    return journal_.finish();
  }
  if (Result<> closed = journal_.finish(); !closed) {
    return fail("{} {}", closed.error().message, retained_text(profile));
  }
  Output whole = TRY(Output::to_path(path_, options_));
  native::NativeWriter writer(whole);
  Result<> written = writer.finish(profile);
  bytes_ = whole.size();
  written = written ? whole.finish() : written;
  if (!written) {
    return fail("{} {}", written.error().message, retained_text(profile));
  }
  return {};
}

std::string RecordingFile::retained_text(const Profile& profile) const {
  return fmt::format(
      "{} holds {} of {} samples.", terminal_text(path_), retained_, profile.samples.size());
}

}  // namespace wick::capture
