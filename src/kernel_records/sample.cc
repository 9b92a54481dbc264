// SPDX-License-Identifier: Apache-2.0
// Decodes samples in two steps. decode_fixed() loads the fields whose offsets are the same in all
// samples of an event, through the offsets that events.h has computed. Then Walk moves over the
// variable-size fields in their order (sample.h) and checks each size against the end of the
// record.
//
// A failed check makes the Walk fail, and all further reads return nothing; decode() tests it once
// at the end. Words are borrowed from the record if they are little-endian and aligned, else copied
// to the arena.
//
// The decoder reuses one DecodedSample. It clears the sample only when the event changes, so every
// decode_... function must assign all fields that its event has, also if they are empty.
#include "kernel_records/sample.h"

#include <bit>

#include "kernel_records/chains.h"

namespace wick::kernel_records {
namespace {

constexpr uint64_t kNanosecondsPerSecond = 1'000'000'000;
constexpr uint64_t kLastSampleBits =
    kSampleWeight | kSampleWeightStruct | kSampleDataSource | kSampleTransaction | kSampleRegsIntr |
    kSamplePhysAddr | kSampleCgroup | kSampleDataPageSize | kSampleCodePageSize | kSampleAux;

// On big-endian machines the compiler fills this bit field from the top; SampleEvent has it filled
// from the bottom. Widths in order: mispredicted, predicted, in transaction, abort, cycles, type,
// speculation, new type, privilege; the rest is unused.
uint64_t flags_from_big_endian(uint64_t flags) {
  constexpr uint8_t kWidths[] = {1, 1, 1, 1, 16, 4, 2, 4, 3, 31};
  uint64_t result = 0;
  unsigned low = 0;
  for (uint8_t width : kWidths) {
    unsigned high = 64 - low - width;
    result |= (flags >> high & ((uint64_t{1} << width) - 1)) << low;
    low += width;
  }
  return result;
}

}  // namespace

Mode mode_of(uint16_t misc) {
  switch (misc & kMiscModeMask) {
    case 1:
      return Mode::kKernel;
    case 2:
      return Mode::kUser;
    case 3:
      return Mode::kHypervisor;
    case 4:
      return Mode::kGuestKernel;
    case 5:
      return Mode::kGuestUser;
    default:
      return Mode::kUnknown;
  }
}

bool weight_is_known(const EventAttr& attr) {
  return attr.samples(kSamplePeriod) || attr.samples(kSampleRead) || attr.is_clock() ||
         !attr.has(AttrFlag::kFrequency);
}

uint64_t default_weight(const EventAttr& attr) {
  uint64_t number = attr.period_or_frequency;
  if (number == 0) {
    return 1;
  }
  if (!attr.has(AttrFlag::kFrequency)) {
    return number;
  }
  return attr.is_clock() ? kNanosecondsPerSecond / number : 1;
}

// A cursor over the variable-size fields. Like FieldReader, but it can also borrow arrays of words.
class SampleDecoder::Walk {
 public:
  Walk(const std::byte* at, const std::byte* end, ByteOrder order, Arena& arena)
      : at_(at), end_(end), order_(order), arena_(arena) {}

  bool ok() const { return ok_; }
  const std::byte* at() const { return at_; }
  const std::byte* end() const { return end_; }

  Bytes bytes(uint64_t size) {
    if (size > static_cast<uint64_t>(end_ - at_)) {
      ok_ = false;
      at_ = end_;
      return {};
    }
    Bytes taken(at_, size);
    at_ += size;
    return taken;
  }
  uint64_t word() { return number<uint64_t>(); }
  uint32_t half_word() { return number<uint32_t>(); }

  RegisterValues registers(uint64_t mask) {
    uint64_t abi = word();
    if (abi == 0) {
      return {};
    }
    return {.width = abi == 1 ? RegisterValues::Width::k32 : RegisterValues::Width::k64,
            .mask = mask,
            .values = words(static_cast<uint64_t>(std::popcount(mask)))};
  }

