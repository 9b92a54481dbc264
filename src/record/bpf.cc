// SPDX-License-Identifier: Apache-2.0
#include "record/bpf.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace wick::record::bpf {
namespace {

constexpr uint64_t kFirstPidNamespace = 0xEFFFFFFC;  // its inode, the same on every machine

long kernel(int command, bpf_attr& attr) {
  return ::syscall(SYS_bpf, command, &attr, sizeof attr);
}

// bpf() takes pointers as numbers.
uint64_t address_of(const void* pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

bpf_insn instruction(int code, int to, int from, int offset, int32_t immediate) {
  bpf_insn made = {};
  made.code = static_cast<__u8>(code);
  made.dst_reg = static_cast<__u8>(to) & 0xF;
  made.src_reg = static_cast<__u8>(from) & 0xF;
  made.off = static_cast<__s16>(offset);
  made.imm = immediate;
  return made;
}

// Calls use(descriptor) for each loaded program, of any owner. Finds none without privilege.
template <typename Use>
void for_each_program(Use use) {
  bpf_attr next = {};
  while (kernel(BPF_PROG_GET_NEXT_ID, next) == 0) {
    bpf_attr open = {};
    open.prog_id = next.next_id;
    Descriptor program(static_cast<int>(kernel(BPF_PROG_GET_FD_BY_ID, open)));
    if (program.valid()) {
      use(program);
    }
    next.start_id = next.next_id;
  }
}

bool ask(const Descriptor& program, bpf_prog_info& info) {
  bpf_attr ask = {};
  ask.info.bpf_fd = static_cast<__u32>(program.get());
  ask.info.info_len = sizeof info;
  ask.info.info = address_of(&info);
  return kernel(BPF_OBJ_GET_INFO_BY_FD, ask) == 0;
}

}  // namespace

bool sees_our_pids() {
  struct stat status = {};
  return ::stat("/proc/self/ns/pid", &status) == 0 && status.st_ino == kFirstPidNamespace;
}

bool others_trace() {
  bool found = false;
  for_each_program([&](const Descriptor& program) {
    bpf_prog_info info = {};
    found = found || (ask(program, info) &&
                      (info.type == BPF_PROG_TYPE_KPROBE || info.type == BPF_PROG_TYPE_TRACEPOINT));
  });
  return found;
}

std::vector<Code> loaded_code() {
  constexpr uint32_t kMaxFunctions = 256;  // the kernel's limit
  std::vector<Code> found;
  for_each_program([&](const Descriptor& program) {
    std::array<uint64_t, kMaxFunctions> starts = {};
    std::array<uint32_t, kMaxFunctions> sizes = {};
    std::array<std::array<uint8_t, BPF_TAG_SIZE>, kMaxFunctions> tags = {};
    bpf_prog_info info = {};
    info.nr_jited_ksyms = info.nr_jited_func_lens = info.nr_prog_tags = kMaxFunctions;
    info.jited_ksyms = address_of(starts.data());
    info.jited_func_lens = address_of(sizes.data());
    info.prog_tags = address_of(tags.data());
    if (!ask(program, info)) {
      return;
    }
    uint32_t count = std::min({info.nr_jited_ksyms, info.nr_jited_func_lens, kMaxFunctions});
    for (uint32_t i = 0; i < count; ++i) {
      // The kernel's name for programs without BTF: functions after the first are all called F.
      std::string name = "bpf_prog_";
      for (uint8_t byte : tags[i]) {
        name += fmt::format("{:02x}", byte);
      }
      std::string_view own(info.name, ::strnlen(info.name, sizeof info.name));
      name += own.empty() ? "" : fmt::format("_{}", i == 0 ? own : "F");
      if (starts[i] != 0 && sizes[i] != 0) {
        found.push_back({.start = starts[i], .size = sizes[i], .name = std::move(name)});
      }
    }
  });
  return found;
}

Descriptor make_map(const MapShape& shape) {
  bpf_attr map = {};
  map.map_type = shape.type;
  map.key_size = shape.key_bytes;
  map.value_size = shape.value_bytes;
  map.max_entries = shape.entries;
  return Descriptor(static_cast<int>(kernel(BPF_MAP_CREATE, map)));
}

bool put(const Descriptor& map, int32_t key, const void* value) {
  bpf_attr update = {};
  update.map_fd = static_cast<__u32>(map.get());
  update.key = address_of(&key);
  update.value = address_of(value);
  return kernel(BPF_MAP_UPDATE_ELEM, update) == 0;
}

void remove(const Descriptor& map, int32_t key) {
  bpf_attr remove = {};
  remove.map_fd = static_cast<__u32>(map.get());
  remove.key = address_of(&key);
  kernel(BPF_MAP_DELETE_ELEM, remove);
}

Descriptor load(std::span<const bpf_insn> program) {
  constexpr const char* kLicence = "GPL";
  bpf_attr load = {};
  load.prog_type = BPF_PROG_TYPE_PERF_EVENT;
  load.insns = address_of(program.data());
  load.insn_cnt = static_cast<__u32>(program.size());
  load.license = address_of(kLicence);
  return Descriptor(static_cast<int>(kernel(BPF_PROG_LOAD, load)));
}

bpf_insn move(int to, int from) {
  return instruction(BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0);
}
bpf_insn set(int to, int32_t value) {
  return instruction(BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, value);
}
// Some names of the instruction set are 0.
// NOLINTBEGIN(misc-redundant-expression)
bpf_insn add(int to, int32_t value) {
  return instruction(BPF_ALU64 | BPF_ADD | BPF_K, to, 0, 0, value);
}
bpf_insn add_register(int to, int from) {
  return instruction(BPF_ALU64 | BPF_ADD | BPF_X, to, from, 0, 0);
}
bpf_insn subtract(int to, int from) {
  return instruction(BPF_ALU64 | BPF_SUB | BPF_X, to, from, 0, 0);
}
bpf_insn multiply(int to, int32_t value) {
  return instruction(BPF_ALU64 | BPF_MUL | BPF_K, to, 0, 0, value);
}
bpf_insn and_with(int to, int32_t value) {
  return instruction(BPF_ALU64 | BPF_AND | BPF_K, to, 0, 0, value);
}
bpf_insn and_register(int to, int from) {
  return instruction(BPF_ALU64 | BPF_AND | BPF_X, to, from, 0, 0);
}
bpf_insn shift_right(int to, int bits) {
  return instruction(BPF_ALU64 | BPF_RSH | BPF_K, to, 0, 0, bits);
}
bpf_insn shift_left_by(int to, int bits) {
  return instruction(BPF_ALU64 | BPF_LSH | BPF_X, to, bits, 0, 0);
}
bpf_insn load64(int to, int base, int offset) {
  return instruction(BPF_LDX | BPF_DW | BPF_MEM, to, base, offset, 0);
}
bpf_insn store64(int base, int offset, int from) {
  return instruction(BPF_STX | BPF_DW | BPF_MEM, base, from, offset, 0);
}
bpf_insn store32(int base, int offset, int from) {
  return instruction(BPF_STX | BPF_W | BPF_MEM, base, from, offset, 0);
}
bpf_insn store64_number(int base, int offset, int32_t value) {
  return instruction(BPF_ST | BPF_DW | BPF_MEM, base, 0, offset, value);
}
bpf_insn skip(int instructions) {
  return instruction(BPF_JMP | BPF_JA, 0, 0, instructions, 0);
}
bpf_insn skip_if_zero(int which, int instructions) {
  return instruction(BPF_JMP | BPF_JEQ | BPF_K, which, 0, instructions, 0);
}
bpf_insn skip_unless_zero(int which, int instructions) {
  return instruction(BPF_JMP | BPF_JNE | BPF_K, which, 0, instructions, 0);
}
bpf_insn skip_if_above(int which, int32_t value, int instructions) {
  return instruction(BPF_JMP | BPF_JGT | BPF_K, which, 0, instructions, value);
}
bpf_insn skip_unless_above(int which, int32_t value, int instructions) {
  return instruction(BPF_JMP | BPF_JLE | BPF_K, which, 0, instructions, value);
}
bpf_insn skip_if_below(int which, int32_t value, int instructions) {
  return instruction(BPF_JMP | BPF_JLT | BPF_K, which, 0, instructions, value);
}
bpf_insn skip_if_equal(int which, int other, int instructions) {
  return instruction(BPF_JMP | BPF_JEQ | BPF_X, which, other, instructions, 0);
}
bpf_insn skip_unless_below(int which, int limit, int instructions) {
  return instruction(BPF_JMP | BPF_JGE | BPF_X, which, limit, instructions, 0);
}
bpf_insn call(int32_t function) {
  return instruction(BPF_JMP | BPF_CALL, 0, 0, 0, function);
}
bpf_insn leave() {
  return instruction(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}
bpf_insn map_first(int to, const Descriptor& map) {
  return instruction(BPF_LD | BPF_DW | BPF_IMM, to, BPF_PSEUDO_MAP_FD, 0, map.get());
}
// NOLINTEND(misc-redundant-expression)
bpf_insn map_second() {
  return instruction(0, 0, 0, 0, 0);
}

}  // namespace wick::record::bpf
