// SPDX-License-Identifier: Apache-2.0
/* Small targets for tests/record/run.py, chosen by the first word. Each prints the CPU time that it used, in seconds,
   as its last line. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static volatile double sink[1024];
static volatile int stop;

static double cpu_seconds(int who) {
  struct rusage usage;
  getrusage(who, &usage);
  return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

__attribute__((noipa)) static void inner(int id, int rounds) {
  for (int i = 0; i < rounds; i++) sink[id] += i * 0.5;
}
__attribute__((noipa)) static void seventy(int id) { inner(id, 70000); sink[id] += 1; }
__attribute__((noipa)) static void thirty(int id) { inner(id, 30000); sink[id] += 2; }

static void split(double seconds) {
  double end = cpu_seconds(RUSAGE_SELF) + seconds;
  while (cpu_seconds(RUSAGE_SELF) < end) {
    seventy(0);
    thirty(0);
  }
}

static void* spin_until_stop(void* id) {
  while (!stop) inner((int)(long)id, 20000);
  return 0;
}
static void threads(int count, double seconds) {
  pthread_t all[1024];
  for (long i = 0; i < count; i++) pthread_create(&all[i], 0, spin_until_stop, (void*)i);
  usleep((useconds_t)(seconds * 1e6));
  stop = 1;
  for (int i = 0; i < count; i++) pthread_join(all[i], 0);
}

static void* brief(void* unused) {
  (void)unused;
  inner(1, 2000);
  return 0;
}
static void short_threads(int count) {
  for (int i = 0; i < count; i++) {
    pthread_t one;
    pthread_create(&one, 0, brief, 0);
    pthread_join(one, 0);
  }
}

/* CPU time, because a busy machine would give one thread more wall time than the other. */
static double thread_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}
__attribute__((noipa)) static void in_main(double until) { while (thread_seconds() < until) inner(0, 1000); }
__attribute__((noipa)) static void in_thread(double until) { while (thread_seconds() < until) inner(2, 1000); }
static void* alternate(void* unused) {
  (void)unused;
  in_thread(thread_seconds() + 0.0004);
  return 0;
}
static void alternating(double seconds) {
  double end = now() + seconds;
  while (now() < end) {
    pthread_t one;
    pthread_create(&one, 0, alternate, 0);
    pthread_join(one, 0);
    in_main(thread_seconds() + 0.0004);
  }
}

/* Four functions with 50, 30, 15 and 5 % of a loop that takes `period` nanoseconds of CPU time. */
__attribute__((noipa)) static void takes_50(double until) { while (thread_seconds() < until) inner(12, 100); }
__attribute__((noipa)) static void takes_30(double until) { while (thread_seconds() < until) inner(13, 100); }
__attribute__((noipa)) static void takes_15(double until) { while (thread_seconds() < until) inner(14, 100); }
__attribute__((noipa)) static void takes_5(double until) { while (thread_seconds() < until) inner(15, 100); }
static void in_step(double seconds, double period) {
  double begin = thread_seconds();
  for (long i = 0; i < (long)(seconds / period * 1e9); i++) {
    double round = begin + (double)i * period / 1e9;
    takes_50(round + 0.50 * period / 1e9);
    takes_30(round + 0.80 * period / 1e9);
    takes_15(round + 0.95 * period / 1e9);
    takes_5(round + period / 1e9);
  }
}

static void fork_storm(int count) {
  for (int i = 0; i < count; i++) {
    pid_t pid = fork();
    if (pid == 0) {
      inner(3, 20000);
      _exit(0);
    }
    waitpid(pid, 0, 0);
  }
}

__attribute__((noipa)) static double deep(int depth) {
  volatile char room[200];
  room[0] = (char)depth;
  if (depth == 0) {
    inner(4, 200000);
    return room[0];
  }
  return deep(depth - 1) + room[0];
}

/* Most of the frame is never touched, so that no copy reaches beyond it. */
__attribute__((noipa)) static double wide(void) {
  volatile char room[600000];
  room[0] = room[sizeof room - 1] = 1;
  inner(11, 3000000);
  return room[0];
}

static void born(int count, double seconds) {
  pthread_t all[1024];
  for (long i = 0; i < count; i++) {
    pthread_create(&all[i], 0, spin_until_stop, (void*)i);
    usleep(2000);
  }
  usleep((useconds_t)(seconds * 1e6));
  stop = 1;
  for (int i = 0; i < count; i++) pthread_join(all[i], 0);
}

/* 500 calls of 250 bytes, where nothing else overwrites the old frames. */
__attribute__((noipa)) static double pit(int depth) {
  volatile char room[200];
  room[0] = (char)depth;
  return (depth == 0 ? (inner(4, 3000000), 1.0) : pit(depth - 1)) + room[0];
}
__attribute__((noipa)) static double jumps_to_pit(int depth) { return pit(depth + 1); }
static int by_pointer(const void* a, const void* b) {
  sink[7] += pit(500);
  return *(const char*)a - *(const char*)b;
}
static void behind(const char* way) {
  double end = cpu_seconds(RUSAGE_SELF) + 1;
  while (cpu_seconds(RUSAGE_SELF) < end) {
    char two[2] = {2, 1};
    if (!strcmp(way, "tail")) sink[6] += jumps_to_pit(500) + 1;
    if (!strcmp(way, "pointer")) qsort(two, 2, 1, by_pointer);
  }
}

