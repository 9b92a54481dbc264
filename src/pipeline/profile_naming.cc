// SPDX-License-Identifier: Apache-2.0
// Applies the names of the sources to one profile.
//
//     wanted_modules()      frames without function (with options.again: without line), by module
//     apply()               1. file offsets become linked addresses, if the file is available now
//                           2. the sources look up the addresses
//                           3. Inlining applies the answers of each source, in order of preference
//                           4. frames of reused code are split by the time of their samples
//     report()              notes of the sources, joined by reason
//     finish()              ReusedCode and Inlining rewrite the stacks; notes become losses
//
// The interner owns the profile's strings in the meantime; finish() returns them. Invariant: a
// frame never loses a name that it has, and naming a profile a second time does not change it.
#include "pipeline/profile_naming.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "symbolize/runtime_code.h"

namespace wick {
namespace {

// The kernel, a module or a program of a virtual machine (loaded_modules.cc). The files of this
// machine and its kernel symbols do not apply to them.
bool is_of_guest(std::string_view path) {
  return path.starts_with("[guest");
}

CodeKind kind_of(std::string_view path, Mode mode) {
  if (path == kForeignKernel) {
    return CodeKind::kOtherSystem;
  }
  if (is_of_guest(path)) {
    return CodeKind::kGuest;
  }
  if (pid_of_perf_map(path)) {
    return CodeKind::kGenerated;
  }
  if (is_kernel_text(path)) {
    return CodeKind::kKernelText;
  }
  if (mode == Mode::kKernel) {
    return CodeKind::kKernelModule;
  }
  bool is_file = !path.starts_with('[') || path == "[vdso]";
  return is_file ? CodeKind::kFile : CodeKind::kOther;
}

// By module: samples whose innermost frame is in it.
std::vector<uint64_t> samples_of_modules(const Profile& profile) {
  std::vector<uint64_t> samples(profile.modules.size());
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    StackId stack = profile.samples.stack[row];
    if (stack == kEmptyStack) {
      continue;
    }
    ModuleId module = profile.frames[profile.stacks.frame(stack)].module;
    if (module.valid()) {
      samples[module.index()] += profile.samples.count[row];
    }
  }
  return samples;
}

}  // namespace

ModuleToName module_to_name(std::string path, std::string build_id, Mode mode) {
  ModuleToName module{.path = std::move(path), .build_id = std::move(build_id)};
  module.kind = kind_of(module.path, mode);
  module.pid = pid_of_perf_map(module.path).value_or(-1);
  return module;
}

NamingContext::RecordedKernel recorded_kernel(const Profile& profile, const StringTable& strings) {
  NamingContext::RecordedKernel kernel;
  kernel.release = strings[recorded_host(profile).kernel];
  for (const Module& module : profile.modules) {
    if (is_kernel_text(strings[module.path])) {  // not a module of the kernel
      kernel.build_id = bytes_of_hex(strings[module.build_id]);
      break;
    }
  }
  return kernel;
}

// The order of the members matters: the interner takes the strings of the profile, and the others
// refer to both.
ProfileNaming::ProfileNaming(Profile profile, NamingContext& context)
    : profile_(std::move(profile)),
      options_(context.options()),
      strings_(std::move(profile_.strings)),
      foreign_(profile_, strings_),
      inlining_(profile_, strings_),
      reused_(profile_) {
  if (find_given(options_, kForeignKernel) != nullptr) {
    foreign_.adopt_frames();
  }
  relocate_programs(context);
  if (options_.again) {
    drop_old_notices();
  }
}

void ProfileNaming::relocate_programs(NamingContext& context) {
  for (const GivenSymbols& given : options_.symbols) {
    bool is_program = given.module != kForeignKernel;
    Result<const SymbolFile*> file = is_program ? context.symbol_file(given.module) : nullptr;
    if (file && *file != nullptr) {
      foreign_.relocate(given, **file);
    }
  }
}

// Naming reports again whatever is still missing.
void ProfileNaming::drop_old_notices() {
  std::erase_if(profile_.losses, [&](const Loss& loss) {
    return loss.severity == LossClass::kNotice && strings_.table()[loss.what] == "modules";
  });
}

int64_t ProfileNaming::recorded_until() const {
  int64_t wall_clock_ns = recorded_host(profile_).wall_clock_ns;
  int64_t last_ns = kNoTime;
  for (size_t row = 0; row < profile_.samples.size() && wall_clock_ns != kNoTime; ++row) {
    last_ns = std::max(last_ns, profile_.samples.time_ns[row]);
  }
  int64_t until_ns = kNoTime;
  bool is_known = last_ns != kNoTime && !__builtin_add_overflow(wall_clock_ns, last_ns, &until_ns);
  return is_known ? until_ns : options_.recorded_ns;
}

