#include "cli/help.h"

#include <fmt/format.h>

namespace wick {
namespace {

constexpr size_t kFlagColumn = 28;
constexpr size_t kLineWidth = 100;

std::string flag_usage(const Flag& flag) {
  std::string text = flag.letter == '\0' ? "    " : fmt::format("-{}, ", flag.letter);
  text += fmt::format("--{}", flag.name);
  // Long lists of choices stand in the help text instead.
  bool short_value = flag.value.size() <= 16;
  if (flag.kind == FlagKind::kOptional) {
    text += fmt::format("[={}]", flag.value);
  } else if (flag.kind != FlagKind::kSwitch) {
    text += fmt::format(" {}", short_value ? flag.value : "WHAT");
  }
  return text;
}

// Breaks `text` at blanks (and after '|') so that it fits behind the flags.
std::string wrapped(std::string_view text, size_t indent) {
  std::string out;
  size_t column = indent;
  while (!text.empty()) {
    size_t end = text.find_first_of(" |");
    std::string_view word = text.substr(0, end == std::string_view::npos ? end : end + 1);
    if (column + word.size() > kLineWidth && column > indent) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    }
    out += word;
    column += word.size();
    text.remove_prefix(word.size());
  }
  return out;
}

std::string flag_line(const Flag& flag) {
  std::string usage = flag_usage(flag);
  std::string help(flag.help);
  if (flag.value.size() > 16 && flag.kind == FlagKind::kChoice) {
    help += fmt::format(": {}", flag.value);
  }
  if (!flag.fallback.empty() && flag.fallback != "0") {
    help += fmt::format(" [{}]", flag.fallback);
  }
  std::string gap = usage.size() + 4 > kFlagColumn
                        ? "\n" + std::string(kFlagColumn, ' ')
                        : std::string(kFlagColumn - usage.size() - 2, ' ');
  return fmt::format("  {}{}{}\n", usage, gap, wrapped(help, kFlagColumn));
}

}  // namespace

std::string general_help() {
  std::string text =
      "wick shows where a program's time goes.\n\n"
      "  wick report FILE              a table of the hottest functions\n"
      "  wick view FILE                flame graph, timeline and callers in the browser\n\n"
      "Verbs:\n";
  for (const Command& command : all_commands()) {
    if (!command.hidden) {
      text += fmt::format("  {:<12}{}\n", command.name, command.help);
    }
  }
  text +=
      "\n"
      "FILE is a profile in any format that `wick formats` lists, plain or compressed; \"-\" is\n"
      "standard input. Without FILE, wick reads the newer of ./profile.wick and ./perf.data.\n"
      "`wick VERB --help` describes a verb. Exit status: 0 success, 1 a problem with the input or "
      "the\n"
      "machine, 2 a wrong command line, 3 success, but more was lost than --allow-loss allows.\n";
  return text;
}

std::string command_help(const Command& command) {
  std::string text = fmt::format("wick {}: {}\n\n", command.name, command.help);
  std::string_view blank = command.words.empty() ? "" : " ";
  text += fmt::format("usage: wick {}{}{}{}\n",
                      command.name,
                      blank,
                      command.words,
                      command.flags.empty() ? "" : " [FLAGS]");
  for (std::string_view example : command.examples) {
    text += fmt::format("       {}\n", example);
  }
  if (!command.flags.empty()) {
    text += "\n";
  }
  for (const Flag& flag : command.flags) {
    text += flag_line(flag);
  }
  return text;
}

}  // namespace wick
