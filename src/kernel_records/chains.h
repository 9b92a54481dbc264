// Call chains as the kernel writes them: addresses, leaf first, with markers in between that say
// where the following ones were.
//
//     KERNEL  ip  caller  caller  USER  ip  caller  caller         both halves
//     USER    ip  caller                                            sampled in user space
//     KERNEL  ip  caller  USER_DEFERRED  cookie                     the user half comes later, in a
//                                                                   CALLCHAIN_DEFERRED record
//
// A chain that begins without a marker belongs to the mode that was sampled. The user's half is the
// last: what looks like a marker in it is garbage, which the kernel took for a return address
// because the code keeps no frame pointers. It is left out, since it is no address either.
//
// The halves are borrowed from the chain; only if one comes in several pieces (around such garbage,
// or behind two markers) it is put together in the arena.
#pragma once

#include <cstdint>
#include <span>

#include "kernel_records/arena.h"
#include "stream/event.h"

namespace wick::kernel_records {

struct Chains {
  std::span<const uint64_t> kernel;
  std::span<const uint64_t> user;
  bool deferred = false;
  uint64_t cookie = 0;  // of the deferred half
};

Chains split_chain(std::span<const uint64_t> entries, Mode sampled, Arena& arena);

}  // namespace wick::kernel_records
