// SPDX-License-Identifier: Apache-2.0
#include "runtimes/python/debug_offsets.h"

#include <array>

#include "stream/event.h"

namespace wick::python {
namespace {

constexpr uint64_t kLargestStruct = uint64_t{16} << 20;

// Reads group after group, and remembers whether all numbers were plausible.
class Groups {
 public:
  explicit Groups(ByteReader reader) : reader_(reader) {}

  // Continues with the group of the next struct, which has this many fields.
  void enter(size_t fields) {
    reader_.take(left_ * sizeof(uint64_t));
    size_ = reader_.number<uint64_t>();
    left_ = fields;
    ok_ = ok_ && size_ <= kLargestStruct;
  }
  void skip(size_t fields) {
    reader_.take(fields * sizeof(uint64_t));
    left_ -= fields;
  }
  // The next field, which has `bytes` bytes.
  uint32_t field(uint64_t bytes = sizeof(uint64_t)) {
    --left_;
    auto offset = reader_.number<uint64_t>();
    ok_ = ok_ && reader_.ok() && offset <= size_ && size_ - offset >= bytes && offset % bytes == 0;
    return static_cast<uint32_t>(offset);
  }
  uint32_t size() const { return static_cast<uint32_t>(size_); }
  bool ok() const { return ok_; }

 private:
  ByteReader reader_;
  uint64_t size_ = 0;
  size_t left_ = 0;
  bool ok_ = true;
};

void read_interpreter(Groups& groups, Layout& layout, bool is_14, bool is_free_threaded) {
  groups.enter(is_14 ? 15 : 12);
  groups.skip(1);  // id
  layout.interpreter.next = groups.field();
  layout.interpreter.threads = groups.field();
  groups.skip(is_14 ? 2 : 1);  // the main thread; collections
  layout.task.modules = groups.field();
  groups.skip(2);  // two dictionaries
  layout.lock.pointer = groups.field();
  uint32_t lock = groups.field();
  uint32_t enabled = groups.field(4);  // in the lock, not in the interpreter as the next two
  layout.lock.enabled = is_free_threaded ? enabled : Layout::kAbsent;
  layout.lock.locked = groups.field(4) - lock;
  layout.lock.holder = groups.field() - lock;
}

void read_thread(Groups& groups, Layout& layout) {
  groups.enter(8);
  groups.skip(1);  // previous
  layout.thread.next = groups.field();
  layout.thread.interpreter = groups.field();
  layout.thread.frame = groups.field();
  layout.thread.pthread = groups.field();
  layout.thread.tid = groups.field();
}

void read_frame(Groups& groups, Layout& layout, bool is_14) {
  groups.enter(is_14 ? 7 : 5);
  layout.frame.next = groups.field();
  layout.frame.code = groups.field();
  layout.frame.position = groups.field();
  layout.coroutine.stack = groups.field();  // after the number of its entries
  layout.coroutine.top = layout.coroutine.stack - 8;
  layout.frame.mark = groups.field(1);
  layout.frame.owner = layout.frame.mark;
  if (is_14) {
    layout.coroutine.top_kind = Layout::Coroutine::Top::kPointer;
    layout.coroutine.top = groups.field();
  }
  // References to code carry marks in their lowest bits.
  layout.frame.code_mask = is_14 ? ~uint64_t{3} : UINT64_MAX;
}

void read_code(Groups& groups, Layout& layout, bool is_14) {
  groups.enter(is_14 ? 10 : 9);
  layout.code.file = groups.field();
  groups.skip(1);  // the name that is not qualified
  layout.code.name = groups.field();
  layout.code.lines = groups.field();
  layout.code.first_line = groups.field(4);
  groups.skip(3);  // arguments, local variables
  layout.code.begin = groups.field(2);
}

void read_objects(Groups& groups, Layout& layout, bool is_14, bool is_free_threaded) {
  Layout::Object& object = layout.object;
  groups.enter(1);
  object.type = groups.field();
  groups.enter(3);
  object.type_name = groups.field();
  groups.skip(1);  // repr
  object.type_flags = groups.field();
  groups.enter(2);  // tuple
  groups.enter(2);  // list
  if (is_14) {
    groups.enter(3);  // set
  }
  groups.enter(2);  // dict
  groups.enter(1);  // float
  groups.enter(2);  // int
  groups.enter(2);
  object.bytes_size = groups.field();
  object.bytes_data = groups.field(1);
  groups.enter(3);
  object.text_state = groups.field(4);
  object.text_length = groups.field();
  object.ascii_data = groups.field(8);  // the size of the struct that ASCII characters follow
  object.compact_data = object.ascii_data + 16;
  object.text_pointer = object.compact_data;
  // Without the lock, the state starts with a whole byte that threads change.
  object.text_kind_bit = is_14 && is_free_threaded ? 8 : 2;
}

// What the description does not have: it is the same in all builds, but for those without a lock.
void add_rest(Layout& layout, bool is_14, bool is_free_threaded) {
  constexpr uint32_t kAsked = 24;
  layout.lock.asked = kAsked;
  layout.lock.asked_in = Layout::Lock::Asked::kThread;
  layout.task.is_known = !is_free_threaded;
  layout.attributes.where = Layout::Attributes::Where::kAfter;
  layout.names_threads = !is_14 && !is_free_threaded;
  if (is_14) {
    layout.task.running = 872;
    layout.task.waiter = 120;
    layout.task.coroutine = 128;
    layout.task.name = 136;
    layout.task.awaited_by = 96;
  } else {
    layout.task.waiter = 112;
    layout.task.coroutine = 120;
    layout.task.name = 128;
  }
}

// Whether the recorder copies what wick wants of a frame and of its code, and threads and code are as
// small as in any version: wick reads thousands of them.
bool is_small(const Layout& layout) {
  constexpr uint32_t kLargestRead = 4096;
  return layout.frame_bytes() <= CopiedFrameList::kMaxNodeBytes &&
         layout.fingerprint_bytes() <= CopiedFrameList::kMaxCodeBytes &&
         layout.thread_bytes() <= kLargestRead && layout.code_bytes() <= kLargestRead;
}

}  // namespace

Version version_of_debug_offsets(Bytes description) {
  ByteReader reader(description);
  bool is_one = as_text(reader.take(kDebugCookie.size())) == kDebugCookie;
  Version version = Version::from_hex(reader.number<uint64_t>());
  return is_one && version.minor >= 13 ? version : Version{};
}

Result<Layout> layout_from_debug_offsets(Bytes description, const Version& version) {
  if (version_of_debug_offsets(description) != version) {
    return fail("the description of CPython {} is missing in its memory", version.text());
  }
  bool is_14 = version.minor >= 14;
  ByteReader reader(description);
  reader.take(kDebugCookie.size() + sizeof(uint64_t));
  bool is_free_threaded = reader.number<uint64_t>() != 0;
  Groups groups(reader);
  Layout layout;
  groups.enter(2);
  groups.skip(1);  // finalizing
  layout.runtime.interpreters = groups.field();
  read_interpreter(groups, layout, is_14, is_free_threaded);
  read_thread(groups, layout);
  read_frame(groups, layout, is_14);
  read_code(groups, layout, is_14);
  read_objects(groups, layout, is_14, is_free_threaded);
  add_rest(layout, is_14, is_free_threaded);
  if (!groups.ok() || !is_small(layout)) {
    return fail("the description of CPython {} in its memory is damaged", version.text());
  }
  return layout;
}

}  // namespace wick::python
