// SPDX-License-Identifier: Apache-2.0
// Assembles the BPF programs from parts (program_parts.h).
//
//     goroutine program    find_thread -> is its goroutine on another stack? -> copy_user_stack, with
//                          its registers -> next program
//     rest program         find_thread -> find_end (if the thread is known) -> is there memory
//                          after the copy? -> copy_user_stack -> next program
//     interrupted program  find_thread -> is the thread in a handler? -> read the saved stack
//                          pointer -> copy_user_stack -> next program
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

// Records have three sizes, because a BPF program must reserve a constant size: with a copy of
// 8 KB, they suffice for stacks of 20 KB, 60 KB and 250 KB.
constexpr std::array<int32_t, 3> kRecordPages = {4, 14, 62};
constexpr int32_t kMaxPages = kRecordPages.back();
// Stacks for handlers are small. wick reads a larger one from the process instead.
constexpr int32_t kLargestHandlerStack = 64 * 1024;
// The other saved registers of a signal are around the stack pointer.
constexpr int32_t kSavedRegisters = 64;
constexpr int32_t kRedZone = 128;

// In all three, register 8 is the address of the first page to read, 9 the end of the stack (as far
// as known), 6 the record. The goroutine program's own slots:
constexpr int kGoroutineOffset = kFirstFreeOffset - 8;
constexpr int kBoundsOffset = kFirstFreeOffset - 24;  // two words: the stack of the goroutine
constexpr int kSavedOffset = kFirstFreeOffset - 32;   // the address of its registers
constexpr int kEntryOffset = kFirstFreeOffset - 40;   // the entry of the thread

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

// Register 6: the record.
std::array<bpf_insn, 7> save_goroutine() {
  return {
      bpf::load64(BPF_REG_1, BPF_REG_10, kGoroutineOffset),
      bpf::store64(BPF_REG_6, offsetof(StackCopy, goroutine), BPF_REG_1),
      bpf::move(BPF_REG_1, BPF_REG_6),
      bpf::add(BPF_REG_1, offsetof(StackCopy, saved)),
      bpf::set(BPF_REG_2, sizeof(StackCopy::saved)),
      bpf::load64(BPF_REG_3, BPF_REG_10, kSavedOffset),
      bpf::call(BPF_FUNC_probe_read_user),
  };
}

// Copies pages to register 6, a record of at most `pages`, and submits it.
Program fill_pages(const Descriptor& ring, int pages, CopiedPart which) {
  Program program;
  append(program, write_head(BPF_REG_6, which));
  program.push_back(bpf::store64(BPF_REG_6, offsetof(StackCopy, address), BPF_REG_8));
  program.push_back(bpf::store64_number(BPF_REG_6, offsetof(StackCopy, pages), 0));
  program.push_back(bpf::store64_number(BPF_REG_6, offsetof(StackCopy, goroutine), 0));
  if (which == CopiedPart::kGoroutine && pages > 0) {
    append(program, save_goroutine());
  }
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
  append(program, choose_wakeup(ring, BPF_REG_2));
  program.push_back(bpf::move(BPF_REG_1, BPF_REG_6));
  program.push_back(bpf::call(BPF_FUNC_ringbuf_submit));
  return program;
}

// Copies pages, unless the ring is full.
Program copy_pages(const Descriptor& ring, int pages, CopiedPart which) {
  const Program fill = fill_pages(ring, pages, which);
  Program program = {
      bpf::map_first(BPF_REG_1, ring),
      bpf::map_second(),
      bpf::set(BPF_REG_2, kStackOffset + pages * kCopiedPageBytes),
      bpf::set(BPF_REG_3, 0),
      bpf::call(BPF_FUNC_ringbuf_reserve),
      bpf::skip_if_zero(BPF_REG_0, static_cast<int>(fill.size()) + 1),
      bpf::move(BPF_REG_6, BPF_REG_0),
  };
  append(program, fill);
  return program;
}