  std::span<const uint64_t> words(uint64_t count) {
    if (count > static_cast<uint64_t>(end_ - at_) / 8) {
      ok_ = false;
      at_ = end_;
      return {};
    }
    Bytes taken = bytes(count * 8);
    if (can_be_borrowed(taken.data())) {
      return {reinterpret_cast<const uint64_t*>(taken.data()), count};
    }
    std::span<uint64_t> copy = arena_.words(count);
    for (size_t i = 0; i < count; ++i) {
      copy[i] = load<uint64_t>(taken.data() + 8 * i, order_);
    }
    return copy;
  }

 private:
  bool can_be_borrowed(const std::byte* data) const {
    bool aligned = reinterpret_cast<uintptr_t>(data) % alignof(uint64_t) == 0;
    return order_ == ByteOrder::kLittle && aligned;
  }
  template <typename T>
  T number() {
    Bytes taken = bytes(sizeof(T));
    return taken.empty() ? T{0} : load<T>(taken.data(), order_);
  }

  const std::byte* at_;
  const std::byte* end_;
  ByteOrder order_;
  Arena& arena_;
  bool ok_ = true;
};

bool parse_read_values(FieldReader& fields, uint64_t read_format, std::vector<ReadValue>& out) {
  out.clear();
  auto has = [&](uint64_t bit) { return (read_format & bit) != 0; };
  size_t times = (has(kReadTimeEnabled) ? 8U : 0U) + (has(kReadTimeRunning) ? 8U : 0U);
  auto read_tail = [&](ReadValue& value) {
    value.id = has(kReadId) ? fields.u64() : 0;
    value.lost = has(kReadLost) ? fields.u64() : 0;
  };
  if (!has(kReadGroup)) {
    ReadValue value{.value = fields.u64()};
    fields.skip(times);
    read_tail(value);
    out.push_back(value);
    return fields.ok();
  }
  uint64_t count = fields.u64();
  fields.skip(times);
  if (!fields.ok() || count > fields.remaining() / 8) {
    return false;
  }
  for (uint64_t i = 0; i < count && fields.ok(); ++i) {
    ReadValue value{.value = fields.u64()};
    read_tail(value);
    out.push_back(value);
  }
  return fields.ok();
}

void SampleDecoder::decode_fixed(const std::byte* record, const RecordedEvent& event) {
  const SampleOffsets& offsets = event.sample;
  SampleEvent& out = sample_.event;
  auto word = [&](uint16_t field) { return load<uint64_t>(record + field, order_); };
  auto number = [&](uint16_t field, uint16_t offset) {
    return static_cast<int32_t>(load<uint32_t>(record + field + offset, order_));
  };
  if (offsets.identifier != 0 || offsets.id != 0) {
    sample_.id = word(offsets.identifier != 0 ? offsets.identifier : offsets.id);
  }
  if (offsets.ip != 0) {
    out.address = word(offsets.ip);
  }
  if (offsets.tid != 0) {
    out.at.pid = number(offsets.tid, 0);
    out.at.tid = number(offsets.tid, 4);
  }
  if (offsets.address != 0) {
    out.memory.address = word(offsets.address);
  }
  if (offsets.cpu != 0) {
    out.at.cpu = number(offsets.cpu, 0);
  }
  out.weight = offsets.period != 0 ? word(offsets.period) : default_weight(event.attr);
}

void SampleDecoder::decode_chain(Walk& walk, const EventAttr& attr) {
  uint64_t count = walk.word();
  Chains chains = split_chain(walk.words(count), sample_.event.mode, arena_);
  sample_.event.kernel_chain = chains.kernel;
  sample_.event.user_chain = chains.user;
  sample_.deferred = chains.deferred;
  sample_.cookie = chains.cookie;
  bool is_asked = !attr.has(AttrFlag::kExcludeCallchainUser) && !chains.deferred;
  sample_.event.has_no_user_half = is_asked && chains.user.empty() && !chains.kernel.empty();
}

void SampleDecoder::decode_branches(Walk& walk, const EventAttr& attr, SampleEvent& out) {
  static_assert(sizeof(BranchEntry) == 24 && alignof(BranchEntry) == alignof(uint64_t));
  uint64_t count = walk.word();
  if ((attr.branch_sample_type & kBranchHwIndex) != 0) {
    walk.word();
  }
  if (count > static_cast<uint64_t>(walk.end() - walk.at()) / sizeof(BranchEntry)) {
    walk.bytes(UINT64_MAX);
    return;
  }
  std::span<const uint64_t> words = walk.words(count * 3);
  if (order_ == ByteOrder::kBig) {
    std::span<uint64_t> turned = arena_.words(words.size());
    for (size_t i = 0; i < words.size(); ++i) {
      turned[i] = i % 3 == 2 ? flags_from_big_endian(words[i]) : words[i];
    }
    words = turned;
  }
  out.branches = {reinterpret_cast<const BranchEntry*>(words.data()), words.size() / 3};
  out.branches_are_calls = (attr.branch_sample_type & kBranchCallStack) != 0;
  if ((attr.branch_sample_type & kBranchCounters) != 0) {
    walk.words(count);
  }
}

void SampleDecoder::decode_user_stack(Walk& walk, SampleEvent& out) {
  uint64_t size = walk.word();
  out.user_stack = {};
  if (size == 0) {
    return;
  }
  Bytes copied = walk.bytes(size);
  uint64_t valid = walk.word();
  out.user_stack = copied.first(std::min<uint64_t>(valid, copied.size()));
}

void SampleDecoder::decode_last_fields(Walk& walk, const EventAttr& attr, SampleEvent& out) {
  auto word_if = [&](uint64_t bits) { return attr.samples(bits) ? walk.word() : 0; };
  out.memory.cost = word_if(kSampleWeight | kSampleWeightStruct);
  out.memory.source = word_if(kSampleDataSource);
  out.transaction = word_if(kSampleTransaction);
  if (attr.samples(kSampleRegsIntr)) {
    out.interrupt_registers = walk.registers(attr.interrupt_registers);
  }
  out.memory.physical_address = word_if(kSamplePhysAddr);
  out.cgroup = word_if(kSampleCgroup);
  out.memory.page_bytes = word_if(kSampleDataPageSize);
  out.code_page_bytes = word_if(kSampleCodePageSize);
  if (attr.samples(kSampleAux)) {
    out.aux = walk.bytes(walk.word());
  }
}

DecodedSample* SampleDecoder::decode(const Record& record,
                                     const RecordedEvent& event,
                                     uint32_t number) {
  if (event.sample.rest > record.size()) {
    return nullptr;
  }
  const EventAttr& attr = event.attr;
  SampleEvent& out = sample_.event;
  if (number != last_event_) {
    sample_ = {};
    read_values_.clear();
    last_event_ = number;
    sample_.has_time = event.sample.time != 0;
    out.event = number;
    out.stack_bytes_asked = attr.user_stack_bytes;
  }
  out.mode = mode_of(record.header.misc);
  decode_fixed(record.at, event);

  Walk walk(record.at + event.sample.rest, record.at + record.size(), order_, arena_);
  if (attr.samples(kSampleRead)) {
    FieldReader fields(Bytes(walk.at(), walk.end()), order_);
    size_t before = fields.remaining();
    bool fits = parse_read_values(fields, attr.read_format, read_values_);
    walk.bytes(fits ? before - fields.remaining() : UINT64_MAX);
  }
  if (attr.samples(kSampleCallchain)) {
    decode_chain(walk, attr);
  }
  if (attr.samples(kSampleRaw)) {
    out.raw = walk.bytes(walk.half_word());
  }
  if (attr.samples(kSampleBranchStack)) {
    decode_branches(walk, attr, out);
  }
  if (attr.samples(kSampleRegsUser)) {
    out.user_registers = walk.registers(attr.user_registers);
  }
  if (attr.samples(kSampleStackUser)) {
    decode_user_stack(walk, out);
  }
  if ((attr.sample_type & kLastSampleBits) != 0) {
    decode_last_fields(walk, attr, out);
  }
  return walk.ok() ? &sample_ : nullptr;
}

}  // namespace wick::kernel_records
