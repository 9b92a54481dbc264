// SPDX-License-Identifier: Apache-2.0
#include "formats/jfr/events.h"

#include <array>

namespace wick::jfr {
namespace {

constexpr SampledType period(std::string_view name, Quantity quantity) {
  return {.name = name, .quantity = quantity, .is_sample = true};
}
constexpr SampledType bytes(std::string_view name, std::string_view field, bool is_sample) {
  return {.name = name,
          .weight = WeightKind::kNumber,
          .weight_field = field,
          .unit = "bytes",
          .quantity = Quantity::kBytes,
          .is_sample = is_sample};
}
constexpr SampledType wait(std::string_view name) {
  return {.name = name, .weight = WeightKind::kDuration, .quantity = Quantity::kOffCpu};
}

// jdk.NativeMethodSample: threads in native code, which may wait there.
constexpr std::array kTypes = {
    period("jdk.ExecutionSample", Quantity::kCpuTime),
    SampledType{.name = "jdk.CPUTimeSample",
                .weight = WeightKind::kTicks,
                .weight_field = "samplingPeriod",
                .quantity = Quantity::kCpuTime,
                .is_sample = true},
    period("jdk.NativeMethodSample", Quantity::kWallTime),
    period("profiler.WallClockSample", Quantity::kWallTime),
    bytes("jdk.ObjectAllocationSample", "weight", true),
    bytes("jdk.ObjectAllocationInNewTLAB", "tlabSize", true),
    bytes("jdk.ObjectAllocationOutsideTLAB", "allocationSize", true),
    bytes("profiler.LiveObject", "allocationSize", true),
    bytes("profiler.Malloc", "size", true),
    wait("jdk.JavaMonitorEnter"),
    wait("jdk.ThreadPark"),
    wait("profiler.NativeLock"),
    wait("jdk.JavaMonitorWait"),
    wait("jdk.ThreadSleep"),
    wait("jdk.SocketRead"),
    wait("jdk.SocketWrite"),
    wait("jdk.FileRead"),
    wait("jdk.FileWrite"),
};

}  // namespace

std::span<const SampledType> sampled_types() {
  return kTypes;
}

}  // namespace wick::jfr
