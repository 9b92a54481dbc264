// SPDX-License-Identifier: Apache-2.0
// Reads a recording in two passes over its chunks. The first counts the events of each type and
// reads settings (how often the sampler runs) and facts about the JVM, which can come after the
// samples that need them. The second makes samples.
//
// Invariant: total_ stays below kMaxTotalWeight; events beyond are counted as lost.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/escape.h"
#include "base/parse_number.h"
#include "base/whole_input.h"
#include "formats/broken_input.h"
#include "formats/jfr/chunk.h"
#include "formats/jfr/events.h"
#include "formats/jfr/jfr.h"
#include "formats/jfr/pools.h"
#include "profile/builder.h"
#include "profile/validate.h"

namespace wick::jfr {
namespace {

enum SampleSlot : uint8_t {
  kStart,
  kDuration,
  kThread,
  kStack,
  kState,
  kWeight,
  kSamples,
  kClass,
  kContext,
  kSlots
};

// "20 ms", "10ms" or "10000000" (nanoseconds); none if it is another setting.
std::optional<uint64_t> parse_period(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, uint64_t>, 5> kUnits = {
      {{"", 1}, {"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}}};
  size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  std::optional<uint64_t> number = parse_number<uint64_t>(text.substr(0, digits));
  std::string_view unit = text.substr(digits);
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  auto known = std::ranges::find(kUnits, unit, &std::pair<std::string_view, uint64_t>::first);
  constexpr uint64_t kMostSeconds = 3600;
  if (!number || known == kUnits.end() || *number == 0 ||
      *number > kMostSeconds * 1'000'000'000 / known->second) {
    return std::nullopt;
  }
  return *number * known->second;
}

struct Kind {
  const SampledType* type = nullptr;
  uint64_t events = 0;
  uint64_t period = 0;
  bool is_wall = false;  // async-profiler's jdk.ExecutionSample with event=wall
  EventId event;
};

class Reader {
 public:
  Reader(std::string name, std::string_view text) : name_(std::move(name)), text_(text) {
    for (const SampledType& type : sampled_types()) {
      kinds_.push_back({.type = &type});
    }
  }

  Result<Profile> run(const std::string& error) {
    TRY(find_chunks());
    add_unread_rest(error, builder_);
    for (const Found& found : chunks_) {
      prepare(Chunk(found.bytes, found.header));
    }
    add_events();
    for (const Found& found : chunks_) {
      take(Chunk(found.bytes, found.header));
    }
    add_losses();
    if (described_ == 0) {
      return fail("{} has no metadata that wick can read: the recording is damaged.",
                  terminal_text(name_));
    }
    if (std::ranges::all_of(kinds_, [](const Kind& kind) { return kind.events == 0; })) {
      return fail(
          "{} has no samples, allocations or waits: record with `-XX:StartFlightRecording="
          "settings=profile`, or with async-profiler.",
          terminal_text(name_));
    }
    Profile profile = builder_.finish();
    TRY(validate(profile));
    return profile;
  }

 private:
  struct Found {
    Bytes bytes;
    ChunkHeader header;
  };

  Result<> find_chunks() {
    Bytes rest = as_bytes(text_);
    while (!rest.empty()) {
      std::optional<ChunkHeader> header = read_header(rest);
      if (!header) {
        loss("the recording is cut or damaged", "rest of the input");
        size_t next = as_text(rest).find(kMagic, 1);
        rest = next == std::string_view::npos ? Bytes() : rest.subspan(next);
        continue;
      }
      if (header->major != 2) {
        return fail("{} has version {} of the JFR format, but wick reads version 2: {}.",
                    terminal_text(name_),
                    header->major,
                    header->major < 2 ? "record it again with JDK 11 or later"
                                      : "it is newer than this wick");
      }
      uint64_t size = header->size < kHeaderBytes ? rest.size() : header->size;
      if (size > rest.size()) {
        loss("the recording is cut or damaged", "rest of the input");
      }
      size = std::min<uint64_t>(size, rest.size());
      chunks_.push_back({rest.first(size), *header});
      rest = rest.subspan(size);
    }
    if (chunks_.empty()) {
      return fail("{} is cut in the header of its first chunk.", terminal_text(name_));
    }
    return {};
  }

  void loss(std::string_view reason, std::string_view what, uint64_t count = 0) {
    builder_.add_loss({.reason = reason, .what = what, .count = count});
  }

  // The first pass.
  void prepare(const Chunk& chunk) {
    if (!chunk.has_types()) {
      loss("a chunk has no readable metadata", "chunks", 1);
      return;
    }
    ++described_;
    const Types& types = chunk.types();
    std::vector<uint32_t> kinds = kinds_of(types);
    std::array<uint32_t, 4> others = {types.find("jdk.ActiveSetting"),
                                      types.find("jdk.JVMInformation"),
                                      types.find("jdk.DataLoss"),
                                      types.find("jdk.CPUTimeSamplesLost")};
    bool whole = chunk.for_each_event([&](uint64_t id, const ValueReader& reader) {
      uint32_t type = id > 1 ? types.find(id) : Types::kNone;
      if (type == Types::kNone) {
        unknown_events_ += id > 1 ? 1 : 0;
      } else if (kinds[type] < kinds_.size()) {
        ++kinds_[kinds[type]].events;
      } else if (type == others[0]) {
        take_setting(types, type, kinds, reader);
      } else if (type == others[1]) {
        take_jvm(types, type, reader);
      } else if (type == others[2]) {
        take_lost(types, type, "amount", "bytes", reader);
      } else if (type == others[3]) {
        take_lost(types, type, "lostSamples", "samples", reader);
      }
    });
    if (!whole) {
      loss("the recording is cut or damaged", "rest of a chunk");
    }
  }

  // By type: the row of kinds_, or a number past its end.
  std::vector<uint32_t> kinds_of(const Types& types) const {
    std::vector<uint32_t> kinds(types.size(), UINT32_MAX);
    for (uint32_t row = 0; row < kinds_.size(); ++row) {
      if (uint32_t type = types.find(kinds_[row].type->name); type != Types::kNone) {
        kinds[type] = row;
      }
    }
    return kinds;
  }

  Kind& kind(std::string_view name) {
    return *std::ranges::find(kinds_, name, [](const Kind& k) { return k.type->name; });
  }

  void take_setting(const Types& types,
                    uint32_t type,
                    const std::vector<uint32_t>& kinds,
                    ValueReader reader) {
    constexpr std::array<SlotRule, 3> kRules = {
        {{"id", Want::kNumber, 0}, {"name", Want::kText, 0}, {"value", Want::kText, 1}}};
    std::array<uint64_t, 1> numbers = {};
    std::array<std::string, 2> texts;
    std::array<uint64_t, 2> keys = {};
    types.decode(type, types.layout(type, kRules), reader, {numbers, texts, keys});
    const auto& [name, value] = texts;
    uint32_t about = types.find(numbers[0]);
    bool is_sampled = about != Types::kNone && kinds[about] < kinds_.size();
    if (name == "event" && value == "wall") {
      kind("jdk.ExecutionSample").is_wall = true;
    }
    if (name != "period" && name != "interval" && name != "wall") {
      return;
    }
    Kind& target = name == "wall" ? kind("profiler.WallClockSample")
                   : is_sampled   ? kinds_[kinds[about]]
                                  : kind("jdk.ExecutionSample");
    if (is_sampled || name != "period") {
      target.period = parse_period(value).value_or(target.period);
    }
  }

  void take_jvm(const Types& types, uint32_t type, ValueReader reader) {
    constexpr std::array<SlotRule, 4> kRules = {{{"pid", Want::kNumber, 0},
                                                 {"javaArguments", Want::kText, 0},
                                                 {"jvmVersion", Want::kText, 1},
                                                 {"jvmArguments", Want::kText, 2}}};
    std::array<uint64_t, 1> numbers = {UINT64_MAX};
    std::array<std::string, 3> texts;
    std::array<uint64_t, 3> keys = {};
    types.decode(type, types.layout(type, kRules), reader, {numbers, texts, keys});
    pid_ = numbers[0] <= INT32_MAX ? static_cast<int64_t>(numbers[0]) : pid_;
    if (!texts[0].empty()) {
      command_ = texts[0];
    }
    if (!texts[1].empty() && !has_jvm_) {
      has_jvm_ = true;
      builder_.add_fact("JVM", texts[1]);
    }
  }

  void take_lost(const Types& types,
                 uint32_t type,
                 std::string_view field,
                 std::string_view what,
                 ValueReader reader) {
    std::array<SlotRule, 1> rules = {{{field, Want::kNumber, 0}}};
    std::array<uint64_t, 1> numbers = {};
    types.decode(type, types.layout(type, rules), reader, {.numbers = numbers});
    constexpr uint64_t kMost = uint64_t{1} << 48;
    loss("the JVM lost events", what, std::min(numbers[0], kMost));
  }

  void add_events() {
    for (Kind& kind : kinds_) {
      const SampledType& type = *kind.type;
      if (kind.events == 0) {
        continue;
      }
      bool counts_samples = type.weight == WeightKind::kPeriod && kind.period == 0;
      kind.event = builder_.event({.name = builder_.string(type.name),
                                   .unit = builder_.string(counts_samples ? "samples" : type.unit),
                                   .kind = kind.is_wall ? Quantity::kWallTime : type.quantity,
                                   .period = type.weight == WeightKind::kPeriod ? kind.period : 0});
    }
    SourceId source = builder_.source({.clock = ClockKind::kRealtime, .wall_clock_ns = 0});
    std::string_view program = std::string_view(command_).substr(0, command_.find(' '));
    process_ = builder_.process({.pid = pid_,
                                 .name = builder_.string(program.empty() ? "java" : program),
                                 .source = source,
                                 .command = builder_.string(command_)});
    state_key_ = builder_.string("state");
    class_key_ = builder_.string("class");
    context_key_ = builder_.string("contextId");
  }

  // The second pass.
  void take(const Chunk& chunk) {
    if (!chunk.has_types()) {
      return;
    }
    const Types& types = chunk.types();
    Pools pools(chunk.bytes(), chunk.header().compressed, types, builder_);
    uint64_t damaged = 0;
    chunk.for_each_event([&](uint64_t id, const ValueReader& reader) {
      if (id == 1) {
        ValueReader event = reader;
        damaged += pools.add_checkpoint(event) ? 0U : 1U;
      }
    });
    if (damaged > 0) {
      loss("constant pools are damaged", "checkpoints", damaged);
    }
    pools.prepare();
    std::vector<uint32_t> kinds = kinds_of(types);
    std::vector<std::optional<Layout>> layouts(types.size());
    chunk.for_each_event([&](uint64_t id, const ValueReader& reader) {
      uint32_t type = id > 1 ? types.find(id) : Types::kNone;
      if (type != Types::kNone && kinds[type] < kinds_.size()) {
        Kind& kind = kinds_[kinds[type]];
        if (!layouts[type]) {
          layouts[type] = layout_of(types, type, *kind.type);
        }
        take_sample(chunk, pools, type, *layouts[type], kind, reader);
      }
    });
    missing_ += pools.missing();
  }

  static Layout layout_of(const Types& types, uint32_t type, const SampledType& sampled) {
    std::vector<SlotRule> rules = {{"startTime", Want::kNumber, kStart},
                                   {"duration", Want::kNumber, kDuration},
                                   {"eventThread", Want::kKey, kThread},
                                   {"sampledThread", Want::kKey, kThread},
                                   {"stackTrace", Want::kKey, kStack},
                                   {"state", Want::kKey, kState},
                                   {"samples", Want::kNumber, kSamples},
                                   {"objectClass", Want::kKey, kClass},
                                   {"monitorClass", Want::kKey, kClass},
                                   {"parkedClass", Want::kKey, kClass},
                                   {"contextId", Want::kNumber, kContext}};
    if (!sampled.weight_field.empty()) {
      rules.push_back({sampled.weight_field, Want::kNumber, kWeight});
    }
    return types.layout(type, rules);
  }

  void take_sample(const Chunk& chunk,
                   Pools& pools,
                   uint32_t type,
                   const Layout& layout,
                   const Kind& kind,
                   ValueReader reader) {
    std::array<uint64_t, kSlots> slots = {};
    slots[kSamples] = 1;
    chunk.types().decode(type, layout, reader, {.numbers = slots});
    if (!reader.ok()) {
      loss("events are damaged", "events", 1);
      return;
    }
    std::optional<uint64_t> weight = weight_of(chunk, kind, slots);
    if (!weight || *weight >= kMaxTotalWeight - total_) {
      loss("a weight is too large", "events", 1);
      return;
    }
    total_ += *weight;
    StackTrace trace = pools.stack_trace(slots[kStack]);
    bool has_stack = trace.stack != kEmptyStack;
    builder_.add_sample({.time_ns = chunk.time_of(slots[kStart]),
                         .weight = static_cast<int64_t>(*weight),
                         .count = kind.type->is_sample ? slots[kSamples] : 0,
                         .stack = trace.stack,
                         .thread = pools.thread(slots[kThread], process_),
                         .event = kind.event,
                         .ending = !has_stack           ? StackEnd::kUnknown
                                   : trace.is_truncated ? StackEnd::kTooDeep
                                                        : StackEnd::kComplete,
                         .labels = labels(pools, slots)});
  }

  // None if it does not fit.
  static std::optional<uint64_t> weight_of(const Chunk& chunk,
                                           const Kind& kind,
                                           std::span<const uint64_t> slots) {
    constexpr uint64_t kMostSamples = UINT32_MAX;
    switch (kind.type->weight) {
      case WeightKind::kDuration:
        return chunk.duration_of(slots[kDuration]);
      case WeightKind::kTicks:
        return chunk.duration_of(slots[kWeight]);
      case WeightKind::kNumber:
        return slots[kWeight];
      case WeightKind::kPeriod:
        break;
    }
    uint64_t period = std::max<uint64_t>(kind.period, 1);
    if (slots[kSamples] > kMostSamples || slots[kSamples] > kMaxTotalWeight / period) {
      return std::nullopt;
    }
    return slots[kSamples] * period;
  }

  LabelSetId labels(Pools& pools, std::span<const uint64_t> slots) {
    if (slots[kState] == 0 && slots[kClass] == 0 && slots[kContext] == 0) {
      return kNoLabels;
    }
    std::vector<LabelId> labels;
    auto add_text = [&](StringId key, StringId text) {
      if (!text.empty()) {
        labels.push_back(builder_.label({.key = key, .text = text}));
      }
    };
    add_text(state_key_, slots[kState] == 0 ? StringId{} : pools.state(slots[kState]));
    add_text(class_key_, slots[kClass] == 0 ? StringId{} : pools.class_name(slots[kClass]));
    if (slots[kContext] != 0) {
      labels.push_back(builder_.label({.key = context_key_,
                                       .number = static_cast<int64_t>(slots[kContext]),
                                       .is_number = true}));
    }
    return builder_.label_set(labels);
  }

  void add_losses() {
    if (missing_ > 0) {
      loss("constants are missing: stacks, threads or names are unknown", "constants", missing_);
    }
    if (unknown_events_ > 0) {
      loss("the metadata does not describe the type of events", "events", unknown_events_);
    }
  }

  std::string name_;
  std::string_view text_;
  std::vector<Found> chunks_;
  ProfileBuilder builder_;
  std::vector<Kind> kinds_;
  ProcessId process_;
  int64_t pid_ = -1;
  std::string command_;
  bool has_jvm_ = false;
  StringId state_key_;
  StringId class_key_;
  StringId context_key_;
  uint64_t total_ = 0;
  uint64_t described_ = 0;
  uint64_t missing_ = 0;
  uint64_t unknown_events_ = 0;
};

}  // namespace

bool sniff(Bytes head) {
  return as_text(head).starts_with(kMagic);
}

Result<Profile> read(Input& input, const FlagValues& /*flags*/) {
  WholeInput whole(input);
  return Reader(input.name(), whole.text()).run(whole.error());
}

}  // namespace wick::jfr
