// SPDX-License-Identifier: Apache-2.0
#include "viewer/browser.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include "base/descriptor.h"

namespace wick {
namespace {

std::string private_directory() {
  for (const char* name : {"XDG_RUNTIME_DIR", "TMPDIR"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value == '/') {
      return value;
    }
  }
  return "/tmp";
}

}  // namespace

bool BrowserPage::has_display() {
  auto is_set = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  return is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
}

Result<BrowserPage> BrowserPage::leading_to(const std::string& url) {
  std::string directory = private_directory() + "/wick-view-XXXXXX";
  if (::mkdtemp(directory.data()) == nullptr) {
    return fail("Cannot create a file for the browser: {}.", std::strerror(errno));
  }
  BrowserPage page(std::move(directory));
  std::string text = fmt::format(
      "<!doctype html><meta charset=\"utf-8\"><title>wick</title>"
      "<meta http-equiv=\"refresh\" content=\"0; url={0}\"><p><a href=\"{0}\">The "
      "profile</a></p>\n",
      url);
  Descriptor file(
      ::open(page.path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return fail("Cannot write the file for the browser: {}.", std::strerror(errno));
  }
  return page;
}

BrowserPage::BrowserPage(BrowserPage&& other) noexcept
    : directory_(std::exchange(other.directory_, {})) {}

BrowserPage::~BrowserPage() {
  if (!directory_.empty()) {
    ::unlink(path().c_str());
    ::rmdir(directory_.c_str());
  }
}

// Starts the browser in its own session, so Ctrl+C in the terminal does not end it. wick blocks
// some signals for itself; the browser must receive them.
bool BrowserPage::open() const {
  std::string program = "xdg-open";
  std::string argument = path();
  std::array<char*, 3> arguments = {program.data(), argument.data(), nullptr};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    ::posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0);
  }
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none;
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
  pid_t pid = 0;
  int error =
      ::posix_spawnp(&pid, program.c_str(), &actions, &attributes, arguments.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return error == 0;
}

}  // namespace wick
