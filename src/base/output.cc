// SPDX-License-Identifier: Apache-2.0
// to_path() chooses between a file that gets its name at the end (open_beside, give_name) and one
// that is written directly (pipes, devices, several names). All bytes pass through drain(), which
// stores the first error.
#include "base/output.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"

namespace wick {
namespace {

constexpr size_t kBufferBytes = 1 << 18;
// Copying this many bytes costs more than a system call.
constexpr size_t kUnbufferedBytes = 1 << 16;
constexpr int kWaitMilliseconds = 50;  // between two calls of gives_up
constexpr double kWaitSeconds = kWaitMilliseconds / 1e3;
constexpr mode_t kPrivate = 0600;

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

bool is_pipe(const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

bool is_regular(int descriptor) {
  struct stat status = {};
  return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

std::string write_error_text(int error) {
  switch (error) {
    case EFBIG:
      return "the file reached the size limit of this shell (ulimit -f) or of the file system";
    case ECANCELED:
      return "interrupted while no program read it";
    default:
      return std::strerror(error);
  }
}

Result<Output> Output::to_path(const std::string& path, const OutputOptions& options) {
  Output output;
  output.name_ = path == "-" ? "standard output" : terminal_text(path);
  output.packer_ = make_packer(options.packing);
  if (path == "-") {
    output.descriptor_ = STDOUT_FILENO;
    if (!is_regular(STDOUT_FILENO)) {
      output.gives_up_ = options.gives_up;
    }
    return output;
  }
  std::string target = resolved(path);
  struct stat status = {};
  bool exists = ::stat(target.c_str(), &status) == 0;
  bool replaceable = !exists || (S_ISREG(status.st_mode) && status.st_nlink == 1 &&
                                 ::access(target.c_str(), W_OK) == 0);
  if (replaceable && output.open_beside(target)) {
    mode_t usual = exists ? status.st_mode & 07777 : default_mode();
    ::fchmod(output.descriptor_, options.is_private ? kPrivate : usual);
    output.path_ = target;
    return output;
  }
  if (!output.open_directly(target, options)) {
    return fail("Cannot write {}: {}.", output.name_, write_error_text(errno));
  }
  return output;
}

// Opening a named pipe for writing blocks until a program reads it; without blocking it is ENXIO.
bool Output::open_directly(const std::string& path, const OutputOptions& options) {
  int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | (options.gives_up ? O_NONBLOCK : 0);
  mode_t mode = options.is_private ? kPrivate : 0666;
  descriptor_ = ::open(path.c_str(), flags, mode);
  for (double waited = 0; descriptor_ < 0 && errno == ENXIO && is_pipe(path);) {
    if (options.gives_up(waited)) {
      errno = ECANCELED;
      return false;
    }
    ::poll(nullptr, 0, kWaitMilliseconds);
    waited += kWaitSeconds;
    descriptor_ = ::open(path.c_str(), flags, mode);
  }
  if (descriptor_ < 0) {
    return false;
  }
  if (!is_regular(descriptor_)) {
    gives_up_ = options.gives_up;
  } else if (options.is_private) {
    ::fchmod(descriptor_, kPrivate);
  }
  return true;
}

Result<Output> Output::growing(const std::string& path, const OutputOptions& options) {
  Output output = TRY(to_path(path, options));
  output.can_be_replaced_ = !output.path_.empty();  // otherwise it is written directly
  return output;
}

void Output::check_reader() {
  pollfd pipe{descriptor_, 0, 0};
  if (error_ == 0 && ::poll(&pipe, 1, 0) > 0 && (pipe.revents & (POLLERR | POLLHUP)) != 0) {
    error_ = EPIPE;
  }
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
      can_be_replaced_(other.can_be_replaced_),
      gives_up_(std::move(other.gives_up_)),
      packer_(std::move(other.packer_)) {}

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

void Output::drain(std::string_view bytes, bool is_last) {
  if (packer_ == nullptr) {
    drain_packed(bytes);
    return;
  }
  std::string packed;
  packer_->add(bytes, is_last, packed);
  drain_packed(packed);
}

// A pipe that is writable accepts at least PIPE_BUF bytes without blocking.
void Output::drain_packed(std::string_view bytes) {
  while (error_ == 0 && !bytes.empty()) {
    if (gives_up_ && !wait_until_writable()) {
      error_ = ECANCELED;
      return;
    }
    size_t most = gives_up_ ? size_t{PIPE_BUF} : bytes.size();
    ssize_t written = ::write(descriptor_, bytes.data(), std::min(most, bytes.size()));
    if (written >= 0) {
      bytes.remove_prefix(static_cast<size_t>(written));
    } else if (errno != EINTR && !(errno == EAGAIN && gives_up_)) {
      error_ = errno;
    }
  }
}

bool Output::wait_until_writable() const {
  pollfd wait{descriptor_, POLLOUT, 0};
  for (double waited = 0; ::poll(&wait, 1, kWaitMilliseconds) <= 0;) {
    waited += kWaitSeconds;
    if (gives_up_(waited)) {
      return false;
    }
  }
  return true;
}

Result<> Output::finish() {
  if (text_ != nullptr) {
    return {};
  }
  flush();
  if (packer_ != nullptr) {
    drain({}, true);
  }
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
    return fail("Cannot write all of {}: {}.", name_, write_error_text(error_));
  }
  return {};
}

}  // namespace wick