// Writes a record of the smallest sufficient size, then runs `ending`.
Program copy_user_stack(const Descriptor& ring, CopiedPart which, const Program& ending) {
  Program program;
  for (int pages : kRecordPages) {
    Program copy = copy_pages(ring, pages, which);
    append(copy, ending);
    if (pages < kMaxPages) {
      append(program, skip_unless_enough(pages, copy.size()));
    }
    append(program, copy);
  }
  return program;
}

// For a known thread: finds the end of its stack, and runs `ending` if the copy reaches it.
Program find_end(int32_t copied, const Program& ending) {
  const auto end_size = static_cast<int>(ending.size());
  Program on_its_stack = {
      bpf::load64(BPF_REG_1, BPF_REG_0, offsetof(KnownThread, stack_end)),
      bpf::move(BPF_REG_2, BPF_REG_1),
      bpf::subtract(BPF_REG_2, BPF_REG_7),
      bpf::skip_if_above(BPF_REG_2, copied, end_size),
  };
  append(on_its_stack, ending);
  // Not if the thread has left that stack.
  on_its_stack.push_back(bpf::skip_if_above(BPF_REG_2, copied + kMaxPages * kCopiedPageBytes, 1));
  on_its_stack.push_back(bpf::move(BPF_REG_9, BPF_REG_1));
  const Program in_handler = {
      bpf::move(BPF_REG_9, BPF_REG_1),
      bpf::add(BPF_REG_9, kSavedRegisters),
      bpf::skip_if_above(
          BPF_REG_2, copied - kSavedRegisters, end_size + static_cast<int>(on_its_stack.size())),
  };
  Program program = {
      bpf::load64(BPF_REG_1, BPF_REG_0, offsetof(KnownThread, interrupted)),
      bpf::move(BPF_REG_2, BPF_REG_1),
      bpf::subtract(BPF_REG_2, BPF_REG_7),
      bpf::skip_if_above(
          BPF_REG_2, kLargestHandlerStack, static_cast<int>(in_handler.size()) + end_size),
  };
  append(program, in_handler);
  append(program, ending);
  append(program, on_its_stack);
  return program;
}

// Registers 8 and 9 become the bounds of the goroutine's stack. Runs `ending` if the thread is on
// that stack, whose end is then known to the other programs.
void find_its_bounds(Program& program, const Program& ending) {
  const std::array read_bounds = {
      bpf::store64(BPF_REG_10, kGoroutineOffset, BPF_REG_3),
      bpf::add_register(BPF_REG_6, BPF_REG_3),
      bpf::store64(BPF_REG_10, kSavedOffset, BPF_REG_6),
      bpf::move(BPF_REG_1, BPF_REG_10),
      bpf::add(BPF_REG_1, kBoundsOffset),
      bpf::set(BPF_REG_2, 16),
      bpf::call(BPF_FUNC_probe_read_user),
  };
  append(program, read_bounds);
  end_if_failed(program, ending);
  const std::array is_elsewhere = {
      bpf::load64(BPF_REG_8, BPF_REG_10, kBoundsOffset),
      bpf::load64(BPF_REG_9, BPF_REG_10, kBoundsOffset + 8),
      bpf::skip_unless_below(BPF_REG_7, BPF_REG_9, static_cast<int>(ending.size()) + 4),
      bpf::skip_unless_below(BPF_REG_7, BPF_REG_8, 1),
      bpf::skip(static_cast<int>(ending.size()) + 2),
      bpf::load64(BPF_REG_1, BPF_REG_10, kEntryOffset),
      bpf::store64(BPF_REG_1, offsetof(KnownThread, stack_end), BPF_REG_9),
  };
  append(program, is_elsewhere);
  append(program, ending);
}

