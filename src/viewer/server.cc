// SPDX-License-Identifier: Apache-2.0
// One thread serves all connections with poll():
//
//     accept_some    new connections, up to the limit
//     receive        the head of a request, then answer() chooses the answer (request.h)
//     send           head and body of the answer
//     tab_closed     whether the last "alive" request ended long enough ago
//
// No call blocks, and one step does limited work for a client. Every connection except an "alive"
// request has a deadline, so no client can stop the server or its other clients.
#include "viewer/server.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>

#include "base/bytes.h"
#include "viewer/page.h"

namespace wick {
namespace {

// Limits for one step, so that other clients get their turn.
constexpr int kReadsOfAStep = 16;
constexpr int kAcceptsOfAStep = 64;
constexpr std::chrono::milliseconds kAcceptPause(250);

constexpr std::string_view kAlive = "alive";
constexpr std::string_view kHtml = "text/html; charset=utf-8";
constexpr std::string_view kBytes = "application/octet-stream";

std::string random_token() {
  std::array<char, 16> bytes = {};
  size_t filled = 0;
  while (filled < bytes.size()) {
    ssize_t got = ::getrandom(bytes.data() + filled, bytes.size() - filled, 0);
    filled += got > 0 ? static_cast<size_t>(got) : 0;
  }
  return hex_digits({bytes.data(), bytes.size()});
}

// The head of the page contains the page's policy; these headers are for every answer.
constexpr std::string_view kHeaders =
    "Cache-Control: no-store\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "X-Frame-Options: DENY\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Content-Security-Policy: frame-ancestors 'none'; base-uri 'none'; form-action 'none'\r\n"
    "Connection: close\r\n";

}  // namespace

struct ViewServer::Connection {
  Descriptor socket;
  Clock::time_point deadline;
  std::string head;  // received so far
  bool answering = false;
  bool is_alive = false;   // the open request of a tab: has no end
  bool heard_all = false;  // the client closed its side
  std::string out;         // head of the answer
  std::string_view body;   // borrowed from the server
  size_t sent = 0;         // bytes of out and body
};

ViewServer::ViewServer(ViewServer&&) noexcept = default;
ViewServer::~ViewServer() = default;

Result<ViewServer> ViewServer::start(std::string page,
                                     std::vector<std::string> parts,
                                     uint16_t port,
                                     ServerLimits limits) {
  ViewServer server;
  server.limits_ = limits;
  server.page_ = std::move(page);
  server.parts_ = std::move(parts);
  server.listener_ = Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t length = sizeof address;
  int yes = 1;
  ::setsockopt(server.listener_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (!server.listener_.valid() || ::bind(server.listener_.get(), generic, length) != 0 ||
      ::listen(server.listener_.get(), 64) != 0 ||
      ::getsockname(server.listener_.get(), generic, &length) != 0) {
    return fail(
        "Cannot serve the page on 127.0.0.1{}: {}. Write it to a file instead: -o page.html",
        port == 0 ? "" : fmt::format(":{}", port),
        std::strerror(errno));
  }
  server.site_.port = ntohs(address.sin_port);
  server.site_.token = random_token();
  server.site_.content.emplace("", kHtml);
  server.site_.content.emplace(kAlive, kBytes);
  for (size_t part = 0; part < server.parts_.size(); ++part) {
    server.site_.content.emplace(part_name(part), kBytes);
  }
  return server;
}

std::string ViewServer::url() const {
  return fmt::format("http://127.0.0.1:{}/{}/", site_.port, site_.token);
}

void ViewServer::accept_some() {
  for (int i = 0; i < kAcceptsOfAStep; ++i) {
    int socket = ::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) {
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        accept_from_ = Clock::now() + kAcceptPause;  // without it, poll() returns at once
      }
      return;
    }
    auto connection = std::make_unique<Connection>();
    connection->socket = Descriptor(socket);
    connection->deadline = Clock::now() + limits_.head;
    if (connections_.size() >= limits_.connections) {
      answer(*connection, {.status = 503});
      send(*connection);
      continue;
    }
    connections_.push_back(std::move(connection));
  }
}

