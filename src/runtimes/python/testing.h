// SPDX-License-Identifier: Apache-2.0
// Writes the memory of a process that runs CPython, object by object, for any layout. Tests and the
// corpus of the fuzzer only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "runtimes/interpreter.h"
#include "runtimes/python/debug_offsets.h"
#include "runtimes/python/layout.h"

namespace wick::python::testing {

// Bytes at kBase; nothing else is mapped.
class WrittenMemory : public InterpreterMemory {
 public:
  static constexpr uint64_t kBase = 0x10000;

  explicit WrittenMemory(std::string bytes = {}) : bytes_(std::move(bytes)) {}

  size_t read_some(uint64_t address, std::span<std::byte> out) override {
    ++reads;
    if (address < kBase || address - kBase >= bytes_.size()) {
      return 0;
    }
    Bytes rest = as_bytes(bytes_).subspan(address - kBase);
    size_t size = std::min(rest.size(), out.size());
    std::memcpy(out.data(), rest.data(), size);
    return size;
  }

  // Zeros, at an address that is a multiple of 16.
  uint64_t allocate(size_t size) {
    uint64_t address = kBase + bytes_.size();
    bytes_.resize(bytes_.size() + (size + 15) / 16 * 16);
    return address;
  }
  void write(uint64_t address, std::string_view bytes) {
    bytes.copy(bytes_.data() + (address - kBase), bytes.size());
  }
  template <typename T>
  void put(uint64_t address, T value) {
    write(address, {reinterpret_cast<const char*>(&value), sizeof value});
  }
  std::string& bytes() { return bytes_; }

  size_t reads = 0;

 private:
  std::string bytes_;
};

// The description that 3.13 and 3.14 have in memory, of a layout.
inline std::string described(const Layout& layout, const Version& version) {
  constexpr uint64_t kSize = 8192;  // of each struct
  bool is_14 = version.minor >= 14;
  ByteWriter out;
  out.text(kDebugCookie);
  out.number<uint64_t>(0x030000F0 | uint64_t{version.minor} << 16 |
                       uint64_t{version.micro.value_or(0)} << 8);
  out.number<uint64_t>(layout.lock.enabled != Layout::kAbsent ? 1 : 0);
  auto group = [&](std::initializer_list<uint64_t> offsets) {
    out.number(kSize);
    for (uint64_t offset : offsets) {
      out.number(offset);
    }
  };
  auto zeros = [&](size_t count) {
    for (size_t i = 0; i < count; ++i) {
      out.number<uint64_t>(0);
    }
  };
  constexpr uint64_t kLock = 1024;
  group({0, layout.runtime.interpreters});
  group({0, layout.interpreter.next, layout.interpreter.threads});
  zeros(is_14 ? 2 : 1);
  out.number<uint64_t>(layout.task.modules);
  zeros(2);
  for (uint64_t offset :
       {uint64_t{layout.lock.pointer},
        kLock,
        uint64_t{layout.lock.enabled == Layout::kAbsent ? 0 : layout.lock.enabled},
        kLock + layout.lock.locked,
        kLock + layout.lock.holder}) {
    out.number(offset);
  }
  zeros(is_14 ? 2 : 0);
  group({0,
         layout.thread.next,
         layout.thread.interpreter,
         layout.thread.frame,
         layout.thread.pthread,
         layout.thread.tid,
         0,
         0});
  group({layout.frame.next,
         layout.frame.code,
         layout.frame.position,
         layout.coroutine.stack,
         layout.frame.mark});
  if (is_14) {
    out.number<uint64_t>(layout.coroutine.top);
    zeros(1);
  }
  group({layout.code.file, 0, layout.code.name, layout.code.lines, layout.code.first_line});
  zeros(3);
  out.number<uint64_t>(layout.code.begin);
  zeros(is_14 ? 1 : 0);
  const Layout::Object& object = layout.object;
  group({object.type});
  group({object.type_name, 0, object.type_flags});
  group({0, 0});
  group({0, 0});
  if (is_14) {
    group({0, 0, 0});
  }
  group({0, 0});
  group({0});
  group({0, 0});
  group({object.bytes_size, object.bytes_data});
  group({object.text_state, object.text_length, object.ascii_data});
  return out.bytes();
}

// Layouts of 3.8 to 3.14. Those of 3.13 and 3.14 are as the real ones describe themselves.
inline Layout layout_of(uint32_t minor) {
  if (minor < 13) {
    return *layout_from_table({3, minor, {}}, Architecture::kX86_64);
  }
  Layout layout = *layout_from_table({3, 12, {}}, Architecture::kX86_64);
  layout.runtime.interpreters = 632;
  layout.interpreter = {.next = 7264, .threads = 7344};
  layout.thread = {.next = 8, .interpreter = 16, .pthread = 152, .tid = 160, .frame = 72};
  layout.code.begin = minor == 13 ? 200 : 208;
  layout.lock.pointer = 16;
  layout.lock.asked = 24;
  layout.lock.asked_in = Layout::Lock::Asked::kThread;
  layout.task = {.modules = 7656, .waiter = 112, .coroutine = 120, .name = 128};
  if (minor == 14) {
    layout.frame.code_mask = ~uint64_t{3};
    layout.frame.mark = 74;
    layout.frame.owner = 74;
    layout.coroutine.top_kind = Layout::Coroutine::Top::kPointer;
    layout.coroutine.stack = 80;
    layout.task = {.modules = 7688,
                   .running = 872,
                   .waiter = 120,
                   .coroutine = 128,
                   .name = 136,
                   .awaited_by = 96};
  }
  return layout;
}

class WrittenPython {
 public:
  explicit WrittenPython(uint32_t minor)
      : version{.major = 3, .minor = minor, .micro = 1}, layout(layout_of(minor)) {
    runtime = memory.allocate(2048);
    if (minor >= 13) {
      memory.write(runtime, described(layout, version));
    }
    text_type_ = type("str", uint64_t{1} << 28);
    bytes_type_ = type("bytes", uint64_t{1} << 27);
    code_type_ = type("code", 0);
  }

