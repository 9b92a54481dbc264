// SPDX-License-Identifier: Apache-2.0
#include "experiment/run_and_wait.h"

#include <algorithm>
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

sigset_t no_signals() {
  sigset_t none;
  ::sigemptyset(&none);
  return none;
}

// wick may hold signals; the program must not. It ends if wick is killed.
std::optional<record::Child> start(const std::vector<std::string>& command,
                                   const std::string& directory,
                                   int input,
                                   int output) {
  Result<record::Child> child = record::Child::launch({.command = command,
                                                       .directory = directory,
                                                       .input = input,
                                                       .outputs = {output, STDERR_FILENO},
                                                       .scheduling = record::current_scheduling(),
                                                       .dies_with_us = true,
                                                       .leaves_processes = true},
                                                      no_signals());
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

// Waits for output or a signal. False once the output has ended.
bool read_some(Descriptor& from, std::string& output, const record::HeldSignals& signals) {
  std::array<pollfd, 2> waits = {pollfd{from.get(), POLLIN, 0},
                                 pollfd{signals.descriptor(), POLLIN, 0}};
  ::poll(waits.data(), waits.size(), kPollMilliseconds);
  if (waits[0].revents == 0) {
    return true;
  }
  std::array<char, 4096> buffer = {};
  ssize_t got = ::read(from.get(), buffer.data(), buffer.size());
  output.append(buffer.data(), static_cast<size_t>(std::max<ssize_t>(got, 0)));
  return got > 0 || (got < 0 && errno == EINTR);
}

// Passes waiting signals on. Returns `before`, or the first of them that asks wick to end.
int pass_on(record::HeldSignals& signals, const record::Child& child, int before) {
  int stopped_by = before;
  while (std::optional<record::HeldSignals::Received> received = signals.next()) {
    if (received->number == SIGCHLD || received->number == SIGPIPE) {
      continue;
    }
    stopped_by = stopped_by == 0 && received->asks_to_end() ? received->number : stopped_by;
    if (!received->from_terminal) {
      child.signal(received->number);
    }
  }
  return stopped_by;
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
  record::HeldSignals signals;
  Result<record::Pipe> pipe = record::make_pipe();
  if (!pipe) {
    return kNotRun;
  }
  std::optional<record::Child> child = start(command, "", STDIN_FILENO, pipe->write.get());
  pipe->write.close();
  if (!child) {
    return kNotRun;
  }
  int stopped_by = 0;
  while (read_some(pipe->read, output, signals)) {
    stopped_by = pass_on(signals, *child, stopped_by);
  }
  int status = wait_for(*child);
  stopped_by = pass_on(signals, *child, stopped_by);
  return stopped_by != 0 ? record::shell_status(stopped_by) : status;
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
