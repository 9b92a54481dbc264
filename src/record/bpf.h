// SPDX-License-Identifier: Apache-2.0
// The few parts of the kernel's bpf() that wick needs: maps, programs, and names for instructions.
//
// Each program has a dozen instructions, which wick contains as numbers: a compiler for BPF would
// be a dependency many times their size. All functions fail silently if BPF is not allowed; callers
// then work without BPF.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <linux/bpf.h>

#include "base/descriptor.h"

namespace wick::record::bpf {

// Whether BPF sees the same pids as the other programs on this machine.
bool sees_our_pids();

// Whether other users have programs on tracepoints or probes. If a sample hits such a program, the
// kernel does not run the event's program and drops the sample: then wick must not attach one.
bool others_trace();

// The machine code of loaded programs. Names are those of /proc/kallsyms; programs with BTF have
// longer names there, with the same beginning.
struct Code {
  uint64_t start = 0;
  uint64_t size = 0;
  std::string name;
};
std::vector<Code> loaded_code();

struct MapShape {
  uint32_t type = BPF_MAP_TYPE_HASH;
  uint32_t key_bytes = sizeof(uint32_t);
  uint32_t value_bytes = sizeof(uint32_t);
  uint32_t entries = 1;
};
Descriptor make_map(const MapShape& shape);
bool put(const Descriptor& map, int32_t key, const void* value);  // has the map's value size
template <typename Value>
bool put(const Descriptor& map, int32_t key, const Value& value) {
  return put(map, key, static_cast<const void*>(&value));
}
void remove(const Descriptor& map, int32_t key);

// A program for the samples of perf events.
Descriptor load(std::span<const bpf_insn> program);

// ---- Instructions ----

bpf_insn move(int to, int from);
bpf_insn set(int to, int32_t value);
bpf_insn add(int to, int32_t value);
bpf_insn add_register(int to, int from);
bpf_insn subtract(int to, int from);
bpf_insn multiply(int to, int32_t value);
bpf_insn and_with(int to, int32_t value);
bpf_insn and_register(int to, int from);
bpf_insn shift_right(int to, int bits);
bpf_insn shift_left_by(int to, int bits);  // the number of bits is in a register
// *(uint64_t*)(base + offset), and so on.
bpf_insn load64(int to, int base, int offset);
bpf_insn store64(int base, int offset, int from);
bpf_insn store32(int base, int offset, int from);
bpf_insn store64_number(int base, int offset, int32_t value);
// Skips forward, or backward if the number is negative.
bpf_insn skip(int instructions);
bpf_insn skip_if_zero(int which, int instructions);
bpf_insn skip_unless_zero(int which, int instructions);
bpf_insn skip_if_above(int which, int32_t value, int instructions);      // unsigned
bpf_insn skip_unless_above(int which, int32_t value, int instructions);  // unsigned
bpf_insn skip_if_below(int which, int32_t value, int instructions);      // unsigned
bpf_insn skip_if_equal(int which, int other, int instructions);          // compares two registers
bpf_insn skip_unless_below(int which, int limit, int instructions);      // compares two registers
bpf_insn call(int32_t function);
bpf_insn leave();
// Loading a map takes two instructions: both halves of one large immediate.
bpf_insn map_first(int to, const Descriptor& map);
bpf_insn map_second();

}  // namespace wick::record::bpf