// Register 0: the entry of the thread. Register 8 becomes the first page of its goroutine's stack,
// 9 the end of it. Runs `ending` if there is nothing to copy; if the thread has no goroutine, it
// writes an empty record before.
Program find_goroutine(const Descriptor& ring, const Program& ending) {
  Program program = {
      bpf::store64(BPF_REG_10, kEntryOffset, BPF_REG_0),
      bpf::load64(BPF_REG_3, BPF_REG_0, offsetof(KnownThread, goroutine)),
      bpf::load64(BPF_REG_6, BPF_REG_0, offsetof(KnownThread, saved)),
      bpf::skip_unless_zero(BPF_REG_3, static_cast<int>(ending.size())),
  };
  append(program, ending);
  append(program, read_word());
  end_if_failed(program, ending);
  Program has_none = {bpf::set(BPF_REG_8, 0)};
  append(has_none, copy_pages(ring, 0, CopiedPart::kGoroutine));
  append(has_none, ending);
  program.push_back(bpf::load64(BPF_REG_3, BPF_REG_10, kWordOffset));
  program.push_back(bpf::skip_unless_zero(BPF_REG_3, static_cast<int>(has_none.size())));
  append(program, has_none);
  find_its_bounds(program, ending);
  program.push_back(bpf::load64(BPF_REG_3, BPF_REG_10, kSavedOffset));
  append(program, read_word());
  end_if_failed(program, ending);
  const std::array begin = {
      bpf::move(BPF_REG_1, BPF_REG_8),
      bpf::load64(BPF_REG_8, BPF_REG_10, kWordOffset),
      bpf::skip_unless_below(BPF_REG_1, BPF_REG_9, 2),
      bpf::skip_unless_below(BPF_REG_8, BPF_REG_9, 1),
      bpf::skip_unless_below(BPF_REG_8, BPF_REG_1, static_cast<int>(ending.size())),
  };
  append(program, begin);
  append(program, ending);
  program.push_back(bpf::and_with(BPF_REG_8, -kCopiedPageBytes));
  return program;
}

}  // namespace

Descriptor load_rest_program(const StackProgramMaps& maps,
                             const ProgramChain& chain,
                             uint32_t copied_bytes) {
  const auto copied = static_cast<int32_t>(copied_bytes);
  const Program ending = go_on_after(chain, SampleStep::kRest);
  const Program known = find_end(copied, ending);
  Program program = find_thread(maps.threads);
  program.push_back(bpf::set(BPF_REG_9, -1));
  program.push_back(bpf::skip_if_zero(BPF_REG_0, static_cast<int>(known.size())));
  append(program, known);
  // Is there memory after the copy?
  program.push_back(bpf::move(BPF_REG_3, BPF_REG_7));
  program.push_back(bpf::add(BPF_REG_3, copied));
  append(program, read_word());
  end_if_failed(program, ending);
  const std::array begin = {
      bpf::move(BPF_REG_8, BPF_REG_7),
      bpf::add(BPF_REG_8, copied),
      bpf::and_with(BPF_REG_8, -kCopiedPageBytes),
  };
  append(program, begin);
  append(program, copy_user_stack(maps.ring, CopiedPart::kRest, ending));
  return bpf::load(program);
}

Descriptor load_interrupted_program(const StackProgramMaps& maps, const ProgramChain& chain) {
  const Program ending = go_on_after(chain, SampleStep::kInterrupted);
  Program program = find_thread(maps.threads);
  end_if_zero(program, ending);
  const std::array is_in_handler = {
      bpf::load64(BPF_REG_9, BPF_REG_0, offsetof(KnownThread, stack_end)),
      bpf::load64(BPF_REG_3, BPF_REG_0, offsetof(KnownThread, interrupted)),
      bpf::move(BPF_REG_2, BPF_REG_3),
      bpf::subtract(BPF_REG_2, BPF_REG_7),
      bpf::skip_if_above(BPF_REG_2, kLargestHandlerStack, 5),
  };
  append(program, is_in_handler);
  append(program, read_word());
  end_if_failed(program, ending);
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
  append(program, copy_user_stack(maps.ring, CopiedPart::kInterrupted, ending));
  return bpf::load(program);
}

Descriptor load_goroutine_program(const StackProgramMaps& maps, const ProgramChain& chain) {
  const Program ending = go_on_after(chain, SampleStep::kGoroutine);
  Program program = find_thread(maps.threads);
  end_if_zero(program, ending);
  append(program, find_goroutine(maps.ring, ending));
  append(program, copy_user_stack(maps.ring, CopiedPart::kGoroutine, ending));
  return bpf::load(program);
}

}  // namespace wick::record
