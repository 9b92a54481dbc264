// SPDX-License-Identifier: Apache-2.0
// Steps of task():
//
//   1. Without a frame of a generator or coroutine, there is no task.
//   2. The copy of the sample, if the recorder has made one: memory_ then shows its parts.
//   3. Else what the loops run now. The last entries of a dictionary are the newest.
//   4. Either is the task only if its coroutine has one of the frames. Then its name and awaiters are
//      read. Awaiters are cached for a moment: most of them wait for long.
//
// Nothing here trusts a pointer: what it leads to must have the expected type, chains end at a limit,
// and tasks that wait for each other end where one is seen again.
#include "runtimes/python/tasks.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "runtimes/memory_words.h"
#include "runtimes/python/dictionary.h"
#include "runtimes/python/frames.h"

namespace wick::python {
namespace {

using namespace std::chrono_literals;
using FrameList = StackFindings::FrameList;

// The same in all versions.
constexpr uint32_t kFirstCallback = 24;   // in a future
constexpr uint32_t kOtherCallbacks = 40;  // in a future: a list of tuples
constexpr uint32_t kModuleDictionary = 16;
constexpr uint32_t kSize = 16;  // of a list or tuple
constexpr uint32_t kItems = 24;
constexpr uint32_t kCellContent = 16;
constexpr uint32_t kPartialArguments = 24;
constexpr uint32_t kIntegerTag = 16;
constexpr uint32_t kIntegerDigits = 24;
constexpr uint32_t kHasSeveral = 13;  // after `awaited_by`: whether it is a set
constexpr uint32_t kSetMask = 32;
constexpr uint32_t kSetTable = 40;

constexpr size_t kMaxNameCharacters = 256;
constexpr size_t kMaxItems = 8;
constexpr size_t kMaxSlots = 64;   // of a set
constexpr size_t kMaxLoops = 256;  // whose tasks are compared with a thread's frames
constexpr size_t kMaxChain = 64;   // coroutines of a task
constexpr int kMaxFutures = 3;     // between a task and the one that waits
constexpr size_t kMaxKnown = 4096;
constexpr auto kAwaitersValid = 100ms;

}  // namespace

uint64_t Tasks::pointer(uint64_t address) {
  return read_number<uint64_t>(memory_, address).value_or(0);
}

uint64_t Tasks::current_tasks(uint64_t interpreter) {
  Module& module = modules_[interpreter];
  if (module.current_tasks != 0) {
    return module.current_tasks;
  }
  auto modules = read_table(now_, layout_.object, pointer(interpreter + layout_.task.modules));
  bool is_searched =
      modules && modules->address == module.modules && modules->entries == module.entries;
  if (!modules || is_searched) {
    return 0;
  }
  uint64_t object = find_value(now_, layout_.object, *modules, "_asyncio");
  uint64_t dictionary = object == 0 ? 0 : pointer(object + kModuleDictionary);
  if (auto names = read_table(now_, layout_.object, dictionary)) {
    module.current_tasks = find_value(now_, layout_.object, *names, "_current_tasks");
  }
  // The module may be there, but not yet its names.
  if (object == 0) {
    module.modules = modules->address;
    module.entries = modules->entries;
  }
  return module.current_tasks;
}

FrameList::Task Tasks::location(uint64_t interpreter, uint64_t thread) {
  const Layout::Task& task = layout_.task;
  if (!task.is_known) {
    return {};
  }
  if (task.running != Layout::kAbsent) {
    return {.pointer = thread + task.running, .name = task.name};
  }
  uint64_t dictionary = current_tasks(interpreter);
  auto table = read_table(now_, layout_.object, dictionary);
  if (!table || table->entry_bytes != 24) {
    return {};
  }
  auto key = keys_.find(thread + layout_.thread.frame);
  return {.pointer = dictionary + DictionaryTable::kTable,
          .is_in_table = true,
          .has_logarithm = layout_.object.has_table_logarithms,
          .entries = entries_offset(layout_.object) + 8,
          .count = entries_offset(layout_.object),
          .key = key == keys_.end() ? 0 : key->second,
          .name = task.name};
}

// Names that a program did not choose are numbers since 3.12.
std::optional<std::string> Tasks::name_of(uint64_t task) {
  uint64_t name = pointer(task + layout_.task.name);
  if (kinds_.of(name) != Kind::kInteger) {
    return objects_.text(name, kMaxNameCharacters);
  }
  constexpr int kLengthBit = 3;
  constexpr int kDigitBits = 30;
  uint64_t digits = read_number<uint64_t>(memory_, name + kIntegerTag).value_or(0) >> kLengthBit;
  uint64_t both = read_number<uint64_t>(memory_, name + kIntegerDigits).value_or(0);
  uint64_t number = both & UINT32_MAX;
  if (digits == 2) {
    number |= both >> 32U << kDigitBits;
  }
  return digits == 1 || digits == 2 ? std::optional(fmt::format("Task-{}", number)) : std::nullopt;
}

std::optional<InterpreterTask> Tasks::examine(uint64_t task,
                                              std::span<const InterpreterFrame> frames) {
  if (task == 0 || kinds_.of(task) != Kind::kTask) {
    return {};
  }
  uint64_t coroutine = pointer(task + layout_.task.coroutine);
  auto root = std::ranges::find(frames, coroutine, &InterpreterFrame::generator);
  std::optional<std::string> name = name_of(task);
  if (coroutine == 0 || root == frames.end() || !name) {
    return {};
  }
  return InterpreterTask{.state = InterpreterTask::State::kKnown,
                         .name = std::move(*name),
                         .root = static_cast<size_t>(root - frames.begin()),
                         .awaiters = awaiters(task)};
}

std::optional<InterpreterTask> Tasks::task_of_sample(const FrameList::Task& where,
                                                     const CopiedTask& copy,
                                                     std::span<const InterpreterFrame> frames) {
  auto name = number_at<uint64_t>(copy.object, layout_.task.name);
  bool has_name = number_at<uint64_t>(copy.name, layout_.object.type) != 0;
  memory_.add(copy.address, copy.object);
  memory_.add(has_name ? name : 0, copy.name);
  std::optional<InterpreterTask> task = examine(copy.address, frames);
  memory_.clear();
  if (task) {
    task->where = where;
    task->where.key = copy.key;
  }
  return task;
}

std::optional<InterpreterTask> Tasks::task_now(const FrameList::Task& where,
                                               std::span<const InterpreterFrame> frames,
                                               bool& may_be_one) {
  if (!where.is_in_table) {
    uint64_t task = pointer(where.pointer);
    may_be_one = task != 0;
    std::optional<InterpreterTask> known = examine(task, frames);
    if (known) {
      known->where = where;
    }
    return known;
  }
  auto table = read_table(now_, layout_.object, where.pointer - DictionaryTable::kTable);
  if (!table || table->entry_bytes != 24) {
    return {};
  }
  for (const DictionaryEntry& entry : last_entries(now_, *table, kMaxLoops)) {
    may_be_one = true;
    if (std::optional<InterpreterTask> task = examine(entry.value, frames)) {
      task->where = where;
      task->where.key = entry.key;
      return task;
    }
  }
  return {};
}

InterpreterTask Tasks::task(const FrameList& list,
                            const CopiedFrameList& copy,
                            std::span<const InterpreterFrame> frames) {
  using State = InterpreterTask::State;
  if (std::ranges::all_of(
          frames, [](uint64_t of) { return of == 0; }, &InterpreterFrame::generator)) {
    return {.state = State::kNone, .where = list.task};
  }
  const FrameList::Task& where = list.task;
  if (where.pointer == 0) {
    return {.state = State::kUnknown};
  }
  std::optional<InterpreterTask> task;
  if (copy.task != nullptr) {
    task = task_of_sample(where, *copy.task, frames);
    if (!task && copy.task->address == 0 && !where.is_in_table) {
      return {.state = State::kNone, .where = where};
    }
  }
  bool may_be_one = copy.task != nullptr && copy.task->address != 0;
  if (!task) {
    task = task_now(where, frames, may_be_one);
  }
  if (!task) {
    return {.state = may_be_one ? State::kUnknown : State::kNone, .where = where};
  }
  if (where.is_in_table) {
    if (keys_.size() >= kMaxKnown) {
      keys_.clear();
    }
    keys_[list.head] = task->where.key;
  }
  return std::move(*task);
}

std::vector<uint64_t> Tasks::items_of_tuple(uint64_t tuple) {
  std::vector<uint64_t> items;
  uint64_t size = tuple == 0 ? 0 : pointer(tuple + kSize);
  for (size_t i = 0; i < std::min<uint64_t>(size, kMaxItems); ++i) {
    items.push_back(pointer(tuple + kItems + i * sizeof(uint64_t)));
  }
  return items;
}

std::vector<uint64_t> Tasks::callbacks_of(uint64_t future) {
  std::vector<uint64_t> callbacks = {pointer(future + kFirstCallback)};
  uint64_t list = pointer(future + kOtherCallbacks);
  uint64_t size = list == 0 ? 0 : pointer(list + kSize);
  uint64_t items = size == 0 ? 0 : pointer(list + kItems);
  for (size_t i = 0; items != 0 && i < std::min<uint64_t>(size, kMaxItems); ++i) {
    uint64_t tuple = pointer(items + i * sizeof(uint64_t));
    callbacks.push_back(tuple == 0 ? 0 : pointer(tuple + kItems));
  }
  return callbacks;
}

bool Tasks::waits_for(uint64_t task, uint64_t future) {
  return kinds_.of(task) == Kind::kTask && pointer(task + layout_.task.waiter) == future;
}

uint64_t Tasks::awaiter_through(uint64_t callback, uint64_t future, int depth) {
  std::vector<uint64_t> results;  // futures that may get the result of this one
  switch (kinds_.of(callback)) {
    case Kind::kWakeup:
    case Kind::kMethod: {
      uint64_t task = pointer(callback + layout_.task.resumed);
      return waits_for(task, future) ? task : 0;
    }
    case Kind::kClosure:
      for (uint64_t cell : items_of_tuple(pointer(callback + layout_.task.closure))) {
        results.push_back(cell == 0 ? 0 : pointer(cell + kCellContent));
      }
      break;
    case Kind::kPartial:
      results = items_of_tuple(pointer(callback + kPartialArguments));
      break;
    default:
      break;
  }
  for (uint64_t result : results) {
    if (result != future && kinds_.of(result) == Kind::kFuture) {
      if (uint64_t task = awaiter_of(result, depth + 1)) {
        return task;
      }
    }
  }
  return 0;
}

uint64_t Tasks::awaiter_in_future(uint64_t future) {
  uint64_t waits = pointer(future + layout_.task.awaited_by);
  auto has_several =
      read_number<uint8_t>(memory_, future + layout_.task.awaited_by + kHasSeveral).value_or(0);
  if (waits == 0 || has_several == 0) {
    return kinds_.of(waits) == Kind::kTask ? waits : 0;
  }
  uint64_t slots = std::min<uint64_t>(pointer(waits + kSetMask), kMaxSlots - 1) + 1;
  uint64_t table = pointer(waits + kSetTable);
  for (size_t i = 0; table != 0 && i < slots; ++i) {
    uint64_t task = pointer(table + 2 * i * sizeof(uint64_t));
    if (kinds_.of(task) == Kind::kTask) {
      return task;
    }
  }
  return 0;
}

uint64_t Tasks::awaiter_of(uint64_t future, int depth) {
  if (layout_.task.awaited_by != Layout::kAbsent) {
    return awaiter_in_future(future);
  }
  if (depth > kMaxFutures) {
    return 0;
  }
  for (uint64_t callback : callbacks_of(future)) {
    if (uint64_t task = awaiter_through(callback, future, depth)) {
      return task;
    }
  }
  return 0;
}

// 0: it waits for nothing that is known.
uint64_t Tasks::awaited_by_frame(uint64_t frame) {
  const Layout::Coroutine& coroutine = layout_.coroutine;
  constexpr int32_t kMostEntries = 1 << 16;
  uint64_t end = 0;
  if (coroutine.top_kind == Layout::Coroutine::Top::kPointer) {
    end = pointer(frame + coroutine.top);
  } else {
    int32_t entries = read_number<int32_t>(memory_, frame + coroutine.top).value_or(0);
    bool is_in_frame = coroutine.top_kind == Layout::Coroutine::Top::kNumber;
    uint64_t begin = is_in_frame ? frame + coroutine.stack : pointer(frame + coroutine.stack);
    bool is_valid = entries > 0 && entries < kMostEntries && begin != 0;
    end = is_valid ? begin + static_cast<uint64_t>(entries) * sizeof(uint64_t) : 0;
  }
  return end < sizeof(uint64_t) ? 0 : pointer(end - sizeof(uint64_t)) & layout_.frame.code_mask;
}

std::optional<InterpreterFrame> Tasks::frame_at(uint64_t frame) {
  CopiedFrameList::Node node = {.address = frame};
  if (!memory_.read(frame, std::span(node.node).first(layout_.frame_bytes()))) {
    return {};
  }
  uint64_t code = number_at<uint64_t>(node.node, layout_.frame.code) & layout_.frame.code_mask;
  auto part = std::span(node.code).first(layout_.fingerprint_bytes());
  if (code == 0 || !memory_.read(code + layout_.fingerprint_begin(), part)) {
    return {};
  }
  std::vector<InterpreterFrame> frames =
      decode_frames(layout_, {.is_known = true, .nodes = std::span(&node, 1)});
  return frames.empty() || frames.front().code == 0 ? std::nullopt : std::optional(frames.front());
}

std::vector<InterpreterFrame> Tasks::coroutines_of(uint64_t task) {
  std::vector<InterpreterFrame> frames;
  uint64_t coroutine = pointer(task + layout_.task.coroutine);
  while (frames.size() < kMaxChain && kinds_.of(coroutine) == Kind::kCoroutine) {
    uint64_t frame = coroutine + layout_.coroutine.frame;
    frame = layout_.coroutine.frame_is_pointer ? pointer(frame) : frame;
    std::optional<InterpreterFrame> found = frame == 0 ? std::nullopt : frame_at(frame);
    if (!found) {
      break;
    }
    frames.push_back(*found);
    coroutine = awaited_by_frame(frame);
  }
  std::ranges::reverse(frames);
  return frames;
}

std::vector<InterpreterFrame> Tasks::awaiters(uint64_t task) {
  uint32_t direct = layout_.task.awaited_by;
  std::vector<uint64_t> words = {pointer(task + layout_.task.coroutine),
                                 pointer(task + kFirstCallback),
                                 pointer(task + kOtherCallbacks),
                                 direct == Layout::kAbsent ? 0 : pointer(task + direct)};
  Clock::time_point now = Clock::now();
  if (auto known = awaiters_.find(task);
      known != awaiters_.end() && known->second.words == words && now < known->second.expires) {
    return known->second.frames;
  }
  std::vector<InterpreterFrame> frames;
  std::unordered_set<uint64_t> seen = {task};
  uint64_t awaiter = awaiter_of(task, 0);
  while (awaiter != 0 && seen.insert(awaiter).second && frames.size() < kMaxAwaiters) {
    std::vector<InterpreterFrame> coroutines = coroutines_of(awaiter);
    frames.insert(frames.end(), coroutines.begin(), coroutines.end());
    awaiter = awaiter_of(awaiter, 0);
  }
  for (InterpreterFrame& frame : frames) {
    frame.is_entry = false;
  }
  if (awaiters_.size() >= kMaxKnown) {
    awaiters_.clear();
  }
  awaiters_[task] = {std::move(words), frames, now + kAwaitersValid};
  return frames;
}

}  // namespace wick::python
