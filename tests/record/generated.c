// SPDX-License-Identifier: Apache-2.0
// Generates a function at run time, describes it in /tmp/perf-PID.map, and runs it for a while. With
// an argument it removes the map at the end.
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char** argv) {
  (void)argv;
  static const unsigned char loop[] = {0xb9, 0, 0, 0, 4,  // mov ecx, 2^26
                                       0xff, 0xc9,        // dec ecx
                                       0x75, 0xfc,        // jnz
                                       0xc3};             // ret
  unsigned char* code =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(code, loop, sizeof loop);
  char path[64];
  snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
  FILE* map = fopen(path, "w");
  if (map == NULL) {
    return 1;
  }
  fprintf(map, "%lx %x made here\n", (unsigned long)code, (unsigned)sizeof loop);
  fclose(map);
  for (int i = 0; i < 20; ++i) {
    ((void (*)(void))code)();
  }
  if (argc > 1) {
    unlink(path);
  }
  return 0;
}
