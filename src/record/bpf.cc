#include "record/bpf.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace wick::record::bpf {
namespace {

constexpr uint64_t kFirstPidNamespace = 0xEFFFFFFC;  // its inode, the same everywhere

long kernel(int command, bpf_attr& attr) {
  return ::syscall(SYS_bpf, command, &attr, sizeof attr);
}

// Pointers travel as numbers.
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

}  // namespace

bool sees_our_pids() {
  struct stat status = {};
  return ::stat("/proc/self/ns/pid", &status) == 0 && status.st_ino == kFirstPidNamespace;
}

bool others_trace() {
  bpf_attr next = {};
  while (kernel(BPF_PROG_GET_NEXT_ID, next) == 0) {
    bpf_attr open = {};
    open.prog_id = next.next_id;
    Descriptor program(static_cast<int>(kernel(BPF_PROG_GET_FD_BY_ID, open)));
    bpf_prog_info info = {};
    bpf_attr ask = {};
    ask.info.bpf_fd = static_cast<__u32>(program.get());
    ask.info.info_len = sizeof info;
    ask.info.info = address_of(&info);
    bool known = program.valid() && kernel(BPF_OBJ_GET_INFO_BY_FD, ask) == 0;
    if (known && (info.type == BPF_PROG_TYPE_KPROBE || info.type == BPF_PROG_TYPE_TRACEPOINT)) {
      return true;
    }
    next.start_id = next.next_id;
  }
  return false;
}

Descriptor make_map(const MapShape& shape) {
  bpf_attr map = {};
  map.map_type = shape.type;
  map.key_size = shape.key_bytes;
  map.value_size = shape.value_bytes;
  map.max_entries = shape.entries;
  return Descriptor(static_cast<int>(kernel(BPF_MAP_CREATE, map)));
}

bool put(const Descriptor& map, uint32_t key, uint32_t value) {
  bpf_attr update = {};
  update.map_fd = static_cast<__u32>(map.get());
  update.key = address_of(&key);
  update.value = address_of(&value);
  return kernel(BPF_MAP_UPDATE_ELEM, update) == 0;
}

void remove(const Descriptor& map, uint32_t key) {
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
bpf_insn add(int to, int32_t value) {
  return instruction(BPF_ALU64 | BPF_ADD | BPF_K, to, 0, 0, value);
}
bpf_insn and_with(int to, int32_t value) {
  return instruction(BPF_ALU64 | BPF_AND | BPF_K, to, 0, 0, value);
}
bpf_insn shift_right(int to, int bits) {
  return instruction(BPF_ALU64 | BPF_RSH | BPF_K, to, 0, 0, bits);
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
bpf_insn skip_if_zero(int which, int instructions) {
  return instruction(BPF_JMP | BPF_JEQ | BPF_K, which, 0, instructions, 0);
}
bpf_insn skip_unless_zero(int which, int instructions) {
  return instruction(BPF_JMP | BPF_JNE | BPF_K, which, 0, instructions, 0);
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
bpf_insn map_second() {
  return instruction(0, 0, 0, 0, 0);
}

}  // namespace wick::record::bpf
