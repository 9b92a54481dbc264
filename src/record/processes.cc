// SPDX-License-Identifier: Apache-2.0
// Reads /proc to describe processes that already run, and to find relatives.
//
// Every function reads text that the kernel generates for each read. A process can end between two
// reads, so a missing file is normal and never an error: functions return nothing, and callers
// continue. A process's name may contain any bytes, including blanks and parentheses; stat_fields()
// therefore starts after the last ')'.
//
// relations_to() reads all processes once, builds the map from parents to children, and follows it
// from the given processes. add_newcomers() does so only for pids that are new since then.
#include "record/processes.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <memory>
#include <set>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/lines.h"
#include "base/parse_number.h"
#include "base/path.h"
#include "elf/image.h"
#include "record/machine.h"

namespace wick::record {
namespace {

constexpr std::string_view kDeleted = " (deleted)";

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

std::vector<int32_t> numbers_in(const std::string& path) {
  std::vector<int32_t> numbers;
  std::unique_ptr<DIR, CloseDirectory> directory(::opendir(path.c_str()));
  while (directory != nullptr) {
    const dirent* entry = ::readdir(directory.get());
    if (entry == nullptr) {
      break;
    }
    if (std::optional<int32_t> number = parse_number<int32_t>(entry->d_name)) {
      numbers.push_back(*number);
    }
  }
  std::ranges::sort(numbers);
  return numbers;
}

// Removes the next word from the front.
std::string_view next_word(std::string_view& text) {
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(' ')));
  std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  return word;
}

// The fields of /proc/PID/stat after the name, which is in parentheses and may contain anything;
// the first is the state. One read gets the whole file: the kernel generates the line again for
// each read, in 15 us.
std::vector<std::string> stat_fields(int32_t pid) {
  std::vector<std::string> fields;
  std::array<char, 4096> buffer;
  Descriptor file(::open(fmt::format("/proc/{}/stat", pid).c_str(), O_RDONLY | O_CLOEXEC));
  ssize_t got = file.valid() ? ::read(file.get(), buffer.data(), buffer.size()) : 0;
  std::string_view text(buffer.data(), static_cast<size_t>(std::max<ssize_t>(got, 0)));
  size_t name_end = text.rfind(')');
  std::string_view rest =
      name_end == std::string_view::npos ? std::string_view() : text.substr(name_end + 1);
  while (!rest.empty()) {
    std::string_view word = next_word(rest);
    if (!word.empty()) {
      fields.emplace_back(word);
    }
  }
  return fields;
}

// The difference between the time since boot and the monotonic clock, which stops while the machine
// sleeps.
int64_t slept_ns() {
  auto now = [](clockid_t clock) {
    timespec time = {};
    ::clock_gettime(clock, &time);
    return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  };
  return now(CLOCK_BOOTTIME) - now(CLOCK_MONOTONIC);
}

// The start of the process on the monotonic clock; accurate to a clock tick.
int64_t begin_of(const std::vector<std::string>& stat) {
  constexpr size_t kStartTicks = 19;
  if (stat.size() <= kStartTicks) {
    return 0;
  }
  int64_t tick_ns = 1'000'000'000 / ::sysconf(_SC_CLK_TCK);
  return parse_number<int64_t>(stat[kStartTicks]).value_or(0) * tick_ns - slept_ns();
}

void report_command(const std::string& directory, const EventContext& at, EventSink& sink) {
  std::vector<std::string> stat = stat_fields(at.pid);
  if (stat.size() < 2) {
    return;
  }
  std::string command = read_text(directory + "/cmdline");
  while (command.ends_with('\0')) {
    command.pop_back();
  }
  std::ranges::replace(command, '\0', ' ');
  sink.on_process({.at = at,
                   .parent_pid = parse_number<int32_t>(stat[1]).value_or(-1),
                   .begin_ns = begin_of(stat),
                   .command = command});
}

std::string comm_of(const std::string& directory) {
  return read_line(directory + "/comm").value_or("");
}

// The address of _text. The kernel takes 50 ms to write the whole list; _text is near its start.
std::optional<uint64_t> kernel_text() {
  constexpr size_t kEnough = 1 << 20;
  Descriptor file(::open("/proc/kallsyms", O_RDONLY | O_CLOEXEC));
  std::string head;
  std::array<char, 16384> buffer;
  while (file.valid() && head.size() < kEnough) {
    ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
    if (got <= 0) {
      break;
    }
    head.append(buffer.data(), static_cast<size_t>(got));
    size_t found = head.find(" _text\n");
    if (found == std::string::npos) {
      found = head.find(" _stext\n");
    }
    if (found != std::string::npos) {
      size_t line = head.rfind('\n', found) + 1;
      std::string_view digits = std::string_view(head).substr(line);
      std::optional<uint64_t> text = parse_hex(digits.substr(0, digits.find(' ')));
      return text.value_or(0) == 0 ? std::nullopt : text;
    }
  }
  return {};
}

