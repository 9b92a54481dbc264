// SPDX-License-Identifier: Apache-2.0
// The tables of perf's flags, and the translator that uses them.
//
//     kHints           flags of `perf report`, for every verb that reads a profile
//     kAnnotateHints   flags of `perf annotate` that `perf report` lacks or uses otherwise
//     kStatHints       flags of `perf stat`
//     kRecordHints     flags of `perf record`
//     kSortKeys        values of `--sort`
//     kVerbs           perf's verbs that wick does not have
//
// The translator walks once over the arguments. It replaces, drops or copies each of them and
// collects the notes. It stops at "--", so it never changes the arguments of a program.
#include "cli/perf_compatibility.h"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

namespace wick {
namespace {

enum class Value { kNone, kRequired, kOptional };

struct Hint {
  std::string_view perf;  // the flag as perf spells it; blanks separate several flags
  Value value;            // whether a value follows the flag
  std::string_view wick;  // wick's flag for it; "" if none is needed
  std::string_view note;  // a sentence for the user; "" if none is needed
};

// Flags without and with a value that wick drops, perhaps with a note.
constexpr Hint ignored(std::string_view perf, std::string_view note = "") {
  return {perf, Value::kNone, "", note};
}
constexpr Hint ignored_value(std::string_view perf, std::string_view note = "") {
  return {perf, Value::kRequired, "", note};
}
// A flag with a value that has another name in wick.
constexpr Hint renamed(std::string_view perf, std::string_view wick, std::string_view note = "") {
  return {perf, Value::kRequired, wick, note};
}

// Flags of `perf report`, for every verb that reads a profile.
constexpr std::array kHints = {
    ignored("--stdio --stdio2 -n --show-nr-samples -f --force --demangle --inline -q --quiet -x"),
    ignored("--tui", "wick has no terminal browser; it prints the table instead."),
    ignored("--no-demangle", "wick shows names as they are in the profile."),
    Hint{"--no-children", Value::kNone, "--sort=self", ""},
    Hint{"--children", Value::kNone, "--sort=total", ""},
    renamed("--percent-limit", "--min-share"),
    renamed("--pid --comms -c --comm", "--process"),
    renamed("--tid", "--thread"),
    renamed("-C", "--cpu"),
    renamed("-S --symbols --symbol-filter --dsos -p --parent", "--focus"),
    Hint{"-T --threads", Value::kNone, "--by=thread", ""},
    Hint{"-g --call-graph",
         Value::kOptional,
         "",
         "Call paths have their own verbs: `wick tree` (with --bottom-up for callers) and `wick "
         "sandwich FILE FUNCTION`."},
    ignored("-G --inverted", "`wick tree` shows the call tree; it starts at the root."),
    ignored_value("--max-stack", "wick does not limit the depth of stacks."),
    ignored("--header --header-only --stats", "`wick info FILE` shows the contents of a file."),
    ignored("-v", "wick has no verbose mode; `wick info FILE` shows the contents of a file."),
    ignored_value("-F --fields", "Columns are fixed; --json and --csv have all of them."),
    ignored_value("-t --field-separator", "For machine-readable output use --csv or --json."),
    ignored_value("-w --column-widths", "wick chooses column widths; --width sets the line width."),
    ignored_value("-k --vmlinux", "Names come from the profile, also those of the kernel."),
    ignored_value("--symfs", "Names come from the profile, not from files next to it."),
    ignored_value("-M", "`wick annotate` shows assembly."),
    ignored_value("--percentage",
                  "Shares are relative to the filtered samples; a note says how much that is."),
    ignored_value("--ignore-callees", "--hide REGEX removes frames from the stacks."),
    ignored("-U --hide-unresolved", "wick shows frames without a name; --hide removes them."),
    ignored("--gtk", "wick has no window; it prints the table instead."),
    ignored("--group", "wick shows one event; choose it with --event."),
    ignored("--tasks", "`wick report --by thread` lists threads."),
};

// Flags of `perf annotate` that `perf report` does not have, or for which it has another meaning.
constexpr std::array kAnnotateHints = {
    ignored("-l --print-line --source --no-asm-raw"),  // listings always contain lines
    renamed("--stdio-color", "--color"),
    ignored_value("-d --dso --dsos", "Name the module with the address: MODULE:ADDRESS."),
    ignored("-m --modules", "The code of kernel modules is not available."),
    ignored_value("-k --vmlinux", "The kernel's code is not available."),
    ignored_value("--objdump", "wick has its own disassembler; it does not run objdump."),
    ignored_value("--addr2line", "wick reads DWARF itself; it does not run addr2line."),
    ignored_value("--prefix", "--source-dir OLD=NEW says where sources are now."),
    ignored_value("--prefix-strip", "--source-dir DIR already tries the paths below it."),
    ignored("--skip-missing"),
    ignored("--show-total-period", "Weights are in --json and --csv."),
    ignored_value("--percent-type", "`func %` is relative to the function, `self %` to the total."),
    Hint{"--data-type", Value::kOptional, "", "Heat is by instruction and line, not by data type."},
};

// Flags of `perf stat`.
constexpr std::array kStatHints = {
    ignored("-d -dd -ddd --detailed -B --big-num -v --verbose"),  // wick always counts caches
    ignored("-c --scale -n --null"),  // wick always scales counters that ran a part of the time
    ignored("--table", "--json has every run."),
    renamed("-t --tid",
            "--pid",
            "wick counts all threads of a process together; --per-thread shows a row for each."),
    Hint{"-j --json-output", Value::kNone, "--json", ""},
    ignored_value(
        "-I --interval-print",
        "Counts cover the whole run; `wick record` and `wick view` show changes over time."),
    ignored_value("--timeout", "perf's --timeout MS is --duration SECONDS in wick; it is ignored."),
    ignored("-i --no-inherit", "wick also counts child processes."),
    ignored("-A --no-aggr", "wick counts all CPUs together."),
    ignored_value("-M --metrics", "wick shows every ratio whose counters are available."),
};

// Flags of `perf record`, for the verbs that record.
constexpr std::array kRecordHints = {
    ignored("-g --sample-cpu --timestamp -T --period -P --raw-samples -R"),  // callers are recorded
    ignored("--aio", "--aio is not needed: stacks are unwound while recording."),
    ignored("-z"),  // wick always compresses the file
    ignored_value("--compression-level"),
    ignored("-B --no-buildid -N --no-buildid-cache --no-bpf-event -v --verbose -s --stat"),
    ignored("--switch-events",
            "wick does not record thread switches; -e context-switches counts them."),
    ignored_value(
        "-m --mmap-pages",
        "-m is not needed: wick empties the kernel's buffers in time and reports losses."),
    ignored_value("-D", "perf's -D N is --delay SECONDS in wick; it is ignored."),
    renamed("--freq", "--frequency"),
    renamed("--comm", "--pid"),
    renamed("-t --tid", "--pid", "wick records all threads of a process together."),
    ignored_value("-k --clockid", "Times are always CLOCK_MONOTONIC."),
    ignored("-i", "wick follows children; --thread and --process filter later."),
    ignored("--no-inherit", "wick follows children; --process filters them later."),
};

bool records(const Command& command) {
  return command.runs_command;
}

bool is_spelled(const Hint& hint, std::string_view word) {
  for (std::string_view rest = hint.perf; !rest.empty();) {
    std::string_view spelling = rest.substr(0, rest.find(' '));
    if (spelling == word) {
      return true;
    }
    rest.remove_prefix(std::min(rest.size(), spelling.size() + 1));
  }
  return false;
}

// The table row of a flag, or null.
const Hint* find_hint(const Command& command, std::string_view word) {
  auto find_in = [&](std::span<const Hint> hints) -> const Hint* {
    auto found =
        std::ranges::find_if(hints, [&](const Hint& hint) { return is_spelled(hint, word); });
    return found == hints.end() ? nullptr : &*found;
  };
  if (command.name == "stat") {
    return find_in(kStatHints);
  }
  if (records(command)) {
    return find_in(kRecordHints);
  }
  const Hint* own = command.name == "annotate" ? find_in(kAnnotateHints) : nullptr;
  return own != nullptr ? own : find_in(kHints);
}

// perf's sort keys and the rows they mean.
struct SortKey {
  std::string_view perf;
  std::string_view by;
};
constexpr std::array kSortKeys = {
    SortKey{"comm", "process"},
    SortKey{"pid", "process"},
    SortKey{"tid", "thread"},
    SortKey{"dso", "module"},
    SortKey{"sym", "function"},
    SortKey{"symbol", "function"},
    SortKey{"cpu", "cpu"},
    SortKey{"srcline", "line"},
    SortKey{"srcfile", "line"},
};

struct VerbAnswer {
  std::string_view verb;
  std::string_view answer;
};
constexpr std::array kVerbs = {
    VerbAnswer{"top", "wick has no live view; use `wick record`, then `wick report`."},
    VerbAnswer{"script", "Instead of perf script use `wick convert FILE --to perf-script -o -`."},
    VerbAnswer{"archive",
               "Not needed: a .wick file contains its names; `wick convert FILE -o x.wick` writes "
               "one."},
    VerbAnswer{"inject", "Not needed: wick itself reads the files next to a recording."},
    VerbAnswer{"buildid-list", "`wick info FILE` lists what a file contains."},
    VerbAnswer{"evlist", "`wick info FILE` lists the events of a file."},
};

// The verb's own flag for "--name", "--name=value" or "-x", or null.
const Flag* find_flag(const Command& command, std::string_view word) {
  std::string_view name = word.substr(0, word.find('='));
  auto found = std::ranges::find_if(command.flags, [&](const Flag& flag) {
    return name == fmt::format("--{}", flag.name) ||
           (flag.letter != '\0' && name == fmt::format("-{}", flag.letter));
  });
  return found == command.flags.end() ? nullptr : &*found;
}

bool has_flag(const Command& command, std::string_view word) {
  return find_flag(command, word) != nullptr;
}

class Translator {
 public:
  Translator(const Command& command, const std::vector<std::string>& arguments)
      : command_(command), arguments_(arguments) {}

