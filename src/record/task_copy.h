// SPDX-License-Identifier: Apache-2.0
// The part of the frame-list program that copies the task of the thread (FrameList::Task): where the
// pointer to it is, or the table in which it is one of the last entries, what it looks like and its
// name. The program knows nothing else of tasks.
//
//     pointer -> task -> name
//     pointer -> table, its last entries -> task -> name
//
// Other threads change the table while it is read, and may have freed it: what was copied is a task
// only if it fits the frames of the thread, which the pipeline checks.
#pragma once

#include <cstdint>

#include "record/program_parts.h"
#include "stream/event.h"
#include "stream/stack_feedback.h"

namespace wick::record {

// A FrameList::Task as the program reads it.
struct KnownTask {
  uint64_t pointer = 0;  // 0: none
  uint64_t is_in_table = 0;
  uint64_t has_logarithm = 0;
  uint64_t entries = 0;
  uint64_t count = 0;
  uint64_t key = 0;
  uint64_t name = 0;
};
KnownTask known_task(const StackFindings::FrameList::Task& task);

// Register 6 has a KnownTask at the offset `known`, register 8 room for a CopiedTask at the offset
// `copy`, to which 9 is set, or to the offset after it if there is a task to copy. Changes register 7.
Program copy_task(int known, int copy);

}  // namespace wick::record
