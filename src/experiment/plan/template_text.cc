// SPDX-License-Identifier: Apache-2.0
#include "experiment/plan/template_text.h"

#include <algorithm>
#include <optional>

#include "base/command_text.h"
#include "base/escape.h"
#include "experiment/plan/expression.h"

namespace wick {
namespace {

constexpr std::string_view kBlanks = " \t\n";

// "threads", or "engine.flags": at most two plan names.
bool is_placeholder_name(std::string_view name) {
  size_t dot = name.find('.');
  return dot == std::string_view::npos
             ? is_plan_name(name)
             : is_plan_name(name.substr(0, dot)) && is_plan_name(name.substr(dot + 1));
}

// The next piece of a text: a placeholder, or text up to the next one.
struct TemplatePiece {
  std::string_view text;  // as written; for a placeholder, its name
  bool is_placeholder = false;
};

class Pieces {
 public:
  explicit Pieces(std::string_view text) : rest_(text) {}

  std::optional<TemplatePiece> next() {
    if (rest_.empty()) {
      return std::nullopt;
    }
    size_t brace = rest_.find('{');
    if (brace == 0) {
      return at_brace();
    }
    return take(std::min(brace, rest_.size()));
  }

 private:
  TemplatePiece take(size_t size) {
    TemplatePiece piece{rest_.substr(0, size)};
    rest_.remove_prefix(size);
    return piece;
  }
  TemplatePiece at_brace() {
    size_t end = rest_.find('}');
    if (end != std::string_view::npos && is_placeholder_name(rest_.substr(1, end - 1))) {
      TemplatePiece placeholder{rest_.substr(1, end - 1), true};
      rest_.remove_prefix(end + 1);
      return placeholder;
    }
    bool doubled = rest_.starts_with("{{") && end != std::string_view::npos &&
                   is_placeholder_name(rest_.substr(2, end - 2)) &&
                   rest_.substr(end).starts_with("}}");
    if (doubled) {
      TemplatePiece text{rest_.substr(1, end)};
      rest_.remove_prefix(end + 2);
      return text;
    }
    return take(1);
  }

  std::string_view rest_;
};

Result<std::string> placeholder_text(std::string_view name, const PlaceholderWords& words) {
  const std::vector<std::string>* found = words(name);
  if (found == nullptr) {
    return fail("unknown placeholder {{{}}}", terminal_text(name));
  }
  return command_text(*found);
}

// Splits a command line. Characters are added one by one, each with the information whether it was
// quoted or filled in.
class WordSplitter {
 public:
  void letter(char c, bool quoted) {
    if (!quoted && kBlanks.find(c) != std::string_view::npos) {
      end_word();
      return;
    }
    word_ += c;
    open_ = true;
  }
  void open_word() { open_ = true; }  // "" is a word
  void end_word() {
    if (open_) {
      words_.push_back(std::move(word_));
    }
    word_.clear();
    open_ = false;
  }
  std::vector<std::string> take() {
    end_word();
    return std::move(words_);
  }

 private:
  std::vector<std::string> words_;
  std::string word_;
  bool open_ = false;
};

}  // namespace

std::vector<std::string> placeholders_of(std::string_view text) {
  std::vector<std::string> placeholders;
  Pieces pieces(text);
  while (std::optional<TemplatePiece> piece = pieces.next()) {
    if (piece->is_placeholder) {
      placeholders.emplace_back(piece->text);
    }
  }
  return placeholders;
}

Result<std::string> fill_text(std::string_view text, const PlaceholderWords& words) {
  std::string filled;
  Pieces pieces(text);
  while (std::optional<TemplatePiece> piece = pieces.next()) {
    filled += piece->is_placeholder ? TRY(placeholder_text(piece->text, words))
                                    : std::string(piece->text);
  }
  return filled;
}

Result<std::vector<std::string>> fill_words(const std::vector<std::string>& list,
                                            const PlaceholderWords& words) {
  std::vector<std::string> filled;
  for (const std::string& item : list) {
    Pieces pieces(item);
    std::optional<TemplatePiece> first = pieces.next();
    bool alone = first && first->is_placeholder && !pieces.next();
    if (!alone) {
      filled.push_back(TRY(fill_text(item, words)));
    } else if (const std::vector<std::string>* several = words(first->text)) {
      filled.insert(filled.end(), several->begin(), several->end());
    } else {
      return fail("unknown placeholder {{{}}}", terminal_text(first->text));
    }
  }
  return filled;
}

Result<std::vector<std::string>> fill_command_line(std::string_view line,
                                                   const PlaceholderWords& words) {
  WordSplitter splitter;
  char quote = 0;
  bool escaped = false;
  Pieces pieces(line);
  while (std::optional<TemplatePiece> piece = pieces.next()) {
    if (piece->is_placeholder) {
      for (char c : TRY(placeholder_text(piece->text, words))) {
        splitter.letter(c, quote != 0);
      }
      continue;
    }
    for (char c : piece->text) {
      if (escaped) {
        splitter.letter(c, true);
        escaped = false;
      } else if (c == '\\' && quote != '\'') {
        escaped = true;
      } else if (c == quote) {
        quote = 0;
      } else if (quote == 0 && (c == '"' || c == '\'')) {
        quote = c;
        splitter.open_word();
      } else {
        splitter.letter(c, quote != 0);
      }
    }
  }
  if (quote != 0) {
    return fail("a quotation mark is not closed");
  }
  return splitter.take();
}

}  // namespace wick
