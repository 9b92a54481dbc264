// SPDX-License-Identifier: Apache-2.0
#include "analyze/hot/reduced_tree.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace wick {
namespace {

// Functions of the language's standard library and its system library, by name and by module.
constexpr std::array<std::string_view, 8> kRuntimeNames = {
    "std::", "__gnu_cxx::", "core::", "alloc::", "hashbrown::", "<core::", "<alloc::", "<std::"};
constexpr std::array<std::string_view, 9> kRuntimeModules = {"libc.so",
                                                             "libc-",
                                                             "libc++",
                                                             "libstdc++",
                                                             "libm.so",
                                                             "libm-",
                                                             "libgcc_s",
                                                             "libpthread",
                                                             "ld-linux"};
// Their cost is one cost, whichever part of the standard library calls them.
constexpr std::array<std::string_view, 7> kAllocation = {
    "malloc", "calloc", "realloc", "free", "cfree", "operator new", "operator delete"};

// "<usize as core::iter::traits::accum::Sum>::sum", "<u64>::ilog2": methods of a type without a
// path. Only Rust's own libraries have them, but for those of the program's own traits.
bool is_of_builtin_type(std::string_view name) {
  constexpr std::array<std::string_view, 3> kLibraries = {"core::", "alloc::", "std::"};
  size_t as = name.find(" as ");
  std::string_view type = name.substr(0, std::min(as, name.find(">::")));
  if (!name.starts_with('<') || type.size() == name.size() || type.contains("::")) {
    return false;
  }
  return type.size() != as || std::ranges::any_of(kLibraries, [&](std::string_view library) {
           return name.substr(as + 4).starts_with(library);
         });
}

bool is_runtime(const Group& group) {
  auto starts = [](const std::string& text) {
    return [&text](std::string_view prefix) { return text.starts_with(prefix); };
  };
  return std::ranges::any_of(kRuntimeNames, starts(group.name)) || is_of_builtin_type(group.name) ||
         std::ranges::any_of(kRuntimeModules, starts(group.module));
}

bool is_allocation(const Group& group) {
  std::string_view name = group.name;
  return std::ranges::find(kAllocation, name.substr(0, name.find_first_of("([<"))) !=
         kAllocation.end();
}

// Walks the stacks depth first and records the node of each function on the current path.
class Reducer {
 public:
  Reducer(const Profile& profile, const FrameGroups& groups, const std::vector<bool>& matters)
      : stacks_(profile.stacks),
        frames_(profile.frames),
        groups_(groups),
        matters_(matters),
        children_(profile.stacks),
        on_path_(groups.size()),
        adds_(profile.stacks.size()),
        has_user_code_(profile.stacks.size()),
        runtime_owner_(profile.stacks.size()) {
    for (size_t row = 0; row < groups.size(); ++row) {
      const Group& group = groups[GroupId::from_index(row)];
      allocation_.push_back(is_allocation(group));
      runtime_.push_back(allocation_.back() || is_runtime(group));
    }
  }

  CallPaths walk(ReducedTree& reduced) {
    reduced.node_of_stack.assign(stacks_.size(), CallPaths::kRoot);
    reduced.ends_in_own.resize(stacks_.size());
    std::vector<CallNode> innermost(stacks_.size(), CallPaths::kRoot);
    StackId stack = children_.first(kEmptyStack);
    while (stack.valid()) {
      enter(stack, innermost, reduced);
      StackId next = children_.first(stack);
      while (!next.valid() && stack != kEmptyStack) {
        leave(stack);
        next = children_.next(stack);
        stack = stacks_.parent(stack);
      }
      stack = next;
    }
    return interner_.release();
  }

 private:
  // If the function is already on the path (recursion), the sample belongs to its outer node.
  void enter(StackId stack, std::vector<CallNode>& innermost, ReducedTree& reduced) {
    StackId above = stacks_.parent(stack);
    CallNode parent = innermost[above.index()];
    GroupId group = groups_.of(stacks_.frame(stack));
    bool kernel = is_kernel(frames_[stacks_.frame(stack)].mode);
    has_user_code_[stack.index()] = has_user_code_[above.index()] || !kernel;
    if (kernel ? has_user_code_[above.index()] : is_internal(group, above)) {
      innermost[stack.index()] = parent;
      runtime_owner_[stack.index()] = runtime_owner_[above.index()];
      reduced.node_of_stack[stack.index()] = reduced.node_of_stack[above.index()];
      reduced.ends_in_own[stack.index()] = reduced.ends_in_own[above.index()];
      return;
    }
    bool matters = matters_[group.index()];
    runtime_owner_[stack.index()] = matters ? group : GroupId();
    CallNode& known = on_path_[group.index()];
    if (matters && !known.valid()) {
      known = interner_.intern(parent, group);
      adds_[stack.index()] = true;
      parent = known;
    }
    innermost[stack.index()] = parent;
    reduced.node_of_stack[stack.index()] = matters ? known : parent;
    reduced.ends_in_own[stack.index()] = matters;
  }

  // Whether the group is called by a function of the standard library that has a node, and is not
  // the first function of an allocation.
  bool is_internal(GroupId group, StackId above) const {
    GroupId owner = runtime_owner_[above.index()];
    return runtime_[group.index()] && owner.valid() && runtime_[owner.index()] &&
           (!allocation_[group.index()] || allocation_[owner.index()]);
  }

  void leave(StackId stack) {
    if (adds_[stack.index()]) {
      on_path_[groups_.of(stacks_.frame(stack)).index()] = CallNode();
    }
  }

  const StackTree& stacks_;
  const IdVector<FrameId, Frame>& frames_;
  const FrameGroups& groups_;
  const std::vector<bool>& matters_;
  TreeChildren<StackTree> children_;
  TreeInterner<CallPaths> interner_;
  std::vector<CallNode> on_path_;       // by group; none if it is not on the current path
  std::vector<bool> adds_;              // by stack: whether its frame put its function on the path
  std::vector<bool> has_user_code_;     // by stack
  std::vector<GroupId> runtime_owner_;  // by stack: whose own samples those of internals below are
  std::vector<bool> runtime_;           // by group
  std::vector<bool> allocation_;        // by group
};

}  // namespace

ReducedTree reduce_tree(const Profile& profile,
                        const FrameGroups& groups,
                        const StackCosts& costs,
                        const std::vector<bool>& matters) {
  ReducedTree reduced;
  reduced.paths = Reducer(profile, groups, matters).walk(reduced);
  reduced.nodes_of_group.resize(groups.size());
  for (size_t row = 1; row < reduced.paths.size(); ++row) {
    CallNode node = CallNode::from_index(row);
    reduced.nodes_of_group[reduced.paths.label(node).index()].push_back(node);
  }
  reduced.own.resize(reduced.paths.size());
  reduced.rest.resize(reduced.paths.size());
  for (StackId stack : costs.stacks()) {
    std::vector<int64_t>& into = reduced.ends_in_own[stack.index()] ? reduced.own : reduced.rest;
    into[reduced.node_of_stack[stack.index()].index()] += costs.self(stack).weight;
  }
  return reduced;
}

}  // namespace wick
