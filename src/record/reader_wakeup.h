// SPDX-License-Identifier: Apache-2.0
// Wakes the reader of the rings at the first sample of a process.
//
// Rounds of the reader are long (drain.h), but some facts are only in a process while it runs: where
// its interpreter has the lists of its frames, and the names of the code that it runs. A program may
// live 50 ms. So a BPF program reports the first sample of each process, under each of its names: a
// process changes its name when it executes a program.
//
// A report is a record without content in a ring of its own: the ring for copies wakes the reader
// for other reasons. If that ring is full, the reader has been woken already.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/descriptor.h"
#include "record/program_chain.h"
#include "record/program_parts.h"

namespace wick::record {

class ReaderWakeup {
 public:
  // Null if the kernel refuses the ring.
  static std::unique_ptr<ReaderWakeup> make();
  ~ReaderWakeup();
  ReaderWakeup(const ReaderWakeup&) = delete;
  ReaderWakeup& operator=(const ReaderWakeup&) = delete;

  // Instructions that wake the reader.
  std::array<bpf_insn, 8> wake() const;
  // Readable from a report until take().
  int descriptor() const { return ring_.get(); }
  // Whether there were reports since the last call.
  bool take() const;

 private:
  ReaderWakeup() = default;

  Descriptor ring_;
  std::byte* consumer_ = nullptr;  // pages with the positions of both sides
  std::byte* producer_ = nullptr;
};

// The map of known processes, and the program that reports others.
Descriptor make_process_map();
Descriptor load_new_process_program(const Descriptor& processes,
                                    const ReaderWakeup& wakeup,
                                    const ProgramChain& chain);

}  // namespace wick::record
