// SPDX-License-Identifier: Apache-2.0
#include "toy_jit/perf_map.h"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace toy_jit {
namespace {

// The data that a signal handler may access: the path of the map to remove.
char map_to_remove[64];

void remove_map_and_die(int signal) {
  unlink(map_to_remove);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void remove_map_on_signals(const std::string& path) {
  std::snprintf(map_to_remove, sizeof map_to_remove, "%s", path.c_str());
  std::signal(SIGINT, remove_map_and_die);
  std::signal(SIGTERM, remove_map_and_die);
}

}  // namespace

PerfMap::PerfMap(bool keep)
    : path_("/tmp/perf-" + std::to_string(getpid()) + ".map"), keep_(keep) {}

PerfMap::~PerfMap() {
  if (file_ < 0) {
    return;
  }
  close(file_);
  if (!keep_) {
    unlink(path_.c_str());
  }
}

bool PerfMap::open() {
  // A map of an earlier process with this pid may exist; its names would be wrong.
  unlink(path_.c_str());
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
  if (file_ < 0) {
    problem_ = path_ + " cannot be written (" + std::strerror(errno) + ")";
    return false;
  }
  if (!keep_) {
    remove_map_on_signals(path_);
  }
  return true;
}

bool PerfMap::add(const void* start, size_t size, const std::string& name) {
  char numbers[48];
  int length = std::snprintf(numbers,
                             sizeof numbers,
                             "%zx %zx ",
                             static_cast<size_t>(reinterpret_cast<uintptr_t>(start)),
                             size);
  std::string line = std::string(numbers, static_cast<size_t>(length)) + name + "\n";
  if (write(file_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    problem_ = path_ + " cannot be written (" + std::strerror(errno) + ")";
    return false;
  }
  return true;
}

}  // namespace toy_jit
