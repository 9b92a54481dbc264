// SPDX-License-Identifier: Apache-2.0
#include "profile/common_names.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/parse_number.h"
#include "base/path.h"
#include "profile/names.h"

namespace wick {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kPid = "PID";

// Where programs put files that exist for one run only.
constexpr std::array<std::string_view, 7> kOfOneRun = {
    "/tmp/", "/var/tmp/", "/dev/shm/", "/run/", "/proc/", "/memfd:", "//"};

// Mappings without a file.
bool is_anonymous(std::string_view path) {
  return path.starts_with("[anon") || path.starts_with("//anon") || path.starts_with("anon_inode:");
}

// The text after a number at the start; none if there is no number.
std::optional<std::string_view> after_number(std::string_view text) {
  size_t digits = std::min(text.find_first_not_of(kDigits), text.size());
  return digits == 0 ? std::nullopt : std::optional(text.substr(digits));
}

// "perf-27768.map", and the dump of a run-time compiler, which jitdump.h names "jit-27768.dump".
std::optional<std::string> common_map_name(std::string_view name) {
  for (auto [before, after] :
       {std::pair<std::string_view, std::string_view>{"perf-", ".map"}, {"jit-", ".dump"}}) {
    std::optional<std::string_view> rest =
        name.starts_with(before) ? after_number(name.substr(before.size())) : std::nullopt;
    if (rest && rest->starts_with(after)) {
      return fmt::format("{}{}{}", before, kPid, *rest);
    }
  }
  return std::nullopt;
}

// "jitted-27768-4.so": `perf inject --jit` writes one such file for each function.
bool is_function_file(std::string_view name) {
  constexpr std::string_view kBefore = "jitted-";
  std::optional<std::string_view> rest =
      name.starts_with(kBefore) ? after_number(name.substr(kBefore.size())) : std::nullopt;
  rest = rest && rest->starts_with('-') ? after_number(rest->substr(1)) : std::nullopt;
  return rest && rest->starts_with(".so");
}

// Whether addresses in it differ from run to run.
bool is_generated(std::string_view path) {
  std::string_view name = file_name_of(path);
  return is_anonymous(path) || common_map_name(name) || is_function_file(name);
}

std::string without_pids(std::string_view path, const std::set<int64_t>& pids) {
  std::string result;
  while (!path.empty()) {
    size_t begin = std::min(path.find_first_of(kDigits), path.size());
    result += path.substr(0, begin);
    path.remove_prefix(begin);
    std::string_view digits =
        path.substr(0, std::min(path.find_first_not_of(kDigits), path.size()));
    std::optional<int64_t> number = parse_number<int64_t>(digits);
    result += number && pids.contains(*number) ? kPid : digits;
    path.remove_prefix(digits.size());
  }
  return result;
}

std::set<int64_t> pids_of(const Profile& profile) {
  std::set<int64_t> pids;
  for (const Process& process : profile.processes) {
    if (process.pid > 0) {
      pids.insert(process.pid);
    }
  }
  return pids;
}

// Gives code without a name in the flagged modules one name for each module.
void name_unnamed_code(Profile& profile,
                       const std::vector<bool>& modules,
                       StringInterner& strings) {
  std::map<std::string, FunctionId> unnamed;
  for (size_t row = 0; row < profile.frames.size(); ++row) {
    Frame& frame = profile.frames[FrameId::from_index(row)];
    bool is_generated = frame.module.valid() && modules[frame.module.index()];
    if (!is_generated || has_symbol(profile, frame)) {
      continue;
    }
    std::string_view path = strings.table()[profile.modules[frame.module].path];
    auto [entry, is_new] =
        unnamed.try_emplace(fmt::format("{} [no name]", file_name_of(path)), FunctionId());
    if (is_new) {
      entry->second = profile.functions.push_back(Function{
          .name = strings.intern(entry->first), .module = frame.module, .flags = kMadeUpName});
    }
    frame.function = entry->second;
  }
}

}  // namespace

std::string common_module_path(std::string_view path, const std::set<int64_t>& pids) {
  std::string_view name = file_name_of(path);
  if (std::optional<std::string> common = common_map_name(name)) {
    return std::string(path.substr(0, path.size() - name.size())) + *common;
  }
  if (is_function_file(name)) {
    return fmt::format("jitted-{}-N.so", kPid);
  }
  bool is_of_one_run =
      is_anonymous(path) || std::ranges::any_of(kOfOneRun, [&](std::string_view directory) {
        return path.starts_with(directory);
      });
  return is_of_one_run ? without_pids(path, pids) : std::string(path);
}

void use_common_names(Profile& profile) {
  std::set<int64_t> pids = pids_of(profile);
  StringInterner strings(std::move(profile.strings));
  std::vector<bool> generated(profile.modules.size());
  for (size_t row = 0; row < profile.modules.size(); ++row) {
    Module& module = profile.modules[ModuleId::from_index(row)];
    std::string path(strings.table()[module.path]);
    std::string common = common_module_path(path, pids);
    if (is_function_file(file_name_of(path))) {
      module.build_id = {};  // each of these files has its own
    }
    generated[row] = is_generated(path);
    module.path = strings.intern(common);
  }
  name_unnamed_code(profile, generated, strings);
  profile.strings = strings.release();
}

}  // namespace wick
