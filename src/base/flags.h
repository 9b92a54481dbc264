// Flags as data. A verb, an analysis, a view or a format lists the options it understands as rows
// of this type; parsing, --help and shell completion are all made from the same
// rows, so that none of them can tell a different story.
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
  kPath,      // a path, taken as it is
  kFileText,  // a path; the value is the text of that file
  kOptional,  // "--flag" or "--flag=value"; without a value it is the fallback
  kTexts,     // any text, and may be given several times
};

struct Flag {
  std::string_view name;  // "by" for --by
  char letter = '\0';     // 'b' for -b
  FlagKind kind = FlagKind::kSwitch;
  std::string_view value;     // how help names the value: "FILE"; for kChoice "a|b|c"
  std::string_view fallback;  // value when not given; empty for none
  std::string_view help;      // one line
};

// "label:" of the choice "label:KEY"; the whole word of any other.
constexpr std::string_view fixed_part(std::string_view choice) {
  size_t colon = choice.find(':');
  return colon == std::string_view::npos ? choice : choice.substr(0, colon + 1);
}
// What the user wrote for KEY; empty when `value` is not that choice.
constexpr std::string_view open_part(std::string_view value, std::string_view fixed) {
  return value.starts_with(fixed) ? value.substr(fixed.size()) : std::string_view();
}

// What the user gave, checked against the rows above. Asking for a flag nobody declared is a
// defect.
class FlagValues {
 public:
  void declare(std::span<const Flag> flags);
  // `path` is where the value of a kFileText flag was read from.
  void set(std::string_view name, std::string value, std::string path = {});

  // One more value of a kTexts flag.
  void add(std::string_view name, std::string value);

  // True when the user gave the flag.
  bool given(std::string_view name) const;
  bool is_set(std::string_view switch_name) const { return given(switch_name); }
  // The value given, else the fallback.
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
