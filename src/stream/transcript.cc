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

}  // namespace

void Transcript::line(const EventContext& at, std::string_view what) {
  bool is_host = at.machine == MachineId::kHost;
  std::string guest = is_host ? "" : fmt::format("guest{} ", static_cast<uint32_t>(at.machine));
  text_ += fmt::format("{} cpu{} {}{}/{} {}\n", at.time_ns, at.cpu, guest, at.pid, at.tid, what);
}

void Transcript::on_sample(const SampleEvent& event) {
  line(
      event.at,
      fmt::format("sample event={} weight={} {} {:#x} kernel=[{:#x}] user=[{:#x}] regs={} stack={}",
                  event.event,
                  event.weight,
                  mode_name(event.mode),
                  event.address,
                  fmt::join(event.kernel_chain, " "),
                  fmt::join(event.user_chain, " "),
                  event.user_registers.values.size(),
                  event.user_stack.size()));
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
  line(event.at, fmt::format("switch {}{}", event.leaves ? "out" : "in", how));
}

void Transcript::on_lost(const LostEvent& event) {
  line(event.at, fmt::format("lost {} ({})", event.count, terminal_text(event.reason)));
}

void Transcript::on_host(const HostEvent& event) {
  text_ += fmt::format("host architecture={}\n", static_cast<int>(event.architecture));
}

void Transcript::on_event_kind(const EventKind& kind) {
  text_ += fmt::format(
      "kind {} {} ({})\n", kind.number, terminal_text(kind.name), terminal_text(kind.unit));
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
  text_ += fmt::format("{} mark {} {}{}\n",
                       event.time_ns,
                       terminal_text(event.kind),
                       terminal_text(event.name),
                       event.has_value ? fmt::format(" {}", event.value) : "");
}

}  // namespace wick
