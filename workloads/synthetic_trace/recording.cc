// SPDX-License-Identifier: Apache-2.0
// The file: a header, one attribute with its id, and records: COMM, MMAP2 of each mapping, SAMPLE
// with ip, pid and tid, time, period and branches. No feature sections: perf needs none.
#include "synthetic_trace/recording.h"

#include <algorithm>
#include <cstring>
#include <random>

namespace workloads {
namespace {

constexpr uint32_t kRecordComm = 3;
constexpr uint32_t kRecordSample = 9;
constexpr uint32_t kRecordMmap2 = 10;
constexpr uint16_t kUserMode = 2;
constexpr uint16_t kAfterExec = 1U << 13;
// ip, pid and tid, time, period, branches
constexpr uint64_t kSampleType = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 8 | 1 << 11;
constexpr uint32_t kAttrBytes = 112;  // perf 5.0, so that newer programs read it, too
constexpr uint64_t kHeaderBytes = 104;

class Bytes {
 public:
  template <typename T>
  Bytes& number(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Bytes& u16(uint16_t value) { return number(value); }
  Bytes& u32(uint32_t value) { return number(value); }
  Bytes& u64(uint64_t value) { return number(value); }
  Bytes& text(const std::string& value) {
    bytes_ += value;
    bytes_.append(8 - value.size() % 8, '\0');
    return *this;
  }
  Bytes& raw(const std::string& value) {
    bytes_ += value;
    return *this;
  }
  Bytes& zeros(size_t count) {
    bytes_.append(count, '\0');
    return *this;
  }
  const std::string& all() const { return bytes_; }

 private:
  std::string bytes_;
};

std::string record(uint32_t type, uint16_t misc, const Bytes& body) {
  auto size = static_cast<uint16_t>(8 + body.all().size());
  return Bytes().u32(type).u16(misc).u16(size).raw(body.all()).all();
}

// PERF_BR_...
uint64_t type_of(BranchKind kind) {
  switch (kind) {
    case BranchKind::kConditional:
      return 1;
    case BranchKind::kJump:
      return 2;
    case BranchKind::kIndirectJump:
      return 3;
    case BranchKind::kCall:
      return 4;
    case BranchKind::kIndirectCall:
      return 5;
    case BranchKind::kReturn:
      return 6;
    case BranchKind::kNone:
      break;
  }
  return 0;
}

uint64_t flags_of(const TakenBranch& branch, const RecordingShape& shape) {
  uint64_t cycles = shape.has_cycles && !shape.is_amd ? std::min(branch.cycles, 65535U) : 0;
  uint64_t type = shape.has_types ? type_of(branch.kind) : 0;
  uint64_t speculation = shape.is_amd ? 2 : 0;  // not speculative, correct path
  return (branch.mispredicted ? 1U : 2U) | cycles << 4 | type << 20 | speculation << 24;
}

bool passes(const TakenBranch& branch, const std::string& filter) {
  bool is_call = branch.kind == BranchKind::kCall || branch.kind == BranchKind::kIndirectCall;
  return filter == "any" || (filter == "conditional" && branch.kind == BranchKind::kConditional) ||
         (filter == "call" && is_call) ||
         (filter == "return" && branch.kind == BranchKind::kReturn);
}

uint64_t branch_sample_type(const RecordingShape& shape) {
  uint64_t bits = 1;  // user
  bits |= shape.filter == "conditional" ? 1 << 10
          : shape.filter == "call"      ? 1 << 4
          : shape.filter == "return"    ? 1 << 5
                                        : 1 << 3;
  bits |= shape.has_cycles && !shape.is_amd ? 0 : 1 << 15;  // no cycles
  bits |= shape.has_types ? 1 << 16 : 0;
  return bits;
}

Bytes attribute(const RecordingShape& shape, size_t period) {
  constexpr uint64_t kSampleIdAll = 1 << 18;
  constexpr uint64_t kMmap = 1 << 8;
  constexpr uint64_t kComm = 1 << 9;
  constexpr uint64_t kMmap2 = 1 << 23;
  constexpr uint64_t kExcludeKernel = 1 << 5;
  uint64_t flags = kSampleIdAll | kMmap | kComm | kMmap2 | kExcludeKernel;
  Bytes bytes;
  bytes.u32(0).u32(kAttrBytes).u64(4);  // hardware, branch instructions
  bytes.u64(period).u64(kSampleType).u64(0).u64(flags);
  bytes.zeros(72 - bytes.all().size()).u64(branch_sample_type(shape));
  bytes.zeros(kAttrBytes - bytes.all().size());
  return bytes;
}

// What sample_id_all adds to each record that is not a sample: pid, tid and time.
void add_sample_id(Bytes& body, int pid, uint64_t time_ns) {
  body.u32(static_cast<uint32_t>(pid)).u32(static_cast<uint32_t>(pid)).u64(time_ns);
}

class Sampler {
 public:
  Sampler(const Stepped& program, const RecordingShape& shape)
      : program_(program), shape_(shape), random_(shape.seed) {
    for (const TakenBranch& branch : program.branches) {
      if (passes(branch, shape.filter)) {
        branches_.push_back(&branch);
      }
    }
  }

