// SPDX-License-Identifier: Apache-2.0
// Accepts the flags of another program: tables say what each of them means in this one.
//
//     flag with an equivalent     becomes that flag
//     flag without effect         is dropped
//     any other listed flag       is dropped, and a note says what to use instead
//
// A flag that the verb has itself is never translated, with one exception: values of `value_flags`
// that `values` lists. Short flags may be joined, as in "-ag". Nothing after "--" changes: it belongs to a program.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/flags.h"

namespace wick {

struct ForeignFlag {
  enum class Value { kNone, kRequired, kOptional };
  std::string_view spellings;  // "-n --count": blanks separate them
  Value value;                 // whether a value follows the flag
  std::string_view own;        // the equivalent, with its value or without; "" for none
  std::string_view note;       // a sentence for the user; "" if none is needed
};

// A value of the other program's flag, and the one of the own flag.
struct TranslatedValue {
  std::string_view foreign;
  std::string_view own;
};

struct FlagTranslation {
  std::string_view program;                                // the other one, for notes
  std::string_view verb;                                   // for notes
  std::span<const Flag> own;                               // the verb's flags
  std::vector<std::span<const ForeignFlag>> foreign = {};  // the first that lists a flag decides
  std::span<const std::string_view> optional_words;  // the words that optional values start with
  std::span<const std::string_view> value_flags;     // "--sort x" becomes "--by=y":
  std::string_view value_target;                     // "by", if the verb has it
  std::span<const TranslatedValue> values;           // x and y
};

struct Translated {
  std::vector<std::string> arguments;
  std::vector<std::string> notes;  // whole sentences, each once
};
Translated translate_flags(const FlagTranslation& tables,
                           const std::vector<std::string>& arguments);

// Inserts "--" before the first word that is neither a flag nor the value of one, so that flags
// after it belong to the program that it names, as with sudo and env.
std::vector<std::string> with_first_word_marked(const FlagTranslation& tables,
                                                const std::vector<std::string>& arguments);

}  // namespace wick
