#include "cli/recording_file.h"

#include "base/escape.h"

namespace wick {

Result<std::unique_ptr<RecordingFile>> RecordingFile::open(const std::string& path) {
  Output journal = TRY(Output::growing(path));
  return std::unique_ptr<RecordingFile>(new RecordingFile(path, std::move(journal)));
}

Result<> RecordingFile::append(const Profile& profile) {
  if (journal_.can_be_replaced()) {
    TRY(writer_.append(profile));
    journal_.flush();
    bytes_ = journal_.size();
  }
  return {};
}

Result<> RecordingFile::finish(const Profile& profile) {
  if (!journal_.can_be_replaced()) {
    TRY(writer_.finish(profile));
    bytes_ = journal_.size();
    return journal_.finish();
  }
  TRY(journal_.finish());
  Output whole = TRY(Output::to_path(path_));
  native::NativeWriter writer(whole);
  Result<> written = writer.finish(profile);
  bytes_ = whole.size();
  written = written ? whole.finish() : written;
  if (!written) {
    return fail("{} What was recorded until shortly before the end stays in {}.",
                written.error().message,
                terminal_text(path_));
  }
  return {};
}

}  // namespace wick