// Adds each process to one of the two lists.
void sort_out(const std::vector<int32_t>& pids, Relations& relations) {
  std::multimap<int32_t, int32_t> children;
  for (int32_t pid : pids) {
    std::vector<std::string> fields = stat_fields(pid);
    if (fields.size() > 1) {
      children.emplace(parse_number<int32_t>(fields[1]).value_or(0), pid);
    }
  }
  std::vector<int32_t>& found = relations.descendants;
  std::set<int32_t> known(found.begin(), found.end());
  for (size_t at = 0; at < found.size(); ++at) {
    auto [begin, end] = children.equal_range(found[at]);
    for (auto child = begin; child != end; ++child) {
      if (known.insert(child->second).second) {
        found.push_back(child->second);
      }
    }
  }
  std::ranges::copy_if(pids, std::back_inserter(relations.other_processes), [&](int32_t pid) {
    return !known.contains(pid);
  });
}

}  // namespace

std::optional<MapEvent> parse_maps_line(std::string_view line) {
  std::string_view range = next_word(line);
  std::string_view rights = next_word(line);
  std::string_view offset = next_word(line);
  std::string_view device = next_word(line);
  std::string_view inode = next_word(line);
  line.remove_prefix(std::min(line.size(), line.find_first_not_of(' ')));
  size_t dash = range.find('-');
  std::optional<uint64_t> start = parse_hex(range.substr(0, dash));
  std::optional<uint64_t> end =
      parse_hex(dash == std::string_view::npos ? std::string_view() : range.substr(dash + 1));
  std::optional<uint64_t> file_offset = parse_hex(offset);
  bool executable = rights.size() >= 3 && rights[2] == 'x';
  bool is_known = executable || line.starts_with('/');
  if (!start || !end || *end <= *start || !file_offset || !is_known) {
    return {};
  }
  if (line.ends_with(kDeleted)) {
    line.remove_suffix(kDeleted.size());
  }
  size_t colon = std::min(device.find(':'), device.size());
  uint64_t major = parse_hex(device.substr(0, colon)).value_or(0);
  device.remove_prefix(std::min(device.size(), colon + 1));
  uint64_t minor = parse_hex(device).value_or(0);
  return MapEvent{
      .start = *start,
      .size = *end - *start,
      .file_offset = *file_offset,
      .path = line,
      .file = {.device = major << 32 | minor, .inode = parse_number<uint64_t>(inode).value_or(0)},
      .executable = executable};
}

bool report_process(int32_t pid, uint64_t now, EventSink& sink) {
  std::string directory = fmt::format("/proc/{}", pid);
  auto time = static_cast<int64_t>(now);
  EventContext leader{.time_ns = time, .pid = pid, .tid = pid};
  std::string name = comm_of(directory);
  std::string maps = read_text(directory + "/maps");
  report_command(directory, leader, sink);
  sink.on_comm({.at = leader, .name = name});
  for (int32_t thread : threads_of(pid)) {
    if (thread != pid) {
      std::string thread_name = comm_of(fmt::format("{}/task/{}", directory, thread));
      sink.on_comm({.at = {.time_ns = time, .pid = pid, .tid = thread}, .name = thread_name});
    }
  }
  for_each_line(maps, [&](std::string_view line) {
    if (std::optional<MapEvent> map = parse_maps_line(line)) {
      map->at = leader;
      sink.on_map(*map);
    }
  });
  return !name.empty();
}

