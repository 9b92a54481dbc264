// A program that prints its own stack: foreign_stack_test.cc builds it for several processors, runs
// it (AArch64 under qemu) and unwinds the output.
//
//     case NAME
//     reg DWARF-NUMBER HEX         registers, as DWARF numbers them
//     truth HEX                    a known address, innermost first: these must be found in a row
//     map LINE                     a line of /proc/self/maps
//     code HEX BYTES               the first bytes of executable memory that is not a file
//     stack BYTES                  from the stack pointer to the end of the stack
//     end
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define NOINLINE __attribute__((noinline))
#define MANY 64

static uintptr_t truth[MANY];
static int known;

static void note(void* address) { truth[known++] = (uintptr_t)__builtin_extract_return_addr(address); }
#define NOTE_CALLER() note(__builtin_return_address(0))

#if defined(__aarch64__)
enum { kSp = 31, kPc = 32, kRegisters = 33 };
static void registers_of(const ucontext_t* context, uintptr_t* out) {
  for (int i = 0; i < 31; ++i) out[i] = context->uc_mcontext.regs[i];
  out[kSp] = context->uc_mcontext.sp;
  out[kPc] = context->uc_mcontext.pc;
}
static void skip_instruction(ucontext_t* context) { context->uc_mcontext.pc += 4; }
#define ILLEGAL "udf #0"
#elif defined(__x86_64__)
enum { kSp = 7, kPc = 16, kRegisters = 17 };
static void registers_of(const ucontext_t* context, uintptr_t* out) {
  static const int kOrder[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                               REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                               REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
  for (int i = 0; i < kRegisters; ++i) out[i] = (uintptr_t)context->uc_mcontext.gregs[kOrder[i]];
}
static void skip_instruction(ucontext_t* context) { context->uc_mcontext.gregs[REG_RIP] += 2; }
#define ILLEGAL "ud2"
#else
enum { kSp = 4, kPc = 8, kRegisters = 9 };
static void registers_of(const ucontext_t* context, uintptr_t* out) {
  static const int kOrder[] = {REG_EAX, REG_ECX, REG_EDX, REG_EBX, REG_ESP,
                               REG_EBP, REG_ESI, REG_EDI, REG_EIP};
  for (int i = 0; i < kRegisters; ++i) out[i] = (uintptr_t)context->uc_mcontext.gregs[kOrder[i]];
}
static void skip_instruction(ucontext_t* context) { context->uc_mcontext.gregs[REG_EIP] += 2; }
#define ILLEGAL "ud2"
#endif

// A leaf that pushes nothing: on AArch64 its return address stays in the register.
__asm__(".text\n.type illegal, %function\nillegal: .cfi_startproc\n" ILLEGAL
        "\nret\n.cfi_endproc\n.size illegal, . - illegal\n");
void illegal(void);

static void print_bytes(const unsigned char* begin, const unsigned char* end) {
  for (; begin < end; ++begin) printf("%02x", *begin);
  printf("\n");
}

static NOINLINE void capture(const char* name) {
  ucontext_t context;
  uintptr_t registers[kRegisters];
  getcontext(&context);
  registers_of(&context, registers);
  printf("case %s\n", name);
  for (int i = 0; i < kRegisters; ++i) printf("reg %d %lx\n", i, (unsigned long)registers[i]);
  for (int i = known - 1; i >= 0; --i) printf("truth %lx\n", (unsigned long)truth[i]);
  FILE* maps = fopen("/proc/self/maps", "r");
  char line[1000];
  uintptr_t stack_end = 0;
  while (fgets(line, sizeof(line), maps) != NULL) {
    unsigned long begin = 0, end = 0;
    char flags[5] = "";
    sscanf(line, "%lx-%lx %4s", &begin, &end, flags);
    printf("map %s", line);
    if (registers[kSp] >= begin && registers[kSp] < end) stack_end = end;
    if (flags[2] == 'x' && strchr(line, '/') == NULL && strstr(line, "vsyscall") == NULL) {
      printf("code %lx ", begin);
      print_bytes((unsigned char*)begin, (unsigned char*)end);
    }
  }
  fclose(maps);
  printf("stack ");
  print_bytes((unsigned char*)registers[kSp], (unsigned char*)stack_end);
  printf("end\n");
}

// Frames of different sizes, some known only at run time.
static NOINLINE int recurse(int depth, const char* name) {
  volatile char room[depth * 40 + 1];
  room[0] = (char)depth;
  NOTE_CALLER();
  if (depth == 0) {
    capture(name);
  } else {
    recurse(depth - 1, name);
  }
  return room[0];
}

static NOINLINE int aligned(int depth) {
  __attribute__((aligned(128))) volatile char room[256];
  room[depth] = 1;
  NOTE_CALLER();
  int result = recurse(depth, "aligned");
  return result + room[depth];
}

static int compare(const void* a, const void* b) {
  static int once;
  if (once++ == 0) capture("library");
  return *(const int*)a - *(const int*)b;
}

static void on_signal(int number, siginfo_t* info, void* context) {
  (void)number;
  (void)info;
  uintptr_t registers[kRegisters];
  registers_of(context, registers);
  truth[known++] = registers[kPc];
  capture("signal");
  skip_instruction(context);
}

static NOINLINE int interrupted(int seed) {
  volatile int local = seed;
  NOTE_CALLER();
  illegal();
  return local;
}

static void on_plain_signal(int number) {
  (void)number;
  capture("plain-signal");
}

int main(int argc, char** argv) {
  (void)argv;
  recurse(5, "plain");
  known = 0;
  aligned(argc + 2);
  known = 0;
  int numbers[] = {3, 1, 2};
  qsort(numbers, 3, sizeof(int), compare);
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGILL, &action, NULL);
  interrupted(argc);
  known = 0;
  signal(SIGUSR1, on_plain_signal);
  raise(SIGUSR1);
  return 0;
}