  Translated run() {
    for (at_ = 0; at_ < arguments_.size(); ++at_) {
      if (arguments_[at_] == "--") {
        result_.arguments.insert(
            result_.arguments.end(), arguments_.begin() + at(), arguments_.end());
        break;
      }
      if (!take_sort() && !take_hint()) {
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

  // `--sort dso` means rows by module. `--sort total` is a flag of wick.
  bool take_sort() {
    std::string_view word = arguments_[at_];
    size_t equals = word.find('=');
    std::string_view flag = word.substr(0, equals);
    if (!has_flag(command_, "--by") || (flag != "--sort" && flag != "-s")) {
      return false;
    }
    size_t before = at_;
    std::string value = take_value(word, equals);
    std::string_view first = std::string_view(value).substr(0, value.find(','));
    auto key = std::ranges::find(kSortKeys, first, &SortKey::perf);
    if (key == kSortKeys.end()) {
      at_ = before;
      return false;
    }
    result_.arguments.push_back(fmt::format("--by={}", key->by));
    if (first.size() < value.size()) {
      result_.notes.push_back(fmt::format("wick sorts by one key only; rows are by {}.", key->by));
    }
    return true;
  }

  bool take_hint() {
    std::string_view word = arguments_[at_];
    size_t equals = word.starts_with("--") ? word.find('=') : std::string_view::npos;
    std::string_view flag = word.substr(0, equals);
    const Hint* hint = find_hint(command_, flag);
    if (hint == nullptr || has_flag(command_, flag)) {
      return false;
    }
    bool usable = !hint->wick.empty() && has_flag(command_, hint->wick);
    if (!hint->wick.empty() && !usable) {
      result_.notes.push_back(
          fmt::format("perf's {} has no meaning in wick {}; it is ignored.", flag, command_.name));
    }
    if (hint->value == Value::kRequired) {
      std::string value = take_value(word, equals);
      if (usable) {
        result_.arguments.push_back(fmt::format("{}={}", hint->wick, value));
      }
    } else if (usable) {
      result_.arguments.push_back(std::string(hint->wick));
    } else if (hint->value == Value::kOptional && equals == std::string_view::npos) {
      skip_call_graph_words();
    }
    bool known = std::ranges::find(result_.notes, hint->note) != result_.notes.end();
    if (!hint->note.empty() && !known) {
      result_.notes.emplace_back(hint->note);
    }
    return true;
  }

  // `-g graph,0.5,caller`: the value of -g is optional. It starts with one of perf's words.
  void skip_call_graph_words() {
    constexpr std::array<std::string_view, 9> kWords = {
        "graph", "flat", "fractal", "folded", "caller", "callee", "none", "dwarf", "fp"};
    if (at_ + 1 < arguments_.size()) {
      std::string_view next = arguments_[at_ + 1];
      if (std::ranges::find(kWords, next.substr(0, next.find(','))) != kWords.end()) {
        ++at_;
      }
    }
  }

  const Command& command_;
  const std::vector<std::string>& arguments_;
  size_t at_ = 0;
  Translated result_;
};

// Whether the next word is the value of this flag.
bool takes_next_word(const Command& command, std::string_view word) {
  if (word.starts_with("--") ? word.find('=') != std::string_view::npos : word.size() > 2) {
    return false;
  }
  if (const Flag* flag = find_flag(command, word)) {
    return flag->kind != FlagKind::kSwitch && flag->kind != FlagKind::kOptional;
  }
  const Hint* hint = find_hint(command, word);
  return hint != nullptr && hint->value == Value::kRequired;
}

}  // namespace

std::vector<std::string> with_command_marked(const Command& command,
                                             const std::vector<std::string>& arguments) {
  std::vector<std::string> marked = arguments;
  if (!command.runs_command) {
    return marked;
  }
  for (size_t at = 0; at < arguments.size(); ++at) {
    const std::string& word = arguments[at];
    if (word == "--") {
      break;
    }
    if (word.size() < 2 || word[0] != '-') {
      marked.insert(marked.begin() + static_cast<std::ptrdiff_t>(at), "--");
      break;
    }
    at += takes_next_word(command, word) ? 1U : 0U;
  }
  return marked;
}

Translated translate_perf_flags(const Command& command, const std::vector<std::string>& arguments) {
  return Translator(command, arguments).run();
}

std::string_view answer_to_perf_verb(std::string_view verb) {
  auto found = std::ranges::find(kVerbs, verb, &VerbAnswer::verb);
  return found == kVerbs.end() ? "" : found->answer;
}

}  // namespace wick