void report_kernel(uint64_t now, EventSink& sink) {
  // Text is at most this large; data follows, which is never sampled.
  constexpr uint64_t kMaxText = 128 << 20;
  EventContext at{.time_ns = static_cast<int64_t>(now)};
  std::string notes = read_text("/sys/kernel/notes");
  std::string_view build_id = as_text(build_id_in_notes(as_bytes(notes)));
  std::optional<uint64_t> text = kernel_text();
  if (!text) {
    // Addresses are hidden, but they are at least known to be the kernel's.
    sink.on_map({.at = at,
                 .start = uint64_t{1} << 63,
                 .size = (uint64_t{1} << 63) - 1,
                 .path = "[kernel.kallsyms]",
                 .build_id = build_id,
                 .mode = Mode::kKernel});
    return;
  }
  sink.on_map({.at = at,
               .start = *text,
               .size = std::min(kMaxText, -*text - 1),
               .file_offset = *text,
               .path = "[kernel.kallsyms]_text",
               .build_id = build_id,
               .mode = Mode::kKernel});
  // "ext4 983040 1 - Live 0xffffffffc0200000"
  std::string modules = read_text("/proc/modules");
  for_each_line(modules, [&](std::string_view line) {
    std::string name(next_word(line));
    std::string path = fmt::format("[{}]", name);
    std::string module_notes =
        read_text(fmt::format("/sys/module/{}/notes/.note.gnu.build-id", name));
    std::optional<uint64_t> size = parse_number<uint64_t>(next_word(line));
    size_t address = line.find(" 0x");
    std::string_view digits =
        address == std::string_view::npos ? std::string_view() : line.substr(address + 3);
    std::optional<uint64_t> start = parse_hex(next_word(digits));
    if (size && start && *start != 0 && *size < -*start) {
      sink.on_map({.at = at,
                   .start = *start,
                   .size = *size,
                   .path = path,
                   .build_id = as_text(build_id_in_notes(as_bytes(module_notes))),
                   .mode = Mode::kKernel});
    }
  });
}

std::vector<int32_t> all_processes() {
  return numbers_in("/proc");
}

std::vector<int32_t> threads_of(int32_t pid) {
  return numbers_in(fmt::format("/proc/{}/task", pid));
}

std::vector<int32_t> with_descendants(const std::vector<int32_t>& pids) {
  return pids.empty() ? pids : relations_to(pids).descendants;
}

Relations relations_to(const std::vector<int32_t>& pids) {
  Relations relations{.descendants = pids, .other_processes = {}};
  sort_out(all_processes(), relations);
  return relations;
}

void add_newcomers(Relations& relations) {
  std::set<int32_t> known(relations.descendants.begin(), relations.descendants.end());
  known.insert(relations.other_processes.begin(), relations.other_processes.end());
  std::vector<int32_t> all = all_processes();
  std::erase_if(all, [&](int32_t pid) { return known.contains(pid); });
  sort_out(all, relations);
}

std::vector<int32_t> processes_named(std::string_view name) {
  std::vector<int32_t> found;
  for (int32_t pid : all_processes()) {
    std::string directory = fmt::format("/proc/{}", pid);
    std::string command = read_text(directory + "/cmdline");
    command.resize(std::min(command.size(), command.find('\0')));
    std::string_view file = file_name_of(command);
    if (pid != ::getpid() && (comm_of(directory) == name || file == name)) {
      found.push_back(pid);
    }
  }
  return found;
}

std::optional<uint32_t> other_owner_of(int32_t pid) {
  struct stat status = {};
  bool is_there = ::stat(fmt::format("/proc/{}", pid).c_str(), &status) == 0;
  return is_there && status.st_uid != ::geteuid() ? std::optional(status.st_uid) : std::nullopt;
}

bool hides_maps(int32_t pid) {
  if (!other_owner_of(pid)) {
    return false;
  }
  // Everybody may see the file; the kernel checks when it is opened.
  Descriptor maps(::open(fmt::format("/proc/{}/maps", pid).c_str(), O_RDONLY | O_CLOEXEC));
  return !maps.valid() && (errno == EACCES || errno == EPERM);
}

bool is_alive(int32_t pid) {
  std::vector<std::string> fields = stat_fields(pid);
  if (fields.empty()) {  // also where /proc is not mounted, or no more files can be opened
    bool is_unreadable = ::access("/proc/self", F_OK) != 0 ||
                         ::access(fmt::format("/proc/{}/stat", pid).c_str(), F_OK) == 0;
    return is_unreadable && ::kill(pid, 0) == 0;
  }
  return fields[0] != "Z" && fields[0] != "X";
}

std::optional<CpuTime> cpu_time_of(int32_t pid) {
  std::vector<std::string> fields = stat_fields(pid);
  constexpr size_t kUserTicks = 11;
  if (fields.size() <= kUserTicks + 1) {
    return {};
  }
  int64_t tick_ns = 1'000'000'000 / ::sysconf(_SC_CLK_TCK);
  return CpuTime{parse_number<int64_t>(fields[kUserTicks]).value_or(0) * tick_ns,
                 parse_number<int64_t>(fields[kUserTicks + 1]).value_or(0) * tick_ns};
}

}  // namespace wick::record
