// SPDX-License-Identifier: Apache-2.0
// Rows that SQL has and a profile does not. Each kind is made when a query first needs it.
//
//     tasks        perf's threads: those of the profile, then main threads that have no row there
//     comms        perf's names of commands: one of each process, then other names of its threads
//     symbols      functions, then frames without a function, then names of spans
//     call paths   perf's tree of calls: stacks without inlined frames, then nested spans
//     functions    frames as `wick report` groups them: name and module, with their costs
//     labels       (set, label) for each label of each set
//     branches     (sample, branch) for each branch of each sample
//
// The number of a row here is the id in SQL minus one; "id" always means the one in SQL, 0 for none.
// Costs are those of the first event, as in a report.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "profile/names.h"
#include "profile/profile.h"
#include "profile/stack_costs.h"

namespace wick::sql {

struct TaskRow {
  int64_t machine = 1;
  int64_t main_thread = 0;
  int64_t pid = -1;
  int64_t tid = -1;
};

struct CommRow {
  StringId name;
  int64_t thread = 0;
  int64_t time = 0;
  bool exec = false;
};

struct Tasks {
  explicit Tasks(const Profile& profile);
  int64_t comm_of(ThreadId thread) const {
    return thread.valid() ? comm_of_task[thread.index()] : 0;
  }

  std::vector<TaskRow> tasks;
  std::vector<CommRow> comms;
  std::vector<int64_t> comm_of_task;  // the command of its process
};

struct SymbolRow {
  int64_t dso = 0;
  int64_t start = 0;
};

// A node of the tree of calls. The root has none of them.
struct CallPathRow {
  int64_t parent = 0;
  int64_t symbol = 0;
  int64_t ip = 0;
  FrameId frame;  // none for spans
};

struct CallRow {
  int64_t path = 0;
  int64_t parent_path = 0;
  int64_t parent = 0;  // a call
  uint32_t span = 0;   // row of the profile
};

class Symbols {
 public:
  explicit Symbols(const Profile& profile);
  size_t size() const { return functions_ + nameless_.size() + span_names_.size(); }
  int64_t of(FrameId frame) const;
  int64_t of_span(StringId name) const;
  // Of a row. The text is borrowed, or empty if `made` has it.
  std::string_view name(size_t row, std::string& made) const;
  SymbolRow operator[](size_t row) const;

 private:
  const Profile& profile_;
  size_t functions_;
  std::vector<FrameId> nameless_;     // sorted
  std::vector<StringId> span_names_;  // sorted
};

struct CallPaths {
  CallPaths(const Profile& profile, const Symbols& symbols);
  // The path of a stack without its inlined frames; 0 if no frame is left.
  int64_t of(StackId stack) const {
    return path_of_stack[stack.index()] == 0 ? 0 : path_of_stack[stack.index()] + 1;
  }
  // Of the innermost frame that is not inlined; none if there is none.
  FrameId frame_of(StackId stack) const { return paths[path_of_stack[stack.index()]].frame; }

  std::vector<CallPathRow> paths;       // the root first
  std::vector<uint32_t> path_of_stack;  // by stack: a row of paths
  std::vector<CallRow> calls;
};

struct FunctionRow {
  FrameId frame;  // the first of its frames
  Cost self;
  Cost total;
};

// The cost of each stack with all stacks that it is a part of, by stack.
std::vector<Cost> costs_of_subtrees(const Profile& profile, const StackCosts& costs);

struct FunctionRows {
  FunctionRows(const Profile& profile, const StackCosts& costs, const std::vector<Cost>& subtrees);
  int64_t of(FrameId frame) const {
    return frame.valid() ? int64_t{of_frame[frame.index()]} + 1 : 0;
  }

  std::vector<FunctionRow> functions;
  std::vector<uint32_t> of_frame;
};

// Rows of owners that have several each, without a list of all of them: of a profile that lies, that
// could be more than any memory holds.
class OwnedRows {
 public:
  struct Row {
    uint32_t owner = 0;
    uint32_t position = 0;  // among the owner's rows
  };

  // For each owner, in order.
  void add(uint64_t rows) { ends_.push_back(size() + rows); }
  uint64_t size() const { return ends_.empty() ? 0 : ends_.back(); }
  Row operator[](uint64_t row) const;

 private:
  std::vector<uint64_t> ends_;
};

class DerivedRows {
 public:
  explicit DerivedRows(const Profile& profile) : profile_(profile) {}

  const Tasks& tasks() const { return made(tasks_, profile_); }
  const Symbols& symbols() const { return made(symbols_, profile_); }
  const CallPaths& call_paths() const { return made(call_paths_, profile_, symbols()); }
  const FunctionRows& functions() const {
    return made(functions_, profile_, stack_costs(), subtrees());
  }
  const FoldedLabels& folded_labels() const { return made(folded_labels_, profile_); }
  const StackCosts& stack_costs() const;
  const std::vector<Cost>& subtrees() const;
  const std::vector<uint32_t>& depths() const;
  const OwnedRows& labels() const;  // the owners are label sets
  LabelId label(OwnedRows::Row row) const;
  const OwnedRows& branches() const;  // the owners are samples
  bool has_calls(size_t comm) const;
  int64_t first_time() const;  // of a sample; kNoTime if there is none

 private:
  template <typename T, typename... From>
  static const T& made(std::unique_ptr<T>& value, const From&... from) {
    if (value == nullptr) {
      value = std::make_unique<T>(from...);
    }
    return *value;
  }

  const Profile& profile_;
  mutable std::unique_ptr<Tasks> tasks_;
  mutable std::unique_ptr<Symbols> symbols_;
  mutable std::unique_ptr<CallPaths> call_paths_;
  mutable std::unique_ptr<FunctionRows> functions_;
  mutable std::unique_ptr<FoldedLabels> folded_labels_;
  mutable std::unique_ptr<StackCosts> stack_costs_;
  mutable std::unique_ptr<std::vector<Cost>> subtrees_;
  mutable std::unique_ptr<std::vector<uint32_t>> depths_;
  mutable std::unique_ptr<OwnedRows> labels_;
  mutable std::unique_ptr<OwnedRows> branches_;
  mutable std::unique_ptr<std::vector<bool>> has_calls_;  // by comm
  mutable std::unique_ptr<int64_t> first_time_;
};

}  // namespace wick::sql
