#include "base/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"

namespace wick {
namespace {

constexpr size_t kBufferBytes = 1 << 18;

bool is_special_file(const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

}  // namespace

Result<Output> Output::to_path(const std::string& path) {
  Output output;
  output.name_ = path == "-" ? "standard output" : terminal_text(path);
  if (path == "-") {
    output.descriptor_ = STDOUT_FILENO;
    return output;
  }
  bool direct = is_special_file(path);
  std::string target = direct ? path : path + ".part";
  int descriptor = ::open(target.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    return fail("{} cannot be written: {}.", output.name_, std::strerror(errno));
  }
  output.descriptor_ = descriptor;
  if (!direct) {
    output.path_ = path;
    output.temporary_ = target;
  }
  return output;
}

Output Output::to_text(std::string& text) {
  Output output;
  output.text_ = &text;
  return output;
}

Output::Output(Output&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      name_(std::move(other.name_)),
      buffer_(std::move(other.buffer_)),
      text_(std::exchange(other.text_, nullptr)),
      error_(other.error_),
      size_(other.size_) {}

Output::~Output() {
  if (descriptor_ >= 0 && descriptor_ != STDOUT_FILENO) {
    ::close(descriptor_);
  }
  if (!temporary_.empty()) {
    ::unlink(temporary_.c_str());
  }
}

void Output::write(std::string_view bytes) {
  size_ += bytes.size();
  if (text_ != nullptr) {
    text_->append(bytes);
    return;
  }
  if (buffer_.size() + bytes.size() > kBufferBytes) {
    flush();
  }
  if (bytes.size() > kBufferBytes) {
    drain(bytes);
  } else {
    buffer_.append(bytes);
  }
}

void Output::flush() {
  drain(buffer_);
  buffer_.clear();
}

void Output::drain(std::string_view bytes) {
  while (error_ == 0 && !bytes.empty()) {
    ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<size_t>(written));
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
}

Result<> Output::finish() {
  if (text_ != nullptr) {
    return {};
  }
  flush();
  if (descriptor_ != STDOUT_FILENO && ::close(std::exchange(descriptor_, -1)) != 0 && error_ == 0) {
    error_ = errno;
  }
  if (error_ == 0 && !temporary_.empty()) {
    if (std::rename(temporary_.c_str(), path_.c_str()) == 0) {
      temporary_.clear();
    } else {
      error_ = errno;
    }
  }
  if (error_ != 0) {
    return fail("{} could not be written completely: {}.", name_, std::strerror(error_));
  }
  return {};
}

}  // namespace wick
