// SPDX-License-Identifier: Apache-2.0
// The BPF program that copies the list of an interpreter's frames (StackFindings::FrameList).
//
// An interpreter describes each frame of a thread by a node in its memory, which points to the next
// outer one and to the code that it runs:
//
//     head -> node -> node -> node -> 0
//               |       |       |
//             code    code    code
//
// A second list may continue the first one (FrameList::outer).
//
// The thread changes the list at every call, so it is copied at the sample, while the thread is
// stopped. The program knows only the layout: where the list begins and which bytes to copy. It runs
// after the programs for stacks (program_chain.h), for threads that have such a list.
//
// Invariants: the list of a thread is copied if its check word has the expected value, so that
// another thread with its number has no list. A copy ends at the first node that cannot be read. A
// cyclic list ends at the limit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/descriptor.h"
#include "record/program_chain.h"
#include "record/program_parts.h"
#include "record/task_copy.h"
#include "stream/event.h"
#include "stream/stack_feedback.h"

namespace wick::record {

// A FrameList as the program reads it.
struct KnownList {
  uint64_t head = 0;
  uint64_t outer = 0;
  uint64_t is_indirect = 0;  // `head` leads to a struct
  uint64_t through = 0;
  uint64_t next = 0;
  uint64_t node_bytes = 0;
  uint64_t code = 0;
  uint64_t code_mask = 0;
  uint64_t code_begin = 0;
  uint64_t code_bytes = 0;
  uint64_t check = 0;
  uint64_t expected = 0;
  std::array<uint64_t, 3> words = {};
  KnownTask task;
};
// None if there is no list, or its nodes are not as the program can copy them: both pointers must be
// aligned and in the copied part of the node, since the program follows the copied ones.
std::optional<KnownList> known_list(const StackFindings::FrameList& list);

// A record as the program writes it. The task follows, if there is one to copy, and then nodes, up to
// the end of the record.
struct ListCopy {
  CopyHead head;
  uint64_t bytes = 0;  // of the record
  uint64_t rest = 0;   // the node that follows the last one
  uint64_t outer = 0;  // FrameList::outer, until the program has followed it
  std::array<uint64_t, 3> words = {};
  uint64_t first_node = 0;  // offset of the first node in the record
};
// Enough for the recursion limit of CPython, 1,000 frames, where it has not been raised.
inline constexpr size_t kMaxListNodes = 1280;
inline constexpr size_t kNodeBytes = sizeof(CopiedFrameList::Node);
static_assert(sizeof(ListCopy) % alignof(CopiedFrameList::Node) == 0);

// Its maps: a ring for records, a hash of KnownLists by tid, and an array with a buffer of
// kListBufferBytes for each CPU.
struct FrameListMaps {
  Descriptor threads;
  Descriptor buffers;
};
FrameListMaps make_frame_list_maps();
Descriptor load_frame_list_program(const Descriptor& ring,
                                   const FrameListMaps& maps,
                                   const ProgramChain& chain);

}  // namespace wick::record
