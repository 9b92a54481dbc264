// SPDX-License-Identifier: Apache-2.0
#include "stream/transcript.h"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/escape.h"

namespace wick {
namespace {

std::string_view mode_name(Mode mode) {
  constexpr std::array<std::string_view, 6> kNames = {
      "unknown", "user", "kernel", "hypervisor", "guest-user", "guest-kernel"};
  return kNames[static_cast<size_t>(mode)];
}

std::string_view clock_name(ClockKind kind) {
  constexpr std::array<std::string_view, 8> kNames = {
      "unknown", "monotonic", "monotonic-raw", "boottime", "realtime", "kernel", "tsc", "tai"};
  return kNames[static_cast<size_t>(kind)];
}

}  // namespace

void Transcript::line(const EventContext& at, std::string_view what) {
  bool is_host = at.machine == MachineId::kHost;
  std::string guest = is_host ? "" : fmt::format("guest{} ", static_cast<uint32_t>(at.machine));
  text_ += fmt::format("{} cpu{} {}{}/{} {}\n", at.time_ns, at.cpu, guest, at.pid, at.tid, what);
}

void Transcript::on_sample(const SampleEvent& event) {
  std::string rare;
  if (event.group != 0) {
    rare += fmt::format(" group={}", event.group);
  }
  if (!event.branches.empty()) {
    rare += fmt::format(" branches={}", event.branches.size());
  }
  if (event.cgroup != 0) {
    rare += fmt::format(" cgroup={}", event.cgroup);
  }
  line(event.at,
       fmt::format(
           "sample event={} weight={} {} {:#x} kernel=[{:#x}] user=[{:#x}] regs={} stack={}{}",
           event.event,
           event.weight,
           mode_name(event.mode),
           event.address,
           fmt::join(event.kernel_chain, " "),
           fmt::join(event.user_chain, " "),
           event.user_registers.values.size(),
           event.user_stack.size(),
           rare));
}

void Transcript::on_map(const MapEvent& event) {
  line(event.at,
       fmt::format("map {:#x}+{:#x} at {:#x} {}{}",
                   event.start,
                   event.size,
                   event.file_offset,
                   terminal_text(event.path),
                   event.executable ? "" : " (data)"));
}

void Transcript::on_comm(const CommEvent& event) {
  line(event.at, fmt::format("{} {}", event.exec ? "exec" : "comm", terminal_text(event.name)));
}

void Transcript::on_fork(const ForkEvent& event) {
  line(event.at, fmt::format("fork from {}/{}", event.parent_pid, event.parent_tid));
}

void Transcript::on_exit(const ExitEvent& event) {
  line(event.at, "exit");
}

void Transcript::on_switch(const SwitchEvent& event) {
  std::string_view how = event.preempted ? " (preempted)" : "";
  std::string other =
      event.other_tid == -1
          ? ""
          : fmt::format(
                " {} {}/{}", event.leaves ? "to" : "from", event.other_pid, event.other_tid);
  line(event.at, fmt::format("switch {}{}{}", event.leaves ? "out" : "in", other, how));
}

void Transcript::on_lost(const LostEvent& event) {
  line(event.at, fmt::format("lost {} ({})", event.count, terminal_text(event.reason)));
}

void Transcript::on_host(const HostEvent& event) {
  text_ += fmt::format("host architecture={}", static_cast<int>(event.architecture));
  for (std::string_view word : {event.name, event.kernel_release}) {
    text_ += word.empty() ? "" : fmt::format(" {}", terminal_text(word));
  }
  text_ += '\n';
}

void Transcript::on_clock(const ClockEvent& event) {
  std::string wall =
      event.has_wall_time ? fmt::format(" {} is {}", event.time_ns, event.wall_time_ns) : "";
  std::string boot =
      event.boot_id.empty() ? "" : fmt::format(" boot {}", terminal_text(event.boot_id));
  text_ += fmt::format("clock {}{}{}\n", clock_name(event.kind), wall, boot);
}

void Transcript::on_event_kind(const EventKind& kind) {
  std::string how = kind.period != 0      ? fmt::format(" once in {}", kind.period)
                    : kind.frequency != 0 ? fmt::format(" at {} Hz", kind.frequency)
                                          : "";
  text_ += fmt::format("kind {} {} ({}){}{}\n",
                       kind.number,
                       terminal_text(kind.name),
                       terminal_text(kind.unit),
                       how,
                       kind.precise != 0 ? fmt::format(" precise {}", kind.precise) : "");
}

void Transcript::on_cgroup(const CgroupEvent& event) {
  line(event.at, fmt::format("cgroup {} {}", event.id, terminal_text(event.path)));
}

void Transcript::on_process(const ProcessEvent& event) {
  line(event.at,
       fmt::format("process of {} since {}: {}{}{}",
                   event.parent_pid,
                   event.begin_ns,
                   terminal_text(event.command),
                   event.next_command.empty() ? "" : ", will exec ",
                   terminal_text(event.next_command)));
}

void Transcript::on_build_id(const BuildIdEvent& event) {
  text_ += fmt::format("build id {} {}\n", hex_digits(event.build_id), terminal_text(event.path));
}

void Transcript::on_kernel_symbol(const KernelSymbolEvent& event) {
  line(event.at,
       fmt::format("kernel symbol {}{:#x}+{:#x} {}",
                   event.removed ? "gone " : "",
                   event.start,
                   event.size,
                   terminal_text(event.name)));
}

void Transcript::on_symbol(const SymbolEvent& event) {
  text_ += fmt::format("symbol {:#x}+{:#x} {} in {}\n",
                       event.address,
                       event.size,
                       terminal_text(event.name),
                       terminal_text(event.path));
}

void Transcript::on_fact(std::string_view key, std::string_view value) {
  text_ += fmt::format("fact {}: {}\n", terminal_text(key), terminal_text(value));
}

void Transcript::on_aux(const AuxEvent& event) {
  line(event.at, fmt::format("aux {} bytes{}", event.data.size(), event.truncated ? " cut" : ""));
}

void Transcript::on_mark(const MarkEvent& event) {
  std::string value = event.has_value ? fmt::format(" {}", event.value) : "";
  line(event.at,
       fmt::format("mark {} {}{}", terminal_text(event.kind), terminal_text(event.name), value));
}

}  // namespace wick
