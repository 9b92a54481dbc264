// SPDX-License-Identifier: Apache-2.0
// Each kind of row is one pass over the profile's rows in their order: parents come before children, so
// a row's parent is always made already. Call paths are interned by symbol and address, which perf's
// are distinguished by.
#include "query/derived_rows.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "profile/frame_kinds.h"

namespace wick::sql {
namespace {

int64_t machine_of(const Profile& profile, ProcessId process) {
  SourceId source = process.valid() ? profile.processes[process].source : SourceId();
  return source.valid() ? int64_t{source.value} + 1 : 1;
}

bool is_physical(const Frame& frame) {
  return (frame.flags & kInlined) == 0;
}

using PathId = Id<struct CallPathTag>;
using CodeId = Id<struct CallCodeTag>;

// Frames of one symbol at one address are one code: paths of perf differ by both.
class Codes {
 public:
  Codes(const Profile& profile, const Symbols& symbols) {
    std::vector<std::pair<std::pair<int64_t, uint64_t>, uint32_t>> keys;
    for (uint32_t row = 0; row < profile.frames.size(); ++row) {
      FrameId id(row);
      keys.push_back({{symbols.of(id), profile.frames[id].address}, row});
    }
    std::ranges::sort(keys);
    of_frame_.resize(keys.size());
    for (size_t i = 0; i < keys.size(); ++i) {
      if (i == 0 || keys[i].first != keys[i - 1].first) {
        frames_.emplace_back(keys[i].second);
      }
      of_frame_[keys[i].second] = static_cast<uint32_t>(frames_.size() - 1);
    }
  }

  size_t size() const { return frames_.size(); }
  CodeId of(FrameId frame) const { return CodeId(of_frame_[frame.index()]); }
  FrameId frame(CodeId code) const { return frames_[code.index()]; }