  std::string samples() {
    size_t period = shape_.tiles ? shape_.depth - 1 : shape_.period;
    std::string records;
    size_t end = shape_.tiles ? shape_.depth : period;
    size_t begin = 0;  // of the branches of the last sample
    for (; end <= branches_.size(); end += period) {
      begin = end - std::min(end, shape_.depth);
      records += sample(begin, end);
    }
    size_t last = end - period;  // the end of the last sample
    if (shape_.tiles && last < branches_.size()) {
      records += sample(last == 0 || end == shape_.depth ? 0 : last - 1, branches_.size());
    }
    return records;
  }

 private:
  bool happens(double share) {
    return share > 0 && std::uniform_real_distribution<double>(0, 1)(random_) < share;
  }

  std::string sample(size_t begin, size_t end) {
    std::vector<const TakenBranch*> newest_first;
    for (size_t at = end; at-- > begin;) {
      if (!happens(shape_.lost)) {
        newest_first.push_back(branches_[at]);
      }
    }
    if (newest_first.empty()) {
      return {};
    }
    if (happens(shape_.duplicates)) {
      newest_first.insert(newest_first.begin(), newest_first.front());
      newest_first.resize(std::min(newest_first.size(), shape_.depth));
    }
    const TakenBranch& newest = *branches_[end - 1];
    Bytes body;
    body.u64(newest.to);
    body.u32(static_cast<uint32_t>(program_.pid)).u32(static_cast<uint32_t>(program_.pid));
    body.u64(newest.time_ns).u64(shape_.tiles ? shape_.depth - 1 : shape_.period);
    body.u64(newest_first.size());
    for (const TakenBranch* branch : newest_first) {
      body.u64(branch->from).u64(branch->to).u64(flags_of(*branch, shape_));
    }
    return record(kRecordSample, kUserMode, body);
  }

  const Stepped& program_;
  const RecordingShape& shape_;
  std::mt19937_64 random_;
  std::vector<const TakenBranch*> branches_;
};

}  // namespace

std::string make_recording(const Stepped& program, const RecordingShape& shape) {
  std::string data;
  Bytes comm;
  comm.u32(static_cast<uint32_t>(program.pid)).u32(static_cast<uint32_t>(program.pid));
  comm.text(program.name);
  add_sample_id(comm, program.pid, 1);
  data += record(kRecordComm, kAfterExec, comm);
  for (const CodeMap& map : program.maps) {
    Bytes body;
    body.u32(static_cast<uint32_t>(program.pid)).u32(static_cast<uint32_t>(program.pid));
    body.u64(map.begin).u64(map.end - map.begin).u64(map.offset);
    body.zeros(24).u32(5).u32(2).text(map.path);  // device and inode unknown; r-x, private
    add_sample_id(body, program.pid, 2);
    data += record(kRecordMmap2, kUserMode, body);
  }
  data += Sampler(program, shape).samples();

  Bytes attr = attribute(shape, shape.tiles ? shape.depth - 1 : shape.period);
  Bytes file;
  uint64_t attrs_at = kHeaderBytes;
  uint64_t row_bytes = kAttrBytes + 16;
  uint64_t data_at = attrs_at + row_bytes;
  file.raw("PERFILE2").u64(kHeaderBytes).u64(row_bytes).u64(attrs_at).u64(row_bytes);
  file.u64(data_at).u64(data.size()).zeros(kHeaderBytes - file.all().size());
  file.raw(attr.all()).u64(0).u64(0).raw(data);
  return file.all();
}

std::string make_truth(const Stepped& program) {
  std::string text;
  char line[160];
  for (const CodeMap& map : program.maps) {
    std::snprintf(line,
                  sizeof line,
                  "map 0x%llx 0x%llx 0x%llx ",
                  static_cast<unsigned long long>(map.begin),
                  static_cast<unsigned long long>(map.end),
                  static_cast<unsigned long long>(map.offset));
    text += line + map.path + "\n";
  }
  std::snprintf(line,
                sizeof line,
                "instructions %llu\n",
                static_cast<unsigned long long>(program.instructions));
  text += line;
  for (const TakenBranch& branch : program.branches) {
    std::snprintf(line,
                  sizeof line,
                  "branch 0x%llx 0x%llx %u %u %d\n",
                  static_cast<unsigned long long>(branch.from),
                  static_cast<unsigned long long>(branch.to),
                  branch.instructions,
                  branch.cycles,
                  branch.mispredicted ? 1 : 0);
    text += line;
  }
  return text;
}

}  // namespace workloads
