// SPDX-License-Identifier: Apache-2.0
#include "viewer/request.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "base/lines.h"

namespace wick {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

// Takes the same time for wrong and right tokens, so the time reveals nothing.
bool same_secret(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    difference |= static_cast<unsigned>(a[i] ^ b[i]);
  }
  return difference == 0;
}

struct Head {
  std::string_view method;
  std::string_view target;
  std::vector<std::string_view> hosts;
  std::vector<std::string_view> origins;
};

bool parse(std::string_view head, Head& result) {
  bool first = true;
  while (!head.empty()) {
    size_t end = head.find("\r\n");
    std::string_view line = head.substr(0, end);
    head = end == std::string_view::npos ? std::string_view() : head.substr(end + 2);
    if (line.find_first_of(std::string_view("\0\r\n", 3)) != std::string_view::npos) {
      return false;
    }
    if (first) {
      size_t blank = line.find(' ');
      size_t last = line.rfind(' ');
      if (blank == std::string_view::npos || last == blank ||
          !line.substr(last + 1).starts_with("HTTP/1.")) {
        return false;
      }
      result.method = line.substr(0, blank);
      result.target = line.substr(blank + 1, last - blank - 1);
      first = false;
      continue;
    }
    size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) {
      return false;
    }
    std::string_view name = line.substr(0, colon);
    std::string_view value = trimmed(line.substr(colon + 1));
    if (same_word(name, "host")) {
      result.hosts.push_back(value);
    } else if (same_word(name, "origin")) {
      result.origins.push_back(value);
    }
  }
  return !first;
}

// A host name must not pass: the DNS of another site can resolve it to 127.0.0.1 (DNS rebinding).
bool is_own_host(std::string_view host, uint16_t port) {
  constexpr uint16_t kDefaultPort = 80;  // browsers omit it
  return host == fmt::format("127.0.0.1:{}", port) || host == fmt::format("localhost:{}", port) ||
         (port == kDefaultPort && (host == "127.0.0.1" || host == "localhost"));
}

bool is_own_origin(std::string_view origin, uint16_t port) {
  constexpr std::string_view kScheme = "http://";
  return origin.starts_with(kScheme) && is_own_host(origin.substr(kScheme.size()), port);
}

}  // namespace

Decision decide(std::string_view head, const Site& site) {
  Head request;
  if (!parse(head, request)) {
    return {.status = 400};
  }
  if (request.hosts.size() != 1 || !is_own_host(request.hosts[0], site.port) ||
      !std::ranges::all_of(request.origins,
                           [&](auto origin) { return is_own_origin(origin, site.port); })) {
    return {.status = 403};
  }
  if (request.method != "GET") {
    return {.status = 405};
  }
  std::string_view path = request.target.substr(0, request.target.find('?'));
  size_t slash = path.find('/', 1);
  if (!path.starts_with('/') || slash == std::string_view::npos ||
      !same_secret(path.substr(1, slash - 1), site.token)) {
    return {.status = 404};
  }
  auto found = site.content.find(std::string(path.substr(slash + 1)));
  if (found == site.content.end()) {
    return {.status = 404};
  }
  return {.status = 200, .name = found->first};
}

std::string_view status_text(int status) {
  struct Text {
    int status;
    std::string_view text;
  };
  constexpr std::array kTexts = {Text{200, "OK"},
                                 Text{400, "Bad Request"},
                                 Text{403, "Forbidden"},
                                 Text{404, "Not Found"},
                                 Text{405, "Method Not Allowed"},
                                 Text{431, "Request Header Fields Too Large"},
                                 Text{503, "Service Unavailable"}};
  auto found = std::ranges::find(kTexts, status, &Text::status);
  return found == kTexts.end() ? "Error" : found->text;
}

}  // namespace wick
