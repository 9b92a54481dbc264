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
#include "formats/callgrind/recursive_stacks.h"
#include "formats/callgrind/units.h"
#include "profile/builder.h"
#include "profile/names.h"

namespace wick::callgrind {
namespace {

constexpr std::string_view kRoot = "[root]";

// A line of a function.
struct Position {
  uint32_t function = 0;
  StringId file;
  uint32_t line = 0;
  friend auto operator<=>(const Position&, const Position&) = default;
};

uint64_t hash_of(const Position& position) {
  return hash_mix(position.function, uint64_t{position.file.value} << 32U | position.line);
}

class Writer {
 public:
  Writer(const Profile& profile, Output& out)
      : profile_(profile), out_(out), events_(profile.events.size()) {}

  void run() {
    name_frames();
    add_self_costs();
    collect_calls();
    write_header();
    size_t end = 0;
    for (size_t begin = 0; begin < positions_.size(); begin = end) {
      while (end < positions_.size() && positions_[end].function == positions_[begin].function) {
        ++end;
      }
      write_function(begin, end);
      flush();
    }
    add("\ntotals:");
    write_costs(totals_);
    flush();
  }

 private:
  // What one stack adds to the cost of a call. Reading the costs of stacks in the order of calls,
  // which is random for memory, would take longer than all the rest.
  struct Call {
    uint32_t callee = 0;
    uint64_t count = 0;
    int64_t cost = 0;  // if there are several events: the stack
  };

  // Numbers the positions of all frames in the order of the file. "[root]" is the last function.
  void name_frames() {
    RowTable<Position> known;
    std::vector<uint32_t> position_of_frame;
    for (size_t row = 0; row < profile_.frames.size(); ++row) {
      position_of_frame.push_back(known.intern(position_at(FrameId::from_index(row))));
    }
    root_ = known.intern({.function = functions_.intern({names_.intern(kRoot), {}, {}})});
    std::vector<uint32_t> order(known.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](uint32_t row) { return known[row]; });
    std::vector<uint32_t> number(known.size());
    for (uint32_t row : order) {
      number[row] = static_cast<uint32_t>(positions_.size());
      positions_.push_back(known[row]);
    }
    root_ = number[root_];
    position_of_stack_.reserve(profile_.stacks.size());
    position_of_stack_.push_back(root_);
    for (size_t row = 1; row < profile_.stacks.size(); ++row) {
      FrameId frame = profile_.stacks.frame(StackId::from_index(row));
      position_of_stack_.push_back(number[position_of_frame[frame.index()]]);
    }
    function_totals_.assign(functions_.size() * events_, 0);
    function_outs_.assign(functions_.size() * events_, 0);
    is_called_.assign(functions_.size(), false);
  }

  Position position_at(FrameId id) {
    const Frame& frame = profile_.frames[id];
    StringId file;
    ModuleId module = frame.module;
    if (frame.function.valid()) {
      file = profile_.functions[frame.function].file;
      module = profile_.functions[frame.function].module;
    }
    StringId object = module.valid() ? profile_.modules[module].path : StringId{};
    uint32_t function = functions_.intern({names_.intern(frame_name(profile_, id)), file, object});
    return {
        .function = function, .file = frame.file.empty() ? file : frame.file, .line = frame.line};
  }

  uint32_t position_of(StackId stack) const { return position_of_stack_[stack.index()]; }
  uint32_t function_of(StackId stack) const { return positions_[position_of(stack)].function; }

