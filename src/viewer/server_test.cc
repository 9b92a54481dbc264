// SPDX-License-Identifier: Apache-2.0
// The server from a client's view, over real sockets.
#include "viewer/server.h"

#include <ctime>
#include <thread>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>

namespace wick {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// A server in its own thread.
class Serving {
 public:
  explicit Serving(ServerLimits limits = {}, std::string part = "data")
      : stop_(::eventfd(0, EFD_CLOEXEC)),
        server_(ViewServer::start("<html>page</html>", {std::move(part)}, 0, limits).value()),
        thread_([this] {
          result_ = server_.serve(stop_.get());
          ended_ = true;
        }) {}
  ~Serving() { stop(); }

  void stop() {
    if (thread_.joinable()) {
      ::eventfd_write(stop_.get(), 1);
      thread_.join();
    }
  }
  bool ends_within(milliseconds time) const {
    for (Clock::time_point end = Clock::now() + time; Clock::now() < end;) {
      if (ended_) {
        return true;
      }
      std::this_thread::sleep_for(milliseconds(5));
    }
    return ended_;
  }
  uint16_t port() const { return server_.port(); }
  // "/token/"
  std::string path() const {
    std::string url = server_.url();
    return url.substr(url.find('/', sizeof "http://"));
  }

  Descriptor connect() const {
    Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    timeval patience{.tv_sec = 20, .tv_usec = 0};
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return socket;
  }

  std::string request(std::string_view name, std::string_view method = "GET") const {
    return fmt::format(
        "{} {}{} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", method, path(), name, port());
  }

 private:
  Descriptor stop_;
  ViewServer server_;
  Result<> result_;
  std::atomic<bool> ended_ = false;
  std::thread thread_;
};

void send(const Descriptor& socket, std::string_view text) {
  while (!text.empty()) {
    ssize_t sent = ::send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL);
    if (sent <= 0) {
      return;
    }
    text.remove_prefix(static_cast<size_t>(sent));
  }
}

std::string receive_all(const Descriptor& socket) {
  std::string text;
  std::array<char, 65'536> buffer = {};
  for (ssize_t got = 1; got > 0;) {
    got = ::recv(socket.get(), buffer.data(), buffer.size(), 0);
    text.append(buffer.data(), got > 0 ? static_cast<size_t>(got) : 0);
  }
  return text;
}

std::string ask(const Serving& serving, const std::string& request) {
  Descriptor socket = serving.connect();
  send(socket, request);
  return receive_all(socket);
}

TEST(ViewServer, SendsThePageAndItsData) {
  Serving serving;
  std::string page = ask(serving, serving.request(""));
  EXPECT_TRUE(page.starts_with("HTTP/1.1 200 OK\r\n")) << page;
  EXPECT_TRUE(page.ends_with("\r\n\r\n<html>page</html>")) << page;
  EXPECT_NE(page.find("X-Content-Type-Options: nosniff\r\n"), std::string::npos);
  EXPECT_NE(page.find("frame-ancestors 'none'"), std::string::npos);
  EXPECT_NE(page.find("Cache-Control: no-store\r\n"), std::string::npos);
  EXPECT_TRUE(ask(serving, serving.request("part-0.gz")).ends_with("\r\n\r\ndata"));
}

