// SPDX-License-Identifier: Apache-2.0
#include "cli/tty.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <sys/ioctl.h>
#include <unistd.h>

#include "views/terminal_look.h"

namespace wick {
namespace {

constexpr size_t kDefaultWidth = 100;

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool wants_color(bool to_terminal) {
  const char* term = std::getenv("TERM");
  bool dumb = term != nullptr && std::string_view(term) == "dumb";
  if (is_set("NO_COLOR")) {
    return false;
  }
  return is_set("CLICOLOR_FORCE") || (to_terminal && !dumb);
}

}  // namespace

bool stdout_is_terminal() {
  return ::isatty(STDOUT_FILENO) != 0;
}

bool stderr_is_terminal() {
  return ::isatty(STDERR_FILENO) != 0;
}

bool stdout_has_hung_up() {
  return ::isatty(STDOUT_FILENO) == 0 && errno == EIO;
}

size_t terminal_width(int descriptor) {
  winsize size = {};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return size.ws_col;
  }
  return kDefaultWidth;
}

void say(const std::string& sentence) {
  size_t width = stderr_is_terminal() ? terminal_width(STDERR_FILENO) : 0;
  for (const std::string& line : wrapped_sentence("wick: " + sentence, width)) {
    std::fprintf(stderr, "%s\n", line.c_str());
  }
}

void choose_terminal_flags(FlagValues& flags, bool to_terminal) {
  if (flags.text("color") == "auto") {
    flags.set("color", wants_color(to_terminal) ? "always" : "never");
  }
  if (!flags.given("width") && to_terminal) {
    flags.set("width", std::to_string(terminal_width()));
  }
}

}  // namespace wick
