// SPDX-License-Identifier: Apache-2.0
// Sources of names: what can say which function an address of a module is in.
//
//     NameSource    one source for one recording; opens its names for a module
//     ModuleNames   the names of one source for one module; asked again and again while a recording
//                   grows, and never twice for an address
//
// The rows of name_sources.cc list the sources in the order of preference. An address that one
// source cannot name goes to the next that has names for the module. To add a source, write one
// file in name_sources/ and one row; CONTRIBUTING.md shows how.
//
// A source reads files that others wrote, and must expect that they are cut, that they disappear or
// shrink while they are mapped (base/mapped_file.h), and that they lie. It never waits without a
// deadline. What it could not do it reports as a note, which becomes a notice of the profile.
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

// What the code of a module is. It decides which sources have names for it.
enum class CodeKind : uint8_t {
  kOther,         // [heap], [stack]: no source names it
  kFile,          // a program or a library; the vdso, too
  kGenerated,     // made by a run-time compiler; the module is the perf map of its process
  kKernelText,    // of the recorded machine
  kKernelModule,  // the same
  kOtherSystem,   // a kernel that is not Linux; only --symbols names it
  kGuest,         // anything in a virtual machine
};

// A module as sources see it.
struct ModuleToName {
  std::string path;      // as the profile shows it
  std::string build_id;  // raw; empty when unknown
  CodeKind kind = CodeKind::kOther;
  LoadedId loaded = {};  // while its recording is open; none for a profile that was read
  int32_t pid = -1;      // of generated code
};

// Reasons why a profile has fewer names than it could have. `modules` 0: the detail says what is
// meant.
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

// The files that gave the names; empty where there is none.
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

// Those of the addresses, which ascend, for which the answers have no function.
std::vector<uint64_t> without_names(std::span<const uint64_t> addresses,
                                    const NameAnswers& answers);

// The functions that were at one address, one after the other.
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
  bool has_times = true;        // false: code was replaced, and when is not known
};

class ModuleNames {
 public:
  virtual ~ModuleNames() = default;

  // Looks up addresses of the profile. They ascend, and none was asked for before, unless
  // has_changed() said that everything must be asked for again.
  virtual void find(std::span<const uint64_t> addresses) = 0;
  // All answers so far, borrowed until the next find().
  virtual NameAnswers answers() = 0;

  // Whether it also adds lines and inlined functions to frames that have a name already.
  virtual bool adds_lines() const { return false; }
  // For modules whose file was not available while recording: addresses of the profile are offsets
  // in the file, and this makes them addresses as linked. None where the file is still missing.
  virtual std::optional<uint64_t> linked_address(uint64_t /*file_offset*/) const { return {}; }
  // Whether earlier answers may be outdated because a file has grown: then all of them are
  // forgotten. `now` is true when the recording has ended, else it may wait to save time.
  virtual bool has_changed(bool /*now*/) { return false; }
  // For addresses, which ascend, whose code was replaced while the program ran.
  virtual CodeHistories histories(std::span<const uint64_t> /*addresses*/) const { return {}; }
  // Says what is missing or wrong so far, and which files were used.
  virtual void report(NameNotes& /*notes*/, NameFiles& /*files*/) const {}
  // The end of naming: caches answers for the next run.
  virtual void save() {}
};

// Names of a list, one address at a time. An answer that does not cover its address is ignored and
// reported.
class ListedNames : public ModuleNames {
 public:
  explicit ListedNames(std::string path) : path_(std::move(path)) {}

  void find(std::span<const uint64_t> addresses) final;
  NameAnswers answers() final { return {.views = {table_.view()}}; }
  void report(NameNotes& notes, NameFiles& files) const override;

 protected:
  // The text of the answer is used before the next call.
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

  // For a source that fetches for many modules at once, before any of them is opened: those with
  // the most samples come first. The result says for which of them it brought something.
  virtual std::vector<bool> prepare(std::span<const ModuleToName> modules, NameNotes& /*notes*/) {
    return std::vector<bool>(modules.size());
  }
  // Its names for the module; null when it has none, and then a note may say why.
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
