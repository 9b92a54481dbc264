// SPDX-License-Identifier: Apache-2.0
// Assembles the two BPF programs from parts. A part is a list of instructions; jumps are relative,
// so each part gets the length of the parts that it may skip. `ending` is the code that leaves the
// program or jumps to the next one, and is repeated wherever a path ends.
//
//     rest program         find_thread -> find_end (if the thread is known) -> is there memory
//                          after the copy? -> copy_user_stack -> next program
//     interrupted program  find_thread -> is the thread in a handler? -> read the saved stack
//                          pointer -> copy_user_stack -> leave
//
// The verifier rejects loops with unknown bounds, and reservations whose size is not constant. So
// copy_pages unrolls its loop, and copy_user_stack tries the record sizes from small to large.
//
// Invariants: the registers below have the same meaning in all parts. A reserved record is always
// submitted. The first page that is beyond the stack's end or unreadable ends the copy, so the
// record's pages are contiguous.
#include "record/stack_programs.h"

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "record/bpf.h"

namespace wick::record {
namespace {

using Program = std::vector<bpf_insn>;

// Records have three sizes, because a BPF program must reserve a constant size: with a copy of
// 8 KB, they suffice for stacks of 20 KB, 60 KB and 250 KB.
constexpr std::array<int32_t, 3> kRecordPages = {4, 14, 62};
constexpr int32_t kMaxPages = kRecordPages.back();
// Stacks for handlers are small. wick reads a larger one from the process instead.
constexpr int32_t kLargestHandlerStack = 64 * 1024;
// The other saved registers of a signal are around the stack pointer.
constexpr int32_t kSavedRegisters = 64;
constexpr int32_t kRedZone = 128;

// The offset of the program's stack pointer in the kernel's registers.
#if defined(__x86_64__)
constexpr int kStackPointerOffset = 19 * 8;
#else
constexpr int kStackPointerOffset = 31 * 8;
#endif

// All parts of a program share registers: 7 is the stack pointer, 8 the address of the first page
// to read, 9 the end of the stack (as far as known), 6 the record. Their own stack contains:
constexpr int kWordOffset = -8;  // the word that was read
constexpr int kThreadOffset = -16;
constexpr int kContextOffset = -24;  // the context argument

void append(Program& program, std::span<const bpf_insn> more) {
  program.insert(program.end(), more.begin(), more.end());
}

Program leave() {
  return {bpf::set(BPF_REG_0, 1), bpf::leave()};
}

Program go_on_with(const Descriptor& next) {
  Program program = {
      bpf::load64(BPF_REG_1, BPF_REG_10, kContextOffset),
      bpf::map_first(BPF_REG_2, next),
      bpf::map_second(),
      bpf::set(BPF_REG_3, 0),
      bpf::call(BPF_FUNC_tail_call),  // returns only if there is no such program
  };
  append(program, leave());
  return program;
}

// Register 0: the entry of the thread, or 0.
Program find_thread(const Descriptor& threads) {
  return {
      bpf::store64(BPF_REG_10, kContextOffset, BPF_REG_1),
      bpf::call(BPF_FUNC_get_current_task_btf),
      bpf::move(BPF_REG_1, BPF_REG_0),
      bpf::call(BPF_FUNC_task_pt_regs),
      bpf::load64(BPF_REG_7, BPF_REG_0, kStackPointerOffset),
      bpf::call(BPF_FUNC_get_current_pid_tgid),
      bpf::store32(BPF_REG_10, kThreadOffset, BPF_REG_0),
      bpf::map_first(BPF_REG_1, threads),
      bpf::map_second(),
      bpf::move(BPF_REG_2, BPF_REG_10),
      bpf::add(BPF_REG_2, kThreadOffset),
      bpf::call(BPF_FUNC_map_lookup_elem),
  };
}

// Register 3: the address of a word of the program. Register 0: 0 if it could be read.
std::array<bpf_insn, 4> read_word() {
  return {
      bpf::move(BPF_REG_1, BPF_REG_10),
      bpf::add(BPF_REG_1, kWordOffset),
      bpf::set(BPF_REG_2, 8),
      bpf::call(BPF_FUNC_probe_read_user),
  };
}

// This many pages are enough if the stack ends before, or no memory follows.
Program skip_unless_enough(int pages, size_t instructions) {
  Program program = {
      bpf::move(BPF_REG_1, BPF_REG_9),
      bpf::subtract(BPF_REG_1, BPF_REG_8),
      bpf::skip_if_above(BPF_REG_1, pages * kCopiedPageBytes, 1),
      bpf::skip(7),
      bpf::move(BPF_REG_3, BPF_REG_8),
      bpf::add(BPF_REG_3, pages * kCopiedPageBytes),
  };
  append(program, read_word());
  program.push_back(bpf::skip_if_zero(BPF_REG_0, static_cast<int>(instructions)));
  return program;
}

// Copies pages to a record of at most `pages`.
Program copy_pages(const Descriptor& ring, int pages, bool is_interrupted) {
  Program program = {
      bpf::map_first(BPF_REG_1, ring),
      bpf::map_second(),
      bpf::set(BPF_REG_2, kStackOffset + pages * kCopiedPageBytes),
      bpf::set(BPF_REG_3, 0),
      bpf::call(BPF_FUNC_ringbuf_reserve),
      bpf::skip_unless_zero(BPF_REG_0, 2),
      bpf::set(BPF_REG_0, 1),
      bpf::leave(),
      bpf::move(BPF_REG_6, BPF_REG_0),
      bpf::call(BPF_FUNC_get_current_pid_tgid),
      bpf::store64(BPF_REG_6, offsetof(StackCopy, process_and_thread), BPF_REG_0),
      bpf::call(BPF_FUNC_ktime_get_ns),
      bpf::store64(BPF_REG_6, offsetof(StackCopy, time_ns), BPF_REG_0),
      bpf::store64(BPF_REG_6, offsetof(StackCopy, stack_pointer), BPF_REG_7),
      bpf::store64(BPF_REG_6, offsetof(StackCopy, address), BPF_REG_8),
      bpf::store64_number(BPF_REG_6, offsetof(StackCopy, pages), 0),
      bpf::store64_number(BPF_REG_6, offsetof(StackCopy, is_interrupted), is_interrupted ? 1 : 0),
  };
  // Stops at the first page that is beyond the stack's end or cannot be read.
  constexpr int kPageInstructions = 9;
  for (int page = 0; page < pages; ++page) {
    const int left = (pages - page - 1) * kPageInstructions;
    const std::array copy_page = {
        bpf::move(BPF_REG_3, BPF_REG_8),
        bpf::add(BPF_REG_3, page * kCopiedPageBytes),
        bpf::skip_unless_below(BPF_REG_3, BPF_REG_9, left + 6),
        bpf::move(BPF_REG_1, BPF_REG_6),
        bpf::add(BPF_REG_1, kStackOffset + page * kCopiedPageBytes),
        bpf::set(BPF_REG_2, kCopiedPageBytes),
        bpf::call(BPF_FUNC_probe_read_user),
        bpf::skip_unless_zero(BPF_REG_0, left + 1),
        bpf::store64_number(BPF_REG_6, offsetof(StackCopy, pages), page + 1),
    };
    static_assert(copy_page.size() == kPageInstructions);
    append(program, copy_page);
  }
  const std::array submit = {
      bpf::map_first(BPF_REG_1, ring),
      bpf::map_second(),
      bpf::set(BPF_REG_2, BPF_RB_AVAIL_DATA),
      bpf::call(BPF_FUNC_ringbuf_query),
      bpf::set(BPF_REG_2, BPF_RB_FORCE_WAKEUP),
      bpf::skip_if_above(BPF_REG_0, kBytesInUse, 1),
      bpf::set(BPF_REG_2, BPF_RB_NO_WAKEUP),
      bpf::move(BPF_REG_1, BPF_REG_6),
      bpf::call(BPF_FUNC_ringbuf_submit),
  };
  append(program, submit);
  return program;
}

// Writes a record of the smallest sufficient size, then runs `ending`.
Program copy_user_stack(const Descriptor& ring, bool is_interrupted, const Program& ending) {
  Program program;
  for (int pages : kRecordPages) {
    Program copy = copy_pages(ring, pages, is_interrupted);
    append(copy, ending);
    if (pages < kMaxPages) {
      append(program, skip_unless_enough(pages, copy.size()));
    }
    append(program, copy);
  }
  return program;
}

// For a known thread: finds the end of its stack, and leaves if the copy reaches it.
Program find_end(int32_t copied, const Program& ending) {
  const std::array on_its_stack = {
      bpf::load64(BPF_REG_1, BPF_REG_0, offsetof(KnownThread, stack_end)),
      bpf::move(BPF_REG_2, BPF_REG_1),
      bpf::subtract(BPF_REG_2, BPF_REG_7),
      bpf::skip_if_above(BPF_REG_2, copied, 2),
      bpf::set(BPF_REG_0, 1),
      bpf::leave(),
      // Not if the thread has left that stack.
      bpf::skip_if_above(BPF_REG_2, copied + kMaxPages * kCopiedPageBytes, 1),
      bpf::move(BPF_REG_9, BPF_REG_1),
  };
  const Program in_handler = {
      bpf::move(BPF_REG_9, BPF_REG_1),
      bpf::add(BPF_REG_9, kSavedRegisters),
      bpf::skip_if_above(BPF_REG_2,
                         copied - kSavedRegisters,
                         static_cast<int>(ending.size() + on_its_stack.size())),
  };
  Program program = {
      bpf::load64(BPF_REG_1, BPF_REG_0, offsetof(KnownThread, interrupted)),
      bpf::move(BPF_REG_2, BPF_REG_1),
      bpf::subtract(BPF_REG_2, BPF_REG_7),
      bpf::skip_if_above(
          BPF_REG_2, kLargestHandlerStack, static_cast<int>(in_handler.size() + ending.size())),
  };
  append(program, in_handler);
  append(program, ending);
  append(program, on_its_stack);
  return program;
}

}  // namespace

Descriptor load_rest_program(const StackProgramMaps& maps, uint32_t copied_bytes) {
  const auto copied = static_cast<int32_t>(copied_bytes);
  const Program ending = go_on_with(maps.next);
  const Program known = find_end(copied, ending);
  Program program = find_thread(maps.threads);
  program.push_back(bpf::set(BPF_REG_9, -1));
  program.push_back(bpf::skip_if_zero(BPF_REG_0, static_cast<int>(known.size())));
  append(program, known);
  // Is there memory after the copy?
  program.push_back(bpf::move(BPF_REG_3, BPF_REG_7));
  program.push_back(bpf::add(BPF_REG_3, copied));
  append(program, read_word());
  program.push_back(bpf::skip_if_zero(BPF_REG_0, 2));
  append(program, leave());
  const std::array begin = {
      bpf::move(BPF_REG_8, BPF_REG_7),
      bpf::add(BPF_REG_8, copied),
      bpf::and_with(BPF_REG_8, -kCopiedPageBytes),
  };
  append(program, begin);
  append(program, copy_user_stack(maps.ring, false, ending));
  return bpf::load(program);
}

Descriptor load_interrupted_program(const StackProgramMaps& maps) {
  Program program = find_thread(maps.threads);
  program.push_back(bpf::skip_unless_zero(BPF_REG_0, 2));
  append(program, leave());
  const std::array is_in_handler = {
      bpf::load64(BPF_REG_9, BPF_REG_0, offsetof(KnownThread, stack_end)),
      bpf::load64(BPF_REG_3, BPF_REG_0, offsetof(KnownThread, interrupted)),
      bpf::move(BPF_REG_2, BPF_REG_3),
      bpf::subtract(BPF_REG_2, BPF_REG_7),
      bpf::skip_if_above(BPF_REG_2, kLargestHandlerStack, 5),
  };
  append(program, is_in_handler);
  append(program, read_word());
  program.push_back(bpf::skip_if_zero(BPF_REG_0, 2));
  append(program, leave());
  const std::array begin = {
      bpf::load64(BPF_REG_8, BPF_REG_10, kWordOffset),
      bpf::move(BPF_REG_1, BPF_REG_9),
      bpf::subtract(BPF_REG_1, BPF_REG_8),
      bpf::skip_if_above(BPF_REG_1, kMaxPages * kCopiedPageBytes, 1),
      bpf::skip(1),
      bpf::set(BPF_REG_9, -1),
      bpf::add(BPF_REG_8, -kRedZone),
      bpf::and_with(BPF_REG_8, -kCopiedPageBytes),
      bpf::move(BPF_REG_3, BPF_REG_8),
  };
  append(program, begin);
  // The red zone may be in a page that the thread has never touched.
  append(program, read_word());
  program.push_back(bpf::skip_if_zero(BPF_REG_0, 1));
  program.push_back(bpf::add(BPF_REG_8, kCopiedPageBytes));
  append(program, copy_user_stack(maps.ring, true, leave()));
  return bpf::load(program);
}

}  // namespace wick::record
