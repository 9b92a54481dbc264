// SPDX-License-Identifier: Apache-2.0
// The perf.data that a recording may write in addition to its profile: the records of the kernel,
// unchanged.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/output.h"
#include "base/result.h"
#include "formats/perf_data/writer.h"
#include "profile/profile.h"

namespace wick::capture {

class RawFile {
 public:
  // `command` is the recorded command; empty for processes that run already.
  static Result<std::unique_ptr<RawFile>> open(const std::string& path,
                                               const std::vector<std::string>& command,
                                               const OutputOptions& options);
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;

  // Gives the file its name. An older file of that name becomes NAME.old, as with perf.
  Result<> publish();
  perf_data::Writer& writer() { return writer_; }
  // Adds the build ids of the profile's modules.
  Result<> finish(const Profile& profile);
  // Why no more can be written (errno), or 0.
  int error() const { return out_.error(); }

 private:
  RawFile(const std::string& path, Output out, const std::vector<std::string>& command);

  std::string path_;
  Output out_;
  perf_data::Writer writer_;
};

}  // namespace wick::capture
