// SPDX-License-Identifier: Apache-2.0
#include "runtimes/python/layout.h"

#include <algorithm>

namespace wick::python {
namespace {

constexpr Layout kVersion8 = {
    .runtime = {.interpreters = 32},
    .interpreter = {.next = 0, .threads = 8},
    .thread = {.next = 8, .interpreter = 16, .pthread = 176, .frame = 24},
    .frame = {.next = 24,
              .code = 32,
              .position = 104,
              .position_kind = Layout::Position::kBytes,
              .entries = Layout::Entries::kAll,
              .owner = 96},
    .code = {.file = 104,
             .name = 112,
             .first_line = 40,
             .lines = 120,
             .instructions = 48,
             .flags = 36,
             .lines_kind = Layout::Lines::kPairs},
    .object = {.ascii_data = 48,
               .compact_data = 72,
               .text_pointer = 72,
               .has_table_logarithms = false},
    .lock = {.holder = 1368,
             .locked = 1168,
             .asked = 596,
             .asked_in = Layout::Lock::Asked::kRuntime},
    .coroutine = {.frame = 16,
                  .frame_is_pointer = true,
                  .top_kind = Layout::Coroutine::Top::kPointer,
                  .top = 72},
    .task =
        {.modules = 56, .waiter = 104, .coroutine = 112, .name = 120, .closure = 48, .resumed = 16},
    .attributes = {.where = Layout::Attributes::Where::kDictionary},
};

constexpr Layout version9() {
  Layout layout = kVersion8;
  layout.lock = {.holder = 568, .locked = 368, .asked = 76};
  layout.task.modules = 856;
  layout.task.waiter = 144;
  layout.task.coroutine = 152;
  layout.task.name = 160;
  return layout;
}

constexpr Layout version10() {
  Layout layout = version9();
  layout.frame.position = 96;
  layout.frame.position_kind = Layout::Position::kInstructions;
  layout.frame.owner = 88;
  layout.code.lines_kind = Layout::Lines::kRanges;
  layout.lock.asked = 72;
  layout.coroutine.top_kind = Layout::Coroutine::Top::kDepth;
  layout.coroutine.top = 80;
  layout.coroutine.stack = 64;
  layout.task = {.modules = 856, .waiter = 152, .coroutine = 160, .name = 168};
  return layout;
}

constexpr Layout kVersion11 = {
    .runtime = {.interpreters = 40},
    .interpreter = {.next = 0, .threads = 16},
    .thread = {.next = 8, .interpreter = 16, .pthread = 152, .tid = 160, .frame = 56, .through = 8},
    .frame = {.next = 48,
              .code = 32,
              .position = 56,
              .entries = Layout::Entries::kMarked,
              .mark = 68,
              .owner = 69},
    .code = {.file = 112, .name = 128, .first_line = 72, .lines = 136, .begin = 184},
    .object = {.ascii_data = 48, .compact_data = 72, .text_pointer = 72},
    .lock = {.holder = 576, .locked = 376, .asked = 104},
    .coroutine = {.frame = 80},
    .task = {.modules = 888, .waiter = 128, .coroutine = 136, .name = 144},
    .attributes = {.where = Layout::Attributes::Where::kBefore, .names = 872},
};

constexpr Layout kVersion12 = {
    .runtime = {.interpreters = 40},
    .interpreter = {.next = 0, .threads = 72},
    .thread = {.next = 8, .interpreter = 16, .pthread = 136, .tid = 144, .frame = 56, .through = 0},
    .frame = {.next = 8, .code = 0, .position = 56, .mark = 70, .owner = 70},
    .code = {.file = 112, .name = 128, .first_line = 68, .lines = 136, .begin = 192},
    .lock = {.pointer = 384, .holder = 8, .locked = 16, .asked = 372},
    .task = {.modules = 944, .waiter = 128, .coroutine = 136, .name = 144},
};

}  // namespace

uint32_t Layout::thread_bytes() const {
  uint32_t last = std::max({thread.next, thread.interpreter, thread.pthread, thread.frame});
  return std::max(last, thread.tid == kAbsent ? 0 : thread.tid) + 8;
}

uint32_t Layout::frame_bytes() const {
  uint32_t owner_bytes = frame.entries == Entries::kAll ? 8 : 1;
  return std::max({frame.next + 8,
                   frame.code + 8,
                   frame.position + 8,
                   frame.mark + 1,
                   frame.owner + owner_bytes});
}

uint32_t Layout::code_bytes() const {
  return std::max({code.file, code.name, code.lines, code.first_line, code.flags}) + 8;
}

uint32_t Layout::fingerprint_begin() const {
  return std::min({code.file, code.name, code.lines});
}

uint32_t Layout::fingerprint_bytes() const {
  return std::max({code.file, code.name, code.lines}) + 8 - fingerprint_begin();
}

Result<Layout> layout_from_table(const Version& version, Architecture machine) {
  if (machine != Architecture::kX86_64) {
    return fail("CPython {} is supported on x86-64 only; 3.13 and later on all 64-bit machines",
                version.text());
  }
  switch (version.minor) {
    case 8:
      return kVersion8;
    case 9:
      return version9();
    case 10:
      return version10();
    case 11:
      return kVersion11;
    default:
      return kVersion12;
  }
}

}  // namespace wick::python
