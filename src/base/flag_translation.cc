// SPDX-License-Identifier: Apache-2.0
// In two passes over the words. pieces_of() takes joined short flags apart ("-ag"), because the
// parser of the verb knows only its own letters. Then the Translator looks up each word in the
// tables; it leaves the values of flags that it does not know alone.
#include "base/flag_translation.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

#include <fmt/format.h>

namespace wick {
namespace {

bool is_spelled(const ForeignFlag& foreign, std::string_view word) {
  for (std::string_view rest = foreign.spellings; !rest.empty();) {
    std::string_view spelling = rest.substr(0, rest.find(' '));
    if (spelling == word) {
      return true;
    }
    rest.remove_prefix(std::min(rest.size(), spelling.size() + 1));
  }
  return false;
}

// The table row of a flag, or null.
const ForeignFlag* find_foreign(const FlagTranslation& tables, std::string_view word) {
  for (std::span<const ForeignFlag> table : tables.foreign) {
    for (const ForeignFlag& foreign : table) {
      if (is_spelled(foreign, word)) {
        return &foreign;
      }
    }
  }
  return nullptr;
}

// The verb's own flag for "--name", "--name=value" or "-x", or null.
const Flag* find_flag(const FlagTranslation& tables, std::string_view word) {
  std::string_view name = word.substr(0, word.find('='));
  auto found = std::ranges::find_if(tables.own, [&](const Flag& flag) {
    return name == fmt::format("--{}", flag.name) ||
           (flag.letter != '\0' && name == fmt::format("-{}", flag.letter));
  });
  return found == tables.own.end() ? nullptr : &*found;
}

bool has_flag(const FlagTranslation& tables, std::string_view word) {
  return find_flag(tables, word) != nullptr;
}

bool is_optional_word(const FlagTranslation& tables, std::string_view word) {
  std::string_view first = word.substr(0, word.find(','));
  return std::ranges::find(tables.optional_words, first) != tables.optional_words.end();
}

enum class Letter : uint8_t { kUnknown, kSwitch, kOptional, kValue, kOwnValue };

Letter letter_kind(const FlagTranslation& tables, std::string_view flag) {
  if (const Flag* own = find_flag(tables, flag)) {
    return own->kind == FlagKind::kSwitch ? Letter::kSwitch : Letter::kOwnValue;
  }
  if (const ForeignFlag* foreign = find_foreign(tables, flag)) {
    constexpr std::array kKinds = {Letter::kSwitch, Letter::kValue, Letter::kOptional};
    return kKinds[static_cast<size_t>(foreign->value)];
  }
  bool takes_value = std::ranges::find(tables.value_flags, flag) != tables.value_flags.end();
  return takes_value ? Letter::kValue : Letter::kUnknown;
}

// "-agF" is "-a", "-g" and "-F"; the last may have its value, as in "-F99". A word that the tables
// list ("-dd"), or with an unknown letter, is one piece.
std::vector<std::string> pieces_of(const FlagTranslation& tables, const std::string& word) {
  if (word.size() < 3 || word[0] != '-' || word[1] == '-' ||
      find_foreign(tables, word) != nullptr) {
    return {word};
  }
  std::vector<std::string> pieces;
  for (size_t at = 1; at < word.size(); ++at) {
    std::string flag = {'-', word[at]};
    std::string rest = word.substr(at + 1);
    Letter kind = letter_kind(tables, flag);
    if (kind == Letter::kUnknown) {
      return {word};
    }
    if (kind == Letter::kOwnValue) {
      pieces.push_back(flag + rest);
      break;
    }
    pieces.push_back(flag);
    if (kind == Letter::kValue || (kind == Letter::kOptional && is_optional_word(tables, rest))) {
      if (!rest.empty()) {
        pieces.push_back(rest);
      }
      break;
    }
  }
  return pieces;
}

// Whether the next word is the value of this flag.
bool takes_next_word(const FlagTranslation& tables, std::string_view word) {
  if (word.starts_with("--") ? word.find('=') != std::string_view::npos : word.size() != 2) {
    return false;
  }
  if (const Flag* flag = find_flag(tables, word)) {
    return flag->kind != FlagKind::kSwitch && flag->kind != FlagKind::kOptional;
  }
  const ForeignFlag* foreign = find_foreign(tables, word);
  return foreign != nullptr && foreign->value == ForeignFlag::Value::kRequired;
}

// Takes clusters of short flags apart, up to "--".
std::vector<std::string> with_pieces(const FlagTranslation& tables,
                                     const std::vector<std::string>& arguments) {
  std::vector<std::string> result;
  size_t at = 0;
  bool is_value = false;
  for (; at < arguments.size() && (is_value || arguments[at] != "--"); ++at) {
    std::vector<std::string> pieces =
        is_value ? std::vector<std::string>{arguments[at]} : pieces_of(tables, arguments[at]);
    is_value =
        !is_value && pieces.back().starts_with('-') && takes_next_word(tables, pieces.back());
    std::ranges::move(pieces, std::back_inserter(result));
  }
  result.insert(result.end(), arguments.begin() + static_cast<std::ptrdiff_t>(at), arguments.end());
  return result;
}

class Translator {
 public:
  Translator(const FlagTranslation& tables, const std::vector<std::string>& arguments)
      : tables_(tables), arguments_(with_pieces(tables, arguments)) {}

