// SPDX-License-Identifier: Apache-2.0
#include "viewer/request.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace wick {
namespace {

Site site() {
  return {.port = 8080,
          .token = "secret",
          .content = {{"", "text/html"}, {"part-0.gz", "application/octet-stream"}}};
}

int status(std::string_view head) {
  return decide(head, site()).status;
}

TEST(Request, AnswersWhatItServes) {
  Decision page = decide("GET /secret/ HTTP/1.1\r\nHost: 127.0.0.1:8080", site());
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.name, "");
  EXPECT_EQ(status("GET /secret/?x=1 HTTP/1.1\r\nhost:\tlocalhost:8080 "), 200);
  EXPECT_EQ(decide("GET /secret/part-0.gz HTTP/1.0\r\nHost: 127.0.0.1:8080\r\n"
                   "Origin: http://127.0.0.1:8080",
                   site())
                .name,
            "part-0.gz");
}

TEST(Request, BrowsersLeaveOutPort80) {
  Site on_80 = site();
  on_80.port = 80;
  std::string_view bare = "GET /secret/ HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://127.0.0.1";
  EXPECT_EQ(decide(bare, on_80).status, 200);
  EXPECT_EQ(decide("GET /secret/ HTTP/1.1\r\nHost: 127.0.0.1:80", on_80).status, 200);
  EXPECT_EQ(decide("GET /secret/ HTTP/1.1\r\nHost: evil.example", on_80).status, 403);
  EXPECT_EQ(status(bare), 403);
}

TEST(Request, NeedsTheToken) {
  for (std::string_view path : {"/",
                                "",
                                "secret/",
                                "/secret",
                                "/wrong!/",
                                "/secre/",
                                "/secrets/",
                                "//secret/",
                                "/SECRET/",
                                "*",
                                "http://127.0.0.1:8080/secret/"}) {
    EXPECT_EQ(status(fmt::format("GET {} HTTP/1.1\r\nHost: 127.0.0.1:8080", path)), 404) << path;
  }
}

TEST(Request, LeadsToNoFile) {
  for (std::string_view name : {"x",
                                "../etc/passwd",
                                "..",
                                ".",
                                "%2e%2e/x",
                                "part-0.gz/",
                                "part-0.gz/../part-0.gz",
                                "/etc/passwd",
                                "part-1.gz"}) {
    EXPECT_EQ(status(fmt::format("GET /secret/{} HTTP/1.1\r\nHost: 127.0.0.1:8080", name)), 404)
        << name;
  }
}

TEST(Request, RefusesOtherHosts) {
  for (std::string_view host : {"evil.example",
                                "127.0.0.1",
                                "127.0.0.1:80",
                                "127.0.0.1:80800",
                                "localhost.evil.example:8080",
                                "[::1]:8080",
                                ""}) {
    EXPECT_EQ(status(fmt::format("GET /secret/ HTTP/1.1\r\nHost: {}", host)), 403) << host;
  }
  EXPECT_EQ(status("GET /secret/ HTTP/1.1"), 403);
  EXPECT_EQ(status("GET /secret/ HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nHost: evil.example"), 403);
}

TEST(Request, RefusesOtherOrigins) {
  for (std::string_view origin : {"http://evil.example",
                                  "null",
                                  "https://127.0.0.1:8080",
                                  "http://127.0.0.1:8081",
                                  "http://127.0.0.1:8080.evil.example",
                                  ""}) {
    EXPECT_EQ(
        status(fmt::format("GET /secret/ HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nORIGIN: {}", origin)),
        403)
        << origin;
  }
}

TEST(Request, OnlyGet) {
  for (std::string_view method : {"POST", "PUT", "HEAD", "OPTIONS", "get", "CONNECT", "TRACE"}) {
    EXPECT_EQ(status(fmt::format("{} /secret/ HTTP/1.1\r\nHost: 127.0.0.1:8080", method)), 405)
        << method;
  }
}

TEST(Request, RefusesWhatIsNoRequest) {
  for (std::string_view head : {"",
                                "GET",
                                "GET /secret/",
                                "GET /secret/ HTTP/2",
                                "GET  HTTP/1.1x",
                                "\r\nGET / HTTP/1.1",
                                "GET /secret/ HTTP/1.1\r\nno colon",
                                "GET /secret/ HTTP/1.1\r\n: empty",
                                "GET /secret/ HTTP/1.1\r\nHost: 127.0.0.1:8080\nX: y"}) {
    EXPECT_NE(status(head), 200) << head;
    EXPECT_NE(status(head), 404) << head;
  }
  EXPECT_EQ(status(std::string_view("GET /secret/\0 HTTP/1.1\r\nHost: 127.0.0.1:8080", 44)), 400);
}

}  // namespace
}  // namespace wick
