// SPDX-License-Identifier: Apache-2.0
#include "formats/native/version0.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "base/parse_number.h"
#include "formats/native/rows.h"
#include "profile/names.h"

namespace wick {

namespace native::version0 {

struct CounterRow {
  int64_t time_ns = 0;
  StringId name;
  StringId unit;
  double value = 0;
};

}  // namespace native::version0

template <>
struct RowSchema<native::version0::CounterRow> {
  static constexpr auto with_columns(auto use) {
    return use(
        WICK_COLUMN(1, time_ns), WICK_COLUMN(2, name), WICK_COLUMN(3, unit), WICK_COLUMN(4, value));
  }
};

namespace native::version0 {
namespace {

constexpr std::string_view kFileOffsets = "addresses are places in the file";
constexpr std::string_view kJitDumpOf = "jitdump of process ";

class Upgrade {
 public:
  explicit Upgrade(Profile& profile) : profile_(profile) {}

  void run() {
    Source source{.host = text_of("host"), .kernel = text_of("kernel")};
    read_clock(profile_.strings[text_of("clock")], source);
    if (source != Source()) {
      SourceId id = profile_.sources.push_back(source);
      for (size_t row = 0; row < profile_.processes.size(); ++row) {
        profile_.processes[ProcessId::from_index(row)].source = id;
      }
      for (size_t row = 0; row < profile_.series.size(); ++row) {
        profile_.series[SeriesId::from_index(row)].source = id;
      }
      for (Mark& mark : profile_.marks) {
        mark.source = id;
      }
    }
    read_tick(profile_.strings[text_of("tick")]);
    mark_made_up_names();
    std::erase_if(profile_.facts, [&](const Fact& fact) { return is_taken(fact); });
    set_file_offsets();
    set_jit_dumps();
  }

 private:
  StringId text_of(std::string_view key) const {
    auto is_meant = [&](const Fact& fact) { return profile_.strings[fact.key] == key; };
    auto found = std::ranges::find_if(profile_.facts, is_meant);
    return found == profile_.facts.end() ? StringId() : found->value;
  }

  // "monotonic; 1790000000000000000 ns behind the calendar"
  static void read_clock(std::string_view text, Source& source) {
    size_t end = text.find(';');
    if (text.substr(0, end) != "monotonic") {
      return;
    }
    source.clock = ClockKind::kMonotonic;
    if (end != std::string_view::npos && end + 2 < text.size()) {
      std::string_view rest = text.substr(end + 2);
      std::optional<int64_t> offset = parse_number<int64_t>(rest.substr(0, rest.find(' ')));
      source.wall_clock_ns = offset.value_or(kNoTime);
    }
  }

  // "1000000 ns"
  void read_tick(std::string_view text) {
    std::optional<uint64_t> tick = parse_number<uint64_t>(text.substr(0, text.find(' ')));
    if (tick && !profile_.events.empty()) {
      profile_.events[EventId(0)].interval_ns = *tick;
    }
  }

  // "libx.so+0x1230": the module and an address.
  void mark_made_up_names() {
    for (size_t row = 0; row < profile_.functions.size(); ++row) {
      Function& function = profile_.functions[FunctionId::from_index(row)];
      std::string_view name = profile_.strings[function.name];
      std::string_view module = module_name(profile_, function.module);
      if (!module.empty() && name.starts_with(module) &&
          name.substr(module.size()).starts_with("+0x")) {
        function.flags = static_cast<uint8_t>(function.flags | kMadeUpName);
      }
    }
  }

  // Stores the content of a fact meant for programs; false for all other facts.
  bool is_taken(const Fact& fact) {
    std::string_view key = profile_.strings[fact.key];
    if (key == kFileOffsets) {
      offset_paths_.insert(profile_.strings[fact.value]);
      return true;
    }
    if (!key.starts_with(kJitDumpOf)) {
      return false;
    }
    std::optional<int64_t> pid = parse_number<int64_t>(key.substr(kJitDumpOf.size()));
    if (pid) {
      jit_dumps_[*pid] = fact.value;
    }
    return pid.has_value();
  }
  void set_file_offsets() {
    for (size_t row = 0; row < profile_.modules.size(); ++row) {
      Module& module = profile_.modules[ModuleId::from_index(row)];
      if (offset_paths_.contains(profile_.strings[module.path])) {
        module.address_kind = AddressKind::kFileOffset;
      }
    }
  }
  void set_jit_dumps() {
    for (size_t row = 0; row < profile_.processes.size(); ++row) {
      Process& process = profile_.processes[ProcessId::from_index(row)];
      if (auto dump = jit_dumps_.find(process.pid); dump != jit_dumps_.end()) {
        process.jit_dump = dump->second;
      }
    }
  }

  Profile& profile_;
  std::set<std::string_view> offset_paths_;
  std::map<int64_t, StringId> jit_dumps_;  // by pid
};

}  // namespace

Result<std::vector<CounterPoint>> Counters::decode(PayloadReader& payload,
                                                   uint32_t rows,
                                                   IdVector<SeriesId, CounterSeries>& series) {
  std::vector<CounterPoint> points;
  for (const CounterRow& row : TRY(decode_rows<CounterRow>(payload, rows))) {
    auto [known, is_new] = series_.try_emplace({row.name, row.unit});
    if (is_new) {
      known->second = series.push_back({.name = row.name, .unit = row.unit});
    }
    points.push_back({.time_ns = row.time_ns, .series = known->second, .value = row.value});
  }
  return points;
}

void upgrade_facts(Profile& profile) {
  Upgrade(profile).run();
}

}  // namespace native::version0
}  // namespace wick
