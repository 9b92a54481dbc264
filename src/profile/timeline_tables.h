// SPDX-License-Identifier: Apache-2.0
// Rows about time, and about information that the samples do not contain.
//
//     span       an interval on a thread
//     mark       a named moment
//     series     a quantity over time; its points are a separate table
//     loss       data that did not get into the profile, and the moments of the loss
//     fact       a sentence about the whole recording
//
// Each row type is followed by its columns (column_spec.h). A field's initial value means
// "unknown".
#pragma once

#include <cstdint>
#include <limits>

#include "base/string_table.h"
#include "profile/column_spec.h"
#include "profile/sample_tables.h"
#include "profile/unknown.h"

namespace wick {

// The kind of a span.
enum class SpanKind : uint8_t {
  kRegion,   // a named part of the program's work
  kOffCpu,   // the thread was not running
  kCall,     // from a call to its return
  kRequest,  // work that may move from thread to thread
};
constexpr SpanKind last_of(SpanKind) {
  return SpanKind::kRequest;
}

// An interval on a thread: off the CPU, inside a call, a region of the program.
struct Span {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  ThreadId thread;
  StringId name;
  SpanKind kind = SpanKind::kRegion;
  uint16_t cpu = kNoCpu;
  SpanId parent;                // the span that this one is a part of
  StackId stack = kEmptyStack;  // stack of the thread
  ThreadId waker;               // the thread that ended a wait
  StackId waker_stack = kEmptyStack;
  LabelSetId labels = kNoLabels;
};
template <>
struct RowSchema<Span> {
  static constexpr auto with_columns(auto use) {
    return use(WICK_TIME(1, begin_ns),
               WICK_TIME(2, end_ns),
               WICK_COLUMN(3, thread),
               WICK_COLUMN(4, name),
               WICK_COLUMN(5, kind),
               WICK_COLUMN(6, cpu),
               WICK_COLUMN(7, parent),
               WICK_COLUMN(8, stack),
               WICK_COLUMN(9, waker),
               WICK_COLUMN(10, waker_stack),
               WICK_COLUMN(11, labels));
  }
};

// A named moment, such as a line of the program's output. `value` is the value of a second clock,
// if there is one.
struct Mark {
  int64_t time_ns = 0;
  StringId name;
  double value = 0;
  bool has_value = false;
  ThreadId thread;
  uint16_t cpu = kNoCpu;
  StringId kind;  // views draw marks of one kind as one line
  LabelSetId labels = kNoLabels;
  SourceId source;  // the source of its clock and CPU; none if unknown
};
template <>
struct RowSchema<Mark> {
  static constexpr auto with_columns(auto use) {
    return use(WICK_TIME(1, time_ns),
               WICK_COLUMN(2, name),
               WICK_COLUMN(3, value),
               WICK_COLUMN(4, has_value),
               WICK_COLUMN(5, thread),
               WICK_COLUMN(6, cpu),
               WICK_COLUMN(7, kind),
               WICK_COLUMN(8, labels),
               WICK_COLUMN(9, source));
  }
};

// How to interpret the values of a series.
enum class SeriesKind : uint8_t {
  kGauge,       // the value at that time
  kRate,        // per second, since the previous point
  kCumulative,  // a total that grows
};
constexpr SeriesKind last_of(SeriesKind) {
  return SeriesKind::kCumulative;
}

// A quantity over time: of a thread, a process, a CPU, or the whole source if none of them is set.
struct CounterSeries {
  StringId name;
  StringId unit;
  SeriesKind kind = SeriesKind::kGauge;
  ThreadId thread;
  ProcessId process;
  uint16_t cpu = kNoCpu;
  SourceId source;  // none if unknown
  friend bool operator==(const CounterSeries&, const CounterSeries&) = default;
};
template <>
struct RowSchema<CounterSeries> {
  static constexpr auto with_columns(auto use) {
    return use(WICK_COLUMN(1, name),
               WICK_COLUMN(2, unit),
               WICK_COLUMN(3, kind),
               WICK_COLUMN(4, thread),
               WICK_COLUMN(5, process),
               WICK_COLUMN(6, cpu),
               WICK_COLUMN(7, source));
  }
};

// One point of a series, and the columns of all points. `low` and `high` are bounds of an inexact
// value; else they are NaN.
template <template <typename> typename Of>
struct PointFields {
  Of<int64_t> time_ns{0};
  Of<SeriesId> series{SeriesId(0)};
  Of<double> value{0};
  Of<double> low{std::numeric_limits<double>::quiet_NaN()};
  Of<double> high{std::numeric_limits<double>::quiet_NaN()};
};
using CounterPoint = PointFields<Plain>;
// Columns 2 and 3 were the name and the unit of a point in version 0 of the file.
template <>
struct RowSchema<CounterPoint> {
  static constexpr auto with_columns(auto use) {
    return use(WICK_TIME(1, time_ns),
               WICK_COLUMN(4, value),
               WICK_COLUMN(5, series),
               WICK_COLUMN(6, low),
               WICK_COLUMN(7, high));
  }
};

enum class LossClass : uint8_t {
  kNotice,    // nothing is missing from the numbers, but the user should know
  kDataLoss,  // some recorded data is not in the profile
  kAlarm,     // the names or numbers are probably wrong: users must see it first
};
constexpr LossClass last_of(LossClass) {
  return LossClass::kAlarm;
}

// Data that did not get into the profile, and why. `count` is the number of things of kind `what`
// ("lines", "samples"); 0 if unknown.
struct Loss {
  StringId reason;
  StringId what;
  StringId detail;  // the first occurrence
  uint64_t count = 0;
  LossClass severity = LossClass::kDataLoss;
  friend bool operator==(const Loss&, const Loss&) = default;
};
template <>
struct RowSchema<Loss> {
  static constexpr auto with_columns(auto use) {
    return use(WICK_COLUMN(1, reason),
               WICK_COLUMN(2, what),
               WICK_COLUMN(3, detail),
               WICK_COLUMN(4, count),
               WICK_COLUMN(5, severity));
  }
};

// Time and location of a part of a loss. `count` has the same unit as the count of `loss`.
struct LossMoment {
  LossId loss = LossId(0);
  int64_t begin_ns = kNoTime;
  int64_t end_ns = kNoTime;
  uint16_t cpu = kNoCpu;
  ThreadId thread;
  uint64_t count = 0;
  SourceId source;  // the source of its clock and CPU; none if unknown
};
template <>
struct RowSchema<LossMoment> {
  static constexpr auto with_columns(auto use) {
    return use(WICK_COLUMN(1, loss),
               WICK_TIME(2, begin_ns),
               WICK_TIME(3, end_ns),
               WICK_COLUMN(4, cpu),
               WICK_COLUMN(5, thread),
               WICK_COLUMN(6, count),
               WICK_COLUMN(7, source));
  }
};

// A fact about the whole recording, for display. No code depends on it.
struct Fact {
  StringId key;
  StringId value;
  friend bool operator==(const Fact&, const Fact&) = default;
};
template <>
struct RowSchema<Fact> {
  static constexpr auto with_columns(auto use) {
    return use(WICK_COLUMN(1, key), WICK_COLUMN(2, value));
  }
};

}  // namespace wick
