// SPDX-License-Identifier: Apache-2.0
// Generated code with a perf map: functions that are in no file. The names are in
// /tmp/perf-PID.map, which stays there, since profilers read it after the program has ended.
//
//   jit_alone:  the loop, no frame at all
//   jit_caller: push the frame pointer, call jit_below (the same loop), pop, return
//
// There is no call frame information for any of it.
#include <cstdio>
#include <cstring>

#include <sys/mman.h>
#include <unistd.h>

#include "truth/ledger.h"
#include "truth/phases/phases.h"

namespace truth {

// The generated functions, called through real ones.
Chunk jit_alone = nullptr;
Chunk jit_caller = nullptr;
TRUTH_CALLER(run_generated, jit_alone)
TRUTH_CALLER(run_generated_chain, jit_caller)

namespace {

constexpr Row kRows[] = {
    {.path = "main > generated_code > run_generated > truth_jit_alone",
     .weight = 50,
     .chunk = run_generated,
     .module = "[jit]"},
    {.path = "main > generated_code > run_generated_chain > truth_jit_caller > truth_jit_below",
     .weight = 50,
     .chunk = run_generated_chain,
     .module = "[jit]"},
};

#if defined(__x86_64__) || defined(__i386__)

constexpr const char* kRefused = nullptr;
constexpr size_t kPage = 4096;

// The machine code of one page, written from its start.
class Emitter {
 public:
  explicit Emitter(unsigned char* page) : page_(page) {}
  size_t here() const { return used_; }
  template <size_t N>
  void bytes(const unsigned char (&code)[N]) {
    std::memcpy(page_ + used_, code, N);
    used_ += N;
  }
  void word(uint32_t value) {
    std::memcpy(page_ + used_, &value, sizeof value);
    used_ += sizeof value;
  }
  void align() { used_ = (used_ + 63) / 64 * 64; }

 private:
  unsigned char* page_;
  size_t used_ = 0;
};

// The loop of every leaf, with eax as the value and ecx as the steps left.
void emit_leaf(Emitter& code, const char* name) {
#ifdef __x86_64__
  code.bytes({0x89, 0xf9});  // mov ecx, edi
#else
  code.bytes({0x8b, 0x4c, 0x24, 0x04});  // mov ecx, [esp+4]
#endif
  code.bytes({0x89, 0xc8});  // mov eax, ecx
  size_t loop = code.here();
  code.bytes({0x69, 0xc0});  // imul eax, eax, 1664525
  code.word(1664525u);
  code.bytes({0x05});  // add eax, salt
  code.word(salt_of(name));
  code.bytes({0xff, 0xc9});  // dec ecx
  code.bytes({0x75});        // jnz loop
  code.bytes({static_cast<unsigned char>(loop - code.here() - 1)});
  code.bytes({0xc3});  // ret
}

void emit_caller(Emitter& code, size_t callee) {
#ifdef __x86_64__
  code.bytes({0x55, 0x48, 0x89, 0xe5, 0xe8});  // push rbp; mov rbp, rsp; call
#else
  code.bytes(
      {0x55, 0x89, 0xe5, 0xff, 0x75, 0x08, 0xe8});  // push ebp; mov ebp, esp; push [ebp+8]; call
#endif
  code.word(static_cast<uint32_t>(callee - code.here() - 4));
  code.bytes({0xc9, 0xc3});  // leave; ret
}

struct Generated {
  size_t alone, alone_end, below, below_end, caller, caller_end;
};

Generated generate(Emitter code) {
  Generated made{};
  made.alone = code.here();
  emit_leaf(code, "truth_jit_alone");
  made.alone_end = code.here();
  code.align();
  made.below = code.here();
  emit_leaf(code, "truth_jit_below");
  made.below_end = code.here();
  code.align();
  made.caller = code.here();
  emit_caller(code, made.below);
  made.caller_end = code.here();
  return made;
}

void write_map(char* file_name,
               size_t name_size,
               const unsigned char* page,
               const Generated& made) {
  std::snprintf(file_name, name_size, "/tmp/perf-%d.map", static_cast<int>(getpid()));
  FILE* map = std::fopen(file_name, "w");
  if (map == nullptr) {
    stop("The perf map cannot be written to /tmp", "make /tmp writable or leave out the phase jit");
  }
  auto line = [&](size_t begin, size_t end, const char* name) {
    std::fprintf(map, "%zx %zx %s\n", reinterpret_cast<size_t>(page) + begin, end - begin, name);
  };
  line(made.alone, made.alone_end, "truth_jit_alone");
  line(made.below, made.below_end, "truth_jit_below");
  line(made.caller, made.caller_end, "truth_jit_caller");
  std::fclose(map);
}

void prepare(PhaseRun& run) {
  void* memory = mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  auto* page = static_cast<unsigned char*>(memory);
  if (memory == MAP_FAILED) {
    stop("There is no memory for generated code", "leave out the phase jit");
  }
  Generated made = generate(Emitter(page));
  if (mprotect(page, kPage, PROT_READ | PROT_EXEC) != 0) {
    stop("Generated code may not be executed here", "leave out the phase jit");
  }
  write_map(run.ledger().perf_map, sizeof run.ledger().perf_map, page, made);
  jit_alone = reinterpret_cast<Chunk>(page + made.alone);
  jit_caller = reinterpret_cast<Chunk>(page + made.caller);
}

#else

constexpr const char* kRefused = "it generates x86 code only";
void prepare(PhaseRun&) {}

#endif

}  // namespace

WORKLOAD_FUNCTION void generated_code(PhaseRun& run) {
  prepare(run);
  run.spend();
  TRUTH_STAY();
}

const Phase kGeneratedCode = {
    "jit", "generated functions with a perf map", kRefused, kRows, generated_code};

}  // namespace truth
