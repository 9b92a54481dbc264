// SPDX-License-Identifier: Apache-2.0
// RuntimeNames: the names in a file that a run-time compiler writes while its program runs.
//
// Such a file grows, and the compiler may replace code at an address, so answers become outdated.
// During the recording wick reads the file again if it has grown, but spends at most a hundredth of
// the time on it. When the recording has ended, wick reads it once more.
#pragma once

#include <chrono>

#include "pipeline/name_source.h"
#include "pipeline/naming_context.h"

namespace wick {

class RuntimeNames : public ListedNames {
 public:
  RuntimeNames(NamingContext& context, const ModuleToName& module)
      : ListedNames(module.path), context_(context), pid_(module.pid) {}

  bool has_changed(bool now) final;
  void report(NameNotes& notes, NameFiles& files) const override;

 protected:
  virtual RuntimeFile open_file(const RuntimeProcess& process) const = 0;
  // Replaces all names so far.
  virtual void parse(Bytes bytes) = 0;

  // Reads the file, if this has not happened yet.
  void read_once();
  const std::string& dump_path() const { return dump_path_; }

 private:
  using Clock = std::chrono::steady_clock;

  void read(const RuntimeFile& opened, const RuntimeProcess& process);

  NamingContext& context_;
  int32_t pid_;
  bool is_read_ = false;
  size_t size_ = 0;  // of the file at the last reading
  std::string refused_;
  std::string dump_path_;
  Clock::time_point next_read_;
};

}  // namespace wick
