// SPDX-License-Identifier: Apache-2.0
// Each feature section has its own small layout. The layouts are written above the functions that
// read them, as "name size" in bytes: "number 4, number x {type 4, name}". kReaders maps the number
// of a feature to its function; a feature without a row is reported as not used.
//
// Sections are foreign input: every count in them may lie. FieldReader returns zeros after the end
// of the section, so a loop over a count must also stop when ok() is false. A section that ends
// early gives what was read so far.
#include "formats/perf_data/features.h"

#include <algorithm>
#include <array>
#include <ctime>

#include <fmt/format.h>

#include "formats/perf_data/simpleperf.h"
#include "formats/perf_data/tracing_data.h"

namespace wick::perf_data {
namespace {

constexpr size_t kBuildIdRecordBytes = kRecordHeaderBytes + 4 + 24;

std::string_view read_text(FieldReader& fields) {
  return fields.fixed_text(fields.u32());
}

// The items of a list, joined. If its count is larger than its bytes allow, the list ends with the
// bytes.
template <typename ReadItem>
std::string join_list(FieldReader& fields, std::string_view separator, ReadItem read_item) {
  uint32_t count = fields.u32();
  std::string text;
  for (uint32_t i = 0; i < count && fields.ok() && !fields.at_end(); ++i) {
    std::string item(read_item(fields));
    if (fields.ok()) {
      text += text.empty() ? "" : separator;
      text += item;
    }
  }
  return text;
}

std::string_view clock_name(uint32_t clock) {
  constexpr std::array<std::string_view, 12> kNames = {"realtime",
                                                       "monotonic",
                                                       "process CPU time",
                                                       "thread CPU time",
                                                       "monotonic raw",
                                                       "realtime coarse",
                                                       "monotonic coarse",
                                                       "boottime",
                                                       "realtime alarm",
                                                       "boottime alarm",
                                                       "SGI cycle",
                                                       "TAI"};
  return clock < kNames.size() ? kNames[clock] : "unknown";
}

std::string wall_clock_text(uint64_t nanoseconds) {
  auto seconds = static_cast<std::time_t>(nanoseconds / 1'000'000'000);
  std::tm date = {};
  ::gmtime_r(&seconds, &date);
  std::array<char, 32> text = {};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &date);
  return fmt::format("{}.{:09} UTC", text.data(), nanoseconds % 1'000'000'000);
}

// version 4, clock 4, time of day 8, the clock's time at that moment 8
void read_clock_data(FieldReader& fields, FileRecording& recording) {
  fields.skip(4);
  uint32_t clock = fields.u32();
  uint64_t time_of_day = fields.u64();
  uint64_t clock_time = fields.u64();
  if (fields.ok()) {
    recording.set_clock({.kind = clock_kind(clock),
                         .has_wall_time = true,
                         .time_ns = static_cast<int64_t>(clock_time),
                         .wall_time_ns = static_cast<int64_t>(time_of_day)});
    recording.fact("clock", clock_name(clock));
    recording.fact("wall clock",
                   fmt::format("{} at {:.9f} s of the recording's clock",
                               wall_clock_text(time_of_day),
                               static_cast<double>(clock_time) / 1e9));
  }
}

// number 4, size of an attribute 4, number x {attribute, number of ids 4, name, ids 8 each}
void read_event_desc(FieldReader& fields, FileRecording& recording) {
  uint32_t count = fields.u32();
  uint32_t attr_size = fields.u32();
  for (uint32_t i = 0; i < count && fields.ok() && !fields.at_end(); ++i) {
    EventAttr attr = parse_attr(fields.take(attr_size), recording.order);
    uint32_t id_count = fields.u32();
    std::string_view name = read_text(fields);
    std::vector<uint64_t> ids;
    for (uint32_t k = 0; k < id_count && fields.remaining() >= 8; ++k) {
      ids.push_back(fields.u64());
    }
    if (fields.ok()) {
      recording.describe_event(attr, name, std::move(ids));
    }
  }
}

// number 4, number x {type 4, name}
void read_pmu_mappings(FieldReader& fields, FileRecording& recording) {
  join_list(fields, "", [&](FieldReader& item) {
    uint32_t type = item.u32();
    recording.names.pmus.emplace(type, read_text(item));
    return std::string_view();
  });
}

// number 4, number x {name, index of the leader 4, members 4}
void read_group_desc(FieldReader& fields, FileRecording& recording) {
  recording.fact("event groups", join_list(fields, ", ", [](FieldReader& item) {
                   std::string_view name = read_text(item);
                   uint32_t leader = item.u32();
                   uint32_t members = item.u32();
                   return fmt::format("{} ({} events from number {})", name, members, leader);
                 }));
}

// number of core lists 4, lists, number of thread lists 4, lists, then numbers for each CPU
void read_cpu_topology(FieldReader& fields, FileRecording& recording) {
  std::string cores = join_list(fields, "; ", read_text);
  std::string threads = join_list(fields, "; ", read_text);
  recording.fact("CPUs of each package", cores);
  recording.fact("CPUs of each core", threads);
}

// number 4, number x {node 4, memory 8, free memory 8, CPUs}; memory in kB
void read_numa_topology(FieldReader& fields, FileRecording& recording) {
  recording.fact("NUMA nodes", join_list(fields, "; ", [](FieldReader& item) {
                   uint32_t node = item.u32();
                   uint64_t memory = item.u64();
                   item.skip(8);
                   return fmt::format("{}: CPUs {}, {} MB", node, read_text(item), memory / 1024);
                 }));
}

// version 4, type 4 (1: zstd), level 4, ratio 4, size of the buffer 4
void read_compressed(FieldReader& fields, FileRecording& recording) {
  fields.skip(4);
  uint32_t type = fields.u32();
  uint32_t level = fields.u32();
  uint32_t ratio = fields.u32();
  if (fields.ok()) {
    std::string achieved = ratio == 0 ? "" : fmt::format(", {} to 1", ratio);
    recording.fact("compression",
                   fmt::format("{}, level {}{}", type == 1 ? "zstd" : "unknown", level, achieved));
  }
}

// number 4, number x {name, CPUs}
void read_hybrid_topology(FieldReader& fields, FileRecording& recording) {
  recording.fact("kinds of cores", join_list(fields, "; ", [](FieldReader& item) {
                   std::string_view name = read_text(item);
                   return fmt::format("{}: CPUs {}", name, read_text(item));
                 }));
}

// text, as uname prints it
void read_arch(FieldReader& fields, FileRecording& recording) {
  recording.machine = read_text(fields);
  recording.fact("architecture", recording.machine);
}

// the machine's ELF number 4, its flags 4
void read_elf_machine(FieldReader& fields, FileRecording& recording) {
  uint32_t elf_machine = fields.u32();
  if (!recording.machine.empty()) {
    return;
  }
  constexpr std::array<std::pair<uint32_t, std::string_view>, 4> kMachines = {
      {{3, "i686"}, {40, "arm"}, {62, "x86_64"}, {183, "aarch64"}}};
  for (auto [number, name] : kMachines) {
    if (number == elf_machine) {
      recording.machine = name;
    }
  }
}

// rows in the format of read_build_id, one after another
void read_build_ids(FieldReader& fields, FileRecording& recording) {
  Bytes section = fields.rest();
  while (section.size() >= kRecordHeaderBytes) {
    uint32_t size = load_header(section.data(), recording.order).size;
    if (size < kRecordHeaderBytes || size > section.size()) {
      recording.account.lose(
          {.reason = "the list of build ids is damaged", .what = "build ids", .count = 0});
      return;
    }
    read_build_id(section.first(size), recording);
    section = section.subspan(size);
  }
}

// available 4, online 4
void read_cpus(FieldReader& fields, FileRecording& recording) {
  uint32_t available = fields.u32();
  uint32_t online = fields.u32();
  recording.fact("CPUs of the host", fmt::format("{} online of {}", online, available));
}

// first 8, last 8, in nanoseconds
void read_sample_time(FieldReader& fields, FileRecording& recording) {
  uint64_t first = fields.u64();
  uint64_t last = fields.u64();
  if (last != 0) {  // in pipes it is written before the times are known
    recording.fact("sample times, as the header says",
                   fmt::format("{:.9f} s to {:.9f} s",
                               static_cast<double>(first) / 1e9,
                               static_cast<double>(last) / 1e9));
  }
}

struct Reader {
  uint32_t feature;
  void (*read)(FieldReader& fields, FileRecording& recording);
};

void read_nothing(FieldReader& /*fields*/, FileRecording& /*recording*/) {}

// Features without a row are reported as not used.
constexpr std::array kReaders = {
    Reader{kFeatureTracingData,
           [](FieldReader& fields, FileRecording& to) { read_tracing_data(fields.rest(), to); }},
    Reader{kFeatureBuildId, read_build_ids},
    Reader{kFeatureHostname,
           [](FieldReader& fields, FileRecording& to) {
             to.host_name = read_text(fields);
             to.fact("host", to.host_name);
           }},
    Reader{kFeatureOsRelease,
           [](FieldReader& fields, FileRecording& to) {
             to.kernel_release = read_text(fields);
             to.fact("kernel", to.kernel_release);
           }},
    Reader{
        kFeatureVersion,
        [](FieldReader& fields, FileRecording& to) { to.fact("perf version", read_text(fields)); }},
    Reader{kFeatureArch, read_arch},
    Reader{kFeatureNrCpus, read_cpus},
    Reader{kFeatureCpuDesc,
           [](FieldReader& fields, FileRecording& to) { to.fact("CPU", read_text(fields)); }},
    Reader{kFeatureCpuId,
           [](FieldReader& fields, FileRecording& to) { to.fact("CPU id", read_text(fields)); }},
    Reader{kFeatureTotalMem,
           [](FieldReader& fields, FileRecording& to) {
             to.fact("memory of the host", fmt::format("{} MB", fields.u64() / 1024));
           }},
    Reader{kFeatureCmdline,
           [](FieldReader& fields, FileRecording& to) {
             to.fact("command line", join_list(fields, " ", read_text));
           }},
    Reader{kFeatureEventDesc, read_event_desc},
    Reader{kFeatureCpuTopology, read_cpu_topology},
    Reader{kFeatureNumaTopology, read_numa_topology},
    Reader{kFeatureBranchStack, read_nothing},  // only says that there are branches
    Reader{kFeaturePmuMappings, read_pmu_mappings},
    Reader{kFeatureGroupDesc, read_group_desc},
    Reader{kFeatureSampleTime, read_sample_time},
    Reader{kFeatureClockId,
           [](FieldReader& fields, FileRecording& to) {
             to.fact("clock resolution", fmt::format("{} ns", fields.u64()));
           }},
    Reader{kFeatureDirFormat,
           [](FieldReader& fields, FileRecording& to) {
             to.fact("directory format", fmt::format("version {}", fields.u64()));
           }},
    Reader{kFeatureCompressed, read_compressed},
    Reader{kFeatureClockData, read_clock_data},
    Reader{kFeatureHybridTopology, read_hybrid_topology},
    Reader{kFeatureEMachine, read_elf_machine},
    Reader{
        kFeatureSimpleperfFile,
        [](FieldReader& fields, FileRecording& to) { read_simpleperf_files(fields.rest(), to); }},
    Reader{kFeatureSimpleperfMetaInfo,
           [](FieldReader& fields, FileRecording& to) {
             read_simpleperf_meta_info(fields.rest(), to);
           }},
    Reader{
        kFeatureSimpleperfFile2,
        [](FieldReader& fields, FileRecording& to) { read_simpleperf_files2(fields.rest(), to); }},
};

}  // namespace

void read_build_id(Bytes record, FileRecording& recording) {
  if (record.size() < kRecordHeaderBytes) {
    return;
  }
  RecordHeader header = load_header(record.data(), recording.order);
  FieldReader fields(record, recording.order);
  fields.skip(kRecordHeaderBytes + 4);
  Bytes id = fields.take(kBuildIdBytes);
  auto size = fields.number<uint8_t>();
  fields.skip(3);
  std::string_view path = text_before_nul(fields.rest());
  if (!fields.ok()) {
    return;
  }
  // The first versions of perf had no pid in this record: the path starts four bytes earlier.
  if (record.size() > kBuildIdRecordBytes && path == "nel.kallsyms]") {
    id = record.subspan(kRecordHeaderBytes, kBuildIdBytes);
    path = text_before_nul(record.subspan(kBuildIdRecordBytes - 4));
  }
  if ((header.misc & kMiscBuildIdSize) != 0) {
    id = id.first(std::min<size_t>(size, id.size()));
  } else {
    // No size: ids shorter than 20 bytes were padded with zeros.
    while (id.size() >= 4 && as_text(id.last(4)) == std::string_view("\0\0\0\0", 4)) {
      id = id.first(id.size() - 4);
    }
  }
  if (!id.empty()) {
    recording.announce();
    recording.build_ids_are_known = true;
    recording.sink.on_build_id({.path = path, .build_id = as_text(id)});
  }
}

bool FeatureReader::read_late(uint32_t feature) {
  return feature == kFeatureBuildId || feature == kFeatureSimpleperfFile ||
         feature == kFeatureSimpleperfFile2;
}

void FeatureReader::read(uint32_t feature, Bytes section) {
  bool used = read_known(feature, section);
  recording_.contents.count_feature(feature, section.size(), used);
}

bool FeatureReader::read_known(uint32_t feature, Bytes section) {
  const auto* row = std::ranges::find(kReaders, feature, &Reader::feature);
  if (row == kReaders.end()) {
    return false;
  }
  FieldReader fields(section, recording_.order);
  row->read(fields, recording_);
  if (!fields.ok()) {
    recording_.account.lose({.reason = "notes about the machine end too early",
                             .what = "features",
                             .detail = fmt::format("first {}", feature_name(feature)),
                             .notice = true});
  }
  return true;
}

}  // namespace wick::perf_data
