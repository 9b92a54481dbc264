// SPDX-License-Identifier: Apache-2.0
// Base classes for sinks.
//
//     IgnoringSink     drops everything: the base of a consumer that wants a few kinds of events
//     ForwardingSink   forwards everything: the base of a sink between a producer and a consumer
//     TeeSink          forwards everything to two sinks
//
// EventSink's methods are pure virtual, so a new kind of event does not compile until all three
// handle it. A sink in the middle can therefore not drop a kind of event that it does not know.
#pragma once

#include <string_view>

#include "stream/event.h"

namespace wick {

class IgnoringSink : public EventSink {
 public:
  void on_host(const HostEvent& /*event*/) override {}
  void on_clock(const ClockEvent& /*event*/) override {}
  void on_event_kind(const EventKind& /*kind*/) override {}
  void on_sample(const SampleEvent& /*event*/) override {}
  void on_map(const MapEvent& /*event*/) override {}
  void on_build_id(const BuildIdEvent& /*event*/) override {}
  void on_kernel_symbol(const KernelSymbolEvent& /*event*/) override {}
  void on_symbol(const SymbolEvent& /*event*/) override {}
  void on_cgroup(const CgroupEvent& /*event*/) override {}
  void on_process(const ProcessEvent& /*event*/) override {}
  void on_comm(const CommEvent& /*event*/) override {}
  void on_fork(const ForkEvent& /*event*/) override {}
  void on_exit(const ExitEvent& /*event*/) override {}
  void on_switch(const SwitchEvent& /*event*/) override {}
  void on_lost(const LostEvent& /*event*/) override {}
  void on_aux(const AuxEvent& /*event*/) override {}
  void on_mark(const MarkEvent& /*event*/) override {}
  void on_fact(std::string_view /*key*/, std::string_view /*value*/) override {}
  void on_checkpoint() override {}
};

class ForwardingSink : public EventSink {
 public:
  // `next` must outlive this sink.
  explicit ForwardingSink(EventSink& next) : next_(next) {}

  void on_host(const HostEvent& event) override { next_.on_host(event); }
  void on_clock(const ClockEvent& event) override { next_.on_clock(event); }
  void on_event_kind(const EventKind& kind) override { next_.on_event_kind(kind); }
  void on_sample(const SampleEvent& event) override { next_.on_sample(event); }
  void on_map(const MapEvent& event) override { next_.on_map(event); }
  void on_build_id(const BuildIdEvent& event) override { next_.on_build_id(event); }
  void on_kernel_symbol(const KernelSymbolEvent& event) override { next_.on_kernel_symbol(event); }
  void on_symbol(const SymbolEvent& event) override { next_.on_symbol(event); }
  void on_cgroup(const CgroupEvent& event) override { next_.on_cgroup(event); }
  void on_process(const ProcessEvent& event) override { next_.on_process(event); }
  void on_comm(const CommEvent& event) override { next_.on_comm(event); }
  void on_fork(const ForkEvent& event) override { next_.on_fork(event); }
  void on_exit(const ExitEvent& event) override { next_.on_exit(event); }
  void on_switch(const SwitchEvent& event) override { next_.on_switch(event); }
  void on_lost(const LostEvent& event) override { next_.on_lost(event); }
  void on_aux(const AuxEvent& event) override { next_.on_aux(event); }
  void on_mark(const MarkEvent& event) override { next_.on_mark(event); }
  void on_fact(std::string_view key, std::string_view value) override { next_.on_fact(key, value); }
  void on_checkpoint() override { next_.on_checkpoint(); }

 protected:
  EventSink& next() { return next_; }

 private:
  EventSink& next_;
};

class TeeSink : public EventSink {
 public:
  // Both must outlive this sink.
  TeeSink(EventSink& first, EventSink& second) : first_(first), second_(second) {}

  void on_host(const HostEvent& event) override { both(&EventSink::on_host, event); }
  void on_clock(const ClockEvent& event) override { both(&EventSink::on_clock, event); }
  void on_event_kind(const EventKind& kind) override { both(&EventSink::on_event_kind, kind); }
  void on_sample(const SampleEvent& event) override { both(&EventSink::on_sample, event); }
  void on_map(const MapEvent& event) override { both(&EventSink::on_map, event); }
  void on_build_id(const BuildIdEvent& event) override { both(&EventSink::on_build_id, event); }
  void on_kernel_symbol(const KernelSymbolEvent& event) override {
    both(&EventSink::on_kernel_symbol, event);
  }
  void on_symbol(const SymbolEvent& event) override { both(&EventSink::on_symbol, event); }
  void on_cgroup(const CgroupEvent& event) override { both(&EventSink::on_cgroup, event); }
  void on_process(const ProcessEvent& event) override { both(&EventSink::on_process, event); }
  void on_comm(const CommEvent& event) override { both(&EventSink::on_comm, event); }
  void on_fork(const ForkEvent& event) override { both(&EventSink::on_fork, event); }
  void on_exit(const ExitEvent& event) override { both(&EventSink::on_exit, event); }
  void on_switch(const SwitchEvent& event) override { both(&EventSink::on_switch, event); }
  void on_lost(const LostEvent& event) override { both(&EventSink::on_lost, event); }
  void on_aux(const AuxEvent& event) override { both(&EventSink::on_aux, event); }
  void on_mark(const MarkEvent& event) override { both(&EventSink::on_mark, event); }
  void on_fact(std::string_view key, std::string_view value) override {
    first_.on_fact(key, value);
    second_.on_fact(key, value);
  }
  void on_checkpoint() override {
    first_.on_checkpoint();
    second_.on_checkpoint();
  }

 private:
  template <typename Event>
  void both(void (EventSink::*method)(const Event&), const Event& event) {
    (first_.*method)(event);
    (second_.*method)(event);
  }

  EventSink& first_;
  EventSink& second_;
};

}  // namespace wick
