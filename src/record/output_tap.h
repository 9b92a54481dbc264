// SPDX-License-Identifier: Apache-2.0
// Watches the output of the program while it passes through unchanged.
//
//     program's stdout ->|         |-> our stdout (or elsewhere)
//                        |  a tap  |-> lines that match: marks, and when to stop
//     program's stderr ->|         |-> our stderr
//
// A separate thread copies the bytes as they come, so that a slow reader (a pager) blocks the
// program, as it always would, and not the recording. If wick's output is a terminal, the program
// gets a terminal too, of the same size and in raw mode: it continues to print in colour and line
// by line. Otherwise it gets a pipe; a program that buffers its output for pipes is seen late
// (`stdbuf -oL` helps).
//
// Only matching lines leave the thread; their number is bounded.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/descriptor.h"
#include "base/pattern.h"
#include "base/result.h"
#include "record/channels.h"

namespace wick::record {

struct OutputWatch {
  std::shared_ptr<const Pattern> marker;   // lines that become marks, or null
  std::shared_ptr<const Pattern> stop_on;  // the line that ends the recording, or null

  bool any() const { return marker != nullptr || stop_on != nullptr; }
};

// A matching line.
struct Sighting {
  uint64_t time_ns = 0;
  std::string text;  // the match
  double value = 0;  // the number or time (clock_text.h) in the first group of the expression
  bool has_value = false;
  std::string unread;  // that group, if it is neither a number nor a time
  bool stops = false;
};

// Checks one line; false if it does not match.
bool look_at_line(std::string_view line, const OutputWatch& watch, Sighting& seen);

class OutputTap {
 public:
  static constexpr size_t kMaxMarks = 1 << 20;

  // `to`: the destinations of the program's stdout and stderr.
  static Result<std::unique_ptr<OutputTap>> open(const OutputWatch& watch,
                                                 const std::array<int, 2>& to);
  ~OutputTap();
  OutputTap(const OutputTap&) = delete;
  OutputTap& operator=(const OutputTap&) = delete;

  // The descriptors to which the program must write its stdout and its stderr.
  std::array<int, 2> program_ends() const;
  // The program has inherited its ends: closes wick's copies and starts copying.
  Result<> start();
  // Copies the remaining output, and ends; call it after the program has ended. Other processes may
  // hold the output open and continue to write: they are ignored after one second. The reader of
  // wick's own output may not read: `gives_up` is called several times a second with the seconds so
  // far, and if it returns true, the rest of the output is dropped.
  void finish(const std::function<bool(double)>& gives_up);

  // Readable while sightings wait.
  int descriptor() const { return ready_.get(); }
  std::vector<Sighting> take();
  // The number of marks beyond the bound.
  uint64_t dropped() const { return dropped_; }

 private:
  struct Stream {
    Descriptor from;  // -1 once it has ended
    Descriptor program_end;
    int to = -1;
    bool is_terminal = false;
    std::string line;  // an incomplete line
  };

  explicit OutputTap(const OutputWatch& watch) : watch_(watch) {}
  Result<> open_stream(Stream& stream, int to);
  void run();
  void copy(Stream& stream);
  bool write_all(int to, std::string_view bytes) const;
  void look(Stream& stream, std::string_view bytes);
  void deliver(std::string_view line);
  void follow_window_size();

  OutputWatch watch_;
  std::array<Stream, 2> streams_;
  Wakeup wake_;
  Wakeup ready_;  // a sighting waits to be taken
  Wakeup done_;   // everything is copied
  std::thread thread_;
  std::atomic<bool> finishing_ = false;
  uint64_t give_up_ns_ = 0;             // set before finishing_
  std::atomic<bool> dropping_ = false;  // output is not written any more
  std::atomic<bool> copied_ = false;    // the thread has nothing more to do
  std::atomic<uint64_t> dropped_ = 0;
  uint64_t marks_ = 0;

  std::mutex mutex_;
  std::vector<Sighting> seen_;
};

}  // namespace wick::record
