// SPDX-License-Identifier: Apache-2.0
// A sink that writes each event as one line of text. Tests of producers compare it, and it shows
// what a recording contains.
#pragma once

#include <string>

#include "stream/event.h"

namespace wick {

class Transcript : public EventSink {
 public:
  void on_host(const HostEvent& event) override;
  void on_clock(const ClockEvent& event) override;
  void on_event_kind(const EventKind& kind) override;
  void on_sample(const SampleEvent& event) override;
  void on_map(const MapEvent& event) override;
  void on_build_id(const BuildIdEvent& event) override;
  void on_kernel_symbol(const KernelSymbolEvent& event) override;
  void on_symbol(const SymbolEvent& event) override;
  void on_cgroup(const CgroupEvent& event) override;
  void on_process(const ProcessEvent& event) override;
  void on_comm(const CommEvent& event) override;
  void on_fork(const ForkEvent& event) override;
  void on_exit(const ExitEvent& event) override;
  void on_switch(const SwitchEvent& event) override;
  void on_lost(const LostEvent& event) override;
  void on_aux(const AuxEvent& event) override;
  void on_mark(const MarkEvent& event) override;
  void on_fact(std::string_view key, std::string_view value) override;
  void on_checkpoint() override {}

  const std::string& text() const { return text_; }

 private:
  void line(const EventContext& at, std::string_view what);
  std::string text_;
};

}  // namespace wick