  void add_self_costs() {
    inclusive_.assign(profile_.stacks.size() * events_, 0);
    counts_.assign(profile_.stacks.size(), 0);
    selves_.assign(positions_.size() * events_, 0);
    totals_.assign(events_, 0);
    for (size_t row = 0; row < profile_.samples.size(); ++row) {
      size_t event = profile_.samples.event[row].index();
      int64_t weight = profile_.samples.weight[row];
      StackId stack = profile_.samples.stack[row];
      totals_[event] += weight;
      inclusive_[stack.index() * events_ + event] += weight;
      selves_[position_of(stack) * events_ + event] += weight;
      function_outs_[function_of(stack) * events_ + event] += weight;
      counts_[stack.index()] += profile_.samples.count[row];
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

  std::span<const int64_t> costs(const std::vector<int64_t>& sums, size_t row) const {
    return std::span(sums).subspan(row * events_, events_);
  }
  static bool has_cost(std::span<const int64_t> costs) {
    return std::ranges::any_of(costs, [](int64_t cost) { return cost != 0; });
  }
  void add_to(std::vector<int64_t>& sums, size_t row, size_t stack) const {
    for (size_t event = 0; event < events_; ++event) {
      sums[row * events_ + event] += inclusive_[stack * events_ + event];
    }
  }

  // By position, then callee. There are many, so their places are counted, not found by comparing.
  void collect_calls() {
    RecursiveStacks is_recursive(
        profile_.stacks, functions_.size(), [&](StackId stack) { return function_of(stack); });
    first_call_.assign(positions_.size() + 1, 0);
    for_each_call(is_recursive, [&](StackId stack, StackId caller) { count_call(stack, caller); });
    std::erase_if(roots_, [&](StackId stack) { return !is_called_by_root(function_of(stack)); });
    first_call_[root_ + 1] += roots_.size();
    std::partial_sum(first_call_.begin(), first_call_.end(), first_call_.begin());
    std::vector<size_t> next(first_call_.begin(), first_call_.end() - 1);
    calls_.resize(first_call_.back());
    for_each_call(is_recursive, [&](StackId stack, StackId caller) {
      if (caller != kEmptyStack) {
        calls_[next[position_of(caller)]++] = call_of(stack);
      }
    });
    for (StackId stack : roots_) {
      calls_[next[root_]++] = call_of(stack);
    }
    for (size_t position = 0; position < positions_.size(); ++position) {
      std::ranges::sort(calls_of(position), {}, &Call::callee);
    }
  }

  // Calls use(stack, caller) for each stack whose innermost function is not among its callers.
  template <typename Use>
  void for_each_call(const RecursiveStacks& is_recursive, Use use) const {
    for (size_t row = 1; row < profile_.stacks.size(); ++row) {
      StackId stack = StackId::from_index(row);
      if (!is_recursive[stack] && has_cost(costs(inclusive_, row))) {
        use(stack, profile_.stacks.parent(stack));
      }
    }
  }

  void count_call(StackId stack, StackId caller) {
    uint32_t function = function_of(stack);
    add_to(function_totals_, function, stack.index());
    if (caller == kEmptyStack) {
      roots_.push_back(stack);
      return;
    }
    add_to(function_outs_, function_of(caller), stack.index());
    is_called_[function] = true;
    ++first_call_[position_of(caller) + 1];
  }

  // See the top of the file.
  bool is_called_by_root(uint32_t function) const {
    bool is_total =
        std::ranges::equal(costs(function_outs_, function), costs(function_totals_, function));
    return is_called_[function] || !is_total;
  }

  Call call_of(StackId stack) const {
    return {.callee = function_of(stack),
            .count = counts_[stack.index()],
            .cost = events_ == 1 ? inclusive_[stack.index()] : int64_t{stack.value}};
  }
  void add_costs(const Call& call, std::vector<int64_t>& sums) const {
    if (events_ == 1) {
      sums[0] += call.cost;
    } else {
      add_to(sums, 0, static_cast<size_t>(call.cost));
    }
  }

  std::span<Call> calls_of(size_t position) {
    return std::span(calls_).subspan(first_call_[position],
                                     first_call_[position + 1] - first_call_[position]);
  }

  void write_header() {
    add("# callgrind format\nversion: 1\ncreator: wick\n");
    if (profile_.processes.size() == 1) {
      const Process& process = profile_.processes[ProcessId(0)];
      if (process.pid >= 0) {
        add(fmt::format("pid: {}\n", process.pid));
      }
      StringId command = process.command.empty() ? process.name : process.command;
      if (!command.empty()) {
        add(fmt::format("cmd: {}\n", one_line(profile_.strings[command])));
      }
    }
    add("desc: Calls: the number of samples; a call to a function that is on the stack "
        "already has no cost\npositions: line\nevents:");
    for (const Event& event : profile_.events) {
      add(fmt::format(" {}", event_text(profile_, event)));
    }
    add("\nsummary:");
    write_costs(totals_);
  }

  // The positions [begin, end) of a function; nothing if it has no costs.
  void write_function(size_t begin, size_t end) {
    uint32_t number = positions_[begin].function;
    const GraphFunction& function = functions_[number];
    StringId file = function.file;
    bool is_first = true;
    for (size_t at = begin; at < end; ++at) {
      if (calls_of(at).empty() && !has_cost(costs(selves_, at))) {
        continue;
      }
      if (is_first) {
        add("\nob=");
        add_object(function.object);
        add("fl=");
        add_file(function.file);
        add("fn=");
        add_function(number);
        is_first = false;
      }
      if (positions_[at].file != file) {
        file = positions_[at].file;
        add(file == function.file ? "fe=" : "fi=");
        add_file(file);
      }
      write_position(at, function.object);
    }
  }

  void write_position(size_t at, StringId object) {
    std::span<const Call> calls = calls_of(at);
    std::vector<int64_t> sums(events_);
    for (size_t i = 0; i < calls.size();) {
      uint32_t callee = calls[i].callee;
      uint64_t count = 0;
      std::ranges::fill(sums, 0);
      for (; i < calls.size() && calls[i].callee == callee; ++i) {
        count += calls[i].count;
        add_costs(calls[i], sums);
      }
      write_callee(callee, object, positions_[at].file);
      add("calls=");
      add_number(std::max<uint64_t>(count, 1));
      add(" 0\n");
      add_number(positions_[at].line);
      write_costs(sums);
    }
    if (has_cost(costs(selves_, at))) {
      add_number(positions_[at].line);
      write_costs(costs(selves_, at));
    }
  }

  void write_callee(uint32_t number, StringId object_now, StringId file_now) {
    const GraphFunction& callee = functions_[number];
    if (callee.object != object_now) {
      add("cob=");
      add_object(callee.object);
    }
    if (callee.file != file_now) {
      add("cfi=");
      add_file(callee.file);
    }
    add("cfn=");
    add_function(number);
  }

  // Columns at the end that are 0 are left out, but not all.
  void write_costs(std::span<const int64_t> costs) {
    size_t size = costs.size();
    while (size > 1 && costs[size - 1] == 0) {
      --size;
    }
    for (size_t i = 0; i < size; ++i) {
      add(" ");
      add_number(costs[i]);
    }
    add("\n");
  }

  void add_object(StringId path) { add_name(objects_, path.value, profile_.strings[path]); }
  void add_file(StringId path) { add_name(files_, path.value, profile_.strings[path]); }
  void add_function(uint32_t function) {
    StringId name = functions_[function].name;
    add_name(function_names_, name.value, names_.table()[name]);
  }

  // Numbers of names in order of their first use, from 1; 0: not used yet.
  struct Numbers {
    std::vector<uint32_t> of;
    uint32_t last = 0;
  };
  // The number of a name, and at its first use the name.
  void add_name(Numbers& numbers, uint32_t id, std::string_view name) {
    if (id >= numbers.of.size()) {
      numbers.of.resize(std::max<size_t>(numbers.of.size() * 2, size_t{id} + 1));
    }
    uint32_t& number = numbers.of[id];
    bool is_new = number == 0;
    number = is_new ? ++numbers.last : number;
    add("(");
    add_number(number);
    add(")");
    if (is_new) {
      add(" ");
      add(name.empty() ? "???" : one_line(name));
    }
    add("\n");
  }

  void add(std::string_view text) { text_ += text; }
  template <typename Number>
  void add_number(Number number) {
    fmt::format_int digits(number);
    text_.append(digits.data(), digits.size());
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
  std::vector<Position> positions_;  // in the order of the file
  std::vector<uint32_t> position_of_stack_;
  uint32_t root_ = 0;
  std::vector<int64_t> selves_;  // by position and event
  std::vector<Call> calls_;
  std::vector<size_t> first_call_;        // by position, once calls_ is sorted
  std::vector<int64_t> inclusive_;        // by stack and event
  std::vector<uint64_t> counts_;          // by stack, with those of its callees
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
