// SPDX-License-Identifier: Apache-2.0
// Nodes and samples come in any order, so both are collected first. The nodes of a damaged file can
// form cycles: a node that is its own ancestor becomes a root, and the loss is counted.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/escape.h"
#include "base/json_reader.h"
#include "formats/anonymous_function.h"
#include "formats/broken_input.h"
#include "formats/cpuprofile/cpuprofile.h"
#include "formats/json_shape.h"

namespace wick::cpuprofile {
namespace {

constexpr int64_t kMaxMicroseconds = INT64_MAX / 4000;
constexpr uint32_t kNoNode = UINT32_MAX;
constexpr int64_t kMostHits = int64_t{1} << 32;  // of a node

struct Node {
  int64_t id = 0;
  FrameId frame;  // none for the root
  uint32_t parent = kNoNode;
  StackId stack;
  int64_t hits = 0;
};

// As in the file, but lines and columns count from 1.
struct CallFrame {
  std::string name;
  std::string url;
  uint32_t line = 0;
  uint32_t column = 0;
};

struct NestedNode {
  uint32_t number = 0;
  CallFrame call_frame = {};
};

// V8 counts from 0, and writes -1 if it does not know.
uint32_t position_of(std::optional<int64_t> number) {
  return number && *number >= 0 && *number < UINT32_MAX ? static_cast<uint32_t>(*number + 1) : 0;
}

class Reader {
 public:
  explicit Reader(Input& input) : input_(input), json_(input) {}

  Result<Profile> read() {
    if (json_.next() != JsonToken::kBeginObject) {
      return fail("{} is not a CPU profile of V8.", terminal_text(input_.name()));
    }
    while (json_.next_key()) {
      read_member(json_.text());
    }
    if (json_.failed() && (!json_.is_cut() || nodes_.empty())) {
      return fail("{} cannot be read: {}", terminal_text(input_.name()), json_.error());
    }
    set_times();
    connect();
    make_stacks();
    add_samples();
    add_losses();
    return builder_.finish();
  }

 private:
  void read_member(std::string_view key) {
    if (key == "nodes") {
      read_nodes();
    } else if (key == "head") {
      read_head();
    } else if (key == "samples") {
      samples_ = read_numbers();
    } else if (key == "timeDeltas") {
      deltas_ = read_numbers();
    } else if (key == "timestamps") {
      timestamps_ = read_numbers();
    } else if (key == "startTime" || key == "endTime") {
      std::optional<double>& time = key == "startTime" ? start_time_ : end_time_;
      time = json_.read_double().value_or(NAN);
    } else {
      json_.skip();
    }
  }

  // In the older form, start and end are seconds, and samples have times instead of differences.
  void set_times() {
    double unit = is_nested_ ? 1e6 : 1;
    start_ = start_time_ ? bounded(*start_time_ * unit) : 0;
    end_ = end_time_ ? bounded(*end_time_ * unit) : 0;
    if (deltas_.empty()) {
      int64_t before = start_;
      for (int64_t time : timestamps_) {
        deltas_.push_back(time - std::exchange(before, time));
      }
    }
  }

  // Whole microseconds; some tools write fractions.
  int64_t bounded(std::optional<double> number) {
    bool is_good = number && std::abs(*number) < static_cast<double>(kMaxMicroseconds);
    bad_numbers_ += is_good ? 0U : 1U;
    return is_good ? static_cast<int64_t>(*number) : 0;
  }

  // Whether the value that follows a key begins with the bracket; another value is skipped and
  // counted.
  bool begins(JsonToken bracket) {
    if (json_.next() == bracket) {
      return true;
    }
    json_.skip();
    count_wrong();
    return false;
  }
  std::string text() {
    std::optional<std::string_view> value = json_.read_text();
    if (!value) {
      count_wrong();
    }
    return std::string(value.value_or(""));
  }
  void count_wrong() { wrong_values_ += json_.failed() ? 0U : 1U; }

  void read_nodes() {
    if (begins(JsonToken::kBeginArray)) {
      while (json_.next_item()) {
        read_node();
      }
    }
  }

  // The older form: nodes inside of nodes, to any depth. `open` has those that are not complete.
  void read_head() {
    if (!begins(JsonToken::kBeginObject)) {
      return;
    }
    is_nested_ = true;
    std::vector<NestedNode> open = {{.number = add_node(kNoNode)}};
    bool is_in_list = false;
    while (!open.empty() && !json_.failed()) {
      if (is_in_list) {
        is_in_list = json_.next_item();
        if (json_.is(JsonToken::kBeginObject)) {
          open.push_back({.number = add_node(open.back().number)});
          is_in_list = false;
        } else if (is_in_list) {
          json_.skip();
          count_wrong();
        }
      } else if (json_.next_key()) {
        is_in_list = read_nested_value(open.back());
      } else {
        end_node(open.back());
        open.pop_back();
        is_in_list = !open.empty();
      }
    }
  }

