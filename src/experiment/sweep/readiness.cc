// SPDX-License-Identifier: Apache-2.0
#include "experiment/sweep/readiness.h"

#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/descriptor.h"
#include "base/escape.h"
#include "base/small_file.h"

namespace wick {
namespace {

constexpr size_t kMaxLookedAt = size_t{16} << 20;
constexpr int kConnectMilliseconds = 200;

Result<sockaddr_in> address_of(const std::string& host, uint16_t port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  bool is_here = host.empty() || host == "localhost";
  if (::inet_pton(AF_INET, is_here ? "127.0.0.1" : host.c_str(), &address.sin_addr) != 1) {
    return fail("The host \"{}\" of `ready` is not an IPv4 address such as 127.0.0.1.", host);
  }
  return address;
}

Result<bool> accepts(const std::string& host, uint16_t port) {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in address = TRY(address_of(host, port));
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    return true;
  }
  pollfd wait = {socket.get(), POLLOUT, 0};
  if (errno != EINPROGRESS || ::poll(&wait, 1, kConnectMilliseconds) != 1) {
    return false;
  }
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  return error == 0;
}

}  // namespace

ReadinessProbe::~ReadinessProbe() {
  if (test_) {
    test_->signal(SIGKILL);
    while (!test_->poll()) {
      ::usleep(1000);
    }
  }
}

Result<bool> ReadinessProbe::is_ready() {
  if (when_.port && !TRY(accepts(when_.host, *when_.port))) {
    return false;
  }
  if (when_.output && !when_.output->matches(read_text(output_, kMaxLookedAt)) &&
      !when_.output->matches(read_text(errors_, kMaxLookedAt))) {
    return false;
  }
  return when_.test.empty() ? true : test_succeeds();
}

Result<bool> ReadinessProbe::test_succeeds() {
  if (!test_) {
    Descriptor nowhere(::open("/dev/null", O_RDWR | O_CLOEXEC));
    test_ = TRY(MeasuredProcess::start({.command = when_.test,
                                        .directory = when_.directory,
                                        .input = nowhere.get(),
                                        .outputs = {nowhere.get(), nowhere.get()},
                                        .counters = {},
                                        .own_group = true,
                                        .dies_with_us = true},
                                       mask_));
  }
  std::optional<MeasuredRun> end = test_->poll();
  if (end) {
    test_.reset();
  }
  return end && end->status == 0;
}

std::string ReadinessProbe::what() const {
  if (when_.port) {
    return fmt::format("{} of {} to accept connections",
                       when_.port_is_ours ? "its port" : fmt::format("port {}", *when_.port),
                       when_.host.empty() ? "127.0.0.1" : when_.host);
  }
  return when_.output ? fmt::format("\"{}\" in its output", when_.output->text())
                      : fmt::format("`{}` to succeed", when_.test[0]);
}

Result<uint16_t> free_port() {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = TRY(address_of("", 0));
  socklen_t size = sizeof address;
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket.get(), plain, size) != 0 || ::getsockname(socket.get(), plain, &size) != 0) {
    return fail("There is no free port: {}.", std::strerror(errno));
  }
  return ntohs(address.sin_port);
}

}  // namespace wick