std::vector<WantedModule> ProfileNaming::wanted_modules(std::span<const LoadedId> loaded) const {
  // If inlined functions were already added at an address, there is nothing to add.
  std::set<std::pair<uint32_t, uint64_t>> expanded;
  if (options_.again) {
    for (const Frame& frame : profile_.frames) {
      if ((frame.flags & kInlined) != 0) {
        expanded.insert({frame.module.value, frame.address});
      }
    }
  }
  std::vector<std::vector<FrameId>> frames(profile_.modules.size());
  for (size_t row = 0; row < profile_.frames.size(); ++row) {
    const Frame& frame = profile_.frames[FrameId::from_index(row)];
    bool is_expanded =
        frame.function.valid() && expanded.contains({frame.module.value, frame.address});
    if (is_wanted(frame) && !is_expanded) {
      frames[frame.module.index()].push_back(FrameId::from_index(row));
    }
  }
  std::vector<uint64_t> samples = samples_of_modules(profile_);
  std::vector<WantedModule> wanted;
  for (size_t row = 0; row < frames.size(); ++row) {
    if (!frames[row].empty()) {
      ModuleId id = ModuleId::from_index(row);
      const Module& module = profile_.modules[id];
      Mode mode = profile_.frames[frames[row][0]].mode;
      wanted.push_back({id,
                        module_to_name(std::string(strings_.table()[module.path]),
                                       bytes_of_hex(strings_.table()[module.build_id]),
                                       mode),
                        std::move(frames[row]),
                        samples[row]});
      wanted.back().module.loaded = row < loaded.size() ? loaded[row] : LoadedId();
    }
  }
  return wanted;
}

bool ProfileNaming::is_wanted(const Frame& frame) const {
  bool lacks_line =
      options_.again && frame.line == 0 && frame.address != 0 && (frame.flags & kInlined) == 0;
  return frame.module.valid() && (!frame.function.valid() || lacks_line) &&
         profile_.modules[frame.module].address_kind != AddressKind::kInFunction;
}

size_t ProfileNaming::apply(const WantedModule& wanted, ModuleSources& sources, bool now) {
  correct_file_offsets(wanted, sources);
  std::vector<FrameId> frames = wanted.frames;
  // A made-up name gives way to a name of any source.
  auto has_name = [&](FrameId id) {
    FunctionId function = profile_.frames[id].function;
    return function.valid() && (profile_.functions[function].flags & kMadeUpName) == 0;
  };
  bool adds_lines = std::ranges::any_of(sources.names(), &ModuleNames::adds_lines);
  if (!adds_lines) {
    std::erase_if(frames, has_name);
  }
  std::vector<FrameId> unnamed;
  if (wanted.module.kind == CodeKind::kGenerated) {
    unnamed = frames;
  }
  size_t looked_up = sources.look_up(addresses_of(frames), now);
  std::vector<FrameId> for_lines;  // they had names before
  std::ranges::copy_if(frames, std::back_inserter(for_lines), has_name);
  std::erase_if(frames, has_name);
  for (const std::unique_ptr<ModuleNames>& names : sources.names()) {
    NameAnswers answers = names->answers();
    inlining_.apply(answers.views, frames, answers.base);
    if (names->adds_lines()) {
      inlining_.apply(answers.views, std::exchange(for_lines, {}), answers.base);
    }
    std::erase_if(frames, has_name);
  }
  for (const std::unique_ptr<ModuleNames>& names : sources.names()) {
    split_reused(unnamed, *names);
  }
  return looked_up;
}

std::vector<uint64_t> ProfileNaming::addresses_of(std::vector<FrameId>& frames) const {
  auto address_of = [&](FrameId id) { return profile_.frames[id].address; };
  std::ranges::stable_sort(frames, {}, address_of);
  std::vector<uint64_t> addresses;
  for (FrameId id : frames) {
    if (addresses.empty() || addresses.back() != address_of(id)) {
      addresses.push_back(address_of(id));
    }
  }
  return addresses;
}

