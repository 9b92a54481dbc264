// SPDX-License-Identifier: Apache-2.0
// Flags as data. A verb, an analysis, a view or a format lists its options as rows of this type.
// Parsing, --help and shell completion all use the same rows, so that they cannot contradict each
// other.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wick {

enum class FlagKind {
  kSwitch,    // present or not
  kText,      // any text
  kInteger,   // a whole number, zero or more
  kNumber,    // a number, zero or more
  kChoice,    // one of the words in `value`, separated by '|'; "label:KEY" takes any text as KEY
  kPath,      // a path, unchanged
  kFileText,  // a path; the value is the content of that file
  kOptional,  // "--flag" or "--flag=value"; without a value the fallback applies
  kTexts,     // any text; may be given several times
};

struct Flag {
  std::string_view name;  // "by" for --by
  char letter = '\0';     // 'b' for -b
  FlagKind kind = FlagKind::kSwitch;
  std::string_view value;     // name of the value in the help: "FILE"; for kChoice "a|b|c"
  std::string_view fallback;  // value if the user gives none; may be empty
  std::string_view help;      // one line
};

// "label:" for the choice "label:KEY"; the whole word for any other choice.
constexpr std::string_view fixed_part(std::string_view choice) {
  size_t colon = choice.find(':');
  return colon == std::string_view::npos ? choice : choice.substr(0, colon + 1);
}
// The text that the user wrote for KEY; empty if `value` is not that choice.
constexpr std::string_view open_part(std::string_view value, std::string_view fixed) {
  return value.starts_with(fixed) ? value.substr(fixed.size()) : std::string_view();
}

// The values that the user gave, checked against the rows above. To ask for an undeclared flag is a
// defect.
class FlagValues {
 public:
  void declare(std::span<const Flag> flags);
  // `path` is the file that the value of a kFileText flag was read from.
  void set(std::string_view name, std::string value, std::string path = {});

  // Replaces the fallback of a flag that the user did not give.
  void suggest(std::string_view name, std::string value);

  // Adds one more value of a kTexts flag.
  void add(std::string_view name, std::string value);

  bool is_declared(std::string_view name) const { return entries_.contains(name); }
  // True if the user gave the flag.
  bool given(std::string_view name) const;
  bool is_set(std::string_view switch_name) const { return given(switch_name); }
  // The value that the user gave, otherwise the fallback.
  const std::string& text(std::string_view name) const;
  const std::string& path(std::string_view name) const;
  // All values of a kTexts flag, in the order given.
  const std::vector<std::string>& texts(std::string_view name) const;
  double number(std::string_view name) const;
  uint64_t integer(std::string_view name) const;

 private:
  struct Entry {
    std::string value;
    std::string path;
    std::vector<std::string> values = {};
    bool given = false;
  };
  const Entry& entry(std::string_view name) const;

  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace wick
