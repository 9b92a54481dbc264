// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <csignal>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

#include "cli/cargo_wick.h"
#include "cli/program.h"

namespace {

// Prints one sentence without allocating memory. wick cannot free memory or continue.
[[noreturn]] void out_of_memory() {
  constexpr std::string_view kMessage =
      "wick: not enough memory for this input; filter it, or read only a part of it.\n";
  [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, kMessage.data(), kMessage.size());
  ::_exit(1);
}

// A file that reaches `ulimit -f` would end wick without a message. With a handler, the write fails as
// on a full disk. (Not SIG_IGN: programs that wick starts would inherit it.)
void survive_file_size_limit() {
  struct sigaction action = {};
  if (::sigaction(SIGXFSZ, nullptr, &action) == 0 && action.sa_handler == SIG_DFL) {
    action.sa_handler = [](int) {};
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGXFSZ, &action, nullptr);
  }
}

// A script ignores Ctrl+C for all programs that it starts with &. wick may wait for long there, for
// a program, a browser or the reader of a FIFO, so Ctrl+C ends it all the same.
void obey_interrupts() {
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGQUIT, SIG_DFL);
}

}  // namespace

int main(int argc, char** argv) {
  std::set_new_handler(out_of_memory);
  survive_file_size_limit();
  obey_interrupts();
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (argc > 0 && wick::is_cargo_wick(argv[0])) {
    return wick::run_cargo_wick(arguments);
  }
  return wick::run_program(arguments);
}
