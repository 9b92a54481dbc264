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
#include <map>
#include <string>
#include <tuple>
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
    for (auto at = rows_.begin(); at != rows_.end();) {
      auto end = at;
      while (end != rows_.end() && end->first.function == at->first.function) {
        ++end;
      }
      write_function(at, end);
      at = end;
    }
    out_.write("\ntotals:");
    write_costs(totals_);
  }

 private:
  struct Costs {
    std::vector<int64_t> weights;  // by event
    uint64_t count = 0;
  };
  using Rows = std::map<Position, Costs>;

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

  Costs& row(const Position& position) {
    Costs& costs = rows_[position];
    costs.weights.resize(events_);
    return costs;
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
  void add(Costs& costs, size_t stack) {
    costs.count += counts_[stack];
    for (size_t event = 0; event < events_; ++event) {
      costs.weights[event] += inclusive_[stack * events_ + event];
    }
  }
  void add_to(std::vector<int64_t>& sums, uint32_t function, size_t stack) {
    for (size_t event = 0; event < events_; ++event) {
      sums[function * events_ + event] += inclusive_[stack * events_ + event];
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
    out_.write("# callgrind format\nversion: 1\ncreator: wick\n");
    if (profile_.processes.size() == 1) {
      const Process& process = profile_.processes[ProcessId(0)];
      if (process.pid >= 0) {
        out_.print("pid: {}\n", process.pid);
      }
      StringId command = process.command.empty() ? process.name : process.command;
      if (!command.empty()) {
        out_.print("cmd: {}\n", one_line(profile_.strings[command]));
      }
    }
    out_.write(
        "desc: Calls: the number of samples; a call to a function that is on the stack "
        "already has no cost\npositions: line\nevents:");
    for (const Event& event : profile_.events) {
      out_.print(" {}", event_text(profile_, event));
    }
    out_.write("\nsummary:");
    write_costs(totals_);
  }

  void write_function(Rows::const_iterator begin, Rows::const_iterator end) {
    const GraphFunction& function = functions_[begin->first.function];
    out_.print("\nob={}\n", object(function.object));
    out_.print("fl={}\n", file(function.file));
    out_.print("fn={}\n", function_text(begin->first.function));
    StringId current = function.file;
    for (auto at = begin; at != end; ++at) {
      const auto& [position, costs] = *at;
      if (position.file != current) {
        current = position.file;
        out_.print("{}={}\n", current == function.file ? "fe" : "fi", file(current));
      }
      if (position.callee != kNoFunction) {
        write_callee(functions_[position.callee], position.callee, function.object, current);
        out_.print("calls={} 0\n", std::max<uint64_t>(costs.count, 1));
      }
      out_.print("{}", position.line);
      write_costs(costs.weights);
    }
  }

  void write_callee(const GraphFunction& callee,
                    uint32_t number,
                    StringId object_now,
                    StringId now) {
    if (callee.object != object_now) {
      out_.print("cob={}\n", object(callee.object));
    }
    if (callee.file != now) {
      out_.print("cfi={}\n", file(callee.file));
    }
    out_.print("cfn={}\n", function_text(number));
  }

  // Columns at the end that are 0 are left out, but not all.
  void write_costs(const std::vector<int64_t>& costs) {
    size_t size = costs.size();
    while (size > 1 && costs[size - 1] == 0) {
      --size;
    }
    for (size_t i = 0; i < size; ++i) {
      out_.print(" {}", costs[i]);
    }
    out_.write("\n");
  }

  std::string object(StringId path) {
    return abbreviated(objects_, path.value, path.empty() ? "???" : profile_.strings[path]);
  }
  std::string file(StringId path) {
    return abbreviated(files_, path.value, path.empty() ? "???" : profile_.strings[path]);
  }
  std::string function_text(uint32_t function) {
    StringId name = functions_[function].name;
    return abbreviated(function_names_, name.value, names_.table()[name]);
  }
  // The number of a name, and at its first use the name.
  static std::string abbreviated(std::map<uint32_t, size_t>& numbers,
                                 uint32_t key,
                                 std::string_view name) {
    auto [at, is_new] = numbers.try_emplace(key, numbers.size() + 1);
    return is_new ? fmt::format("({}) {}", at->second, name.empty() ? "???" : one_line(name))
                  : fmt::format("({})", at->second);
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
  Rows rows_;
  std::vector<int64_t> inclusive_;        // by stack and event; self costs until they are added up
  std::vector<uint64_t> counts_;          // by stack
  std::vector<int64_t> totals_;           // by event
  std::vector<int64_t> function_totals_;  // by function and event: as in `wick report`
  std::vector<int64_t> function_outs_;    // its own lines and calls
  std::vector<bool> is_called_;
  std::vector<StackId> roots_;
  std::map<uint32_t, size_t> objects_;
  std::map<uint32_t, size_t> files_;
  std::map<uint32_t, size_t> function_names_;
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
