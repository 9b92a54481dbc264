// The perf.data file: what stands where.
//
// `perf record` writes what the kernel's ring buffers gave it, as it came, between a header and
// some notes about the machine. All numbers are in the byte order of the machine that recorded.
//
//     file mode (a seekable file)              pipe mode (perf record -o -)
//
//     0    header, 104 bytes                   0    magic, size of this header (16)
//     ..   ids of the events                   16   records to the end; what file mode keeps in
//     ..   attributes: one row for each event       sections comes as records 64 to 67, 78, 80
//     ..   data: records, one after another
//     ..   places of the feature sections: {offset, size} for each bit set in `features`
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
//     record                         sample id: the end of every kernel record but samples, when
//       0  4  type                   the attribute says sample_id_all; only what is sampled:
//       4  2  misc: mode, flags        pid 4 + tid 4, time 8, id 8, stream id 8, cpu 4 + 0 4,
//       6  2  size, with this header   identifier 8 (always the last, so it is found first)
//       8 ..  body, sample id
//
// Magic is "PERFILE2" as one number, so a big-endian file begins "2ELIFREP". Version 1 (before
// 2012) has "PERFFILE" in both byte orders: the size of the header tells which.
//
// Types 1 to 63 come from the kernel, 64 and up from perf, 32769 and up from Android's simpleperf;
// there size is 32 bits, its upper half where misc stands. AUXTRACE and TRACING_DATA are followed
// by as many bytes as their body says. COMPRESSED holds a piece of one zstd stream that holds
// records; they may begin in one piece and end in the next.
//
// A directory holds "data", a file as above, and "data.0", "data.1", ...: records only, one file
// for each ring buffer (perf record --threads); kcore_dir beside it holds the kernel's image.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace wick::perf_data {

inline constexpr std::string_view kMagicLittle = "PERFILE2";
inline constexpr std::string_view kMagicBig = "2ELIFREP";
inline constexpr std::string_view kMagicVersion1 = "PERFFILE";
inline constexpr size_t kPipeHeaderBytes = 16;
inline constexpr size_t kSmallFileHeaderBytes = 72;
inline constexpr size_t kFileHeaderBytes = 104;
inline constexpr size_t kRecordHeaderBytes = 8;
inline constexpr size_t kBuildIdBytes = 20;
inline constexpr size_t kFeatureBits = 256;
inline constexpr size_t kSectionBytes = 16;  // {offset 8, size 8}

// Bodies are told where they are read: kernel records in delivery.cc, perf's in tool_records.cc,
// simpleperf's in simpleperf.cc.
enum RecordType : uint32_t {
  kMmap = 1,
  kLost = 2,
  kComm = 3,
  kExit = 4,
  kThrottle = 5,
  kUnthrottle = 6,
  kFork = 7,
  kRead = 8,
  kSample = 9,
  kMmap2 = 10,
  kAux = 11,
  kItraceStart = 12,
  kLostSamples = 13,
  kSwitch = 14,
  kSwitchCpuWide = 15,
  kNamespaces = 16,
  kKsymbol = 17,
  kBpfEvent = 18,
  kCgroup = 19,
  kTextPoke = 20,
  kAuxOutputHwId = 21,
  kCallchainDeferred = 22,

  kFirstToolRecord = 64,
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

  // A type of a kernel or a perf that is newer than this list is below this; anything above, but
  // for simpleperf's, is no record.
  kPlausibleTypes = 128,

  kFirstSimpleperfRecord = 32768,
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

// Bits of misc. The upper ones mean different things in different records.
enum RecordMisc : uint16_t {
  kMiscModeMask = 7,  // 1 kernel, 2 user, 3 hypervisor, 4 guest kernel, 5 guest user
  kMiscMapsTimedOut = 1 << 12,
  kMiscMmapData = 1 << 13,
  kMiscCommExec = 1 << 13,
  kMiscSwitchOut = 1 << 13,
  kMiscSwitchPreempted = 1 << 14,
  kMiscMmapBuildId = 1 << 14,
  kMiscLostByFilter = 1 << 15,
  kMiscBuildIdSize = 1 << 15,
};

// What a sample holds, in the order in which the fields stand in it (sample.h): not the order of
// the bits.
enum SampleBits : uint64_t {
  kSampleIdentifier = 1 << 16,
  kSampleIp = 1 << 0,
  kSampleTid = 1 << 1,
  kSampleTime = 1 << 2,
  kSampleAddr = 1 << 3,
  kSampleId = 1 << 6,
  kSampleStreamId = 1 << 9,
  kSampleCpu = 1 << 7,
  kSamplePeriod = 1 << 8,
  kSampleRead = 1 << 4,
  kSampleCallchain = 1 << 5,
  kSampleRaw = 1 << 10,
  kSampleBranchStack = 1 << 11,
  kSampleRegsUser = 1 << 12,
  kSampleStackUser = 1 << 13,
  kSampleWeight = 1 << 14,
  kSampleWeightStruct = 1 << 24,
  kSampleDataSource = 1 << 15,
  kSampleTransaction = 1 << 17,
  kSampleRegsIntr = 1 << 18,
  kSamplePhysAddr = 1 << 19,
  kSampleCgroup = 1 << 21,
  kSampleDataPageSize = 1 << 22,
  kSampleCodePageSize = 1 << 23,
  kSampleAux = 1 << 20,
  kKnownSampleBits = (1 << 25) - 1,
};

enum ReadFormatBits : uint64_t {
  kReadTimeEnabled = 1 << 0,
  kReadTimeRunning = 1 << 1,
  kReadId = 1 << 2,
  kReadGroup = 1 << 3,
  kReadLost = 1 << 4,
};

enum BranchSampleBits : uint64_t {
  kBranchCallStack = 1 << 11,
  kBranchHwIndex = 1 << 17,
  kBranchCounters = 1 << 19,
};

// Entries of a call chain from here up are no addresses but say where the following ones were.
inline constexpr uint64_t kFirstChainMarker = static_cast<uint64_t>(-4095);
inline constexpr uint64_t kChainHypervisor = static_cast<uint64_t>(-32);
inline constexpr uint64_t kChainKernel = static_cast<uint64_t>(-128);
inline constexpr uint64_t kChainUser = static_cast<uint64_t>(-512);
inline constexpr uint64_t kChainUserDeferred = static_cast<uint64_t>(-640);  // a cookie follows
inline constexpr uint64_t kChainGuest = static_cast<uint64_t>(-2048);
inline constexpr uint64_t kChainGuestKernel = static_cast<uint64_t>(-2176);
inline constexpr uint64_t kChainGuestUser = static_cast<uint64_t>(-2560);

// Feature sections: bits of the header in file mode, HEADER_FEATURE records in pipe mode. What they
// hold is told in features.cc, simpleperf's (from 128) in simpleperf.cc.
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

// "MMAP2", "FINISHED_ROUND"; empty for a type that is not known.
std::string_view record_name(uint32_t type);
// "HOSTNAME"; empty for one that is not known.
std::string_view feature_name(uint32_t feature);

}  // namespace wick::perf_data
