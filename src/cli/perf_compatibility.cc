// SPDX-License-Identifier: Apache-2.0
// The tables of perf's flags; base/flag_translation.h applies them.
//
//     kHints           flags of `perf report`, for every verb that reads a profile
//     kAnnotateHints   flags of `perf annotate` that `perf report` lacks or uses otherwise
//     kStatHints       flags of `perf stat`
//     kRecordHints     flags of `perf record`
//     kSortKeys        values of `--sort`
//     kVerbs           perf's verbs that wick does not have
#include "cli/perf_compatibility.h"

#include <algorithm>
#include <array>

namespace wick {
namespace {

using Hint = ForeignFlag;
using Value = ForeignFlag::Value;

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
    renamed("-S --symbols --symbol-filter -d --dso --dsos -p --parent", "--focus"),
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
    ignored_value(
        "-k --vmlinux",
        "wick finds the vmlinux of the recorded build; --debug-dir DIR says where it is."),
    ignored("--ns --full-source-path --skip-empty --ignore-vmlinux --demangle-kernel"),
    ignored("--show-total-period", "Weights are in --json and --csv."),
    ignored_value("--itrace", "wick does not decode hardware traces."),
    ignored_value("--objdump --addr2line --prefix --prefix-strip"),
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
    ignored("-m --modules"),
    ignored_value(
        "-k --vmlinux",
        "wick finds the vmlinux of the recorded build; --debug-dir DIR says where it is."),
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
    ignored(
        "-c --scale -n --null --no-scale --no-big-num -S --sync"),  // wick always scales counters that ran a part of the time
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
    ignored("--all-cgroups --namespaces --buildid-all --no-buffering --tail-synthesize"),
    ignored("--strict-freq --exclude-perf --inherit"),
    ignored_value("--proc-map-timeout -r --realtime --affinity --synth"),
    ignored_value("--max-stack", "wick does not limit the depth of stacks."),
    ignored("--branch-any", "Branches are recorded with -b."),
    ignored_value("-j --branch-filter", "Branches are recorded with -b=FILTER, such as -b=any,u."),
    ignored("-d --data --phys-data -W --weight", "wick does not record addresses of data."),
    ignored("--all-user", "wick records both modes; --mode user selects one later."),
    ignored("--all-kernel", "wick records both modes; --mode kernel selects one later."),
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

// perf's sort keys and the rows they mean.
using SortKey = TranslatedValue;
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

constexpr std::array<std::string_view, 2> kSortFlags = {"--sort", "-s"};

struct VerbAnswer {
  std::string_view verb;
  std::string_view answer;
};
constexpr std::array kVerbs = {
    VerbAnswer{"top", "wick has no live view; use `wick record`, then `wick report`."},
    VerbAnswer{"script", "Instead of perf script use `wick convert FILE --to perf-script -o -`."},
    VerbAnswer{"list", "`wick doctor` shows what can be counted; -e takes the names of perf list."},
    VerbAnswer{"sched",
               "wick has no view of the scheduler; -e sched:sched_switch records switches."},
    VerbAnswer{"trace",
               "wick does not trace system calls; -e raw_syscalls:sys_enter records where they are "
               "made."},
    VerbAnswer{"ftrace", "wick does not trace functions; `wick record` samples them."},
    VerbAnswer{"probe", "wick adds no probes; -e takes those that perf probe has added."},
    VerbAnswer{"lock", "wick has no view of locks; -e takes the tracepoints of perf lock."},
    VerbAnswer{"mem", "wick does not record addresses of data; -e cache-misses counts misses."},
    VerbAnswer{"c2c", "wick does not record addresses of data; -e cache-misses counts misses."},
    VerbAnswer{"kmem", "-e kmem:kmalloc records where the kernel allocates memory."},
    VerbAnswer{"kvm", "wick shows samples of virtual machines in perf.data files of perf kvm."},
    VerbAnswer{"timechart", "`wick timeline FILE` shows activity over time."},
    VerbAnswer{"version", "`wick --version` prints it."},
    VerbAnswer{"buildid-cache", "Not needed: wick finds files by build id, also with --debug-dir."},
    VerbAnswer{"archive",
               "Not needed: a .wick file contains its names; `wick convert FILE -o x.wick` writes "
               "one."},
    VerbAnswer{"inject", "Not needed: wick itself reads the files next to a recording."},
    VerbAnswer{"buildid-list", "`wick info FILE` lists what a file contains."},
    VerbAnswer{"evlist", "`wick info FILE` lists the events of a file."},
};

// `-g graph,0.5,caller`: the value of -g is optional. It starts with one of these words.
constexpr std::array<std::string_view, 9> kCallGraphWords = {
    "graph", "flat", "fractal", "folded", "caller", "callee", "none", "dwarf", "fp"};

FlagTranslation translation_of(const Command& command) {
  FlagTranslation tables{.program = "perf",
                         .verb = command.name,
                         .own = command.flags,
                         .optional_words = kCallGraphWords,
                         .value_flags = kSortFlags,
                         .value_target = "by",
                         .values = kSortKeys};
  if (command.name == "stat") {
    tables.foreign = {kStatHints};
  } else if (command.runs_command) {
    tables.foreign = {kRecordHints};
  } else if (command.name == "annotate") {
    tables.foreign = {kAnnotateHints, kHints};
  } else {
    tables.foreign = {kHints};
  }
  return tables;
}

}  // namespace

Translated translate_perf_flags(const Command& command, const std::vector<std::string>& arguments) {
  return translate_flags(translation_of(command), arguments);
}

std::vector<std::string> with_command_marked(const Command& command,
                                             const std::vector<std::string>& arguments) {
  return command.runs_command ? with_first_word_marked(translation_of(command), arguments)
                              : arguments;
}

std::string_view answer_to_perf_verb(std::string_view verb) {
  auto found = std::ranges::find(kVerbs, verb, &VerbAnswer::verb);
  return found == kVerbs.end() ? "" : found->answer;
}

}  // namespace wick
