// SPDX-License-Identifier: Apache-2.0
// Rows about samples: events, labels, branches and the samples themselves.
//
//     event         the quantity that weights count
//     label         a key and a value; a label set is a node of a tree
//     branch        one entry of a branch stack; a branch set is a range of them
//     code block    the code that ran between two branches
//     sample        a stack, a weight, and the time, thread, CPU, labels and branches
//     correction    what the total of a function is beyond its stacks
//
// Each row type is followed by its columns (column_spec.h). Samples are stored by columns
// (column_table.h), because a profile can have many millions of them.
#pragma once

#include <cstdint>

#include "base/string_table.h"
#include "profile/code_tables.h"
#include "profile/column_spec.h"
#include "profile/unknown.h"

namespace wick {

// The quantity that the weights of an event measure.
enum class Quantity : uint8_t {
  kUnknown,
  kCpuTime,   // time on a CPU
  kWallTime,  // elapsed time, running or not
  kOffCpu,    // time spent waiting
  kCount,     // number of events
  kBytes,     // an amount of memory or data
};
constexpr Quantity last_of(Quantity) {
  return Quantity::kBytes;
}

// The meaning of a weight. A sample's weight is a whole number of 1/scale units. The scale is 1
// unless the input has decimal fractions.
struct Event {
  StringId name;  // "cpu-clock", "cycles", "samples"
  StringId unit;  // "nanoseconds", "samples", "bytes", or the counted thing
  uint32_t scale = 1;
  Quantity kind = Quantity::kUnknown;
  uint64_t period = 0;     // units between two samples; 0 if unknown or changing
  uint64_t frequency = 0;  // samples per second that the recorder requested; 0 if it requested none
  uint8_t precise = 0;     // how exact the sampled address is: perf's 0 to 3
  // Time between two samples if an idle CPU is sampled, too; 0 if only work is sampled.
  uint64_t interval_ns = 0;
  friend bool operator==(const Event&, const Event&) = default;
};
template <>
struct RowSchema<Event> {
  static constexpr auto with_columns(auto use) {
    return use(WICK_COLUMN(1, name),
               WICK_COLUMN(2, unit),
               WICK_COLUMN(3, scale),
               WICK_COLUMN(4, kind),
               WICK_COLUMN(5, period),
               WICK_COLUMN(6, frequency),
               WICK_COLUMN(7, precise),
               WICK_COLUMN(8, interval_ns));
  }
};

// A property of samples, spans or marks: a key with a text, or with a number and its unit.
struct Label {
  StringId key;
  StringId text;       // empty for numbers
  int64_t number = 0;  // 0 for texts
  StringId unit;       // of the number
  bool is_number = false;
  friend bool operator==(const Label&, const Label&) = default;
};
template <>
struct RowSchema<Label> {
  static constexpr auto with_columns(auto use) {
    return use(WICK_COLUMN(1, key),
               WICK_COLUMN(2, text),
               WICK_COLUMN(3, number),
               WICK_COLUMN(4, unit),
               WICK_COLUMN(5, is_number));
  }
};

// A node of the tree of label sets: the parent's set and one more label. The labels of a set are
// sorted by the bytes of their keys, then by their values.
struct LabelSetRow {
  LabelSetId parent = kNoLabels;
  LabelId label;
};
template <>
struct RowSchema<LabelSetRow> {
  static constexpr auto with_columns(auto use) {
    return use(WICK_COLUMN(1, parent), WICK_COLUMN(2, label));
  }
};

// A taken branch: from the frame of the branch to the frame of its target.
struct BranchEdge {
  FrameId from = FrameId(0);
  FrameId to = FrameId(0);
  friend bool operator==(const BranchEdge&, const BranchEdge&) = default;
};
template <>
struct RowSchema<BranchEdge> {
  static constexpr auto with_columns(auto use) {
    return use(WICK_COLUMN(1, from), WICK_COLUMN(2, to));
  }
};

// Properties of a recorded branch, as bits of Branch::flags. The names are the kernel's.
enum BranchFlags : uint16_t {
  kMispredicted = 1 << 0,
  kPredicted = 1 << 1,
  kInTransaction = 1 << 2,
  kTransactionAbort = 1 << 3,
};
// Fields of Branch::flags wider than a bit: the first bit and the number of bits.
struct BranchField {
  uint8_t shift;
  uint8_t bits;
  constexpr uint16_t get(uint16_t flags) const {
    return static_cast<uint16_t>(uint32_t{flags} >> shift & ((1U << bits) - 1));
  }
  constexpr uint16_t put(uint64_t value) const {
    return static_cast<uint16_t>((value & ((1U << bits) - 1)) << shift);
  }
};
inline constexpr BranchField kBranchSpeculation = {4, 2};
inline constexpr BranchField kBranchType = {6, 4};
inline constexpr BranchField kBranchNewType = {10, 4};
inline constexpr BranchField kBranchPrivilege = {14, 2};

// One branch of a sample's branch stack: 8 bytes.
struct Branch {
  EdgeId edge = EdgeId(0);
  uint16_t cycles = 0;  // since the previous branch; 0 if unknown
  uint16_t flags = 0;   // BranchFlags and the fields above
};
template <>
struct RowSchema<Branch> {
  static constexpr auto with_columns(auto use) {
    return use(WICK_COLUMN(1, edge), WICK_COLUMN(2, cycles), WICK_BITS(3, flags, UINT16_MAX));
  }
};

// The branch stack of a sample, newest branch first: `count` rows of `branches`, from row `first`.
struct BranchSet {
  uint32_t first = 0;
  uint32_t count = 0;
};
template <>
struct RowSchema<BranchSet> {
  static constexpr auto with_columns(auto use) {
    return use(WICK_COLUMN(1, first), WICK_COLUMN(2, count));
  }
};

// Whether code can run straight from one address to another, as its instructions say.
enum class BlockPath : uint8_t {
  kUnknown,     // the code was not available
  kStraight,    // yes
  kImpossible,  // no: the end comes before the begin, or a jump that is always taken is on the way
};
constexpr BlockPath last_of(BlockPath) {
  return BlockPath::kImpossible;
}

// The instruction that left a block.
enum class BlockExit : uint8_t {
  kUnknown,
  kConditionalJump,
  kJump,
  kIndirectJump,
  kCall,
  kIndirectCall,
  kReturn,
  kSystemCall,
  kSystemReturn,
  kInterrupt,  // an instruction that raises one, or returns from one
  kOther,      // not a branch: an interrupt or a fault came after it
};
constexpr BlockExit last_of(BlockExit) {
  return BlockExit::kOther;
}

// The code between two branches of a branch stack: from the target of the older one to the newer
// one. Its properties are those of the recorded file, so that they are known where it is absent.
struct CodeBlock {
  FrameId begin = FrameId(0);
  FrameId end = FrameId(0);   // the branch that left it
  uint32_t instructions = 0;  // both included; 0 if unknown
  BlockPath path = BlockPath::kUnknown;
  BlockExit exit = BlockExit::kUnknown;
  friend bool operator==(const CodeBlock&, const CodeBlock&) = default;
};
template <>
struct RowSchema<CodeBlock> {
  static constexpr auto with_columns(auto use) {
    return use(WICK_COLUMN(1, begin),
               WICK_COLUMN(2, end),
               WICK_COLUMN(3, instructions),
               WICK_COLUMN(4, path),
               WICK_COLUMN(5, exit));
  }
};

// A sample, as `SampleFields<Plain>`, and the columns of all samples, as `SampleFields<Column>`.
template <typename T>
using Plain = T;
template <template <typename> typename Of>
struct SampleFields {
  Of<int64_t> time_ns{kNoTime};
  Of<int64_t> weight{1};
  Of<uint64_t> count{1};
  Of<StackId> stack{kEmptyStack};
  Of<ThreadId> thread{};
  Of<EventId> event{EventId(0)};
  Of<uint16_t> cpu{kNoCpu};
  Of<StackEnd> ending{StackEnd::kUnknown};
  Of<LabelSetId> labels{kNoLabels};
  Of<BranchSetId> branches{};
  Of<uint32_t> group{0};  // rows of one interrupt have the same number; 0: not in a group
};
using Sample = SampleFields<Plain>;
template <>
struct RowSchema<Sample> {
  static constexpr auto with_columns(auto use) {
    return use(WICK_TIME(1, time_ns),
               WICK_COLUMN(2, weight),
               WICK_COLUMN(3, count),
               WICK_COLUMN(4, stack),
               WICK_COLUMN(5, thread),
               WICK_COLUMN(6, event),
               WICK_COLUMN(7, cpu),
               WICK_COLUMN(8, ending),
               WICK_COLUMN(9, labels),
               WICK_COLUMN(10, branches),
               WICK_COLUMN(11, group));
  }
};

// What the total of a function is beyond what its stacks add up to; negative if it is less. Files of
// call graphs state totals, and their stacks are estimates. Corrections add up, as samples do: those
// of a merged profile are those of its inputs. A filter that changes the selection removes them.
struct TotalCorrection {
  FunctionId function = FunctionId(0);
  EventId event = EventId(0);
  int64_t weight = 0;
};
template <>
struct RowSchema<TotalCorrection> {
  static constexpr auto with_columns(auto use) {
    return use(WICK_COLUMN(1, function), WICK_COLUMN(2, event), WICK_COLUMN(3, weight));
  }
};

}  // namespace wick
