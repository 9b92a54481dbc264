// SPDX-License-Identifier: Apache-2.0
// The viewer's server: one page and its data, to a browser on this machine, until the tab is
// closed.
//
// A profile tells much about a program and who runs it, and any page in any tab can send requests
// to 127.0.0.1. So: it listens on the loopback address only, answers GET only, and only under a
// path that begins with 128 random bits; the Host and Origin of a request must be its own, which
// keeps out pages of other sites and names that are pointed at this machine. What it can send is a
// fixed table in memory: no path reaches the file system.
//
// One thread, no blocking: each connection has a deadline, so that a client that sends or reads a
// byte a minute holds nobody up, and there is a limit to how many are open.
//
// The page keeps one request open ("alive", never answered to its end). When the last of these is
// gone for kGrace, the tab was closed, and serve() returns.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "viewer/request.h"

namespace wick {

struct ServerLimits {
  std::chrono::milliseconds head{5'000};      // for a request to arrive
  std::chrono::milliseconds stalled{30'000};  // without a byte taken
  std::chrono::milliseconds grace{3'000};     // between tabs: a reload closes and opens
  size_t connections = 64;
  size_t head_bytes = 16 * 1024;
};

class ViewServer {
 public:
  // `page` as served_page() gives it, with its parts. Port 0: any that is free.
  static Result<ViewServer> start(std::string page,
                                  std::vector<std::string> parts,
                                  uint16_t port,
                                  ServerLimits limits = {});
  ViewServer(ViewServer&&) noexcept;
  ~ViewServer();

  std::string url() const;
  uint16_t port() const { return site_.port; }

  // Until the tab is closed, or `stop` can be read.
  Result<> serve(int stop);

 private:
  struct Connection;
  using Clock = std::chrono::steady_clock;

  ViewServer() = default;
  void accept_some();
  // False when the connection is done with.
  bool step(Connection& connection, short events);
  bool receive(Connection& connection);
  bool send(Connection& connection) const;
  void answer(Connection& connection, const Decision& decision);
  bool tab_closed(Clock::time_point now);

  Descriptor listener_;
  Site site_;
  std::string page_;
  std::vector<std::string> parts_;
  ServerLimits limits_;
  std::vector<std::unique_ptr<Connection>> connections_;
  Clock::time_point accept_from_;  // not before: there were no descriptors left
  bool had_tab_ = false;
  Clock::time_point last_tab_;
};

}  // namespace wick
