#include "record/bpf_filter.h"

#include <array>

#include <linux/bpf.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace wick::record {
namespace {

constexpr uint32_t kMostStrangers = 16384;
constexpr uint64_t kFirstPidNamespace = 0xEFFFFFFC;  // its inode, the same everywhere

long bpf(int command, bpf_attr& attr) {
  return ::syscall(SYS_bpf, command, &attr, sizeof attr);
}

// Pointers travel as numbers.
uint64_t address_of(const void* pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

bpf_insn instruction(int code, int dst, int src, int offset, int immediate) {
  bpf_insn made = {};
  made.code = static_cast<__u8>(code);
  made.dst_reg = static_cast<__u8>(dst) & 0xF;
  made.src_reg = static_cast<__u8>(src) & 0xF;
  made.off = static_cast<__s16>(offset);
  made.imm = immediate;
  return made;
}

bool in_first_pid_namespace() {
  struct stat status = {};
  return ::stat("/proc/self/ns/pid", &status) == 0 && status.st_ino == kFirstPidNamespace;
}

}  // namespace

std::optional<BpfFilter> BpfFilter::make() {
  if (!in_first_pid_namespace()) {
    return {};
  }
  BpfFilter filter;
  bpf_attr map = {};
  map.map_type = BPF_MAP_TYPE_HASH;
  map.key_size = sizeof(uint32_t);
  map.value_size = sizeof(uint32_t);
  map.max_entries = kMostStrangers;
  filter.strangers_ = Descriptor(static_cast<int>(bpf(BPF_MAP_CREATE, map)));
  if (!filter.strangers_.valid()) {
    return {};
  }
  const std::array program = {
      instruction(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_get_current_pid_tgid),
      instruction(BPF_ALU64 | BPF_RSH | BPF_K, BPF_REG_0, 0, 0, 32),  // the process
      instruction(BPF_STX | BPF_W | BPF_MEM, BPF_REG_10, BPF_REG_0, -4, 0),
      instruction(
          BPF_LD | BPF_DW | BPF_IMM, BPF_REG_1, BPF_PSEUDO_MAP_FD, 0, filter.strangers_.get()),
      instruction(0, 0, 0, 0, 0),  // the upper half of the immediate
      instruction(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_2, BPF_REG_10, 0, 0),
      instruction(BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_2, 0, 0, -4),
      instruction(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem),
      instruction(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, 2, 0),  // no stranger: over the next two
      instruction(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0),
      instruction(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
      instruction(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 1),
      instruction(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
  };
  constexpr const char* kLicence = "GPL";
  bpf_attr load = {};
  load.prog_type = BPF_PROG_TYPE_PERF_EVENT;
  load.insns = address_of(program.data());
  load.insn_cnt = program.size();
  load.license = address_of(kLicence);
  filter.program_ = Descriptor(static_cast<int>(bpf(BPF_PROG_LOAD, load)));
  if (!filter.program_.valid()) {
    return {};
  }
  return filter;
}

void BpfFilter::add_stranger(int32_t pid) {
  uint32_t value = 1;
  bpf_attr update = {};
  update.map_fd = static_cast<__u32>(strangers_.get());
  update.key = address_of(&pid);
  update.value = address_of(&value);
  bpf(BPF_MAP_UPDATE_ELEM, update);  // a full map lets strangers through: no harm
}

void BpfFilter::remove_stranger(int32_t pid) {
  bpf_attr remove = {};
  remove.map_fd = static_cast<__u32>(strangers_.get());
  remove.key = address_of(&pid);
  bpf(BPF_MAP_DELETE_ELEM, remove);
}

}  // namespace wick::record
