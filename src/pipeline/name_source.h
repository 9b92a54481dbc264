// SPDX-License-Identifier: Apache-2.0
// Sources of names. A source says which function contains an address of a module.
//
//     NameSource    one source for one recording; opens its names for a module
//     ModuleNames   the names of one source for one module; used repeatedly while a recording
//                   grows, but only once for each address, unless its file has
//                   changed or was fetched
//
// The rows of name_sources.cc list the sources in the order of preference. An address that one
// source cannot name goes to the next that has names for the module. To add a source, write one
// file in name_sources/ and one row; CONTRIBUTING.md shows how.
//
// A source reads files of other programs. It must expect that they are truncated, that they
// disappear or shrink while they are mapped (base/mapped_file.h), and that they lie. It never waits
// without a deadline. It reports problems as notes, which become notices of the profile.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/address_space.h"
#include "symbolize/address_table.h"

namespace wick {

class NamingContext;

// The kind of code in a module. It decides which sources have names for it.
enum class CodeKind : uint8_t {
  kOther,         // [heap], [stack], a program of another system: only --symbols names it
  kFile,          // a program or a library; the vdso, too
  kGenerated,     // made by a run-time compiler; the module is the perf map of its process
  kKernelText,    // of the recorded machine
  kKernelModule,  // of that kernel
  kOtherSystem,   // a kernel that is not Linux; only --symbols names it
  kGuest,         // anything in a virtual machine
};

// A module as sources see it.
struct ModuleToName {
  std::string path;      // as the profile shows it
  std::string build_id;  // raw; empty if unknown
  CodeKind kind = CodeKind::kOther;
  LoadedId loaded = {};  // while its recording is open; none for a profile from a file
  int32_t pid = -1;      // of generated code
};

// Reasons why a profile has fewer names than possible. `modules` 0: the detail says what is
// affected.
class NameNotes {
 public:
  struct Note {
    std::string reason;
    std::string detail;
    uint64_t modules = 1;
  };
  void add(std::string reason, std::string detail, uint64_t modules = 1) {
    notes_.push_back({std::move(reason), std::move(detail), modules});
  }
  std::span<const Note> all() const { return notes_; }

 private:
  std::vector<Note> notes_;
};

// The files that contained the names; empty if there is none.
struct NameFiles {
  std::string binary;
  std::string debug;  // the file with debug information, if it is not the binary
  std::string jit_dump;
};

// Addresses in the views are larger by `base` than those of the profile. An address is in at most
// one of the views.
struct NameAnswers {
  std::vector<AddressView> views;
  uint64_t base = 0;
};

// The addresses without a function in the answers. `addresses` ascend.
std::vector<uint64_t> without_names(std::span<const uint64_t> addresses,
                                    const NameAnswers& answers);

// The functions that were at one address at different times.
struct CodeHistory {
  struct Load {
    int64_t time_ns = 0;
    NamedCode code;
  };
  uint64_t address = 0;
  std::vector<Load> loads;  // by time
};
struct CodeHistories {
  std::vector<CodeHistory> at;  // by address
  bool has_times = true;        // false: code was replaced at an unknown time
};

class ModuleNames {
 public:
  virtual ~ModuleNames() = default;

  // Looks up addresses of the profile. They ascend, and all are new, unless has_changed() has
  // requested that all be looked up again.
  virtual void find(std::span<const uint64_t> addresses) = 0;
  // All answers so far, borrowed until the next find().
  virtual NameAnswers answers() = 0;

  // Whether it also adds lines and inlined functions to frames that already have a name.
  virtual bool adds_lines() const { return false; }
  // For modules whose file was not available during the recording: addresses of the profile are
  // file offsets, and this converts them to linked addresses. None if the file is still missing.
  virtual std::optional<uint64_t> linked_address(uint64_t /*file_offset*/) const { return {}; }
  // Whether earlier answers may be outdated because a file has grown. All of them are then
  // discarded. `now` is true if the recording has ended; otherwise the source may delay the check
  // to save time.
  virtual bool has_changed(bool /*now*/) { return false; }
  // For addresses, which ascend, whose code was replaced while the program ran.
  virtual CodeHistories histories(std::span<const uint64_t> /*addresses*/) const { return {}; }
  // Adds the problems so far, and the files that were used.
  virtual void report(NameNotes& /*notes*/, NameFiles& /*files*/) const {}
  // Called at the end of naming: caches answers for the next run.
  virtual void save() {}
};

// Names from a list, one address at a time. An answer that does not cover its address is ignored
// and reported.
class ListedNames : public ModuleNames {
 public:
  explicit ListedNames(std::string path) : path_(std::move(path)) {}

  void find(std::span<const uint64_t> addresses) final;
  NameAnswers answers() final { return {.views = {table_.view()}}; }
  void report(NameNotes& notes, NameFiles& files) const override;

 protected:
  // The caller uses the text of the answer before the next call.
  virtual std::optional<NamedCode> name_of(uint64_t address) = 0;
  void forget_answers() { table_ = AddressTable(); }
  // Of the module.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  AddressTable table_;
  uint64_t lies_ = 0;
};

class NameSource {
 public:
  virtual ~NameSource() = default;

  // For a source that fetches files for many modules at once. It is called before any of them is
  // opened; modules with the most samples come first. The result says for which modules it fetched
  // something.
  virtual std::vector<bool> prepare(std::span<const ModuleToName> modules, NameNotes& /*notes*/) {
    return std::vector<bool>(modules.size());
  }
  // Its names for the module; null if it has none, and then a note may say why.
  virtual std::unique_ptr<ModuleNames> open(const ModuleToName& module, NameNotes& notes) = 0;
};

// A source for one recording; the context outlives it.
using MakeNameSource = std::unique_ptr<NameSource> (*)(NamingContext& context);

struct NameSourceRow {
  std::string_view name;
  MakeNameSource make;
};

// In the order of preference.
std::span<const NameSourceRow> name_source_rows();

std::unique_ptr<NameSource> make_debuginfod_source(NamingContext& context);
std::unique_ptr<NameSource> make_elf_source(NamingContext& context);
std::unique_ptr<NameSource> make_jit_dump_source(NamingContext& context);
std::unique_ptr<NameSource> make_kallsyms_source(NamingContext& context);
std::unique_ptr<NameSource> make_kernel_image_source(NamingContext& context);
std::unique_ptr<NameSource> make_kernel_module_source(NamingContext& context);
std::unique_ptr<NameSource> make_perf_map_source(NamingContext& context);
std::unique_ptr<NameSource> make_symbol_file_source(NamingContext& context);

}  // namespace wick