 private:
  std::vector<uint32_t> of_frame_;
  std::vector<FrameId> frames_;  // the first frame of each code
};

using PathTree = PrefixTree<PathId, CodeId>;

}  // namespace

// ---- Tasks ----

Tasks::Tasks(const Profile& profile) {
  std::vector<int64_t> main_threads(profile.processes.size(), 0);
  for (uint32_t row = 0; row < profile.threads.size(); ++row) {
    const Thread& thread = profile.threads[ThreadId(row)];
    if (thread.process.valid() && profile.processes[thread.process].pid == thread.tid) {
      int64_t& main_thread = main_threads[thread.process.index()];
      main_thread = main_thread == 0 ? int64_t{row} + 1 : main_thread;
    }
  }
  auto threads = static_cast<int64_t>(profile.threads.size());
  for (int64_t& main_thread : main_threads) {
    main_thread = main_thread == 0 ? ++threads : main_thread;
  }
  for (uint32_t row = 0; row < profile.threads.size(); ++row) {
    const Thread& thread = profile.threads[ThreadId(row)];
    bool has_process = thread.process.valid();
    tasks.push_back(
        {.machine = machine_of(profile, thread.process),
         .main_thread = has_process ? main_threads[thread.process.index()] : int64_t{row} + 1,
         .pid = has_process ? profile.processes[thread.process].pid : -1,
         .tid = thread.tid});
  }
  for (uint32_t row = 0; row < profile.processes.size(); ++row) {
    const Process& process = profile.processes[ProcessId(row)];
    if (main_threads[row] > static_cast<int64_t>(profile.threads.size())) {
      tasks.push_back({.machine = machine_of(profile, ProcessId(row)),
                       .main_thread = main_threads[row],
                       .pid = process.pid,
                       .tid = process.pid});
    }
    comms.push_back({.name = process.name,
                     .thread = main_threads[row],
                     .time = process.begin_ns == kNoTime ? 0 : process.begin_ns,
                     .exec = process.begin_ns != kNoTime});
  }
  for (uint32_t row = 0; row < profile.threads.size(); ++row) {
    const Thread& thread = profile.threads[ThreadId(row)];
    bool has_process = thread.process.valid();
    if (!has_process || thread.name != profile.processes[thread.process].name) {
      comms.push_back({.name = thread.name,
                       .thread = int64_t{row} + 1,
                       .time = thread.begin_ns == kNoTime ? 0 : thread.begin_ns});
    }
    comm_of_task.push_back(has_process ? int64_t{thread.process.value} + 1
                                       : static_cast<int64_t>(comms.size()));
  }
  for (uint32_t row = 0; row < profile.processes.size(); ++row) {
    if (main_threads[row] > static_cast<int64_t>(profile.threads.size())) {
      comm_of_task.push_back(int64_t{row} + 1);
    }
  }
}

// ---- Symbols ----

Symbols::Symbols(const Profile& profile) : profile_(profile), functions_(profile.functions.size()) {
  for (uint32_t row = 0; row < profile.frames.size(); ++row) {
    const Frame& frame = profile.frames[FrameId(row)];
    if (!frame.function.valid() && frame.module.valid()) {
      nameless_.emplace_back(row);
    }
  }
  for (const Span& span : profile.spans) {
    span_names_.push_back(span.name);
  }
  std::ranges::sort(span_names_);
  auto repeated = std::ranges::unique(span_names_);
  span_names_.erase(repeated.begin(), repeated.end());
}

int64_t Symbols::of(FrameId id) const {
  const Frame& frame = profile_.frames[id];
  if (frame.function.valid()) {
    return int64_t{frame.function.value} + 1;
  }
  auto found = std::ranges::lower_bound(nameless_, id);
  bool is_known = found != nameless_.end() && *found == id;
  return is_known ? static_cast<int64_t>(functions_) + (found - nameless_.begin()) + 1 : 0;
}

int64_t Symbols::of_span(StringId name) const {
  auto found = std::ranges::lower_bound(span_names_, name);
  return static_cast<int64_t>(functions_ + nameless_.size()) + (found - span_names_.begin()) + 1;
}

std::string_view Symbols::name(size_t row, std::string& made) const {
  if (row < functions_) {
    return profile_.strings[profile_.functions[FunctionId::from_index(row)].name];
  }
  row -= functions_;
  if (row < nameless_.size()) {
    made = frame_name(profile_, nameless_[row]);
    return made;
  }
  return profile_.strings[span_names_[row - nameless_.size()]];
}

SymbolRow Symbols::operator[](size_t row) const {
  auto dso = [](ModuleId module) { return module.valid() ? int64_t{module.value} + 1 : 0; };
  if (row < functions_) {
    const Function& function = profile_.functions[FunctionId::from_index(row)];
    return {dso(function.module), static_cast<int64_t>(function.address)};
  }
  row -= functions_;
  if (row < nameless_.size()) {
    const Frame& frame = profile_.frames[nameless_[row]];
    return {dso(frame.module), static_cast<int64_t>(frame.address)};
  }
  return {};
}

// ---- Call paths ----

CallPaths::CallPaths(const Profile& profile, const Symbols& symbols) {
  Codes codes(profile, symbols);
  TreeInterner<PathTree> tree;
  path_of_stack.assign(profile.stacks.size(), 0);
  for (uint32_t row = 1; row < profile.stacks.size(); ++row) {
    FrameId frame = profile.stacks.frame(StackId(row));
    uint32_t parent = path_of_stack[profile.stacks.parent(StackId(row)).index()];
    path_of_stack[row] = is_physical(profile.frames[frame])
                             ? tree.intern(PathId(parent), codes.of(frame)).value
                             : parent;
  }
  // A span is a call of its name, inside the span that it is a part of.
  std::vector<uint32_t> path_of_span(profile.spans.size(), 0);
  std::vector<int64_t> call_of_span(profile.spans.size(), 0);
  auto first_name = static_cast<uint32_t>(codes.size());
  for (uint32_t row = 0; row < profile.spans.size(); ++row) {
    const Span& span = profile.spans[row];
    uint32_t parent = span.parent.valid() ? path_of_span[span.parent.index()] : 0;
    path_of_span[row] = parent;
    call_of_span[row] = span.parent.valid() ? call_of_span[span.parent.index()] : 0;
    if (span.kind == SpanKind::kOffCpu) {
      continue;
    }
    auto name = static_cast<uint32_t>(symbols.of_span(span.name));
    path_of_span[row] = tree.intern(PathId(parent), CodeId(first_name + name)).value;
    calls.push_back({.path = int64_t{path_of_span[row]} + 1,
                     .parent_path = int64_t{parent} + 1,
                     .parent = call_of_span[row],
                     .span = row});
    call_of_span[row] = static_cast<int64_t>(calls.size());
  }
  const PathTree& nodes = tree.tree();
  paths.resize(nodes.size());
  for (uint32_t row = 1; row < nodes.size(); ++row) {
    CallPathRow& path = paths[row];
    CodeId code = nodes.label(PathId(row));
    path.parent = int64_t{nodes.parent(PathId(row)).value} + 1;
    if (code.index() < codes.size()) {
      path.frame = codes.frame(code);
      path.symbol = symbols.of(path.frame);
      path.ip = static_cast<int64_t>(profile.frames[path.frame].address);
    } else {
      path.symbol = int64_t{code.value} - first_name;
    }
  }
}

// ---- Functions ----

std::vector<Cost> costs_of_subtrees(const Profile& profile, const StackCosts& costs) {
  std::vector<Cost> subtrees(profile.stacks.size());
  for (size_t row = profile.stacks.size(); row-- > 0;) {
    StackId stack = StackId::from_index(row);
    subtrees[row] += costs.self(stack);
    if (stack != kEmptyStack) {
      subtrees[profile.stacks.parent(stack).index()] += subtrees[row];
    }
  }
  return subtrees;
}

FunctionRows::FunctionRows(const Profile& profile,
                           const StackCosts& costs,
                           const std::vector<Cost>& subtrees) {
  std::unordered_map<std::string, uint32_t> known;
  for (uint32_t row = 0; row < profile.frames.size(); ++row) {
    const Frame& frame = profile.frames[FrameId(row)];
    std::string key = frame_name(profile, FrameId(row));
    key += '\0';
    key += module_path(profile, frame);
    if (std::string_view kind = frame_kind(frame); separates_namesakes(kind)) {
      key += '\0';
      key += kind;
    }
    auto [entry, is_new] =
        known.try_emplace(std::move(key), static_cast<uint32_t>(functions.size()));
    if (is_new) {
      functions.push_back({.frame = FrameId(row)});
    }
    of_frame.push_back(entry->second);
  }
  auto function_of = [&](StackId stack) { return of_frame[profile.stacks.frame(stack).index()]; };
  for (StackId stack : costs.stacks()) {
    if (stack != kEmptyStack) {
      functions[function_of(stack)].self += costs.self(stack);
    }
  }
  // The cost of each subtree belongs to a function where the function is entered for the first time
  // on the way from the root.
  std::vector<uint32_t> open(functions.size(), 0);
  StackChildren children(profile.stacks);
  children.walk(
      [&](StackId stack) {
        if (stack != kEmptyStack && open[function_of(stack)]++ == 0) {
          functions[function_of(stack)].total += subtrees[stack.index()];
        }
      },
      [&](StackId stack) {
        if (stack != kEmptyStack) {
          --open[function_of(stack)];
        }
      });
}

// ---- The others ----

const StackCosts& DerivedRows::stack_costs() const {
  if (stack_costs_ == nullptr) {
    stack_costs_ = std::make_unique<StackCosts>(costs_of_first_event(profile_));
  }
  return *stack_costs_;
}

const std::vector<Cost>& DerivedRows::subtrees() const {
  if (subtrees_ == nullptr) {
    subtrees_ = std::make_unique<std::vector<Cost>>(costs_of_subtrees(profile_, stack_costs()));
  }
  return *subtrees_;
}

const std::vector<uint32_t>& DerivedRows::depths() const {
  if (depths_ == nullptr) {
    depths_ = std::make_unique<std::vector<uint32_t>>(profile_.stacks.size(), 0);
    for (uint32_t row = 1; row < profile_.stacks.size(); ++row) {
      (*depths_)[row] = (*depths_)[profile_.stacks.parent(StackId(row)).index()] + 1;
    }
  }
  return *depths_;
}

OwnedRows::Row OwnedRows::operator[](uint64_t row) const {
  auto owner = std::ranges::upper_bound(ends_, row) - ends_.begin();
  uint64_t first = owner == 0 ? 0 : ends_[static_cast<size_t>(owner) - 1];
  return {.owner = static_cast<uint32_t>(owner), .position = static_cast<uint32_t>(row - first)};
}

const OwnedRows& DerivedRows::labels() const {
  if (labels_ == nullptr) {
    labels_ = std::make_unique<OwnedRows>();
    std::vector<uint32_t> depths(profile_.label_sets.size(), 0);
    for (uint32_t set = 0; set < profile_.label_sets.size(); ++set) {
      LabelSetId id(set);
      depths[set] = id == kNoLabels ? 0 : depths[profile_.label_sets.parent(id).index()] + 1;
      labels_->add(depths[set]);
    }
  }
  return *labels_;
}

// The labels of a set are on the way to it from the root.
LabelId DerivedRows::label(OwnedRows::Row row) const {
  LabelSetId set(row.owner);
  for (uint32_t up = 0; up < row.position; ++up) {
    set = profile_.label_sets.parent(set);
  }
  return profile_.label_sets.label(set);
}

const OwnedRows& DerivedRows::branches() const {
  if (branches_ == nullptr) {
    branches_ = std::make_unique<OwnedRows>();
    for (uint32_t row = 0; row < profile_.samples.size(); ++row) {
      BranchSetId set = profile_.samples.branches[row];
      branches_->add(set.valid() ? profile_.branch_sets[set].count : 0);
    }
  }
  return *branches_;
}

bool DerivedRows::has_calls(size_t comm) const {
  if (has_calls_ == nullptr) {
    has_calls_ = std::make_unique<std::vector<bool>>(tasks().comms.size(), false);
    for (const CallRow& call : call_paths().calls) {
      if (int64_t id = tasks().comm_of(profile_.spans[call.span].thread); id > 0) {
        (*has_calls_)[static_cast<size_t>(id - 1)] = true;
      }
    }
  }
  return (*has_calls_)[comm];
}

int64_t DerivedRows::first_time() const {
  if (first_time_ == nullptr) {
    int64_t first = kNoTime;
    for (size_t row = 0; row < profile_.samples.size(); ++row) {
      int64_t time = profile_.samples.time_ns[row];
      if (time != kNoTime && (first == kNoTime || time < first)) {
        first = time;
      }
    }
    first_time_ = std::make_unique<int64_t>(first);
  }
  return *first_time_;
}

}  // namespace wick::sql
