// SPDX-License-Identifier: Apache-2.0
// Writes the self cost of each line, and the total cost of the calls from each line.
//
// Programs that show the file disagree on the total of a function. callgrind_annotate takes the
// cost of all calls to it, or its own lines and calls if there is no call to it. Both must be the
// total of `wick report`, in which a sample counts once for each function on its stack:
//
//     recursion     only the call to the outermost occurrence of a function has the cost of the
//                   sample, so that calls to a function add up to its total
//     outermost     a function that is outermost in some stacks, but called in others or recursive,
//     functions     gets calls from "[root]" for the former
//
// Inlined functions are written as functions that are called. `fi=` marks lines in another file
// than the one of their function. The number of calls is the number of samples, at least 1. Threads,
// times, labels and addresses are not written.
#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "formats/callgrind/callgrind.h"
#include "formats/callgrind/graph.h"
#include "formats/callgrind/units.h"
#include "profile/builder.h"
#include "profile/names.h"

namespace wick::callgrind {
namespace {

constexpr std::string_view kRoot = "[root]";

// A line of a function, or a call from there.
struct Position {
  uint32_t function = 0;
  StringId file;
  uint32_t line = 0;
  uint32_t callee = kNoFunction;
  friend auto operator<=>(const Position&, const Position&) = default;
};

uint64_t hash_of(const Position& position) {
  return hash_mix(hash_mix(position.function, position.callee),
                  uint64_t{position.file.value} << 32U | position.line);
}

class Writer {
 public:
  Writer(const Profile& profile, Output& out)
      : profile_(profile), out_(out), events_(profile.events.size()) {}

  void run() {
    name_frames();
    add_self_costs();
    add_calls();
    add_roots();
    write_header();
    std::vector<uint32_t> order(rows_.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](uint32_t row) { return rows_[row]; });
    size_t end = 0;
    for (size_t begin = 0; begin < order.size(); begin = end) {
      while (end < order.size() && rows_[order[end]].function == rows_[order[begin]].function) {
        ++end;
      }
      write_function(std::span(order).subspan(begin, end - begin));
      flush();
    }
    print("\ntotals:");
    write_costs(totals_);
    flush();
  }

 private:
  // The function and the line of each frame.
  void name_frames() {
    for (size_t row = 0; row < profile_.frames.size(); ++row) {
      FrameId id = FrameId::from_index(row);
      const Frame& frame = profile_.frames[id];
      StringId file;
      ModuleId module = frame.module;
      if (frame.function.valid()) {
        file = profile_.functions[frame.function].file;
        module = profile_.functions[frame.function].module;
      }
      StringId object = module.valid() ? profile_.modules[module].path : StringId{};
      uint32_t function =
          functions_.intern({names_.intern(frame_name(profile_, id)), file, object});
      StringId line_file = frame.file.empty() ? file : frame.file;
      positions_.push_back({.function = function, .file = line_file, .line = frame.line});
    }
    function_totals_.assign(functions_.size() * events_, 0);
    function_outs_.assign(functions_.size() * events_, 0);
    is_called_.assign(functions_.size(), false);
  }

  uint32_t row(const Position& position) {
    uint32_t row = rows_.intern(position);
    row_counts_.resize(rows_.size());
    row_weights_.resize(rows_.size() * events_);
    return row;
  }

  void add_self_costs() {
    inclusive_.assign(profile_.stacks.size() * events_, 0);
    counts_.assign(profile_.stacks.size(), 0);
    totals_.assign(events_, 0);
    for (size_t row = 0; row < profile_.samples.size(); ++row) {
      size_t event = profile_.samples.event[row].index();
      int64_t weight = profile_.samples.weight[row];
      StackId stack = profile_.samples.stack[row];
      totals_[event] += weight;
      inclusive_[stack.index() * events_ + event] += weight;
      counts_[stack.index()] += profile_.samples.count[row];
    }
    for (size_t row = 0; row < profile_.stacks.size(); ++row) {
      StackId stack = StackId::from_index(row);
      if (has_cost(inclusive_, row)) {
        add_self(stack == kEmptyStack ? root() : positions_[profile_.stacks.frame(stack).index()],
                 row);
      }
    }
    // Parents precede their children.
    for (size_t row = profile_.stacks.size(); row-- > 1;) {
      size_t parent = profile_.stacks.parent(StackId::from_index(row)).index();
      counts_[parent] += counts_[row];
      for (size_t event = 0; event < events_; ++event) {
        inclusive_[parent * events_ + event] += inclusive_[row * events_ + event];
      }
    }
  }

