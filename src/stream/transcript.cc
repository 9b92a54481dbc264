#include "stream/transcript.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/escape.h"

namespace wick {

void Transcript::line(const EventContext& at, std::string_view what) {
  text_ += fmt::format("{} cpu{} {}/{} {}\n", at.time_ns, at.cpu, at.pid, at.tid, what);
}

void Transcript::on_sample(const SampleEvent& event) {
  line(
      event.at,
      fmt::format("sample event={} weight={} {} {:#x} kernel=[{:#x}] user=[{:#x}] regs={} stack={}",
                  event.event,
                  event.weight,
                  event.in_kernel ? "kernel" : "user",
                  event.address,
                  fmt::join(event.kernel_chain, " "),
                  fmt::join(event.user_chain, " "),
                  event.user_registers.size(),
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

void Transcript::on_aux(const AuxEvent& event) {
  line(event.at, fmt::format("aux {} bytes{}", event.data.size(), event.truncated ? " cut" : ""));
}

}  // namespace wick
