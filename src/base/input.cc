// SPDX-License-Identifier: Apache-2.0
#include "base/input.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/sources.h"

namespace wick {
namespace {

struct Opened {
  int descriptor = 0;
  uint64_t size = 0;  // 0 when unknown
};

// Treats a file as a pipe if the parent has already read a part of it.
Opened standard_input() {
  struct stat status = {};
  bool is_whole_file = ::fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode) &&
                       ::lseek(STDIN_FILENO, 0, SEEK_CUR) == 0;
  return {STDIN_FILENO, is_whole_file ? static_cast<uint64_t>(status.st_size) : 0};
}

Result<Opened> open_descriptor(const std::string& path) {
  if (path == "-") {
    return standard_input();
  }
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    return fail("Cannot open {}: {}.", terminal_text(path), std::strerror(errno));
  }
  struct stat status = {};
  if (::fstat(descriptor, &status) != 0 || S_ISDIR(status.st_mode)) {
    ::close(descriptor);
    return fail("{} is a directory; name the profile in it.", terminal_text(path));
  }
  return Opened{descriptor, S_ISREG(status.st_mode) ? static_cast<uint64_t>(status.st_size) : 0};
}

// perf record --threads writes a directory; its file "data" is the recording.
bool is_recording_directory(const std::string& path) {
  struct stat status = {};
  return ::stat((path + "/data").c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

Input::Input(std::string name, uint64_t stored_bytes, std::unique_ptr<ByteSource> source)
    : name_(std::move(name)), stored_bytes_(stored_bytes), source_(std::move(source)) {
  // A format is recognised by its first line, however long that line is.
  auto is_enough = [&] {
    return head_.size() >= kMaxHeadBytes ||
           (head_.size() >= kHeadBytes && head_.find('\n') != std::string::npos);
  };
  while (!is_enough()) {
    Result<Bytes> block = source_->next();
    if (!block) {
      head_error_ = block.error().message;
      break;
    }
    if (block->empty()) {
      break;
    }
    head_ += as_text(*block);
  }
}

Result<Input> Input::open(const std::string& path, Progress* progress) {
  bool is_directory = path != "-" && is_recording_directory(path);
  std::string file = is_directory ? path + "/data" : path;
  Opened opened = TRY(open_descriptor(file));
  std::unique_ptr<ByteSource> stored = descriptor_source(opened.descriptor, opened.size, progress);
  bool plain = true;
  std::unique_ptr<ByteSource> source = TRY(unpacked(std::move(stored), plain));
  source = TRY(transcoded(std::move(source), plain));
  Input input(path == "-" ? "standard input" : path, opened.size, std::move(source));
  input.plain_ = plain && opened.size > 0;
  input.path_ = path == "-" ? "/dev/stdin" : file;
  input.directory_ = is_directory ? path : "";
  input.progress_ = progress;
  return input;
}

const MappedFile* Input::map() {
  if (plain_ && !path_.empty() && !mapped_) {
    if (Result<MappedFile> file = MappedFile::open(path_)) {
      mapped_ = std::make_unique<MappedFile>(std::move(*file));
    }
  }
  return mapped_.get();
}

Result<MappedFile> Input::sibling(const std::string& name) const {
  return MappedFile::open(directory_ + "/" + name);
}

void Input::report_progress(uint64_t done) const {
  if (progress_ != nullptr) {
    progress_->report(done, stored_bytes_);
  }
}

Input Input::from_text(std::string name, std::string text) {
  uint64_t size = text.size();
  return {std::move(name), size, text_source(std::move(text))};
}

Result<Bytes> Input::next() {
  if (!head_delivered_) {
    head_delivered_ = true;
    if (!head_.empty()) {
      return head();
    }
  }
  if (!head_error_.empty()) {
    return fail("{}", head_error_);
  }
  return source_->next();
}

}  // namespace wick
