// Watches what the program prints, while it passes through unchanged.
//
//     program's stdout ->|         |-> our stdout (or elsewhere)
//                        |  a tap  |-> lines that match: marks, and when to stop
//     program's stderr ->|         |-> our stderr
//
// A thread of its own copies the bytes as they come, so that a reader who is slow (a pager) stops
// the program, as it always would, and not the recording. Where ours is a terminal the program gets
// a terminal too, of the same size, which changes nothing of what passes: it goes on to print in
// colour and line by line. Elsewhere it gets a pipe; a program that collects its output there
// before it writes is seen late (`stdbuf -oL` helps).
//
// Only lines that match leave the thread; their number is bounded.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
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
  std::shared_ptr<const Pattern> marker;   // lines to keep, or null
  std::shared_ptr<const Pattern> stop_on;  // the line that ends the recording, or null

  bool any() const { return marker != nullptr || stop_on != nullptr; }
};

// A line that matched.
struct Sighting {
  uint64_t time_ns = 0;
  std::string text;  // what matched
  double value = 0;  // the number in the first group of the expression
  bool has_value = false;
  bool stops = false;
};

// What one line means; false when nothing.
bool look_at_line(std::string_view line, const OutputWatch& watch, Sighting& seen);

class OutputTap {
 public:
  static constexpr size_t kMostMarks = 1 << 20;

  // `to`: where the program's stdout and stderr shall go on to.
  static Result<std::unique_ptr<OutputTap>> open(const OutputWatch& watch,
                                                 const std::array<int, 2>& to);
  ~OutputTap();
  OutputTap(const OutputTap&) = delete;
  OutputTap& operator=(const OutputTap&) = delete;

  // Where the program shall write its stdout and its stderr.
  std::array<int, 2> program_ends() const;
  // The program has its ends: ours are closed, and the copying begins.
  Result<> start();
  // Copies what is there, and ends; for when the program has ended. Others may hold its output open
  // and go on writing: after a second they are left alone.
  void finish();

  // Readable while sightings wait.
  int descriptor() const { return ready_.get(); }
  std::vector<Sighting> take();
  // Marks beyond the bound.
  uint64_t dropped() const { return dropped_; }

 private:
  struct Stream {
    Descriptor from;  // -1 once it has ended
    Descriptor program_end;
    int to = -1;
    bool is_terminal = false;
    std::string line;  // the part without its end yet
  };

  explicit OutputTap(const OutputWatch& watch) : watch_(watch) {}
  Result<> open_stream(Stream& stream, int to);
  void run();
  void copy(Stream& stream);
  void look(Stream& stream, std::string_view bytes);
  void tell(std::string_view line);
  void follow_window_size();

  OutputWatch watch_;
  std::array<Stream, 2> streams_;
  Wakeup wake_;
  Wakeup ready_;
  std::thread thread_;
  std::atomic<bool> finishing_ = false;
  uint64_t give_up_ns_ = 0;  // set before finishing_
  std::atomic<uint64_t> dropped_ = 0;
  uint64_t marks_ = 0;

  std::mutex mutex_;
  std::vector<Sighting> seen_;
};

}  // namespace wick::record
