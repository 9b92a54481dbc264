// SPDX-License-Identifier: Apache-2.0
// A process between wick and a program, for programs that must not outlive wick.
//
//     wick ---life---> supervisor ---> program ---> whatever the program starts
//          <--report--
//
// Orphaned processes below the supervisor become its children (it is a subreaper), even if they
// have changed their group or session. So when the program ends, or wick does (`life` closes, even
// after kill -9), the supervisor can find and kill all of them. (A program that may leave processes
// at its own end, such as a build with a server, does not lose them.) The program stays a zombie
// until wick has received the report and closes `life`; so neither its pid nor its process group
// can be reused before.
//
// The supervisor is forked from wick, which may have threads, and never executes another program.
// So it may only make system calls.
#pragma once

#include <cstdint>

#include <sys/resource.h>
#include <sys/types.h>

namespace wick::record {

// How the program ended, as the supervisor reports it.
struct SupervisedEnd {
  int code = 0;    // CLD_EXITED, CLD_KILLED, CLD_DUMPED
  int status = 0;  // exit status, or the signal
  uint64_t monotonic_ns = 0;
  rusage usage = {};
};

struct Supervised {
  pid_t program = 0;
  bool has_group = false;         // its own process group
  bool leaves_processes = false;  // those that it leaves at its own end continue
};

// The main function of the forked supervisor after it has forked the program: it waits for the end
// of either side and never returns. It closes all descriptors except these two.
[[noreturn]] void supervise(const Supervised& supervised, int life, int report);

}  // namespace wick::record
