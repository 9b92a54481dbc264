// A process between wick and a program, for programs that must not outlive wick.
//
//     wick ---life---> keeper ---> program ---> whatever the program starts
//          <--report--
//
// Who is orphaned below the keeper becomes its child (it is a subreaper), whatever group or session
// it has made itself. So when the program ends, or wick does (`life` closes, even by kill -9), all
// of them can be found and killed. Until wick has heard of the end and closes `life`, the program
// stays a zombie: its number, and that of its group, belong to nobody else.
//
// The keeper is forked from wick, which may have threads, and never executes anything: it makes
// system calls only.
#pragma once

#include <cstdint>

#include <sys/resource.h>
#include <sys/types.h>

namespace wick::record {

// How the program ended, as the keeper reports it.
struct KeptEnd {
  int code = 0;    // CLD_EXITED, CLD_KILLED, CLD_DUMPED
  int status = 0;  // of the exit, or the signal
  uint64_t monotonic_ns = 0;
  rusage usage = {};
};

// What the forked keeper becomes once it has forked the program: it waits for the end of either
// side, and never returns. All descriptors but these two are closed.
[[noreturn]] void keep(pid_t program, bool has_group, int life, int report);

}  // namespace wick::record
