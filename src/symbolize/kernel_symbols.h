// Names for the kernel's own code, wherever they can be had.
//
//     the directory of the recording   kcore_dir/kallsyms and modules (perf record --kcore)
//     this machine, same kernel        /proc/kallsyms (kept_kallsyms.h)
//     perf's build-id cache            ~/.debug/[kernel.kallsyms]/BUILDID/kallsyms
//     a kernel image with symbols      vmlinux of that build (kernel_image.h)
//
// The image also has lines and inlined functions, whoever gives the names.
//
// Addresses of the profile are distances from _text, or from the start of a kernel module, so the
// kernel may stand elsewhere now than when it was recorded.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "elf/symbols.h"
#include "symbolize/kept_kallsyms.h"
#include "symbolize/kernel_image.h"
#include "symbolize/module_files.h"
#include "symbolize/text_symbols.h"

namespace wick {

class KernelSymbols {
 public:
  // What a recording tells of its kernel.
  struct Recorded {
    // Raw; empty when unknown, and then this machine's kernel is believed to be the same.
    std::string build_id;
    std::string release = {};   // `uname -r`; empty when unknown
    std::string kallsyms = {};  // a file that comes with the recording, or empty
  };
  static KernelSymbols find(const FileSearch& search, const Recorded& recorded);

  std::optional<NamedRange> find_text(uint64_t distance_from_text) const;
  std::optional<NamedRange> find_module(std::string_view module,
                                        uint64_t distance_from_start) const;

  // In the module of that name ("[ext4]", ".../ext4.ko.xz"), or in the text when it is none.
  std::optional<NamedRange> find_in(std::string_view module, uint64_t distance_from_start) const;
  // Where a module, or the text, stands in memory_path(); none when that is not known.
  std::optional<uint64_t> start_of(std::string_view module) const;
  // By address in memory_path(), and counted so.
  std::optional<NamedRange> find_address(uint64_t address) const { return find_listed(address); }

  // Its file is null when there is none of that build.
  const KernelImage& image() const { return image_; }
  KernelImage take_image() { return std::move(image_); }
  // The memory that the list of names speaks of, whether or not it can be read (kernel_memory.h);
  // empty when there is none.
  const std::string& memory_path() const { return memory_path_; }

  // Whether the list of names is that of the kernel that runs here.
  bool is_running() const { return memory_path_ == kRunningMemory; }
  // `uname -r` of the recorded kernel.
  const std::string& release() const { return release_; }

  // Why there are no names, as a sentence; empty when there are.
  const std::string& problem() const { return problem_; }

 private:
  static constexpr const char* kRunningMemory = "/proc/kcore";

  bool take_kallsyms(std::string text);
  bool take_running_kallsyms();
  bool take_image_symbols();
  void find_names(const FileSearch& search, const Recorded& recorded);
  // From a list as /proc/modules; none when there is no such file.
  void take_module_starts(const std::string& path);
  std::optional<NamedRange> find_listed(uint64_t address) const;

  TextSymbols list_;
  std::optional<KeptKallsyms> kept_;  // instead of list_
  KernelImage image_;
  SymbolTable image_symbols_;  // when there is no list
  uint64_t text_ = 0;          // where _text stands in the source of names
  std::unordered_map<std::string, uint64_t> module_starts_;
  std::string memory_path_;
  std::string release_;
  std::string problem_;
};

// "[kernel.kallsyms]": the text of the recorded machine's kernel, not a module and not a guest's.
bool is_kernel_text(std::string_view path);

// Raw; empty when the kernel does not tell.
std::string running_kernel_build_id();

// "ext4" of "[ext4]" or ".../ext4.ko.xz", which is what recordings call a module of the kernel.
std::string kernel_module_name(std::string_view path);

}  // namespace wick
