// SPDX-License-Identifier: Apache-2.0
#include "base/completion.h"

#include <algorithm>

#include <fmt/format.h>

namespace wick {
namespace {

bool takes_file(const Flag& flag) {
  return flag.kind == FlagKind::kPath || flag.kind == FlagKind::kFileText;
}

// Splits choices at '|': function|module|label:KEY becomes "function module label:".
std::string spaced(std::string_view choices) {
  std::string words;
  while (!choices.empty()) {
    std::string_view choice = choices.substr(0, choices.find('|'));
    words += fmt::format("{}{}", words.empty() ? "" : " ", fixed_part(choice));
    choices.remove_prefix(std::min(choices.size(), choice.size() + 1));
  }
  return words;
}

// Quotes text with single quotes, for all three shells.
std::string quoted(std::string_view text) {
  std::string out;
  for (char c : text) {
    out += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return out;
}

std::string names_of(std::span<const CompletedVerb> verbs) {
  std::string names;
  for (const CompletedVerb& verb : verbs) {
    names += verb.is_hidden ? "" : fmt::format("{}{}", names.empty() ? "" : " ", verb.name);
  }
  return names;
}

std::string bash_script(std::span<const CompletedVerb> verbs) {
  std::string text = fmt::format(
      "_wick() {{\n"
      "  local current=\"${{COMP_WORDS[COMP_CWORD]}}\" previous=\"${{COMP_WORDS[COMP_CWORD-1]}}\"\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W '{}' -- \"$current\"))\n"
      "    return\n"
      "  fi\n"
      "  local flags=''\n"
      "  case \"${{COMP_WORDS[1]}}\" in\n",
      names_of(verbs));
  for (const CompletedVerb& verb : verbs) {
    std::string flags;
    std::string values;
    for (const Flag& flag : verb.flags) {
      flags += fmt::format("--{} ", flag.name);
      if (flag.kind == FlagKind::kChoice) {
        values +=
            fmt::format("        --{}) COMPREPLY=($(compgen -W '{}' -- \"$current\")); return;;\n",
                        flag.name,
                        spaced(flag.value));
      }
    }
    text += fmt::format(
        "    {})\n      case \"$previous\" in\n{}      esac\n      flags='{}--help';;\n",
        verb.name,
        values.empty() ? "        '') ;;\n" : values,
        flags);
  }
  text +=
      "  esac\n"
      "  case \"$current\" in\n"
      "    -*) COMPREPLY=($(compgen -W \"$flags\" -- \"$current\"));;\n"
      "    *) COMPREPLY=($(compgen -f -- \"$current\"));;\n"
      "  esac\n"
      "}\n"
      "complete -o filenames -F _wick wick\n";
  return text;
}

// Square brackets and colons are syntax inside the descriptions and choices of zsh.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (char c : quoted(text)) {
    out += c == '[' || c == ']' || c == ':' ? fmt::format("\\{}", c) : std::string(1, c);
  }
  return out;
}

std::string zsh_flag(const Flag& flag) {
  std::string text = fmt::format("      '--{}[{}]", flag.name, zsh_text(flag.help));
  if (flag.kind == FlagKind::kChoice) {
    text += fmt::format(":choice:({})", zsh_text(spaced(flag.value)));
  } else if (takes_file(flag)) {
    text += ":file:_files";
  } else if (flag.kind != FlagKind::kSwitch && flag.kind != FlagKind::kOptional) {
    text += fmt::format(":{}: ", flag.value);
  }
  return text + "' \\\n";
}

std::string zsh_script(std::span<const CompletedVerb> verbs) {
  std::string text =
      "#compdef wick\n"
      "_wick() {\n"
      "  local -a verbs=(\n";
  for (const CompletedVerb& verb : verbs) {
    if (!verb.is_hidden) {
      std::string help = quoted(verb.help);
      for (size_t at = help.find(':'); at != std::string::npos; at = help.find(':', at + 2)) {
        help.insert(at, "\\");
      }
      text += fmt::format("    '{}:{}'\n", verb.name, help);
    }
  }
  text +=
      "  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe verb verbs\n"
      "    return\n"
      "  fi\n"
      "  local verb=$words[2]\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $verb in\n";
  for (const CompletedVerb& verb : verbs) {
    text += fmt::format("    {})\n      _arguments \\\n", verb.name);
    for (const Flag& flag : verb.flags) {
      text += zsh_flag(flag);
    }
    text += "      '*:file:_files' ;;\n";
  }
  text += "  esac\n}\n_wick \"$@\"\n";
  return text;
}

std::string fish_script(std::span<const CompletedVerb> verbs) {
  std::string text = "complete -c wick -n __fish_use_subcommand -f\n";
  for (const CompletedVerb& verb : verbs) {
    if (!verb.is_hidden) {
      text += fmt::format("complete -c wick -n __fish_use_subcommand -a {} -d '{}'\n",
                          verb.name,
                          quoted(verb.help));
    }
    for (const Flag& flag : verb.flags) {
      text += fmt::format("complete -c wick -n '__fish_seen_subcommand_from {}' -l {} -d '{}'",
                          verb.name,
                          flag.name,
                          quoted(flag.help));
      if (flag.kind == FlagKind::kChoice) {
        text += fmt::format(" -x -a '{}'", spaced(flag.value));
      } else if (flag.kind != FlagKind::kSwitch && flag.kind != FlagKind::kOptional) {
        text += takes_file(flag) ? " -r -F" : " -x";
      }
      text += "\n";
    }
  }
  return text;
}

}  // namespace

std::string completion_script(std::string_view shell, std::span<const CompletedVerb> verbs) {
  return shell == "bash"   ? bash_script(verbs)
         : shell == "zsh"  ? zsh_script(verbs)
         : shell == "fish" ? fish_script(verbs)
                           : "";
}

}  // namespace wick