  Translated run() {
    for (at_ = 0; at_ < arguments_.size(); ++at_) {
      if (arguments_[at_] == "--") {
        result_.arguments.insert(
            result_.arguments.end(), arguments_.begin() + at(), arguments_.end());
        break;
      }
      if (!take_value_flag() && !take_foreign()) {
        result_.arguments.push_back(arguments_[at_]);
      }
    }
    return std::move(result_);
  }

 private:
  std::ptrdiff_t at() const { return static_cast<std::ptrdiff_t>(at_); }

  // Takes the value of the current flag from "--flag=value" or from the next word.
  std::string take_value(std::string_view word, size_t equals) {
    if (equals != std::string_view::npos) {
      return std::string(word.substr(equals + 1));
    }
    return at_ + 1 < arguments_.size() ? arguments_[++at_] : "";
  }

  // With perf's tables, `--sort dso` means rows by module, and `--sort total` is a flag of the verb.
  bool take_value_flag() {
    std::string_view word = arguments_[at_];
    size_t equals = word.find('=');
    std::string_view flag = word.substr(0, equals);
    if (!has_flag(tables_, fmt::format("--{}", tables_.value_target)) ||
        std::ranges::find(tables_.value_flags, flag) == tables_.value_flags.end()) {
      return false;
    }
    size_t before = at_;
    std::string value = take_value(word, equals);
    std::string_view first = std::string_view(value).substr(0, value.find(','));
    auto key = std::ranges::find(tables_.values, first, &TranslatedValue::foreign);
    if (key == tables_.values.end()) {
      at_ = before;
      return false;
    }
    result_.arguments.push_back(fmt::format("--{}={}", tables_.value_target, key->own));
    if (first.size() < value.size()) {
      result_.notes.push_back(fmt::format("wick sorts by one key only; rows are by {}.", key->own));
    }
    return true;
  }

  bool take_foreign() {
    std::string_view word = arguments_[at_];
    size_t equals = word.starts_with("--") ? word.find('=') : std::string_view::npos;
    std::string_view flag = word.substr(0, equals);
    const ForeignFlag* foreign = find_foreign(tables_, flag);
    if (foreign == nullptr || has_flag(tables_, flag)) {
      return false;
    }
    bool usable = !foreign->own.empty() && has_flag(tables_, foreign->own);
    if (!foreign->own.empty() && !usable) {
      result_.notes.push_back(fmt::format("{}'s {} has no meaning in wick {}; it is ignored.",
                                          tables_.program,
                                          flag,
                                          tables_.verb));
    }
    if (foreign->value == ForeignFlag::Value::kRequired) {
      std::string value = take_value(word, equals);
      if (usable) {
        result_.arguments.push_back(fmt::format("{}={}", foreign->own, value));
      }
    } else if (usable) {
      result_.arguments.push_back(std::string(foreign->own));
    } else if (foreign->value == ForeignFlag::Value::kOptional &&
               equals == std::string_view::npos) {
      skip_optional_words();
    }
    bool known = std::ranges::find(result_.notes, foreign->note) != result_.notes.end();
    if (!foreign->note.empty() && !known) {
      result_.notes.emplace_back(foreign->note);
    }
    return true;
  }

  void skip_optional_words() {
    if (at_ + 1 < arguments_.size() && is_optional_word(tables_, arguments_[at_ + 1])) {
      ++at_;
    }
  }

  const FlagTranslation& tables_;
  std::vector<std::string> arguments_;
  size_t at_ = 0;
  Translated result_;
};

}  // namespace

std::vector<std::string> with_first_word_marked(const FlagTranslation& tables,
                                                const std::vector<std::string>& arguments) {
  std::vector<std::string> marked;
  for (size_t at = 0; at < arguments.size(); ++at) {
    const std::string& word = arguments[at];
    bool begins_program = word.size() < 2 || word[0] != '-';
    if (begins_program) {
      marked.emplace_back("--");
    }
    if (begins_program || word == "--") {
      marked.insert(
          marked.end(), arguments.begin() + static_cast<std::ptrdiff_t>(at), arguments.end());
      break;
    }
    std::ranges::move(pieces_of(tables, word), std::back_inserter(marked));
    if (takes_next_word(tables, marked.back()) && at + 1 < arguments.size()) {
      marked.push_back(arguments[++at]);
    }
  }
  return marked;
}

Translated translate_flags(const FlagTranslation& tables,
                           const std::vector<std::string>& arguments) {
  return Translator(tables, arguments).run();
}

}  // namespace wick