void ViewServer::answer(Connection& connection, const Decision& decision) {
  connection.answering = true;
  connection.deadline = Clock::now() + limits_.stalled;
  std::string_view type = "text/plain; charset=utf-8";
  std::string text;
  if (decision.status != 200) {
    text = fmt::format("{} {}\n", decision.status, status_text(decision.status));
  } else {
    type = site_.content.at(decision.name);
    connection.is_alive = decision.name == kAlive;
    if (decision.name.empty()) {
      connection.body = page_;
    } else if (!connection.is_alive) {
      for (size_t part = 0; part < parts_.size(); ++part) {
        connection.body = decision.name == part_name(part) ? parts_[part] : connection.body;
      }
    }
  }
  had_tab_ = had_tab_ || connection.is_alive;
  connection.out =
      fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\n{}{}{}\r\n{}",
                  decision.status,
                  status_text(decision.status),
                  type,
                  kHeaders,
                  decision.status == 405 ? "Allow: GET\r\n" : "",
                  connection.is_alive
                      ? ""
                      : fmt::format("Content-Length: {}\r\n", text.size() + connection.body.size()),
                  text);
}

bool ViewServer::receive(Connection& connection) {
  std::array<char, 4096> buffer = {};
  for (int i = 0; i < kReadsOfAStep; ++i) {
    ssize_t got = ::recv(connection.socket.get(), buffer.data(), buffer.size(), 0);
    if (got < 0) {
      return errno == EAGAIN || errno == EINTR;
    }
    if (got == 0) {
      connection.heard_all = true;  // the client may still receive
      return connection.answering && !connection.is_alive;
    }
    if (connection.answering) {
      continue;  // ignore other bytes, but notice the end
    }
    connection.head.append(buffer.data(), static_cast<size_t>(got));
    if (size_t end = connection.head.find("\r\n\r\n"); end != std::string::npos) {
      answer(connection, decide(std::string_view(connection.head).substr(0, end), site_));
    } else if (connection.head.size() > limits_.head_bytes) {
      answer(connection, {.status = 431});
    }
  }
  return true;  // poll() reports further bytes
}

// True if the connection must remain open.
bool ViewServer::send(Connection& connection) const {
  while (true) {
    std::string_view rest = std::string_view(connection.out);
    if (connection.sent >= rest.size()) {
      rest = connection.body.substr(connection.sent - connection.out.size());
    } else {
      rest.remove_prefix(connection.sent);
    }
    if (rest.empty()) {
      return connection.is_alive;
    }
    ssize_t taken = ::send(connection.socket.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (taken < 0) {
      return errno == EAGAIN || errno == EINTR;
    }
    connection.sent += static_cast<size_t>(taken);
    connection.deadline = Clock::now() + limits_.stalled;
  }
}

bool ViewServer::step(Connection& connection, short events) {
  if ((events & POLLERR) != 0 || ((events & (POLLIN | POLLHUP)) != 0 && !receive(connection))) {
    return false;
  }
  if (connection.answering && !send(connection)) {
    return false;
  }
  return true;
}

bool ViewServer::tab_closed(Clock::time_point now) {
  bool open = std::ranges::any_of(connections_, [](const auto& c) { return c->is_alive; });
  if (open || !had_tab_) {
    last_tab_ = now;
  }
  return now - last_tab_ > limits_.grace;
}

Result<> ViewServer::serve(int stop) {
  std::vector<pollfd> polled;
  last_tab_ = Clock::now();
  while (true) {
    int listener = Clock::now() < accept_from_ ? -1 : listener_.get();
    polled = {{stop, POLLIN, 0}, {listener, POLLIN, 0}};
    for (const auto& connection : connections_) {
      bool sends = connection->answering &&
                   connection->sent < connection->out.size() + connection->body.size();
      int events = (connection->heard_all ? 0 : POLLIN) | (sends ? POLLOUT : 0);
      polled.push_back({connection->socket.get(), static_cast<short>(events), 0});
    }
    // The timeout of 250 ms is also the precision of deadlines.
    int ready = ::poll(polled.data(), polled.size(), 250);
    if (ready < 0 && errno != EINTR) {
      return fail("Cannot serve the page any longer: {}.", std::strerror(errno));
    }
    if (ready > 0 && polled[0].revents != 0) {
      return {};
    }
    Clock::time_point now = Clock::now();
    size_t at = 2;
    std::erase_if(connections_, [&](const std::unique_ptr<Connection>& connection) {
      short events = ready > 0 ? polled[at].revents : short{0};
      ++at;
      if (events != 0 && !step(*connection, events)) {
        return true;
      }
      bool waits = connection->is_alive && connection->sent >= connection->out.size();
      return !waits && now > connection->deadline;
    });
    if (tab_closed(now)) {
      return {};
    }
    if (ready > 0 && polled[1].revents != 0) {
      accept_some();
    }
  }
}

}  // namespace wick
