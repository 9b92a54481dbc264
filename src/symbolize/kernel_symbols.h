// SPDX-License-Identifier: Apache-2.0
// Names for the kernel's own code, from any available source:
//
//     the directory of the recording   kcore_dir/kallsyms and modules (perf record --kcore)
//     this machine, same kernel        /proc/kallsyms (cached_kallsyms.h)
//     perf's build-id cache            ~/.debug/[kernel.kallsyms]/BUILDID/kallsyms
//     a kernel image with symbols      vmlinux of that build (kernel_image.h)
//
// The image also has lines and inlined functions, whichever source gives the names.
//
// Addresses in the profile are distances from _text, or from the start of a kernel module, so the
// kernel's address may differ from that in the recording.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "elf/symbols.h"
#include "symbolize/cached_kallsyms.h"
#include "symbolize/kernel_image.h"
#include "symbolize/module_files.h"
#include "symbolize/text_symbols.h"

namespace wick {

class KernelSymbols {
 public:
  // The recording's information about its kernel.
  struct Recorded {
    // Raw; empty if unknown. Then wick assumes that this machine's kernel is the same.
    std::string build_id;
    std::string release = {};   // `uname -r`; empty if unknown
    std::string kallsyms = {};  // a list in the directory of the recording, or empty
  };
  static KernelSymbols find(const FileSearch& search, const Recorded& recorded);

  std::optional<NamedRange> find_text(uint64_t distance_from_text) const;
  std::optional<NamedRange> find_module(std::string_view module,
                                        uint64_t distance_from_start) const;

  // In the module of that name ("[ext4]", ".../ext4.ko.xz"), or in the kernel's text if it is not a
  // module.
  std::optional<NamedRange> find_in(std::string_view module, uint64_t distance_from_start) const;
  // The address of a module, or of the text, in memory_path(); none if unknown.
  std::optional<uint64_t> start_of(std::string_view module) const;
  // By address in memory_path(); the result also has such an address.
  std::optional<NamedRange> find_address(uint64_t address) const { return find_listed(address); }

  // Its file is null if there is none of that build.
  const KernelImage& image() const { return image_; }
  KernelImage take_image() { return std::move(image_); }
  // The memory that the list of names belongs to, whether or not it is readable (kernel_memory.h);
  // empty if there is none.
  const std::string& memory_path() const { return memory_path_; }

  // Whether the list of names belongs to the running kernel.
  bool is_running() const { return memory_path_ == kRunningMemory; }
  // `uname -r` of the recorded kernel.
  const std::string& release() const { return release_; }

  // Why there are no names, as a sentence; empty if there are names.
  const std::string& problem() const { return problem_; }

 private:
  static constexpr const char* kRunningMemory = "/proc/kcore";

  bool take_kallsyms(std::string text);
  bool take_running_kallsyms();
  bool take_image_symbols();
  void find_names(const FileSearch& search, const Recorded& recorded);
  // Reads a list in the format of /proc/modules; no effect if there is no such file.
  void take_module_starts(const std::string& path);
  std::optional<NamedRange> find_listed(uint64_t address) const;

  TextSymbols list_;
  std::optional<CachedKallsyms> cached_;  // instead of list_
  KernelImage image_;
  SymbolTable image_symbols_;  // if there is no list
  uint64_t text_ = 0;          // address of _text in the source of names
  std::unordered_map<std::string, uint64_t> module_starts_;
  std::string memory_path_;
  std::string release_;
  std::string problem_;
};

// "[kernel.kallsyms]": the text of the recorded machine's kernel, not of a module and not of a
// guest.
bool is_kernel_text(std::string_view path);

// Raw; empty if the kernel does not report it.
std::string running_kernel_build_id();

// "ext4" for "[ext4]" or ".../ext4.ko.xz", the names of kernel modules in recordings.
std::string kernel_module_name(std::string_view path);

}  // namespace wick