  void add_self(const Position& position, size_t stack) {
    add(row(position), stack);
    if (position.function < function_totals_.size() / std::max<size_t>(events_, 1)) {
      add_to(function_outs_, position.function, stack);
    }
  }

  bool has_cost(const std::vector<int64_t>& costs, size_t row) const {
    auto begin = costs.begin() + static_cast<std::ptrdiff_t>(row * events_);
    return std::any_of(begin, begin + static_cast<std::ptrdiff_t>(events_), [](int64_t cost) {
      return cost != 0;
    });
  }
  void add(uint32_t row, size_t stack) {
    row_counts_[row] += counts_[stack];
    add_to(row_weights_, row, stack);
  }
  void add_to(std::vector<int64_t>& sums, size_t row, size_t stack) {
    for (size_t event = 0; event < events_; ++event) {
      sums[row * events_ + event] += inclusive_[stack * events_ + event];
    }
  }

  // One call for each stack whose innermost function is not among its callers.
  void add_calls() {
    std::vector<uint32_t> active(functions_.size());
    auto function_at = [&](StackId stack) {
      return positions_[profile_.stacks.frame(stack).index()].function;
    };
    StackChildren(profile_.stacks)
        .walk(
            [&](StackId stack) {
              if (stack != kEmptyStack && active[function_at(stack)]++ == 0) {
                add_call(stack, function_at(stack));
              }
            },
            [&](StackId stack) {
              if (stack != kEmptyStack) {
                --active[function_at(stack)];
              }
            });
  }

  void add_call(StackId stack, uint32_t function) {
    if (!has_cost(inclusive_, stack.index())) {
      return;
    }
    add_to(function_totals_, function, stack.index());
    StackId parent = profile_.stacks.parent(stack);
    if (parent == kEmptyStack) {
      roots_.push_back(stack);
      return;
    }
    Position position = positions_[profile_.stacks.frame(parent).index()];
    add_to(function_outs_, position.function, stack.index());
    is_called_[function] = true;
    position.callee = function;
    add(row(position), stack.index());
  }

  // See the top of the file. `functions_` grows, but the sums are only for the earlier ones.
  void add_roots() {
    for (StackId stack : roots_) {
      uint32_t function = positions_[profile_.stacks.frame(stack).index()].function;
      size_t begin = function * events_;
      bool is_total =
          std::equal(function_outs_.begin() + static_cast<std::ptrdiff_t>(begin),
                     function_outs_.begin() + static_cast<std::ptrdiff_t>(begin + events_),
                     function_totals_.begin() + static_cast<std::ptrdiff_t>(begin));
      if (is_called_[function] || !is_total) {
        Position position = root();
        position.callee = function;
        add(row(position), stack.index());
      }
    }
  }
  Position root() { return {.function = functions_.intern({names_.intern(kRoot), {}, {}})}; }

  void write_header() {
    print("# callgrind format\nversion: 1\ncreator: wick\n");
    if (profile_.processes.size() == 1) {
      const Process& process = profile_.processes[ProcessId(0)];
      if (process.pid >= 0) {
        print("pid: {}\n", process.pid);
      }
      StringId command = process.command.empty() ? process.name : process.command;
      if (!command.empty()) {
        print("cmd: {}\n", one_line(profile_.strings[command]));
      }
    }
    print(
        "desc: Calls: the number of samples; a call to a function that is on the stack "
        "already has no cost\npositions: line\nevents:");
    for (const Event& event : profile_.events) {
      print(" {}", event_text(profile_, event));
    }
    print("\nsummary:");
    write_costs(totals_);
  }