  // Whether the list of children begins.
  bool read_nested_value(NestedNode& node) {
    if (json_.text() == "children") {
      return begins(JsonToken::kBeginArray);
    }
    if (json_.text() == "id") {
      nodes_[node.number].id = json_.read_int64().value_or(0);
    } else if (json_.text() == "hitCount") {
      nodes_[node.number].hits = read_hits();
    } else {
      read_call_frame_value(node.call_frame);
    }
    return false;
  }

  uint32_t add_node(uint32_t parent) {
    nodes_.push_back({.parent = parent});
    return static_cast<uint32_t>(nodes_.size() - 1);
  }
  void end_node(const NestedNode& node) {
    if (!json_.failed()) {
      nodes_[node.number].frame = frame_of(node.call_frame);
    }
    bad_nodes_ += by_id_.emplace(nodes_[node.number].id, node.number).second ? 0U : 1U;
  }

  int64_t read_hits() { return std::clamp<int64_t>(json_.read_int64().value_or(0), 0, kMostHits); }

  std::vector<int64_t> read_numbers() {
    std::vector<int64_t> numbers;
    if (!begins(JsonToken::kBeginArray)) {
      return numbers;
    }
    while (json_.next_item()) {
      std::optional<double> number = json_.as_double();
      json_.skip();
      numbers.push_back(bounded(number));
    }
    return numbers;
  }

  void read_node() {
    if (!json_.is(JsonToken::kBeginObject)) {
      json_.skip();
      ++bad_nodes_;
      return;
    }
    Node node;
    uint32_t number = static_cast<uint32_t>(nodes_.size());
    std::optional<int64_t> parent;
    while (json_.next_key()) {
      if (json_.text() == "id") {
        node.id = json_.read_int64().value_or(0);
      } else if (json_.text() == "callFrame") {
        node.frame = read_call_frame();
      } else if (json_.text() == "parent") {
        parent = json_.read_int64();
      } else if (json_.text() == "hitCount") {
        node.hits = read_hits();
      } else if (json_.text() == "children") {
        read_children(number);
      } else {
        json_.skip();
      }
    }
    if (json_.failed()) {
      return;
    }
    if (parent) {
      parents_.push_back({number, *parent});
    }
    bad_nodes_ += by_id_.emplace(node.id, number).second ? 0U : 1U;
    nodes_.push_back(node);
  }

  void read_children(uint32_t number) {
    if (begins(JsonToken::kBeginArray)) {
      while (json_.next_item()) {
        links_.push_back({number, json_.as_int64().value_or(0)});
        json_.skip();
      }
    }
  }

  FrameId read_call_frame() {
    CallFrame call_frame;
    if (!begins(JsonToken::kBeginObject)) {
      return builder_.frame({});
    }
    while (json_.next_key()) {
      read_call_frame_value(call_frame);
    }
    return frame_of(call_frame);
  }

  void read_call_frame_value(CallFrame& call_frame) {
    if (json_.text() == "functionName") {
      call_frame.name = text();
    } else if (json_.text() == "url") {
      call_frame.url = text();
    } else if (json_.text() == "lineNumber") {
      call_frame.line = position_of(json_.read_int64());
    } else if (json_.text() == "columnNumber") {
      call_frame.column = position_of(json_.read_int64());
    } else {
      json_.skip();
    }
  }

  // None for the root.
  FrameId frame_of(const CallFrame& call_frame) {
    if (call_frame.name == "(root)") {
      return {};
    }
    // The older form counts from 1.
    uint32_t first = is_nested_ ? 1 : 0;
    uint32_t line = call_frame.line - std::min(call_frame.line, first);
    uint32_t column = call_frame.column - std::min(call_frame.column, first);
    const std::string& given = call_frame.name;
    std::string name = given.empty() ? anonymous_function(call_frame.url, line) : given;
    FunctionId function = builder_.function(
        {.name = builder_.string(name), .file = builder_.string(call_frame.url), .line = line});
    bool is_script = !call_frame.url.empty();
    return builder_.frame({.function = function,
                           .line = line,
                           .language = is_script ? Language::kJavaScript : Language::kUnknown,
                           .column = column});
  }

  uint32_t node_of(int64_t id) const {
    auto found = by_id_.find(id);
    return found == by_id_.end() ? kNoNode : found->second;
  }

  void connect() {
    for (const Link& link : links_) {
      set_parent(node_of(link.id), link.node);
    }
    for (const Link& link : parents_) {
      set_parent(link.node, node_of(link.id));
    }
  }
  void set_parent(uint32_t child, uint32_t parent) {
    bool is_good = child != kNoNode && parent != kNoNode && child < nodes_.size() &&
                   parent < nodes_.size() &&
                   (nodes_[child].parent == kNoNode || nodes_[child].parent == parent);
    bad_nodes_ += is_good ? 0U : 1U;
    if (is_good) {
      nodes_[child].parent = parent;
    }
  }