TEST(ViewServer, RefusesTheRest) {
  Serving serving;
  EXPECT_TRUE(ask(serving, serving.request("", "POST")).starts_with("HTTP/1.1 405 "));
  EXPECT_TRUE(ask(serving, serving.request("../secret")).starts_with("HTTP/1.1 404 "));
  std::string wrong_token =
      fmt::format("GET /0123/ HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", serving.port());
  EXPECT_TRUE(ask(serving, wrong_token).starts_with("HTTP/1.1 404 "));
  EXPECT_TRUE(ask(serving, "nonsense\r\n\r\n").starts_with("HTTP/1.1 400 "));
  EXPECT_TRUE(ask(serving, std::string(40'000, 'x')).starts_with("HTTP/1.1 431 "));
  EXPECT_EQ(ask(serving, wrong_token).find(serving.path()), std::string::npos);
}

TEST(ViewServer, TokensDiffer) {
  EXPECT_NE(Serving().path(), Serving().path());
  EXPECT_EQ(Serving().path().size(), 34U);
}

TEST(ViewServer, AClientThatClosesItsSideIsAnswered) {
  Serving serving;
  Descriptor socket = serving.connect();
  send(socket, serving.request("part-0.gz"));
  ::shutdown(socket.get(), SHUT_WR);
  EXPECT_TRUE(receive_all(socket).ends_with("data"));
}

TEST(ViewServer, SlowClientsDelayNoOther) {
  // On a loaded machine, a client that reads may not run for half a second.
  Serving serving({.head = milliseconds(300), .stalled = milliseconds(1500)},
                  std::string(50'000'000, 'x'));
  Descriptor silent = serving.connect();
  Descriptor slow = serving.connect();
  send(slow, "GET /");
  Descriptor deaf = serving.connect();  // requests a large part and reads nothing
  send(deaf, serving.request("part-0.gz"));
  EXPECT_TRUE(ask(serving, serving.request("")).starts_with("HTTP/1.1 200"));
  EXPECT_EQ(receive_all(silent), "");  // closed at the deadline
  EXPECT_EQ(receive_all(slow), "");
  std::this_thread::sleep_for(milliseconds(2000));
  EXPECT_LT(receive_all(deaf).size(), 50'000'000U);
  // A client that reads gets an answer of the same size completely.
  EXPECT_GT(ask(serving, serving.request("part-0.gz")).size(), 50'000'000U);
}

// Without free descriptors the server waits; it must not use a whole CPU.
TEST(ViewServer, WithoutDescriptorsItRests) {
  Serving serving;
  Descriptor waiting(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  rlimit before = {};
  ::getrlimit(RLIMIT_NOFILE, &before);
  rlimit none = {.rlim_cur = static_cast<rlim_t>(waiting.get()) + 1, .rlim_max = before.rlim_max};
  // Use up all descriptors below the limit.
  std::vector<Descriptor> fillers;
  ::setrlimit(RLIMIT_NOFILE, &none);
  for (int number = ::dup(waiting.get()); number >= 0; number = ::dup(waiting.get())) {
    fillers.emplace_back(number);
  }
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(serving.port());
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::connect(waiting.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  std::clock_t begin = std::clock();
  std::this_thread::sleep_for(milliseconds(600));
  double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  ::setrlimit(RLIMIT_NOFILE, &before);
  fillers.clear();
  EXPECT_LT(seconds, 0.2);
  send(waiting, serving.request(""));
  EXPECT_TRUE(receive_all(waiting).starts_with("HTTP/1.1 200"));
}

TEST(ViewServer, ManyConnectionsAreBounded) {
  Serving serving({.head = milliseconds(30'000), .connections = 8});
  std::vector<Descriptor> idle;
  for (int i = 0; i < 100; ++i) {
    idle.push_back(serving.connect());
  }
  std::string crowded = ask(serving, serving.request(""));
  EXPECT_TRUE(crowded.empty() || crowded.starts_with("HTTP/1.1 503 ")) << crowded;
  idle.clear();
  std::string answer;
  for (int i = 0; i < 100 && !answer.starts_with("HTTP/1.1 200"); ++i) {
    std::this_thread::sleep_for(milliseconds(50));
    answer = ask(serving, serving.request(""));
  }
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200")) << answer;
}

TEST(ViewServer, EndsWithTheTab) {
  Serving serving({.grace = milliseconds(600)});
  EXPECT_FALSE(serving.ends_within(milliseconds(900)));  // no tab yet, so it waits
  {
    Descriptor tab = serving.connect();
    send(tab, serving.request("alive"));
    EXPECT_FALSE(serving.ends_within(milliseconds(900)));
    Descriptor reloaded = serving.connect();
    tab.close();
    send(reloaded, serving.request("alive"));
    EXPECT_FALSE(serving.ends_within(milliseconds(900)));
  }
  EXPECT_TRUE(serving.ends_within(milliseconds(10'000)));
}

TEST(ViewServer, EndsWhenAsked) {
  Serving serving;
  Descriptor tab = serving.connect();
  send(tab, serving.request("alive"));
  serving.stop();
  EXPECT_TRUE(serving.ends_within(milliseconds(0)));
}

TEST(ViewServer, ATakenPortIsReported) {
  Serving serving;
  Result<ViewServer> second = ViewServer::start("", {}, serving.port());
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("-o page.html"), std::string::npos);
}

}  // namespace
}  // namespace wick
