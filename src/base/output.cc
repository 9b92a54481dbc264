// SPDX-License-Identifier: Apache-2.0
#include "base/output.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"

namespace wick {
namespace {

constexpr size_t kBufferBytes = 1 << 18;
// Copying this many bytes costs more than a system call.
constexpr size_t kUnbufferedBytes = 1 << 16;

// The file that a path names, symbolic links resolved; the path itself if there is no such file
// yet.
std::string resolved(const std::string& path) {
  char* real = ::realpath(path.c_str(), nullptr);
  std::string result = real != nullptr ? real : path;
  std::free(real);
  return result;
}

// The permissions that a new file of this name would get.
mode_t default_mode() {
  mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

}  // namespace

Result<Output> Output::to_path(const std::string& path) {
  Output output;
  output.name_ = path == "-" ? "standard output" : terminal_text(path);
  if (path == "-") {
    output.descriptor_ = STDOUT_FILENO;
    return output;
  }
  std::string target = resolved(path);
  struct stat status = {};
  bool exists = ::stat(target.c_str(), &status) == 0;
  bool replaceable = !exists || (S_ISREG(status.st_mode) && status.st_nlink == 1 &&
                                 ::access(target.c_str(), W_OK) == 0);
  if (replaceable && output.open_beside(target)) {
    ::fchmod(output.descriptor_, exists ? status.st_mode & 07777 : default_mode());
    output.path_ = target;
    return output;
  }
  output.descriptor_ = ::open(target.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (output.descriptor_ < 0) {
    return fail("Cannot write {}: {}.", output.name_, std::strerror(errno));
  }
  return output;
}

Result<Output> Output::growing(const std::string& path) {
  Output output = TRY(to_path(path));
  output.can_be_replaced_ = !output.path_.empty();  // otherwise it is written directly
  return output;
}

Result<> Output::publish() {
  if (path_.empty()) {
    return {};
  }
  if (!give_name() || std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    return fail("Cannot write {}: {}.", name_, std::strerror(errno));
  }
  temporary_.clear();
  path_.clear();
  return {};
}

bool Output::open_beside(const std::string& path) {
  size_t slash = path.rfind('/');
  std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  // A file without a name gets its name through /proc, which a bare chroot lacks.
  if (::access("/proc/self/fd", X_OK) == 0) {
    descriptor_ = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  }
  if (descriptor_ >= 0) {
    return true;
  }
  temporary_ = path + ".XXXXXX";
  descriptor_ = ::mkostemp(temporary_.data(), O_CLOEXEC);
  if (descriptor_ < 0) {
    temporary_.clear();
  }
  return descriptor_ >= 0;
}

// Gives the nameless file a unique name, so that one rename can replace the old file.
bool Output::give_name() {
  std::string self = fmt::format("/proc/self/fd/{}", descriptor_);
  for (unsigned attempt = 0; temporary_.empty() && attempt < 100; ++attempt) {
    std::string name = fmt::format("{}.{}.{}", path_, ::getpid(), attempt);
    if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      temporary_ = name;
    } else if (errno != EEXIST) {
      return false;
    }
  }
  return !temporary_.empty();
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
      size_(other.size_),
      can_be_replaced_(other.can_be_replaced_) {}

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
  bool direct = bytes.size() >= kUnbufferedBytes;
  if (direct || buffer_.size() + bytes.size() > kBufferBytes) {
    flush();
  }
  if (direct) {
    drain(bytes);
  } else {
    buffer_.append(bytes);
  }
}

void Output::flush() {
  drain(buffer_);
  buffer_.clear();
}

void Output::overwrite(uint64_t offset, std::string_view bytes) {
  if (text_ != nullptr) {
    text_->replace(offset, bytes.size(), bytes);
    return;
  }
  flush();
  while (error_ == 0 && !bytes.empty()) {
    ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written >= 0) {
      bytes.remove_prefix(static_cast<size_t>(written));
      offset += static_cast<uint64_t>(written);
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
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
  if (error_ == 0 && !path_.empty() && !give_name()) {
    error_ = errno;
  }
  if (descriptor_ != STDOUT_FILENO && ::close(std::exchange(descriptor_, -1)) != 0 && error_ == 0) {
    error_ = errno;
  }
  if (error_ == 0 && !path_.empty()) {
    if (std::rename(temporary_.c_str(), path_.c_str()) == 0) {
      temporary_.clear();
    } else {
      error_ = errno;
    }
  }
  if (error_ != 0) {
    return fail("Cannot write all of {}: {}.", name_, std::strerror(error_));
  }
  return {};
}

}  // namespace wick
