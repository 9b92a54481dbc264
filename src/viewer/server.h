// SPDX-License-Identifier: Apache-2.0
// The viewer's server: sends one page and its data to a browser on this machine, until the user
// closes the tab.
//
// A profile reveals much about a program and its user, and any page in any tab can send requests to
// 127.0.0.1. So the server restricts access:
//
//     address     the server listens on the loopback address only
//     method      GET only
//     path        starts with 128 random bits
//     headers     Host and Origin must be the server's own. This refuses pages of other sites, and
//                 names that DNS resolves to this machine
//     content     a fixed table in memory: no path reaches the file system
//
// One thread does all work and never blocks. Each connection has a deadline, and the number of
// connections is limited, so a client that sends or reads a byte per minute delays no other client.
//
// The page has one open request ("alive"), whose answer has no end. If the last of them has been
// closed for `grace`, the user closed the tab, and serve() returns.
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
  std::chrono::milliseconds stalled{30'000};  // without progress of an answer
  std::chrono::milliseconds grace{3'000};     // after the last tab: a reload closes and opens
  size_t connections = 64;
  size_t head_bytes = 16 * 1024;
};

class ViewServer {
 public:
  // `page` comes from served_page(), `parts` are its data. Port 0: any free port.
  static Result<ViewServer> start(std::string page,
                                  std::vector<std::string> parts,
                                  uint16_t port,
                                  ServerLimits limits = {});
  ViewServer(ViewServer&&) noexcept;
  ~ViewServer();

  std::string url() const;
  uint16_t port() const { return site_.port; }

  // Returns when the user closes the tab or `stop` becomes readable.
  Result<> serve(int stop);

 private:
  struct Connection;
  using Clock = std::chrono::steady_clock;

  ViewServer() = default;
  void accept_some();
  // Returns false if the connection can be closed.
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
  Clock::time_point accept_from_;  // accept no connections before; wick had no free descriptors
  bool had_tab_ = false;
  Clock::time_point last_tab_;
};

}  // namespace wick