  uint64_t type(std::string_view name, uint64_t flags) {
    uint64_t characters = memory.allocate(name.size() + 1);
    memory.write(characters, name);
    uint64_t address = memory.allocate(256);
    memory.put(address + layout.object.type_name, characters);
    memory.put(address + layout.object.type_flags, flags);
    return address;
  }

  enum class Form : uint8_t { kAscii, kCompact, kPointer };
  // `units`: the characters, of `width` bytes each.
  uint64_t text(std::string_view units, uint32_t width = 1, Form form = Form::kAscii) {
    const Layout::Object& object = layout.object;
    uint64_t address = object_of(text_type_, object.compact_data + 8 + units.size());
    memory.put<uint64_t>(address + object.text_length, units.size() / width);
    uint32_t state = width | (form == Form::kPointer ? 0U : 8U) | (form == Form::kAscii ? 16U : 0U);
    memory.put<uint32_t>(address + object.text_state, state << object.text_kind_bit);
    if (form == Form::kPointer) {
      uint64_t data = memory.allocate(units.size());
      memory.write(data, units);
      memory.put(address + object.text_pointer, data);
    } else {
      memory.write(address + (form == Form::kAscii ? object.ascii_data : object.compact_data),
                   units);
    }
    return address;
  }
  uint64_t bytes(std::string_view bytes) {
    uint64_t address = object_of(bytes_type_, layout.object.bytes_data + bytes.size());
    memory.put<uint64_t>(address + layout.object.bytes_size, bytes.size());
    memory.write(address + layout.object.bytes_data, bytes);
    return address;
  }
  uint64_t code(uint64_t name, uint64_t file, uint32_t first_line, std::string_view table) {
    constexpr size_t kInstructionBytes = 64;
    uint64_t lines = bytes(table);
    uint64_t address =
        object_of(code_type_, layout.code_bytes() + layout.code.begin + kInstructionBytes);
    memory.put(address + layout.code.name, name);
    memory.put(address + layout.code.file, file);
    memory.put(address + layout.code.first_line, first_line);
    memory.put(address + layout.code.lines, lines);
    return address;
  }
  uint64_t code(std::string_view name) { return code(text(name), text("file.py"), 10, ""); }

