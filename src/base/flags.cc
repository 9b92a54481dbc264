// SPDX-License-Identifier: Apache-2.0
#include "base/flags.h"

#include <cstdlib>

#include "base/check.h"

namespace wick {

void FlagValues::declare(std::span<const Flag> flags) {
  for (const Flag& flag : flags) {
    entries_.emplace(flag.name, Entry{.value = std::string(flag.fallback)});
  }
}

void FlagValues::set(std::string_view name, std::string value, std::string path) {
  auto found = entries_.find(name);
  CHECK(found != entries_.end());
  found->second = Entry{.value = std::move(value), .path = std::move(path), .given = true};
}

void FlagValues::suggest(std::string_view name, std::string value) {
  auto found = entries_.find(name);
  CHECK(found != entries_.end());
  if (!found->second.given) {
    found->second.value = std::move(value);
  }
}

void FlagValues::add(std::string_view name, std::string value) {
  auto found = entries_.find(name);
  CHECK(found != entries_.end());
  found->second.values.push_back(std::move(value));
  found->second.given = true;
}

const FlagValues::Entry& FlagValues::entry(std::string_view name) const {
  auto found = entries_.find(name);
  CHECK(found != entries_.end());
  return found->second;
}

bool FlagValues::given(std::string_view name) const {
  return entry(name).given;
}

const std::string& FlagValues::text(std::string_view name) const {
  return entry(name).value;
}

const std::string& FlagValues::path(std::string_view name) const {
  return entry(name).path;
}

const std::vector<std::string>& FlagValues::texts(std::string_view name) const {
  return entry(name).values;
}

double FlagValues::number(std::string_view name) const {
  return std::strtod(entry(name).value.c_str(), nullptr);
}

uint64_t FlagValues::integer(std::string_view name) const {
  return std::strtoull(entry(name).value.c_str(), nullptr, 10);
}

}  // namespace wick
