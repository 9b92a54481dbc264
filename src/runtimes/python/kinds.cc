// SPDX-License-Identifier: Apache-2.0
#include "runtimes/python/kinds.h"

#include <array>
#include <string_view>
#include <utility>

#include "runtimes/memory_words.h"

namespace wick::python {
namespace {

constexpr uint32_t kBase = 256;  // in a type
constexpr int kMaxBases = 8;
constexpr size_t kMaxKinds = 1024;
constexpr size_t kMaxNameBytes = 32;

constexpr std::array<std::pair<std::string_view, Kind>, 8> kNames = {{
    {"_asyncio.Task", Kind::kTask},
    {"_asyncio.Future", Kind::kFuture},
    {"coroutine", Kind::kCoroutine},
    {"int", Kind::kInteger},
    {"TaskWakeupMethWrapper", Kind::kWakeup},
    {"builtin_function_or_method", Kind::kMethod},
    {"function", Kind::kClosure},
    {"functools.partial", Kind::kPartial},
}};

}  // namespace

Kind Kinds::read(uint64_t type) {
  for (int bases = 0; type != 0 && bases < kMaxBases; ++bases) {
    std::array<char, kMaxNameBytes> text = {};
    uint64_t address = read_number<uint64_t>(memory_, type + layout_.type_name).value_or(0);
    size_t size =
        address == 0 ? 0 : memory_.read_some(address, std::as_writable_bytes(std::span(text)));
    std::string_view name(text.data(), size);
    name = name.substr(0, name.find('\0'));
    for (const auto& [known, kind] : kNames) {
      if (name == known) {
        return kind;
      }
    }
    type = read_number<uint64_t>(memory_, type + kBase).value_or(0);
  }
  return Kind::kOther;
}

Kind Kinds::of(uint64_t object) {
  uint64_t type = object % sizeof(uint64_t) != 0
                      ? 0
                      : read_number<uint64_t>(memory_, object + layout_.type).value_or(0);
  if (object == 0 || type == 0) {
    return Kind::kOther;
  }
  if (auto known = kinds_.find(type); known != kinds_.end()) {
    return known->second;
  }
  if (kinds_.size() >= kMaxKinds) {
    kinds_.clear();
  }
  return kinds_[type] = read(type);
}

}  // namespace wick::python
