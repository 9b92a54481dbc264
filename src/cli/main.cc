// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
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

}  // namespace

int main(int argc, char** argv) {
  std::set_new_handler(out_of_memory);
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (argc > 0 && wick::is_cargo_wick(argv[0])) {
    return wick::run_cargo_wick(arguments);
  }
  return wick::run_program(arguments);
}
