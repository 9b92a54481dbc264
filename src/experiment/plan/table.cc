// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/spelling.h"
#include "experiment/plan/reader.h"

namespace wick {

Result<PlanTable> PlanTable::of(const std::string& path,
                                const TomlValue& value,
                                std::string what,
                                std::initializer_list<std::string_view> keys) {
  PlanTable table(path, value, std::move(what));
  if (!value.is(TomlValue::Kind::kTable)) {
    return table.wrong(value.line, "{} must be a table.", table.what_);
  }
  TRY(table.check_keys(keys));
  return table;
}

Result<> PlanTable::check_keys(std::initializer_list<std::string_view> keys) const {
  std::vector<std::string> known(keys.begin(), keys.end());
  for (size_t i = 0; i < value_->keys.size(); ++i) {
    const std::string& key = value_->keys[i];
    if (known.empty() || std::ranges::find(known, key) != known.end()) {
      continue;
    }
    std::string near = nearest_spelling(key, known);
    if (!near.empty()) {
      return wrong(value_->items[i].line,
                   "\"{}\" is not a key of {}; did you mean \"{}\"?",
                   key,
                   what_,
                   near);
    }
    std::string all;
    for (const std::string& word : known) {
      all += (all.empty() ? "" : ", ") + word;
    }
    return wrong(
        value_->items[i].line, "\"{}\" is not a key of {}; its keys are: {}.", key, what_, all);
  }
  return {};
}

Result<std::string> PlanTable::text(std::string_view key, std::string fallback) const {
  const TomlValue* value = find(key);
  if (value == nullptr) {
    return fallback;
  }
  if (!value->is(TomlValue::Kind::kText)) {
    return wrong(value->line, "{} takes a string in quotation marks.", key);
  }
  return value->text;
}

Result<PlanText> PlanTable::template_text(std::string_view key) const {
  const TomlValue* value = find(key);
  if (value == nullptr) {
    return PlanText();
  }
  if (!value->is_scalar()) {
    return wrong(value->line, "{} takes a string or a number.", key);
  }
  return PlanText{value->plain_text(), value->line};
}

Result<double> PlanTable::seconds(std::string_view key, double fallback) const {
  const TomlValue* value = find(key);
  if (value == nullptr) {
    return fallback;
  }
  if (!value->is_number() || !(value->number > 0) || !std::isfinite(value->number)) {
    return wrong(value->line, "{} takes a number of seconds above zero.", key);
  }
  return value->number;
}

Result<uint64_t> PlanTable::count(std::string_view key, uint64_t fallback, uint64_t least) const {
  const TomlValue* value = find(key);
  if (value == nullptr) {
    return fallback;
  }
  if (!value->is(TomlValue::Kind::kInteger) || value->integer < static_cast<int64_t>(least)) {
    return wrong(value->line, "{} takes a whole number, {} or more.", key, least);
  }
  return static_cast<uint64_t>(value->integer);
}

Result<bool> PlanTable::truth(std::string_view key, bool fallback) const {
  const TomlValue* value = find(key);
  if (value == nullptr) {
    return fallback;
  }
  if (!value->is(TomlValue::Kind::kBoolean)) {
    return wrong(value->line, "{} must be true or false.", key);
  }
  return value->truth;
}

Result<PlanCommand> PlanTable::command(std::string_view key) const {
  const TomlValue* value = find(key);
  if (value == nullptr) {
    return PlanCommand();
  }
  PlanCommand command{.is_line = value->is(TomlValue::Kind::kText), .line = value->line};
  if (command.is_line) {
    command.words.push_back(value->text);
  }
  for (const TomlValue& word : value->items) {
    if (!word.is_scalar()) {
      return wrong(word.line, "{} must be a list of words.", key);
    }
    command.words.push_back(word.plain_text());
  }
  bool empty =
      command.words.empty() || command.words[0].find_first_not_of(" \t\n") == std::string::npos;
  if (empty || !(command.is_line || value->is(TomlValue::Kind::kArray))) {
    return wrong(value->line,
                 "{} takes a command: a string such as \"./server --port {{port}}\", or a list of "
                 "words.",
                 key);
  }
  return command;
}

Result<std::string> PlanTable::choice(std::string_view key,
                                      std::initializer_list<std::string_view> words,
                                      std::string_view fallback) const {
  std::string word = TRY(text(key, std::string(fallback)));
  if (std::ranges::find(words, word) == words.end()) {
    std::string all;
    for (std::string_view each : words) {
      all += (all.empty() ? "" : ", ") + std::string(each);
    }
    return wrong(find(key)->line, "{} must be one of {}, not \"{}\".", key, all, word);
  }
  return word;
}

}  // namespace wick
