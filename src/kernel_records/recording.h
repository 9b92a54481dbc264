// SPDX-License-Identifier: Apache-2.0
// The state of a recording while wick reads it; the stages share it.
//
// The order of information in perf.data suits the recorder: names of events may come after the
// first maps, the architecture at the end of the file. The sink needs host and kinds first. So
// Recording announces them as late as possible, right before the first event that needs them, and
// announces them again if more becomes known later.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_records/account.h"
#include "kernel_records/event_names.h"
#include "kernel_records/events.h"
#include "stream/event.h"

namespace wick::kernel_records {

// Converts a clock number of clock_gettime(2).
ClockKind clock_kind(uint32_t number);

class Recording {
 public:
  Recording(EventSink& to, ByteOrder byte_order) : sink(to), order(byte_order) {}
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  EventSink& sink;
  const ByteOrder order;
  EventTable events;
  EventNameSources names;
  Account account;
  std::string machine;               // as in uname: "x86_64"
  std::string host_name;             // as in uname
  std::string kernel_release;        // as in uname
  bool build_ids_are_known = false;  // of at least one file

  // Announces the host and the kinds of events to the sink, unless it already knows them.
  void announce() {
    if (!announced_) [[unlikely]] {
      announce_now();
    }
  }
  uint32_t add_event(const EventAttr& attr);
  // Renaming an event that has been announced announces it again.
  void name_event(uint32_t event, std::string_view name);
  // Takes a row of EVENT_DESC. In pipes it comes before the event that it describes.
  void describe_event(const EventAttr& attr, std::string_view name, std::vector<uint64_t> ids);
  // Takes the attributes from the descriptions, which have a copy, if the attributes are lost.
  void restore_events();

  // The recording's clock and the time of day. Without this call the events determine the clock.
  void set_clock(const ClockEvent& clock);

  void fact(std::string_view key, std::string_view value) { sink.on_fact(key, value); }
  // Reports useful information that the recording lacks.
  void report_missing();

 private:
  struct Description {
    EventAttr attr;
    std::string name;
    std::vector<uint64_t> ids;
  };

  void announce_now();
  void announce_host();
  void announce_clock();
  void announce_event(uint32_t number);
  void apply_descriptions();

  std::vector<Description> descriptions_;
  bool descriptions_applied_ = true;  // applied to all events
  int times_applied_ = 0;
  std::vector<uint32_t> to_announce_;
  bool announced_ = false;  // all known information is announced
  bool host_announced_ = false;
  ClockEvent clock_;
  std::string boot_id_;  // of clock_
  bool clock_announced_ = false;
};

}  // namespace wick::kernel_records
