// SPDX-License-Identifier: Apache-2.0
#include "experiment/run_and_wait.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <optional>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/escape.h"
#include "record/channels.h"
#include "record/launch.h"

namespace wick {
namespace {

constexpr int kNotRun = 127;
constexpr int kPollMilliseconds = 100;  // where the end does not wake poll()

// wick may hold signals; the program must not. It ends if wick is killed.
std::optional<record::Child> start(const std::vector<std::string>& command,
                                   const std::string& directory,
                                   int input,
                                   int output) {
  sigset_t none;
  ::sigemptyset(&none);
  Result<record::Child> child = record::Child::launch({.command = command,
                                                       .directory = directory,
                                                       .input = input,
                                                       .outputs = {output, STDERR_FILENO},
                                                       .scheduling = record::current_scheduling(),
                                                       .dies_with_us = true,
                                                       .leaves_processes = true},
                                                      none);
  if (!child || child->release() != 0) {
    return {};
  }
  return std::move(*child);
}

int wait_for(record::Child& child) {
  while (true) {
    if (std::optional<record::Child::End> end = child.poll()) {
      return end->status;
    }
    pollfd wait{child.descriptor(), POLLIN, 0};
    ::poll(&wait, 1, kPollMilliseconds);
  }
}

}  // namespace

int run_and_wait(const std::vector<std::string>& command, const std::string& directory) {
  Descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  std::optional<record::Child> child = start(command, directory, nothing.get(), STDERR_FILENO);
  return child ? wait_for(*child) : kNotRun;
}

Result<MeasuredRun> run_build(const std::string& line,
                              const std::string& directory,
                              record::HeldSignals& signals) {
  Descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  return measure_run({.command = {"/bin/sh", "-c", line},
                      .directory = directory,
                      .input = nothing.get(),
                      .outputs = {STDERR_FILENO, STDERR_FILENO},
                      .counters = {},
                      .own_group = true,
                      .dies_with_us = true,
                      .leaves_processes = true},
                     signals);
}

int run_for_output(const std::vector<std::string>& command, std::string& output) {
  Result<record::Pipe> pipe = record::make_pipe();
  if (!pipe) {
    return kNotRun;
  }
  std::optional<record::Child> child = start(command, "", STDIN_FILENO, pipe->write.get());
  pipe->write.close();
  std::array<char, 4096> buffer = {};
  while (child) {
    ssize_t got = ::read(pipe->read.get(), buffer.data(), buffer.size());
    if (got > 0) {
      output.append(buffer.data(), static_cast<size_t>(got));
    } else if (got == 0 || errno != EINTR) {
      break;
    }
  }
  return child ? wait_for(*child) : kNotRun;
}

Result<std::string> output_of(const std::vector<std::string>& command) {
  std::string text;
  if (run_for_output(command, text) != 0) {
    return fail("`{}` failed.", terminal_text(command[0]));
  }
  while (text.ends_with('\n')) {
    text.pop_back();
  }
  return text;
}

}  // namespace wick
