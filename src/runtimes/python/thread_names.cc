// SPDX-License-Identifier: Apache-2.0
#include "runtimes/python/thread_names.h"

#include <algorithm>

#include "runtimes/memory_words.h"
#include "runtimes/python/dictionary.h"

namespace wick::python {
namespace {

using namespace std::chrono_literals;

constexpr size_t kMaxThreads = 5000;
constexpr size_t kMaxAttributes = 64;
constexpr size_t kMaxNameCharacters = 256;
constexpr auto kBetweenReadings = 50ms;
constexpr int kReadingPause = 20;  // times what a reading takes

constexpr uint32_t kModuleDictionary = 16;
constexpr uint32_t kTypeBytes = 32;              // in a type: the size of its objects
constexpr uint32_t kTypeDictionaryOffset = 288;  // in a type: where its objects have a dictionary
constexpr uint64_t kDictionaryBefore = 24;       // before an object
constexpr uint64_t kValuesBefore = 32;
constexpr uint64_t kArrayHead = 8;  // of an array after an object

}  // namespace

uint64_t ThreadNames::pointer(uint64_t address) {
  return read_number<uint64_t>(memory_, address).value_or(0);
}

// Numbers have digits of 30 bits; since 3.12 their number is in the upper bits of a word.
uint64_t ThreadNames::integer(uint64_t object) {
  constexpr uint32_t kSize = 16;
  constexpr uint32_t kDigits = 24;
  constexpr int kBits = 30;
  bool is_tagged = layout_.object.ascii_data < 48;
  uint64_t digits = pointer(object + kSize) >> (is_tagged ? 3 : 0);
  uint64_t value = 0;
  for (uint64_t i = std::min<uint64_t>(digits, 3); i-- > 0;) {
    uint64_t digit = read_number<uint32_t>(memory_, object + kDigits + 4 * i).value_or(0);
    value = value << kBits | digit;
  }
  return value;
}

uint64_t ThreadNames::value_in_array(uint64_t table, uint64_t values, std::string_view name) {
  auto names = table_at(memory_, layout_.object, table);
  auto at = names && values != 0 ? find_key(memory_, layout_.object, *names, name, kMaxAttributes)
                                 : std::nullopt;
  return at ? pointer(values + *at * sizeof(uint64_t)) : 0;
}

uint64_t ThreadNames::value_in_dictionary(uint64_t dictionary, std::string_view name) {
  if (dictionary == 0) {
    return 0;
  }
  if (auto table = read_table(memory_, layout_.object, dictionary)) {
    return find_value(memory_, layout_.object, *table, name);
  }
  uint64_t values = pointer(dictionary + DictionaryTable::kValues);
  bool has_head = layout_.attributes.where == Layout::Attributes::Where::kAfter;
  return value_in_array(
      pointer(dictionary + DictionaryTable::kTable), values + (has_head ? kArrayHead : 0), name);
}

uint64_t ThreadNames::attribute(uint64_t object, std::string_view name) {
  using Where = Layout::Attributes::Where;
  uint64_t type = pointer(object + layout_.object.type);
  if (type == 0) {
    return 0;
  }
  uint64_t names = pointer(type + layout_.attributes.names);
  uint64_t before = pointer(object - kDictionaryBefore);
  switch (layout_.attributes.where) {
    case Where::kDictionary: {
      uint64_t offset = pointer(type + kTypeDictionaryOffset);
      return offset < kModuleDictionary || offset > UINT16_MAX
                 ? 0
                 : value_in_dictionary(pointer(object + offset), name);
    }
    case Where::kBefore: {
      uint64_t values = pointer(object - kValuesBefore);
      return values != 0 ? value_in_array(names, values, name) : value_in_dictionary(before, name);
    }
    case Where::kEither:
      return before % 2 == 1 ? value_in_array(names, before + 1, name)
                             : value_in_dictionary(before, name);
    case Where::kAfter:
      return before != 0
                 ? value_in_dictionary(before, name)
                 : value_in_array(names, object + pointer(type + kTypeBytes) + kArrayHead, name);
  }
  return 0;
}

void ThreadNames::read(uint64_t interpreter) {
  Clock::time_point begin = Clock::now();
  auto modules = read_table(memory_, layout_.object, pointer(interpreter + layout_.task.modules));
  uint64_t module = modules ? find_value(memory_, layout_.object, *modules, "threading") : 0;
  auto globals = module == 0
                     ? std::nullopt
                     : read_table(memory_, layout_.object, pointer(module + kModuleDictionary));
  auto active = globals ? read_table(memory_,
                                     layout_.object,
                                     find_value(memory_, layout_.object, *globals, "_active"))
                        : std::nullopt;
  if (active) {
    names_.clear();
    for (const DictionaryEntry& thread : last_entries(memory_, *active, kMaxThreads)) {
      if (auto name = objects_.text(attribute(thread.value, "_name"), kMaxNameCharacters)) {
        names_[integer(thread.key)] = std::move(*name);
      }
    }
  }
  Clock::time_point end = Clock::now();
  next_reading_ = end + std::max<Clock::duration>(kBetweenReadings, kReadingPause * (end - begin));
}

std::string ThreadNames::name(uint64_t interpreter, uint64_t pthread) {
  if (!layout_.names_threads || pthread == 0) {
    return {};
  }
  if (!names_.contains(pthread) && Clock::now() >= next_reading_) {
    read(interpreter);
  }
  auto known = names_.find(pthread);
  return known == names_.end() ? std::string() : known->second;
}

}  // namespace wick::python
