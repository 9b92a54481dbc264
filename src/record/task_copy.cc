// SPDX-License-Identifier: Apache-2.0
// Registers: 7 is the address of the table, of an entry, then of the task; 9 counts entries.
#include "record/task_copy.h"

#include <array>
#include <cstddef>

#include "record/bpf.h"

namespace wick::record {
namespace {

constexpr int kMaxEntries = 32;  // from the last one on
constexpr int kMaxTable = 1 << 20;
constexpr int kEntryBytes = 24;
constexpr int kKeyInEntry = 8;  // the pointer to the task follows it, as in a CopiedTask
static_assert(offsetof(CopiedTask, address) == offsetof(CopiedTask, key) + 8);
static_assert(sizeof(CopiedTask) % 8 == 0);
constexpr int kFirstEntryOffset = kFirstFreeOffset - 16;  // the slot for its address

constexpr int at(int base, size_t field) {
  return base + static_cast<int>(field);
}

// Register 0: 0 if it could be read.
Program read_into_copy(int to, int bytes, int from_offset = 0) {
  return {
      bpf::move(BPF_REG_1, BPF_REG_8),
      bpf::add(BPF_REG_1, to),
      bpf::set(BPF_REG_2, bytes),
      bpf::move(BPF_REG_3, BPF_REG_7),
      bpf::add(BPF_REG_3, from_offset),
      bpf::call(BPF_FUNC_probe_read_user),
  };
}

// Register 7 is the last entry. From there on, entry after entry becomes that of the copy. If none
// is the right one, the last instruction removes it from the copy.
Program find_entry(int known, int copy) {
  const int address = at(copy, offsetof(CopiedTask, address));
  const std::array end_before_first = {
      bpf::load64(BPF_REG_1, BPF_REG_10, kFirstEntryOffset),
      bpf::skip_unless_below(BPF_REG_7, BPF_REG_1, 1),
      bpf::skip(16),  // to the last instruction
  };
  const std::array compare = {
      bpf::skip_unless_zero(BPF_REG_0, 9),  // to the last instruction
      bpf::load64(BPF_REG_1, BPF_REG_8, address),
      bpf::skip_if_zero(BPF_REG_1, 4),  // an entry that was removed: to the next one
      bpf::load64(BPF_REG_1, BPF_REG_6, at(known, offsetof(KnownTask, key))),
      bpf::skip_if_zero(BPF_REG_1, 6),  // found: to the end
      bpf::load64(BPF_REG_2, BPF_REG_8, at(copy, offsetof(CopiedTask, key))),
      bpf::skip_if_equal(BPF_REG_1, BPF_REG_2, 4),  // found: to the end
      bpf::add(BPF_REG_7, -kEntryBytes),
      bpf::add(BPF_REG_9, 1),
      bpf::skip_if_below(BPF_REG_9, kMaxEntries, -19),  // to the first instruction
      bpf::store64_number(BPF_REG_8, address, 0),
  };
  Program program;
  append(program, end_before_first);
  append(program, read_into_copy(at(copy, offsetof(CopiedTask, key)), 16, kKeyInEntry));
  append(program, compare);
  return program;
}

// Register 7 is the table. Its first entry is in the slot.
Program find_first_entry(int known, int to_last) {
  constexpr int kIndexBytes = 8;
  constexpr int kMaxIndexBytes = 0xFFFF;
  const std::array logarithm = {
      bpf::shift_right(BPF_REG_1, 8),
      bpf::and_with(BPF_REG_1, 0xF),
      bpf::set(BPF_REG_2, 1),
      bpf::shift_left_by(BPF_REG_2, BPF_REG_1),
      bpf::move(BPF_REG_1, BPF_REG_2),
  };
  const std::array store = {
      bpf::and_with(BPF_REG_1, kMaxIndexBytes),
      bpf::load64(BPF_REG_2, BPF_REG_6, at(known, offsetof(KnownTask, entries))),
      bpf::add_register(BPF_REG_1, BPF_REG_2),
      bpf::add_register(BPF_REG_1, BPF_REG_7),
      bpf::store64(BPF_REG_10, kFirstEntryOffset, BPF_REG_1),
  };
  Program found = {
      bpf::load64(BPF_REG_1, BPF_REG_10, kWordOffset),
      bpf::load64(BPF_REG_2, BPF_REG_6, at(known, offsetof(KnownTask, has_logarithm))),
      bpf::skip_if_zero(BPF_REG_2, static_cast<int>(logarithm.size())),
  };
  append(found, logarithm);
  append(found, store);
  Program program = {bpf::move(BPF_REG_3, BPF_REG_7), bpf::add(BPF_REG_3, kIndexBytes)};
  append(program, read_word());
  program.push_back(bpf::skip_unless_zero(BPF_REG_0, static_cast<int>(found.size()) + to_last));
  append(program, found);
  return program;
}

// Register 7 is the table.
Program search_table(int known, int copy) {
  const Program find = find_entry(known, copy);
  const auto to_last = static_cast<int>(find.size()) - 1;
  const std::array last_entry = {
      bpf::skip_unless_zero(BPF_REG_0, 8 + to_last),
      bpf::load64(BPF_REG_1, BPF_REG_10, kWordOffset),
      bpf::skip_if_zero(BPF_REG_1, 6 + to_last),
      bpf::skip_if_above(BPF_REG_1, kMaxTable, 5 + to_last),
      bpf::load64(BPF_REG_7, BPF_REG_10, kFirstEntryOffset),
      bpf::multiply(BPF_REG_1, kEntryBytes),
      bpf::add_register(BPF_REG_7, BPF_REG_1),
      bpf::add(BPF_REG_7, -kEntryBytes),
      bpf::set(BPF_REG_9, 0),
  };
  Program count = {
      bpf::load64(BPF_REG_3, BPF_REG_6, at(known, offsetof(KnownTask, count))),
      bpf::add_register(BPF_REG_3, BPF_REG_7),
  };
  append(count, read_word());
  append(count, last_entry);
  Program program = find_first_entry(known, static_cast<int>(count.size()) + to_last);
  append(program, count);
  append(program, find);
  return program;
}

// The address of the task is in the copy; 0: none.
Program copy_object_and_name(int known, int copy) {
  Program name = {bpf::load64(BPF_REG_7, BPF_REG_10, kWordOffset)};
  append(name, read_into_copy(at(copy, offsetof(CopiedTask, name)), CopiedTask::kNameBytes));
  Program object = read_into_copy(at(copy, offsetof(CopiedTask, object)), CopiedTask::kObjectBytes);
  object.push_back(bpf::load64(BPF_REG_3, BPF_REG_6, at(known, offsetof(KnownTask, name))));
  object.push_back(bpf::add_register(BPF_REG_3, BPF_REG_7));
  append(object, read_word());
  object.push_back(bpf::skip_unless_zero(BPF_REG_0, static_cast<int>(name.size())));
  append(object, name);
  Program program = {
      bpf::load64(BPF_REG_7, BPF_REG_8, at(copy, offsetof(CopiedTask, address))),
      bpf::skip_if_zero(BPF_REG_7, static_cast<int>(object.size())),
  };
  append(program, object);
  return program;
}

// Register 3: the address of the pointer.
Program follow_pointer(int known, int copy) {
  const Program search = search_table(known, copy);
  Program follow = {
      bpf::load64(BPF_REG_7, BPF_REG_10, kWordOffset),
      bpf::load64(BPF_REG_1, BPF_REG_6, at(known, offsetof(KnownTask, is_in_table))),
      bpf::skip_if_zero(BPF_REG_1, static_cast<int>(search.size()) + 1),
  };
  append(follow, search);
  follow.push_back(bpf::skip(1));
  follow.push_back(bpf::store64(BPF_REG_8, at(copy, offsetof(CopiedTask, address)), BPF_REG_7));
  append(follow, copy_object_and_name(known, copy));
  Program program;
  append(program, read_word());
  program.push_back(bpf::skip_unless_zero(BPF_REG_0, static_cast<int>(follow.size())));
  append(program, follow);
  return program;
}

}  // namespace

KnownTask known_task(const StackFindings::FrameList::Task& task) {
  return {.pointer = task.pointer,
          .is_in_table = task.is_in_table ? 1U : 0U,
          .has_logarithm = task.has_logarithm ? 1U : 0U,
          .entries = task.entries,
          .count = task.count,
          .key = task.key,
          .name = task.name};
}

Program copy_task(int known, int copy) {
  // The kernel fills what it cannot read with zeros; this is for what it does not try to read.
  Program task;
  for (size_t field : {offsetof(CopiedTask, key), offsetof(CopiedTask, address)}) {
    task.push_back(bpf::store64_number(BPF_REG_8, at(copy, field), 0));
  }
  for (size_t byte = 0; byte < 64; byte += 8) {
    task.push_back(bpf::store64_number(BPF_REG_8, at(copy, offsetof(CopiedTask, name) + byte), 0));
  }
  append(task, follow_pointer(known, copy));
  task.push_back(bpf::set(BPF_REG_9, at(copy, sizeof(CopiedTask))));
  Program program = {
      bpf::set(BPF_REG_9, copy),
      bpf::load64(BPF_REG_3, BPF_REG_6, at(known, offsetof(KnownTask, pointer))),
      bpf::skip_if_zero(BPF_REG_3, static_cast<int>(task.size())),
  };
  append(program, task);
  return program;
}

}  // namespace wick::record
