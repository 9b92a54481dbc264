// SPDX-License-Identifier: Apache-2.0
#include "capture/raw_file.h"

#include <climits>
#include <cstdio>

#include <sys/utsname.h>
#include <unistd.h>

#include "base/bytes.h"
#include "record/machine.h"

namespace wick::capture {
namespace {

perf_data::WrittenHost host_running(const std::vector<std::string>& command) {
  utsname name = {};
  ::uname(&name);
  perf_data::WrittenHost host{.name = name.nodename,
                              .release = name.release,
                              .architecture = name.machine,
                              .version = "wick " WICK_VERSION,
                              .command_line = {"wick", "record"},
                              .cpus = static_cast<uint32_t>(record::online_cpus().size())};
  host.command_line.insert(host.command_line.end(), command.begin(), command.end());
  return host;
}

}  // namespace

RawFile::RawFile(const std::string& path, Output out, const std::vector<std::string>& command)
    : path_(path), out_(std::move(out)), writer_(out_, host_running(command)) {}

Result<std::unique_ptr<RawFile>> RawFile::open(const std::string& path,
                                               const std::vector<std::string>& command,
                                               const OutputOptions& options) {
  Output out = TRY(Output::growing(path, options));
  return std::unique_ptr<RawFile>(new RawFile(path, std::move(out), command));
}

Result<> RawFile::publish() {
  if (out_.can_be_replaced() && ::access(path_.c_str(), F_OK) == 0) {
    std::rename(path_.c_str(), (path_ + ".old").c_str());
  }
  return out_.publish();
}

Result<> RawFile::finish(const Profile& profile) {
  for (const Module& module : profile.modules) {
    std::string_view path = profile.strings[module.path];
    std::string build_id = bytes_of_hex(profile.strings[module.build_id]);
    bool is_known = path.starts_with('/') || path == "[kernel.kallsyms]" || path == "[vdso]";
    if (is_known && path.size() < PATH_MAX && !build_id.empty()) {
      writer_.add_build_id(path, build_id);
    }
  }
  writer_.finish();
  return out_.finish();
}

}  // namespace wick::capture