  // Position in bytes. `is_entry` puts a shim after the frame, where the version has shims.
  struct Frame {
    uint64_t code = 0;
    int64_t position = 0;
    bool is_entry = false;
  };
  // A list, innermost frame first; returns the address of the first node.
  uint64_t list(const std::vector<Frame>& frames, uint64_t next = 0) {
    for (size_t i = frames.size(); i-- > 0;) {
      const Frame& frame = frames[i];
      bool has_shims = layout.frame.entries == Layout::Entries::kShims;
      if (has_shims && frame.is_entry) {
        next = node(0, 0, Layout::kFirstShim, next);
      }
      bool is_marked = layout.frame.entries == Layout::Entries::kMarked && frame.is_entry;
      next = node(frame.code, frame.position, is_marked ? 1 : 0, next);
    }
    return next;
  }
  uint64_t node(uint64_t code, int64_t position, uint8_t mark, uint64_t next) {
    return node_at(memory.allocate(layout.frame_bytes()), code, position, mark, next);
  }
  uint64_t node_at(uint64_t address, uint64_t code, int64_t position, uint8_t mark, uint64_t next) {
    memory.put(address + layout.frame.code, layout.frame.code_mask == UINT64_MAX ? code : code | 1);
    if (layout.frame.position_kind == Layout::Position::kPointer) {
      memory.put<int64_t>(address + layout.frame.position,
                          static_cast<int64_t>(code + layout.code.begin) + position);
    } else {
      bool is_bytes = layout.frame.position_kind == Layout::Position::kBytes;
      memory.put<int32_t>(address + layout.frame.position,
                          static_cast<int32_t>(is_bytes ? position : position / 2));
    }
    if (layout.frame.entries != Layout::Entries::kAll) {
      memory.put(address + layout.frame.mark, mark);
    }
    memory.put(address + layout.frame.next, next);
    return address;
  }

  uint64_t interpreter() {
    uint64_t address = memory.allocate(8192);
    uint64_t head = runtime + layout.runtime.interpreters;
    if (layout.lock.pointer != Layout::kAbsent) {
      memory.put(address + layout.lock.pointer, memory.allocate(64));
    }
    memory.put(address + layout.interpreter.next, word(head));
    memory.put(head, address);
    return address;
  }
  uint64_t thread(uint64_t interpreter, int32_t tid, uint64_t first_frame) {
    constexpr size_t kWithTask = 1024;
    bool has_task = layout.task.running != Layout::kAbsent;
    uint64_t address = memory.allocate(has_task ? kWithTask : layout.thread_bytes());
    uint64_t frame = first_frame;
    if (layout.thread.through != StackFindings::FrameList::kDirect) {
      frame = memory.allocate(32);
      memory.put(frame + layout.thread.through, first_frame);
    }
    memory.put(address + layout.thread.frame, frame);
    memory.put(address + layout.thread.interpreter, interpreter);
    memory.put(address + layout.thread.pthread, pthread(tid));
    if (layout.thread.tid != Layout::kAbsent) {
      memory.put<uint64_t>(address + layout.thread.tid, static_cast<uint64_t>(tid));
    }
    uint64_t head = interpreter + layout.interpreter.threads;
    memory.put(address + layout.thread.next, word(head));
    memory.put(head, address);
    return address;
  }
  // As glibc has it.
  uint64_t pthread(int32_t tid) {
    uint64_t address = memory.allocate(1024);
    memory.put(address, address);
    memory.put(address + 0x10, address);
    memory.put(address + 0x2d0, tid);
    return address;
  }
  uint64_t word(uint64_t address) {
    uint64_t value = 0;
    memory.read(address, std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }

  Version version;
  Layout layout;
  WrittenMemory memory;
  uint64_t runtime = 0;

  uint64_t object_of(uint64_t type, size_t size) {
    uint64_t address = memory.allocate(size);
    memory.put(address + layout.object.type, type);
    return address;
  }

 private:
  uint64_t text_type_ = 0;
  uint64_t bytes_type_ = 0;
  uint64_t code_type_ = 0;
};

}  // namespace wick::python::testing
