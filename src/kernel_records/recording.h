// What is known about the recording while it is read; the stages share it.
//
// perf.data tells things in an order that suits the recorder: names of events may come after the
// first maps, the architecture at the end of the file. The sink wants host and kinds first, so they
// are announced as late as possible, right before the first event that needs them; what becomes
// known later is announced again.
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

// A clock as clock_gettime(2) numbers it.
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
  std::string machine;               // as uname says: "x86_64"
  std::string host_name;             // the same
  std::string kernel_release;        // the same
  bool build_ids_are_known = false;  // of any file

  // Tells the sink about the host and the kinds of events, if it does not know yet.
  void announce() {
    if (!announced_) [[unlikely]] {
      announce_now();
    }
  }
  uint32_t add_event(const EventAttr& attr);
  // Renaming an event that has been announced announces it again.
  void name_event(uint32_t event, std::string_view name);
  // A row of EVENT_DESC. In pipes it comes before the event it describes.
  void describe_event(const EventAttr& attr, std::string_view name, std::vector<uint64_t> ids);
  // When the attributes themselves are lost, the descriptions have a copy of them.
  void restore_events();

  // The recording's clock and the calendar. Without it the events say which clock it is.
  void set_clock(const ClockEvent& clock);

  void fact(std::string_view key, std::string_view value) { sink.on_fact(key, value); }
  // What the recording does not say, and would have helped.
  void tell_missing();

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
  bool descriptions_applied_ = true;  // to all events
  int times_applied_ = 0;
  std::vector<uint32_t> to_announce_;
  bool announced_ = false;  // all that is known
  bool host_announced_ = false;
  ClockEvent clock_;
  std::string boot_id_;  // of clock_
  bool clock_announced_ = false;
};

}  // namespace wick::kernel_records
