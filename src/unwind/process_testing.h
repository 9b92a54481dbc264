// SPDX-License-Identifier: Apache-2.0
// A running process as the unwinder sees it: its executable mappings with tables, its registers and
// its stack. For tests and benchmarks only; x86-64.
#pragma once

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <sys/auxv.h>
#include <sys/types.h>

#include "unwind/testing.h"

namespace wick::testing {

struct MapsLine {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t offset = 0;
  bool executable = false;
  std::string path;
};

// /proc/PID/maps; `pid` may be "self".
inline std::vector<MapsLine> read_maps(const std::string& pid) {
  std::vector<MapsLine> lines;
  std::ifstream file("/proc/" + pid + "/maps");
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find('\n', at);
    std::string line = text.substr(at, end - at);
    at = end + 1;
    MapsLine map;
    char permissions[5] = {};
    int path_at = 0;
    unsigned long long begin = 0;
    unsigned long long last = 0;
    unsigned long long offset = 0;
    if (std::sscanf(line.c_str(),
                    "%llx-%llx %4s %llx %*s %*s %n",
                    &begin,
                    &last,
                    permissions,
                    &offset,
                    &path_at) >= 4) {
      lines.push_back(
          {begin, last, offset, permissions[2] == 'x', line.substr(static_cast<size_t>(path_at))});
    }
  }
  return lines;
}

// The executable mappings of a process, each with the table of its file.
class ProcessModules : public ModuleLookup {
 public:
  explicit ProcessModules(const std::string& pid) {
    for (const MapsLine& line : read_maps(pid)) {
      if (line.executable) {
        add(line);
      }
    }
  }
  const MappedModule* find(uint64_t address) const override {
    auto after = modules_.upper_bound(address);
    if (after == modules_.begin() || address >= std::prev(after)->second.end) {
      return nullptr;
    }
    return &std::prev(after)->second;
  }

 private:
  void add(const MapsLine& line) {
    MappedModule module{line.begin, line.end, 0, nullptr};
    if (line.path == "[vdso]") {
      // All processes have the same vdso, so this uses its own; it is mapped completely.
      auto* own = reinterpret_cast<const std::byte*>(::getauxval(AT_SYSINFO_EHDR));
      Result<ElfImage> image = ElfImage::parse(Bytes(own, line.end - line.begin));
      if (image) {
        tables_.push_back(std::make_unique<UnwindTable>(UnwindTable::compile(*image)));
        module.table = tables_.back().get();
        module.bias = image->load_bias({line.begin, line.end - line.begin, 0}).value_or(0);
      }
    } else if (line.path.starts_with('/')) {
      std::unique_ptr<LoadedFile>& file = files_[line.path];
      file = file != nullptr ? std::move(file) : load_elf(line.path);
      if (file != nullptr) {
        module.table = &file->table;
        module.bias =
            file->image->load_bias({line.begin, line.end - line.begin, line.offset}).value_or(0);
      }
    }
    modules_[line.begin] = module;
  }

  std::map<uint64_t, MappedModule> modules_;
  std::map<std::string, std::unique_ptr<LoadedFile>> files_;
  std::vector<std::unique_ptr<UnwindTable>> tables_;
};

}  // namespace wick::testing
