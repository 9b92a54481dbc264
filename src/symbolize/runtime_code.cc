// SPDX-License-Identifier: Apache-2.0
#include "symbolize/runtime_code.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/lines.h"
#include "base/mapped_file.h"
#include "base/parse_number.h"
#include "base/path.h"

namespace wick {
namespace {

// /proc/PID/status has no size; the needed lines are in its first page.
std::string first_page(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text(4096, '\0');
  ssize_t got = file.valid() ? ::read(file.get(), text.data(), text.size()) : 0;
  text.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return text;
}

// Symbolic links stay inside of the tree.
int open_below(int root, const std::string& path, int flags) {
  open_how how = {};
  how.flags = static_cast<decltype(how.flags)>(flags);
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  return static_cast<int>(::syscall(SYS_openat2, root, path.c_str(), &how, sizeof how));
}

bool is_same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

std::optional<int32_t> number_between(std::string_view text,
                                      std::string_view before,
                                      std::string_view after) {
  if (!text.starts_with(before) || !text.ends_with(after) ||
      text.size() <= before.size() + after.size()) {
    return {};
  }
  return parse_number<int32_t>(
      text.substr(before.size(), text.size() - before.size() - after.size()));
}

MappedFile mapped(const Descriptor& file, const std::string& path) {
  Result<MappedFile> mapped = file.valid() ? MappedFile::map(file.get(), path) : MappedFile();
  return mapped ? std::move(*mapped) : MappedFile();
}

}  // namespace

// "NSpid:\t3243\t1": the numbers of a task, from the outermost namespace to its own.
int32_t innermost_pid(int32_t pid) {
  int32_t inner = pid;
  for_each_line(first_page(fmt::format("/proc/{}/status", pid)), [&](std::string_view line) {
    if (line.starts_with("NSpid:")) {
      inner = parse_number<int32_t>(line.substr(line.find_last_of("\t ") + 1)).value_or(pid);
    }
  });
  return inner;
}

std::optional<int32_t> pid_of_perf_map(std::string_view path) {
  return number_between(path, "/tmp/perf-", ".map");
}

bool is_jit_dump(std::string_view path) {
  return number_between(file_name_of(path), "jit-", ".dump").has_value();
}

RuntimeProcess RuntimeProcess::live(int32_t pid) {
  RuntimeProcess process(pid, "");
  process.inner_pid_ = innermost_pid(pid);
  struct stat owner = {};
  if (::stat(fmt::format("/proc/{}", pid).c_str(), &owner) == 0) {
    process.owner_ = owner.st_uid;
  }
  Descriptor root(
      ::open(fmt::format("/proc/{}/root", pid).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  struct stat theirs = {};
  struct stat ours = {};
  bool is_own_tree = root.valid() && ::fstat(root.get(), &theirs) == 0 && ::stat("/", &ours) == 0 &&
                     is_same_file(theirs, ours);
  // A tree with the same root may have another /tmp mounted (systemd's PrivateTmp).
  if (is_own_tree && ::fstatat(root.get(), "tmp", &theirs, 0) == 0 && ::stat("/tmp", &ours) == 0) {
    is_own_tree = is_same_file(theirs, ours);
  }
  if (!is_own_tree) {
    process.root_ = std::move(root);
    process.mounts_ =
        Descriptor(::open(fmt::format("/proc/{}/ns/mnt", pid).c_str(), O_RDONLY | O_CLOEXEC));
  }
  return process;
}

RuntimeProcess RuntimeProcess::duplicate() const {
  auto copy = [](const Descriptor& of) {
    return Descriptor(of.valid() ? ::fcntl(of.get(), F_DUPFD_CLOEXEC, 0) : -1);
  };
  RuntimeProcess process(pid_, symfs_);
  process.inner_pid_ = inner_pid_;
  process.root_ = copy(root_);
  process.mounts_ = copy(mounts_);
  process.map_ = copy(map_);
  process.dump_ = copy(dump_);
  process.owner_ = owner_;
  process.dump_path_ = dump_path_;
  return process;
}

std::string RuntimeProcess::map_path() const {
  return fmt::format("/tmp/perf-{}.map", inner_pid_);
}

void RuntimeProcess::set_dump(std::string path) {
  if (dump_path_ != path) {
    dump_path_ = std::move(path);
    dump_ = Descriptor();
  }
}

void RuntimeProcess::hold_files() {
  bool refused = false;
  if (!map_.valid()) {
    map_ = open(map_path(), refused);
  }
  if (!dump_.valid() && !dump_path_.empty()) {
    dump_ = open(dump_path_, refused);
  }
}

Descriptor RuntimeProcess::open(const std::string& path, bool& refused) const {
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
  Descriptor file(root_.valid() && path.starts_with('/') ? open_below(root_.get(), path, kFlags)
                                                         : ::open((symfs_ + path).c_str(), kFlags));
  struct stat status = {};
  if (!file.valid() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return Descriptor();
  }
  bool is_trusted = status.st_uid == ::geteuid() || status.st_uid == 0 || status.st_uid == owner_;
  refused = !is_trusted;
  return is_trusted ? std::move(file) : Descriptor();
}

namespace {

RuntimeFile open_file(const RuntimeProcess& process,
                      const std::string& path,
                      const Descriptor& held) {
  bool refused = false;
  RuntimeFile opened{.file = mapped(process.open(path, refused), path), .refused = {}};
  if (refused) {
    opened.refused = path;
  }
  if (opened.file.bytes().empty()) {
    opened.file = mapped(held, path);
  }
  return opened;
}

}  // namespace

RuntimeFile open_jit_dump(const RuntimeProcess& process) {
  return process.dump_path().empty() ? RuntimeFile()
                                     : open_file(process, process.dump_path(), process.held_dump());
}

RuntimeFile open_perf_map(const RuntimeProcess& process) {
  RuntimeFile map = open_file(process, process.map_path(), process.held_map());
  if (map.file.bytes().empty() && process.inner_pid() != process.pid()) {
    bool refused = false;
    RuntimeProcess outside(process.pid(), "");
    map.file = mapped(outside.open(outside.map_path(), refused), outside.map_path());
  }
  return map;
}

}  // namespace wick