  // Goes up to the first node that has a stack, and down again.
  void make_stacks() {
    std::vector<bool> is_on_path(nodes_.size());
    std::vector<uint32_t> path;
    for (uint32_t first = 0; first < nodes_.size(); ++first) {
      uint32_t node = first;
      for (; node != kNoNode && !nodes_[node].stack.valid(); node = nodes_[node].parent) {
        if (is_on_path[node]) {
          ++bad_nodes_;
          break;
        }
        is_on_path[node] = true;
        path.push_back(node);
      }
      StackId stack =
          node != kNoNode && nodes_[node].stack.valid() ? nodes_[node].stack : kEmptyStack;
      for (; !path.empty(); path.pop_back()) {
        Node& below = nodes_[path.back()];
        stack = below.frame.valid() ? builder_.stack(stack, below.frame) : stack;
        below.stack = stack;
      }
    }
  }

  struct Moment {
    int64_t at = 0;
    uint32_t node = kNoNode;
  };
  std::vector<Moment> moments() {
    std::vector<Moment> moments;
    size_t count = deltas_.empty() ? samples_.size() : std::min(samples_.size(), deltas_.size());
    unpaired_ = std::max(samples_.size(), deltas_.empty() ? 0 : deltas_.size()) - count;
    int64_t at = start_;
    for (size_t i = 0; i < count; ++i) {
      int64_t delta = deltas_.empty() ? (end_ - start_) / static_cast<int64_t>(count) : deltas_[i];
      at = std::clamp(at + delta, -kMaxMicroseconds, kMaxMicroseconds);
      moments.push_back({at, node_of(samples_[i])});
    }
    std::ranges::stable_sort(moments, {}, &Moment::at);
    return moments;
  }

  EventId time_event() {
    return builder_.event({.name = builder_.string("time"),
                           .unit = builder_.string("nanoseconds"),
                           .kind = Quantity::kWallTime});
  }

  // Without a list of samples, their numbers divide the time.
  void add_hits() {
    int64_t hits = 0;
    for (const Node& node : nodes_) {
      hits += node.hits;
    }
    EventId event = time_event();
    auto whole = static_cast<double>(std::max<int64_t>(end_ - start_, 0)) * 1000;
    int64_t before = 0;
    int64_t given = 0;
    for (const Node& node : nodes_) {
      if (node.hits == 0) {
        continue;
      }
      before += node.hits;
      auto until =
          static_cast<int64_t>(whole * (static_cast<double>(before) / static_cast<double>(hits)));
      builder_.add_sample({.weight = until - given,
                           .count = static_cast<uint64_t>(node.hits),
                           .stack = node.stack,
                           .event = event});
      given = until;
    }
  }

  void add_samples() {
    if (samples_.empty()) {
      add_hits();
      return;
    }
    EventId event = time_event();
    std::vector<Moment> all = moments();
    for (size_t i = 0; i < all.size(); ++i) {
      int64_t next = i + 1 < all.size() ? all[i + 1].at : std::max(end_, all[i].at);
      if (all[i].node == kNoNode) {
        ++lost_samples_;
      } else if (StackId stack = nodes_[all[i].node].stack;
                 stack != kEmptyStack || next > all[i].at) {
        builder_.add_sample({.time_ns = all[i].at * 1000,
                             .weight = (next - all[i].at) * 1000,
                             .stack = stack,
                             .event = event});
      }
    }
  }

  void add_loss(std::string_view reason, std::string_view what, uint64_t count) {
    if (count > 0) {
      builder_.add_loss({.reason = reason, .what = what, .count = count});
    }
  }
  void add_losses() {
    add_loss("nodes are missing in the file", "samples", lost_samples_);
    add_loss("nodes are damaged, or not a tree", "nodes", bad_nodes_);
    add_loss("numbers are not numbers, or too large", "numbers", bad_numbers_);
    add_loss("the numbers of samples and times differ", "samples", unpaired_);
    add_loss("of the wrong type", "values", wrong_values_);
    add_unread_rest(json_.failed() ? json_.error() : "", builder_);
  }

  struct Link {
    uint32_t node;
    int64_t id;
  };

  Input& input_;
  JsonReader json_;
  ProfileBuilder builder_;
  std::vector<Node> nodes_;
  std::unordered_map<int64_t, uint32_t> by_id_;
  std::vector<Link> links_;    // from a node to the id of a child
  std::vector<Link> parents_;  // from a node to the id of its parent
  std::vector<int64_t> samples_;
  std::vector<int64_t> deltas_;
  std::vector<int64_t> timestamps_;  // in the older form
  bool is_nested_ = false;           // the older form
  std::optional<double> start_time_;
  std::optional<double> end_time_;
  int64_t start_ = 0;
  int64_t end_ = 0;
  uint64_t bad_nodes_ = 0;
  uint64_t bad_numbers_ = 0;
  uint64_t wrong_values_ = 0;
  uint64_t unpaired_ = 0;
  uint64_t lost_samples_ = 0;
};

}  // namespace

bool sniff(Bytes head) {
  JsonShape shape(head);
  // Heap profiles have sizes.
  return shape.has("nodes[].callFrame.functionName") ||
         (shape.has("head.functionName") && !shape.has("head.selfSize"));
}

Result<Profile> read(Input& input, const FlagValues& /*flags*/) {
  return Reader(input).read();
}

}  // namespace wick::cpuprofile