/* Half of the time in its own context, which the C library starts without a caller. */
static ucontext_t outside, inside;
__attribute__((noipa)) static void in_context(void) {
  while (1) {
    inner(8, 100000);
    swapcontext(&inside, &outside);
  }
}
static void contexts(double seconds) {
  double end = cpu_seconds(RUSAGE_SELF) + seconds;
  static char stack[1 << 16];
  getcontext(&inside);
  inside.uc_stack.ss_sp = stack;
  inside.uc_stack.ss_size = sizeof stack;
  makecontext(&inside, in_context, 0);
  while (cpu_seconds(RUSAGE_SELF) < end) {
    swapcontext(&outside, &inside);
    inner(9, 100000);
  }
}

/* Most of the time in handlers of 0.1 to 2 ms with their own stack, on deep or small stacks; and handlers that are
   interrupted themselves. */
static int handler_rounds;
static volatile int is_nested;
__attribute__((noipa)) static void in_handler(int number) {
  if (is_nested && number == SIGUSR1) pthread_kill(pthread_self(), SIGUSR2);
  inner(number, handler_rounds);
}
__attribute__((noipa)) static void gets_signal(void) {
  pthread_kill(pthread_self(), SIGUSR1);
  inner(10, handler_rounds / 30);
}
__attribute__((noipa)) static double gets_signal_below(int depth) {
  volatile char room[200];
  room[0] = (char)depth;
  if (depth == 0) gets_signal();
  return (depth == 0 ? 1.0 : gets_signal_below(depth - 1)) + room[0];
}
/* At each offset within a page, if the page below has not been touched yet. */
__attribute__((noipa)) static void gets_signal_at(unsigned place) {
  volatile char* room = alloca(place + 16);
  room[0] = 1;
  char* page = (char*)(((uintptr_t)room - 256) & ~(uintptr_t)4095); /* 256: for madvise itself */
  madvise(page - 4 * 4096, 4 * 4096, MADV_DONTNEED);
  gets_signal();
}
static int handlers_move;
static double handlers_until;
static int handlers_depth;
static void* takes_signals(void* unused) {
  (void)unused;
  size_t size = 1 << 15;
  stack_t stack = {.ss_sp = malloc(size), .ss_size = size};
  sigaltstack(&stack, 0);
  for (unsigned i = 0; cpu_seconds(RUSAGE_SELF) < handlers_until; i++) {
    if (handlers_move) gets_signal_at(i * 37 * 16 % 4096);
    else gets_signal_below(i * 37 % handlers_depth);
  }
  return 0;
}
static void handlers(double seconds, const char* how) {
  handlers_until = cpu_seconds(RUSAGE_SELF) + seconds;
  handler_rounds = strstr(how, "brief") ? 100000 : 2000000;
  handlers_depth = strstr(how, "deep") ? 150 : 1;
  handlers_move = strstr(how, "moving") != 0;
  is_nested = strstr(how, "nested") != 0;
  struct sigaction action = {.sa_handler = in_handler, .sa_flags = SA_ONSTACK};
  sigaction(SIGUSR1, &action, 0);
  sigaction(SIGUSR2, &action, 0);
  if (strstr(how, "threads")) {
    pthread_t all[8];
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 1 << 16);
    for (int i = 0; i < 8; i++) pthread_create(&all[i], &small, takes_signals, 0);
    for (int i = 0; i < 8; i++) pthread_join(all[i], 0);
  } else {
    takes_signals(0);
  }
}

static void mappings(int count) {
  int self = open("/proc/self/exe", O_RDONLY);
  for (int i = 0; i < count; i++) {
    int may = i % 2 ? PROT_READ | PROT_EXEC : PROT_READ;  /* the kernel does not merge different neighbours */
    if (mmap(0, 4096, may, MAP_PRIVATE, self, 0) == MAP_FAILED) exit(1);
  }
  split(1);
}

int main(int count, char** words) {
  const char* what = count > 1 ? words[1] : "";
  double amount = count > 2 ? atof(words[2]) : 1;
  if (!strcmp(what, "split")) split(amount);
  if (!strcmp(what, "threads")) threads((int)amount, atof(words[3]));
  if (!strcmp(what, "short_threads")) short_threads((int)amount);
  if (!strcmp(what, "alternating")) alternating(amount);
  if (!strcmp(what, "in_step")) in_step(amount, atof(words[3]));
  if (!strcmp(what, "fork_storm")) fork_storm((int)amount);
  if (!strcmp(what, "born")) born((int)amount, atof(words[3]));
  if (!strcmp(what, "behind")) behind(words[2]);
  if (!strcmp(what, "contexts")) contexts(amount);
  if (!strcmp(what, "handlers")) handlers(amount, count > 3 ? words[3] : "");
  if (!strcmp(what, "mappings")) mappings((int)amount);
  if (!strcmp(what, "exec_loop") && amount > 0) {
    char left[16];
    snprintf(left, sizeof left, "%d", (int)amount - 1);
    inner(0, 100000);
    execl(words[0], words[0], "exec_loop", left, (char*)0);
  }
  if (!strcmp(what, "deep")) {
    double end = cpu_seconds(RUSAGE_SELF) + 1;
    while (cpu_seconds(RUSAGE_SELF) < end) sink[5] += deep((int)amount);
  }
  if (!strcmp(what, "wide")) {
    double end = cpu_seconds(RUSAGE_SELF) + 1;
    while (cpu_seconds(RUSAGE_SELF) < end) sink[5] += wide();
  }
  if (!strcmp(what, "suicide")) {
    split(amount);
    raise(SIGKILL);
  }
  printf("%.3f\n", cpu_seconds(RUSAGE_SELF) + cpu_seconds(RUSAGE_CHILDREN));
  return count > 3 && !strcmp(what, "split") ? atoi(words[3]) : 0;
}
