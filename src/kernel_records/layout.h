// SPDX-License-Identifier: Apache-2.0
// The records of perf_event_open(2) as bytes. The layout is the same in the kernel's ring buffers
// and in every file that stores their content. All numbers are in the byte order of the recorded
// machine.
//
//     record                         sample id: the end of every kernel record but samples, when
//       0  4  type                   the attribute says sample_id_all; only sampled fields:
//       4  2  misc: mode, flags        pid 4 + tid 4, time 8, id 8, stream id 8, cpu 4 + 0 4,
//       6  2  size, with this header   identifier 8 (always the last, so it is found first)
//       8 ..  body, sample id
//
// Types 1 to 63 are the kernel's. Programs that write files number their own records from 64 up.
// Those from 32768 up (Android's simpleperf) have a size of 32 bits, with its upper half in place
// of misc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace wick::kernel_records {

inline constexpr size_t kRecordHeaderBytes = 8;
inline constexpr size_t kBuildIdBytes = 20;

// delivery.cc describes the bodies.
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
  kFirstLongRecord = 32768,
};

// Bits of misc. The upper ones have different meanings in different records.
enum RecordMisc : uint16_t {
  kMiscModeMask = 7,  // 1 kernel, 2 user, 3 hypervisor, 4 guest kernel, 5 guest user
  kMiscMapsTimedOut = 1 << 12,
  kMiscMmapData = 1 << 13,
  kMiscCommExec = 1 << 13,
  kMiscSwitchOut = 1 << 13,
  kMiscSwitchPreempted = 1 << 14,
  kMiscMmapBuildId = 1 << 14,
  kMiscLostByFilter = 1 << 15,
};

// The fields of a sample, in the order in which it contains them (sample.h), which is not the order
// of the bits.
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

// Entries of a call chain from this value up are markers, not addresses: they give the context of
// the following entries.
inline constexpr uint64_t kFirstChainMarker = static_cast<uint64_t>(-4095);
inline constexpr uint64_t kChainHypervisor = static_cast<uint64_t>(-32);
inline constexpr uint64_t kChainKernel = static_cast<uint64_t>(-128);
inline constexpr uint64_t kChainUser = static_cast<uint64_t>(-512);
inline constexpr uint64_t kChainUserDeferred = static_cast<uint64_t>(-640);  // a cookie follows
inline constexpr uint64_t kChainGuest = static_cast<uint64_t>(-2048);
inline constexpr uint64_t kChainGuestKernel = static_cast<uint64_t>(-2176);
inline constexpr uint64_t kChainGuestUser = static_cast<uint64_t>(-2560);

// "MMAP2"; empty for a type that is unknown or not the kernel's.
std::string_view kernel_record_name(uint32_t type);

}  // namespace wick::kernel_records
