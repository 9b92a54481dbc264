// SPDX-License-Identifier: Apache-2.0
#include "analyze/origin.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "profile/filter.h"
#include "profile/time_range.h"

namespace wick {
namespace {

constexpr size_t kMaxHosts = 3;

// The values of these facts, each once, in their order.
std::vector<std::string> facts_of(const Profile& profile,
                                  std::initializer_list<std::string_view> keys) {
  std::vector<std::string> values;
  for (const Fact& fact : profile.facts) {
    std::string value(profile.strings[fact.value]);
    bool wanted = std::ranges::find(keys, profile.strings[fact.key]) != keys.end();
    if (wanted && !value.empty() && std::ranges::find(values, value) == values.end()) {
      values.push_back(std::move(value));
    }
  }
  return values;
}

std::vector<std::string> hosts_of(const Profile& profile) {
  std::vector<std::string> hosts;
  for (const Source& source : profile.sources) {
    std::string host(profile.strings[source.host]);
    bool is_new = std::ranges::find(hosts, host) == hosts.end();
    if (!host.empty() && !source.guest_of.valid() && is_new) {
      hosts.push_back(std::move(host));
    }
  }
  return hosts.empty() ? facts_of(profile, {"host", "hostname"}) : hosts;
}

std::string utc_text(int64_t nanoseconds) {
  std::time_t seconds = nanoseconds / 1'000'000'000;
  std::tm parts = {};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 32> text = {};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts);
  return text.data();
}

// wick stores the date of its recordings; of others the time of the first sample may be known.
std::string date_of(const Profile& profile) {
  std::vector<std::string> started = facts_of(profile, {"started"});
  if (!started.empty()) {
    std::string text = started.front();  // 2026-11-18T10:00:21Z
    std::ranges::replace(text, 'T', ' ');
    return text.ends_with('Z') ? text.substr(0, text.size() - 1) + " UTC" : text;
  }
  int64_t wall_ns = 0;
  bool is_known =
      profile.sources.size() == 1 && profile.has_time() &&
      profile.sources[SourceId(0)].wall_clock_ns != kNoTime &&
      !__builtin_add_overflow(
          profile.sources[SourceId(0)].wall_clock_ns, sampled_time(profile).first, &wall_ns);
  if (is_known && wall_ns > 0) {
    return utc_text(wall_ns);
  }
  std::vector<std::string> captured = facts_of(profile, {"captured on"});  // as perf writes it
  return captured.empty() ? "" : captured.front();
}

}  // namespace

std::string recorded_command(const Profile& profile) {
  std::vector<std::string> commands = facts_of(profile, {"command", "command line", "cmdline"});
  if (!commands.empty()) {
    return commands.front();
  }
  std::set<std::string_view> names;
  for (const Process& process : profile.processes) {
    names.insert(profile.strings[process.name]);
  }
  return names.size() == 1 ? std::string(*names.begin()) : "";
}

std::string origin_text(const Profile& profile) {
  std::vector<std::string> parts;
  std::vector<std::string> hosts = hosts_of(profile);
  if (!hosts.empty()) {
    parts.push_back(hosts.size() > kMaxHosts ? fmt::format("on {} hosts", hosts.size())
                                             : fmt::format("on {}", fmt::join(hosts, ", ")));
  }
  if (std::string date = date_of(profile); !date.empty()) {
    parts.push_back(std::move(date));
  }
  if (std::vector<std::string> filters = facts_of(profile, {kFilterFact}); !filters.empty()) {
    parts.push_back(fmt::format("only {}", fmt::join(filters, " ")));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace wick
