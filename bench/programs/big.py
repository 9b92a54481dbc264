# SPDX-License-Identifier: Apache-2.0
"""Writes the sources of a program to record whose binary is large: about 42 MB, nearly all of it debug information.

The cost of names with inlined callers and lines depends on how much debug information a reader must process, not on
how much it finds. So each unit uses the headers that produce the most (regex, map, function, variant), with types of
its own that the linker cannot share with the other units, and all of them run for a little while in turn.

Usage: big.py DIRECTORY    writes unit0.cc ... and main.cc
"""
import sys
from pathlib import Path

UNITS = range(18)

UNIT = """\
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <regex>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace unit@ {

struct Key {
  std::string text;
  int rank = @;
  bool operator<(const Key& other) const { return text < other.text; }
  bool operator==(const Key& other) const { return text == other.text; }
};
struct Hash {
  std::size_t operator()(const Key& key) const { return std::hash<std::string>()(key.text) + @; }
};
using Value = std::variant<int, double, std::string, Key, std::vector<Key>>;

// The classes of the characters are this unit's own, so the automaton, its compiler and its executor are too.
struct Traits : std::regex_traits<char> {};
using Regex = std::basic_regex<char, Traits>;

std::size_t measure(const Value& value) {
  return std::visit([](const auto& held) -> std::size_t {
    using Held = std::decay_t<decltype(held)>;
    if constexpr (std::is_same_v<Held, std::string>) return held.size();
    else if constexpr (std::is_same_v<Held, Key>) return held.text.size();
    else if constexpr (std::is_same_v<Held, std::vector<Key>>) return held.size();
    else return static_cast<std::size_t>(held);
  }, value);
}

std::size_t match(const std::string& text) {
  static const Regex pattern("([a-z]+)-([0-9]+)(x|y|z@)*");
  std::size_t found = 0;
  using Iterator = std::regex_iterator<std::string::const_iterator, char, Traits>;
  for (Iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) found += at->length(1);
  return found;
}

std::size_t index(const std::vector<Key>& keys) {
  std::map<Key, Value> sorted;
  std::unordered_map<Key, std::shared_ptr<Value>, Hash> hashed;
  for (const Key& key : keys) {
    sorted[key] = key.rank % 2 ? Value(key) : Value(key.text);
    hashed[key] = std::make_shared<Value>(std::vector<Key>{key});
  }
  const std::function<std::size_t(std::size_t, const std::pair<const Key, Value>&)> add =
      [](std::size_t sum, const auto& entry) { return sum + measure(entry.second); };
  return std::accumulate(sorted.begin(), sorted.end(), hashed.size(), add);
}

std::size_t run() {
  std::vector<Key> keys;
  for (int i = 0; i < 40; i++) keys.push_back({"key-" + std::to_string((i * 37 + @) % 101), i});
  std::stable_sort(keys.begin(), keys.end());
  std::string text;
  for (const Key& key : keys) text += key.text + " ";
  return match(text) + index(keys);
}

}  // namespace unit@
"""

MAIN = """\
#include <cstdio>
#include <cstdlib>
#include <ctime>

@declarations
int main(int argc, char** argv) {
  using Run = std::size_t (*)();
  constexpr Run kUnits[] = {@units};
  const double seconds = argc > 1 ? std::atof(argv[1]) : 1;
  std::size_t sum = 0;
  for (std::size_t i = 0; static_cast<double>(std::clock()) / CLOCKS_PER_SEC < seconds; i++) {
    sum += kUnits[i % (sizeof(kUnits) / sizeof(kUnits[0]))]();
  }
  std::printf("%zu\\n", sum);
}
"""


def main(directory):
    directory = Path(directory)
    for unit in UNITS:
        (directory / f"unit{unit}.cc").write_text(UNIT.replace("@", str(unit)))
    declarations = "".join(f"namespace unit{unit} {{ std::size_t run(); }}\n" for unit in UNITS)
    (directory / "main.cc").write_text(
        MAIN.replace("@declarations", declarations).replace("@units", ", ".join(f"unit{unit}::run" for unit in UNITS)))


if __name__ == "__main__":
    main(*sys.argv[1:])