  void write_function(std::span<const uint32_t> rows) {
    uint32_t number = rows_[rows.front()].function;
    const GraphFunction& function = functions_[number];
    print("\nob=");
    print_object(function.object);
    print("fl=");
    print_file(function.file);
    print("fn=");
    print_function(number);
    StringId current = function.file;
    for (uint32_t row : rows) {
      const Position& position = rows_[row];
      if (position.file != current) {
        current = position.file;
        print("{}=", current == function.file ? "fe" : "fi");
        print_file(current);
      }
      if (position.callee != kNoFunction) {
        write_callee(functions_[position.callee], position.callee, function.object, current);
        print("calls={} 0\n", std::max<uint64_t>(row_counts_[row], 1));
      }
      print("{}", position.line);
      write_costs(std::span(row_weights_).subspan(row * events_, events_));
    }
  }

  void write_callee(const GraphFunction& callee,
                    uint32_t number,
                    StringId object_now,
                    StringId now) {
    if (callee.object != object_now) {
      print("cob=");
      print_object(callee.object);
    }
    if (callee.file != now) {
      print("cfi=");
      print_file(callee.file);
    }
    print("cfn=");
    print_function(number);
  }

  // Columns at the end that are 0 are left out, but not all.
  void write_costs(std::span<const int64_t> costs) {
    size_t size = costs.size();
    while (size > 1 && costs[size - 1] == 0) {
      --size;
    }
    for (size_t i = 0; i < size; ++i) {
      print(" {}", costs[i]);
    }
    print("\n");
  }

  void print_object(StringId path) { print_name(objects_, path.value, profile_.strings[path]); }
  void print_file(StringId path) { print_name(files_, path.value, profile_.strings[path]); }
  void print_function(uint32_t function) {
    StringId name = functions_[function].name;
    print_name(function_names_, name.value, names_.table()[name]);
  }

  // Numbers of names in order of their first use, from 1; 0: not used yet.
  struct Numbers {
    std::vector<uint32_t> of;
    uint32_t last = 0;
  };
  // The number of a name, and at its first use the name.
  void print_name(Numbers& numbers, uint32_t id, std::string_view name) {
    numbers.of.resize(std::max<size_t>(numbers.of.size(), size_t{id} + 1));
    uint32_t& number = numbers.of[id];
    if (number != 0) {
      print("({})\n", number);
      return;
    }
    number = ++numbers.last;
    print("({}) {}\n", number, name.empty() ? "???" : one_line(name));
  }

  template <typename... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }
  void flush() {
    out_.write(text_);
    text_.clear();
  }

  static std::string one_line(std::string_view text) {
    std::string result(text);
    std::ranges::replace_if(
        result, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }, ' ');
    size_t first = result.find_first_not_of(' ');
    return first == std::string::npos ? "???" : result.substr(first);
  }

  const Profile& profile_;
  Output& out_;
  size_t events_;
  StringInterner names_;
  FunctionTable functions_;
  std::vector<Position> positions_;  // by frame
  RowTable<Position> rows_;
  std::vector<int64_t> row_weights_;  // by row and event
  std::vector<uint64_t> row_counts_;
  std::vector<int64_t> inclusive_;        // by stack and event; self costs until they are added up
  std::vector<uint64_t> counts_;          // by stack
  std::vector<int64_t> totals_;           // by event
  std::vector<int64_t> function_totals_;  // by function and event: as in `wick report`
  std::vector<int64_t> function_outs_;    // its own lines and calls
  std::vector<bool> is_called_;
  std::vector<StackId> roots_;
  Numbers objects_;
  Numbers files_;
  Numbers function_names_;
  std::string text_;  // not written yet
};

}  // namespace

Result<> write(const Profile& profile, const FlagValues& /*flags*/, Output& out) {
  if (profile.events.empty()) {
    return fail("A callgrind file needs an event, and this profile has none.");
  }
  Writer(profile, out).run();
  return {};
}

}  // namespace wick::callgrind
