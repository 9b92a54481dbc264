// SPDX-License-Identifier: Apache-2.0
// The layout of the perf.data file.
//
// `perf record` writes the data of the kernel's ring buffers unchanged, between a header and some
// notes about the machine. All numbers are in the byte order of the recording machine.
//
//     file mode (a seekable file)              pipe mode (perf record -o -)
//
//     0    header, 104 bytes                   0    magic, size of this header (16)
//     ..   ids of the events                   16   records to the end; the sections of file
//     ..   attributes: one row for each event       mode are records 64 to 67, 78, 80
//     ..   data: records, one after another
//     ..   locations of the feature sections: {offset, size} for each bit set in `features`
//     ..   feature sections
//
//     header                        row of attributes, `attr_size` bytes
//       0  8  magic                   0  ..  perf_event_attr, as given to the kernel (attr.h)
//       8  8  size of the header     -16  8  offset of this event's ids, 8 bytes each
//      16  8  attr_size               -8  8  their size in bytes
//      24 16  attributes {offset, size}
//      40 16  data
//      56 16  event types (until 2013: {id 8, name 64} for each event)
//      72 32  features: 256 bits, lowest first; headers of 72 bytes have none
//
// Magic is "PERFILE2" as one number, so a big-endian file begins "2ELIFREP". Version 1 (before
// 2012) has "PERFFILE" in both byte orders: the size of the header shows which.
//
// Records of types 1 to 63 come from the kernel (kernel_records/layout.h), 64 and up from perf,
// 32769 and up from Android's simpleperf. AUXTRACE and TRACING_DATA are followed by as many bytes
// as their body says. COMPRESSED has a piece of one zstd stream that contains records; a record may
// start in one piece and end in the next.
//
// A directory has "data", a file as above, and "data.0", "data.1", ...: records only, one file for
// each ring buffer (perf record --threads). kcore_dir beside it has the kernel's image.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kernel_records/layout.h"

namespace wick::perf_data {

// The file consists mostly of the kernel's records, so their names and those below are used
// together.
using namespace kernel_records;  // NOLINT(google-build-using-namespace)

inline constexpr std::string_view kMagicLittle = "PERFILE2";
inline constexpr std::string_view kMagicBig = "2ELIFREP";
inline constexpr std::string_view kMagicVersion1 = "PERFFILE";
inline constexpr size_t kPipeHeaderBytes = 16;
inline constexpr size_t kSmallFileHeaderBytes = 72;
inline constexpr size_t kFileHeaderBytes = 104;
inline constexpr size_t kFeatureBits = 256;
inline constexpr size_t kSectionBytes = 16;  // {offset 8, size 8}

// tool_records.cc describes the bodies of perf's records, simpleperf.cc those of simpleperf.
enum ToolRecordType : uint32_t {
  kHeaderAttr = 64,
  kHeaderEventType = 65,
  kHeaderTracingData = 66,
  kHeaderBuildId = 67,
  kFinishedRound = 68,
  kIdIndex = 69,
  kAuxtraceInfo = 70,
  kAuxtrace = 71,
  kAuxtraceError = 72,
  kThreadMap = 73,
  kCpuMap = 74,
  kStatConfig = 75,
  kStat = 76,
  kStatRound = 77,
  kEventUpdate = 78,
  kTimeConv = 79,
  kHeaderFeature = 80,
  kCompressed = 81,
  kFinishedInit = 82,
  kCompressed2 = 83,
  kBpfMetadata = 84,
  kSchedstatCpu = 85,
  kSchedstatDomain = 86,

  // Types of a newer kernel or perf are below this. Any larger type is not a record, except for
  // simpleperf's.
  kPlausibleTypes = 128,

  kFirstSimpleperfRecord = kFirstLongRecord,
  kSimpleperfKernelSymbol = 32769,
  kSimpleperfDso = 32770,
  kSimpleperfSymbol = 32771,
  kSimpleperfSplit = 32772,
  kSimpleperfSplitEnd = 32773,
  kSimpleperfEventId = 32774,
  kSimpleperfCallchain = 32775,
  kSimpleperfUnwindingResult = 32776,
  kSimpleperfTracingData = 32777,
  kSimpleperfDebug = 32778,
  kLastSimpleperfRecord = 32799,
};

// A bit of misc in HEADER_BUILD_ID: the record has the length of the build id.
inline constexpr uint16_t kMiscBuildIdSize = 1 << 15;

// Feature sections: bits of the header in file mode, HEADER_FEATURE records in pipe mode.
// features.cc describes their content, simpleperf.cc that of simpleperf's (from 128).
enum Feature : uint32_t {
  kFeatureTracingData = 1,
  kFeatureBuildId = 2,
  kFeatureHostname = 3,
  kFeatureOsRelease = 4,
  kFeatureVersion = 5,
  kFeatureArch = 6,
  kFeatureNrCpus = 7,
  kFeatureCpuDesc = 8,
  kFeatureCpuId = 9,
  kFeatureTotalMem = 10,
  kFeatureCmdline = 11,
  kFeatureEventDesc = 12,
  kFeatureCpuTopology = 13,
  kFeatureNumaTopology = 14,
  kFeatureBranchStack = 15,
  kFeaturePmuMappings = 16,
  kFeatureGroupDesc = 17,
  kFeatureAuxtrace = 18,
  kFeatureStat = 19,
  kFeatureCache = 20,
  kFeatureSampleTime = 21,
  kFeatureMemTopology = 22,
  kFeatureClockId = 23,
  kFeatureDirFormat = 24,
  kFeatureBpfProgInfo = 25,
  kFeatureBpfBtf = 26,
  kFeatureCompressed = 27,
  kFeatureCpuPmuCaps = 28,
  kFeatureClockData = 29,
  kFeatureHybridTopology = 30,
  kFeaturePmuCaps = 31,
  kFeatureCpuDomainInfo = 32,
  kFeatureEMachine = 33,
  kFeatureCacheLineSize = 34,

  kFeatureSimpleperfFile = 128,
  kFeatureSimpleperfMetaInfo = 129,
  kFeatureSimpleperfDebugUnwind = 130,
  kFeatureSimpleperfDebugUnwindFile = 131,
  kFeatureSimpleperfFile2 = 132,
  kFeatureSimpleperfEtmBranchList = 133,
  kFeatureSimpleperfInitMap = 134,
};

// "MMAP2", "FINISHED_ROUND"; empty for an unknown type.
std::string_view record_name(uint32_t type);
// "HOSTNAME"; empty for an unknown feature.
std::string_view feature_name(uint32_t feature);

}  // namespace wick::perf_data
