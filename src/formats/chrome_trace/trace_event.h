// SPDX-License-Identifier: Apache-2.0
// One event of a trace, while it is read. Its keys are in any order (Chrome writes args first), so
// the arguments are collected before the phase is known.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json_reader.h"
#include "formats/chrome_trace/damage.h"
#include "formats/chrome_trace/tracks.h"

namespace wick::chrome_trace {

// A value of args: a text, or a number.
struct Argument {
  StringId key;
  std::string text;
  int64_t number = 0;
  double value = 0;  // of a number, with its decimals
  bool is_number = false;
  bool is_whole = false;
};

// A part of a CPU profile of V8 in args.data.
struct ProfilePart {
  struct Node {
    int64_t id = 0;
    int64_t parent = -1;
    FrameId frame;  // none for the root
  };
  std::vector<Node> nodes;
  std::vector<std::pair<int64_t, int64_t>> children;  // parent and child, in old traces
  std::vector<int64_t> samples;                       // ids of nodes
  std::vector<int64_t> deltas_us;
  std::optional<int64_t> start_ns;
};

struct TraceEvent {
  char phase = 0;
  char scope = 't';
  StringId name;
  StringId category;
  std::string id;
  std::string frame;  // sf
  TaskNumber pid = kNoTask;
  TaskNumber tid = kNoTask;
  int64_t time_ns = kNoTime;
  int64_t duration_ns = -1;
  int64_t weight = 1;
  int64_t count = -1;
  int64_t cpu = -1;
  std::vector<Argument> arguments;
  ProfilePart part;
};

class EventParser {
 public:
  EventParser(JsonReader& json, ProfileBuilder& builder, Tracks& tracks, Damage& damage)
      : json_(json), builder_(builder), tracks_(tracks), damage_(damage) {}

  // Reads the object whose first token is the current one. `event` is reused to save memory
  // allocations.
  void read(TraceEvent& event);

 private:
  static constexpr size_t kMaxArguments = 32;
  static constexpr size_t kMaxArgumentBytes = 1024;

  bool read_identity(TraceEvent& event, std::string_view key);
  bool read_times(TraceEvent& event, std::string_view key);
  void read_id(std::string& id);
  void read_arguments(TraceEvent& event, int depth);
  void read_argument(TraceEvent& event, StringId key);
  bool read_part(ProfilePart& part, std::string_view key);
  void read_cpu_profile(ProfilePart& part);
  void read_nodes(ProfilePart& part);
  void read_node(ProfilePart& part);
  FrameId read_call_frame();
  void read_integers(std::vector<int64_t>& numbers);

  bool begin(JsonToken bracket);
  // The value that follows a key.
  StringId text();
  TaskNumber task();
  std::optional<int64_t> integer();
  std::optional<int64_t> microseconds();
  void wrong_value();

  JsonReader& json_;
  ProfileBuilder& builder_;
  Tracks& tracks_;
  Damage& damage_;
};

// Microseconds as a decimal text, in nanoseconds; nothing if it is not a time.
std::optional<int64_t> parse_microseconds(std::string_view text);

}  // namespace wick::chrome_trace
