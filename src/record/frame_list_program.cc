// SPDX-License-Identifier: Apache-2.0
// Assembles the program from parts (program_parts.h):
//
//     find_thread -> find_buffer -> begin_list -> copy_nodes -> again, if the list continues, or
//                                   copy_task                   another list continues it
//                                                            -> write_record -> next program
//
// A record has the size of its list, which is not known before the list is copied. The kernel only
// reserves records of constant sizes, so the program collects nodes in a buffer and then adds its
// used part to the ring. A buffer for each CPU is enough: an interrupted program is not run again.
//
// The verifier follows every iteration of a loop: 1280 nodes take it 60 ms, in which a short program
// ends. So a run copies up to kNodesOfRun, and jumps to its own slot in the chain for more. The
// buffer contains what the next run needs: the used bytes, and the next node.
//
// Sizes and offsets come from maps, where the verifier knows no limits. So each gets a mask, which
// does not change a valid value; with any other value the program stays inside its buffer, too.
#include "record/frame_list_program.h"

#include <array>
#include <cstddef>

#include "record/bpf.h"
#include "record/machine.h"

namespace wick::record {
namespace {

constexpr uint32_t kMaxThreadsWithLists = 8192;  // the most recent ones

using Node = CopiedFrameList::Node;
constexpr int kNodeAt = offsetof(Node, node);
constexpr int kCodeAt = offsetof(Node, code);
constexpr int32_t kMaxListBytes =
    sizeof(ListCopy) + sizeof(CopiedTask) + kMaxListNodes * kNodeBytes;
constexpr size_t kNodesOfRun = 64;
constexpr int32_t kBytesOfRun = kNodesOfRun * kNodeBytes;
static_assert(kMaxListNodes % kNodesOfRun == 0);
// One more: the run that ends the first of two lists is not full.
static_assert(kMaxListNodes / kNodesOfRun + 1 + kSampleSteps < 32, "the kernel's limit of jumps");
// Masks allow a little more than the largest values, which the last node needs after itself.
constexpr int32_t kSizeOfNode = 0x7F;
constexpr int32_t kSizeOfCode = 0x3F;
constexpr int32_t kPointerInNode = 0x78;
static_assert(CopiedFrameList::kMaxNodeBytes <= kSizeOfNode);
static_assert(CopiedFrameList::kMaxCodeBytes <= kSizeOfCode);
constexpr int32_t kBufferBytes = kMaxListBytes + 64;

// Registers: 6 is the KnownList, 7 the address of the next node, 8 the buffer. While nodes are copied,
// 8 is where the run begins in the buffer, and 9 the number of bytes from there.
constexpr int kBufferOffset = kFirstFreeOffset - 8;  // the slot for the buffer's address

// Another thread may have got the number.
Program check_thread(const Program& ending) {
  Program has_check;
  append(has_check, read_word());
  end_if_failed(has_check, ending);
  const std::array compare = {
      bpf::load64(BPF_REG_1, BPF_REG_10, kWordOffset),
      bpf::load64(BPF_REG_2, BPF_REG_6, offsetof(KnownList, expected)),
      bpf::skip_if_equal(BPF_REG_1, BPF_REG_2, static_cast<int>(ending.size())),
  };
  append(has_check, compare);
  append(has_check, ending);
  Program program = {
      bpf::load64(BPF_REG_3, BPF_REG_6, offsetof(KnownList, check)),
      bpf::skip_if_zero(BPF_REG_3, static_cast<int>(has_check.size())),
  };
  append(program, has_check);
  return program;
}

Program find_buffer(const Descriptor& buffers, const Program& ending) {
  Program program = {
      bpf::call(BPF_FUNC_get_smp_processor_id),
      bpf::store32(BPF_REG_10, kWordOffset, BPF_REG_0),
      bpf::map_first(BPF_REG_1, buffers),
      bpf::map_second(),
      bpf::move(BPF_REG_2, BPF_REG_10),
      bpf::add(BPF_REG_2, kWordOffset),
      bpf::call(BPF_FUNC_map_lookup_elem),
  };
  end_if_zero(program, ending);
  program.push_back(bpf::move(BPF_REG_8, BPF_REG_0));
  return program;
}

// Register 7 becomes the word at register 3.
Program follow(const Program& ending) {
  Program program;
  append(program, read_word());
  end_if_failed(program, ending);
  program.push_back(bpf::load64(BPF_REG_7, BPF_REG_10, kWordOffset));
  return program;
}

// Register 3: the address of the pointer that leads to the list. Register 7 becomes its first node.
Program find_first_node(const Program& ending) {
  Program program = follow(ending);
  Program in_struct = {
      bpf::move(BPF_REG_3, BPF_REG_7),
      bpf::load64(BPF_REG_1, BPF_REG_6, offsetof(KnownList, through)),
      bpf::add_register(BPF_REG_3, BPF_REG_1),
  };
  append(in_struct, follow(ending));
  program.push_back(bpf::load64(BPF_REG_1, BPF_REG_6, offsetof(KnownList, is_indirect)));
  program.push_back(bpf::skip_if_zero(BPF_REG_1, static_cast<int>(in_struct.size())));
  append(program, in_struct);
  return program;
}

// The kernel fills what it cannot read with zeros.
Program copy_words() {
  Program program;
  for (size_t i = 0; i < ListCopy{}.words.size(); ++i) {
    const int size = 8;
    const auto offset = static_cast<int>(i) * size;
    const int to = static_cast<int>(offsetof(ListCopy, words)) + offset;
    const std::array copy = {
        bpf::store64_number(BPF_REG_8, to, 0),
        bpf::load64(BPF_REG_3, BPF_REG_6, static_cast<int>(offsetof(KnownList, words)) + offset),
        bpf::skip_if_zero(BPF_REG_3, 4),
        bpf::move(BPF_REG_1, BPF_REG_8),
        bpf::add(BPF_REG_1, to),
        bpf::set(BPF_REG_2, size),
        bpf::call(BPF_FUNC_probe_read_user),
    };
    append(program, copy);
  }
  return program;
}

// Register 9: the used bytes of the buffer, 0 in the first run. Then it is not 0, and register 7 is
// the next node.
Program begin_list(const Program& ending) {
  Program first;
  append(first, check_thread(ending));
  append(first, write_head(BPF_REG_8, CopiedPart::kFrameList));
  first.push_back(bpf::load64(BPF_REG_3, BPF_REG_6, offsetof(KnownList, head)));
  append(first, find_first_node(ending));
  append(first, copy_words());
  first.push_back(bpf::load64(BPF_REG_1, BPF_REG_6, offsetof(KnownList, outer)));
  first.push_back(bpf::store64(BPF_REG_8, offsetof(ListCopy, outer), BPF_REG_1));
  first.push_back(bpf::store64(BPF_REG_8, offsetof(ListCopy, rest), BPF_REG_7));
  append(first, copy_task(offsetof(KnownList, task), sizeof(ListCopy)));
  first.push_back(bpf::store64(BPF_REG_8, offsetof(ListCopy, first_node), BPF_REG_9));
  Program program = {bpf::skip_unless_zero(BPF_REG_9, static_cast<int>(first.size()))};
  append(program, first);
  program.push_back(bpf::load64(BPF_REG_7, BPF_REG_8, offsetof(ListCopy, rest)));
  return program;
}

// Register 1 becomes the address of the current node's copy.
std::array<bpf_insn, 2> load_slot() {
  return {bpf::move(BPF_REG_1, BPF_REG_8), bpf::add_register(BPF_REG_1, BPF_REG_9)};
}

// A register becomes the pointer in the copy of the node; `field` says where its offset is.
std::array<bpf_insn, 4> load_pointer(int to, size_t field) {
  return {
      bpf::load64(to, BPF_REG_6, static_cast<int>(field)),
      bpf::and_with(to, kPointerInNode),
      bpf::add_register(to, BPF_REG_1),
      bpf::load64(to, to, kNodeAt),
  };
}

// Copies what the node in the slot points to. Then register 7 is the next node.
Program copy_code() {
  Program program;
  append(program, load_slot());
  append(program, load_pointer(BPF_REG_3, offsetof(KnownList, code)));
  const std::array read = {
      bpf::load64(BPF_REG_2, BPF_REG_6, offsetof(KnownList, code_mask)),
      bpf::and_register(BPF_REG_3, BPF_REG_2),
      bpf::load64(BPF_REG_2, BPF_REG_6, offsetof(KnownList, code_begin)),
      bpf::add_register(BPF_REG_3, BPF_REG_2),
      bpf::load64(BPF_REG_2, BPF_REG_6, offsetof(KnownList, code_bytes)),
      bpf::and_with(BPF_REG_2, kSizeOfCode),
      bpf::add(BPF_REG_1, kCodeAt),
      bpf::call(BPF_FUNC_probe_read_user),
  };
  append(program, read);
  append(program, load_slot());
  append(program, load_pointer(BPF_REG_7, offsetof(KnownList, next)));
  program.push_back(bpf::add(BPF_REG_9, kNodeBytes));
  return program;
}

// Copies nodes until the list ends, one cannot be read, or the run is full.
Program copy_nodes() {
  const Program code = copy_code();
  const auto to_end = static_cast<int>(code.size()) + 1;
  Program loop;
  append(loop, load_slot());
  const std::array read = {
      bpf::store64(BPF_REG_1, offsetof(Node, address), BPF_REG_7),
      bpf::add(BPF_REG_1, kNodeAt),
      bpf::load64(BPF_REG_2, BPF_REG_6, offsetof(KnownList, node_bytes)),
      bpf::and_with(BPF_REG_2, kSizeOfNode),
      bpf::move(BPF_REG_3, BPF_REG_7),
      bpf::call(BPF_FUNC_probe_read_user),
      bpf::skip_unless_zero(BPF_REG_0, to_end),
  };
  append(loop, read);
  append(loop, code);
  const auto body = static_cast<int>(loop.size()) + 1;
  Program program = {bpf::set(BPF_REG_9, 0), bpf::skip_if_zero(BPF_REG_7, body)};
  append(program, loop);
  program.push_back(bpf::skip_if_below(BPF_REG_9, kBytesOfRun, -body - 1));
  return program;
}

// Copies nodes to the buffer after its first bytes, whose number is register 9. It takes the way
// through memory: the verifier then follows the run once, and not also for the first run's number.
Program copy_run(const Program& ending) {
  Program program = {
      bpf::store64(BPF_REG_8, offsetof(ListCopy, bytes), BPF_REG_9),
      bpf::load64(BPF_REG_9, BPF_REG_8, offsetof(ListCopy, bytes)),
      bpf::skip_unless_above(
          BPF_REG_9, kMaxListBytes - kBytesOfRun, static_cast<int>(ending.size())),
  };
  append(program, ending);
  program.push_back(bpf::store64(BPF_REG_10, kBufferOffset, BPF_REG_8));
  program.push_back(bpf::add_register(BPF_REG_8, BPF_REG_9));
  append(program, copy_nodes());
  const std::array end = {
      bpf::load64(BPF_REG_8, BPF_REG_10, kBufferOffset),
      bpf::load64(BPF_REG_1, BPF_REG_8, offsetof(ListCopy, bytes)),
      bpf::add_register(BPF_REG_1, BPF_REG_9),
      bpf::store64(BPF_REG_8, offsetof(ListCopy, bytes), BPF_REG_1),
      bpf::store64(BPF_REG_8, offsetof(ListCopy, rest), BPF_REG_7),
  };
  append(program, end);
  return program;
}

// At the end of the first of two lists, the next run begins with the second one. If that cannot be
// read, the copy is cut: `ending` writes it.
Program begin_outer(const Program& ending) {
  Program outer = {
      bpf::store64_number(BPF_REG_8, offsetof(ListCopy, outer), 0),
      bpf::store64(BPF_REG_8, offsetof(ListCopy, rest), BPF_REG_3),
  };
  append(outer, find_first_node(ending));
  outer.push_back(bpf::store64(BPF_REG_8, offsetof(ListCopy, rest), BPF_REG_7));
  outer.push_back(bpf::set(BPF_REG_9, kBytesOfRun));
  const auto size = static_cast<int>(outer.size());
  Program program = {
      bpf::skip_unless_zero(BPF_REG_7, size + 2),
      bpf::load64(BPF_REG_3, BPF_REG_8, offsetof(ListCopy, outer)),
      bpf::skip_if_zero(BPF_REG_3, size),
  };
  append(program, outer);
  return program;
}

// After a full run, if the list continues and the buffer has room.
Program run_again(const ProgramChain& chain) {
  Program jump = {bpf::load64(BPF_REG_1, BPF_REG_10, kContextOffset)};
  append(jump, chain.go_on_with(SampleStep::kFrameList));
  const auto size = static_cast<int>(jump.size());
  Program program = {
      bpf::skip_if_below(BPF_REG_9, kBytesOfRun, size + 3),
      bpf::skip_if_zero(BPF_REG_7, size + 2),
      bpf::load64(BPF_REG_1, BPF_REG_8, offsetof(ListCopy, bytes)),
      bpf::skip_if_above(BPF_REG_1, kMaxListBytes - kBytesOfRun, size),
  };
  append(program, jump);
  return program;
}

Program write_record(const Descriptor& ring, const Program& ending) {
  Program add_to_ring;
  append(add_to_ring, choose_wakeup(ring, BPF_REG_4));
  const std::array output = {
      bpf::map_first(BPF_REG_1, ring),
      bpf::map_second(),
      bpf::move(BPF_REG_2, BPF_REG_8),
      bpf::move(BPF_REG_3, BPF_REG_9),
      bpf::call(BPF_FUNC_ringbuf_output),
  };
  append(add_to_ring, output);
  Program program = {
      bpf::load64(BPF_REG_9, BPF_REG_8, offsetof(ListCopy, bytes)),
      bpf::skip_if_above(BPF_REG_9, kMaxListBytes, static_cast<int>(add_to_ring.size())),
  };
  append(program, add_to_ring);
  program.push_back(bpf::store64_number(BPF_REG_8, offsetof(ListCopy, bytes), 0));
  append(program, ending);
  return program;
}

}  // namespace

std::optional<KnownList> known_list(const StackFindings::FrameList& list) {
  auto is_in_node = [&](uint64_t pointer) {
    return pointer % 8 == 0 && pointer < list.node_bytes && list.node_bytes - pointer >= 8;
  };
  bool fits = list.node_bytes <= CopiedFrameList::kMaxNodeBytes &&
              list.code_bytes <= CopiedFrameList::kMaxCodeBytes && is_in_node(list.next) &&
              is_in_node(list.code);
  if (list.head == 0 || !fits) {
    return {};
  }
  bool is_indirect = list.through != StackFindings::FrameList::kDirect;
  return KnownList{.head = list.head,
                   .outer = list.outer,
                   .is_indirect = is_indirect ? 1U : 0U,
                   .through = is_indirect ? list.through : 0,
                   .next = list.next,
                   .node_bytes = list.node_bytes,
                   .code = list.code,
                   .code_mask = list.code_mask,
                   .code_begin = list.code_begin,
                   .code_bytes = list.code_bytes,
                   .check = list.check,
                   .expected = list.expected,
                   .words = list.words,
                   .task = known_task(list.task)};
}

FrameListMaps make_frame_list_maps() {
  const auto cpus = static_cast<uint32_t>(online_cpus().back()) + 1;
  return {.threads = bpf::make_map({.type = BPF_MAP_TYPE_LRU_HASH,
                                    .value_bytes = sizeof(KnownList),
                                    .entries = kMaxThreadsWithLists}),
          .buffers = bpf::make_map(
              {.type = BPF_MAP_TYPE_ARRAY, .value_bytes = kBufferBytes, .entries = cpus})};
}

Descriptor load_frame_list_program(const Descriptor& ring,
                                   const FrameListMaps& maps,
                                   const ProgramChain& chain) {
  const Program ending = go_on_after(chain, SampleStep::kFrameList);
  Program program = find_thread(maps.threads);
  program.push_back(bpf::move(BPF_REG_6, BPF_REG_0));
  append(program, find_buffer(maps.buffers, ending));
  // Wherever this run ends, the next sample begins again.
  program.push_back(bpf::load64(BPF_REG_9, BPF_REG_8, offsetof(ListCopy, bytes)));
  program.push_back(bpf::store64_number(BPF_REG_8, offsetof(ListCopy, bytes), 0));
  program.push_back(bpf::move(BPF_REG_0, BPF_REG_6));
  end_if_zero(program, ending);
  append(program, begin_list(ending));
  append(program, copy_run(ending));
  const Program write = write_record(ring, ending);
  append(program, begin_outer(write));
  append(program, run_again(chain));
  append(program, write);
  return bpf::load(program);
}

}  // namespace wick::record