// Addresses that were recorded without the file are offsets in it. Frames that have names already
// (pprof names only some) are of the same module, so their addresses change, too.
void ProfileNaming::correct_file_offsets(const WantedModule& wanted, const ModuleSources& sources) {
  Module& module = profile_.modules[wanted.id];
  if (module.address_kind != AddressKind::kFileOffset || sources.names().empty()) {
    return;
  }
  for (size_t row = 0; row < profile_.frames.size(); ++row) {
    Frame& frame = profile_.frames[FrameId::from_index(row)];
    if (frame.module != wanted.id || frame.address == 0) {
      continue;
    }
    if (std::optional<uint64_t> linked = sources.names()[0]->linked_address(frame.address)) {
      module.address_kind = AddressKind::kLinked;
      frame.address = *linked;
    }
  }
}

// Frames have the name of the code that was loaded last; samples from before get the name of their
// time.
void ProfileNaming::split_reused(std::vector<FrameId>& frames, const ModuleNames& names) {
  CodeHistories histories = names.histories(addresses_of(frames));
  bool is_common_clock = recorded_host(profile_).clock == ClockKind::kMonotonic;
  if (!histories.has_times || (!histories.at.empty() && !is_common_clock)) {
    NameNotes notes;
    notes.add(
        "code generated at run time replaced older code, and no common clock shows which of them "
        "a sample hit: the later counts",
        "`perf record -k mono` uses the compiler's clock, `wick record` always does");
    add(notes);
    return;
  }
  for (FrameId id : frames) {
    auto history = std::ranges::lower_bound(
        histories.at, profile_.frames[id].address, {}, &CodeHistory::address);
    if (history != histories.at.end() && history->address == profile_.frames[id].address) {
      split_by_time(id, *history);
    }
  }
}

void ProfileNaming::split_by_time(FrameId id, const CodeHistory& history) {
  std::map<std::pair<uint32_t, uint32_t>, FrameId> made;  // by function and line
  auto key = [](const Frame& frame) { return std::pair(frame.function.value, frame.line); };
  made[key(profile_.frames[id])] = id;
  std::vector<ReusedCode::Since> since;
  for (const CodeHistory::Load& load : history.loads) {
    Frame frame = profile_.frames[id];
    frame.function = inlining_.function(frame.module, load.code);
    frame.line = load.code.line;
    StringId file = frame.line == 0 ? StringId() : strings_.intern(load.code.file);
    frame.file = file == profile_.functions[frame.function].file ? StringId() : file;
    auto [known, is_new] = made.try_emplace(key(frame));
    if (is_new) {
      known->second = profile_.frames.push_back(frame);
    }
    since.push_back({load.time_ns, known->second});
  }
  reused_.split(id, std::move(since));
}

void ProfileNaming::set_jit_dump(int32_t pid, const std::string& path) {
  StringId dump = strings_.intern(path);
  for (size_t row = 0; row < profile_.processes.size(); ++row) {
    Process& process = profile_.processes[ProcessId::from_index(row)];
    process.jit_dump = process.pid == pid ? dump : process.jit_dump;
  }
}

void ProfileNaming::report(const WantedModule& wanted,
                           const ModuleSources& sources,
                           std::vector<NamedModule>* rows) {
  NameFiles files;
  NameNotes notes = sources.notes(files);
  add(notes);
  if (!files.jit_dump.empty()) {
    set_jit_dump(wanted.module.pid, files.jit_dump);
  }
  if (rows != nullptr) {
    NamedModule& row = rows->emplace_back();
    row = {.module = wanted.id,
           .addresses = wanted.frames.size(),
           .binary = files.binary,
           .debug = files.debug,
           .problem = {}};
    if (!notes.all().empty()) {
      const NameNotes::Note& last = notes.all().back();
      row.problem =
          fmt::format("{}{}{}", last.reason, last.detail.empty() ? "" : ": ", last.detail);
    }
  }
}

void ProfileNaming::add(const NameNotes& notes) {
  for (const NameNotes::Note& note : notes.all()) {
    auto [missing, is_first] = missing_.try_emplace(note.reason);
    if (is_first) {
      missing->second.first = note.detail;
    }
    missing->second.count += note.modules;
  }
}

Profile ProfileNaming::finish(const NamingContext::SymbolFiles& symbols) {
  reused_.finish();
  inlining_.finish();
  for (const auto& [module, file] : symbols) {
    foreign_.judge_symbols(module, file);
  }
  for (const auto& [reason, missing] : missing_) {
    profile_.losses.push_back({.reason = strings_.intern(reason),
                               .what = strings_.intern("modules"),
                               .detail = strings_.intern(missing.first),
                               .count = missing.count,
                               .severity = LossClass::kNotice});
  }
  profile_.strings = strings_.release();
  return std::move(profile_);
}

}  // namespace wick
