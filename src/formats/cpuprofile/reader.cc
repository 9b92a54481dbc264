// SPDX-License-Identifier: Apache-2.0
// Nodes and samples come in any order, so both are collected first. The nodes of a damaged file can
// form cycles: a node that is its own ancestor becomes a root, and the loss is counted.
#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/escape.h"
#include "base/json_reader.h"
#include "formats/broken_input.h"
#include "formats/cpuprofile/cpuprofile.h"
#include "formats/json_shape.h"

namespace wick::cpuprofile {
namespace {

constexpr int64_t kMaxMicroseconds = INT64_MAX / 4000;
constexpr uint32_t kNoNode = UINT32_MAX;

struct Node {
  int64_t id = 0;
  FrameId frame;  // none for the root
  uint32_t parent = kNoNode;
  StackId stack;
};

// V8 counts from 0, and writes -1 if it does not know.
uint32_t position_of(std::optional<int64_t> number) {
  return number && *number >= 0 && *number < UINT32_MAX ? static_cast<uint32_t>(*number + 1) : 0;
}

std::string_view base_name(std::string_view url) {
  return url.substr(url.find_last_of('/') + 1);
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
    connect();
    make_stacks();
    add_samples();
    add_losses();
    return builder_.finish();
  }

 private:
  void read_member(std::string_view key) {
    if (key == "nodes" && json_.next() == JsonToken::kBeginArray) {
      while (json_.next_item()) {
        read_node();
      }
    } else if (key == "samples") {
      samples_ = read_numbers();
    } else if (key == "timeDeltas") {
      deltas_ = read_numbers();
    } else if (key == "startTime") {
      start_ = bounded(json_.read_double());
    } else if (key == "endTime") {
      end_ = bounded(json_.read_double());
    } else {
      json_.skip();
    }
  }

  // Whole microseconds; some tools write fractions.
  int64_t bounded(std::optional<double> number) {
    bool is_good = number && std::abs(*number) < static_cast<double>(kMaxMicroseconds);
    bad_numbers_ += is_good ? 0U : 1U;
    return is_good ? static_cast<int64_t>(*number) : 0;
  }

  std::vector<int64_t> read_numbers() {
    std::vector<int64_t> numbers;
    if (json_.next() != JsonToken::kBeginArray) {
      json_.skip();
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
      } else if (json_.text() == "callFrame" && json_.next() == JsonToken::kBeginObject) {
        node.frame = read_call_frame();
      } else if (json_.text() == "parent") {
        parent = json_.read_int64();
      } else if (json_.text() == "children" && json_.next() == JsonToken::kBeginArray) {
        while (json_.next_item()) {
          links_.push_back({number, json_.as_int64().value_or(0)});
          json_.skip();
        }
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

  FrameId read_call_frame() {
    std::string name;
    std::string url;
    uint32_t line = 0;
    uint32_t column = 0;
    while (json_.next_key()) {
      if (json_.text() == "functionName") {
        name = json_.read_text().value_or("");
      } else if (json_.text() == "url") {
        url = json_.read_text().value_or("");
      } else if (json_.text() == "lineNumber") {
        line = position_of(json_.read_int64());
      } else if (json_.text() == "columnNumber") {
        column = position_of(json_.read_int64());
      } else {
        json_.skip();
      }
    }
    if (name == "(root)") {
      return {};
    }
    if (name.empty()) {
      name = url.empty() ? "(anonymous)" : fmt::format("(anonymous {}:{})", base_name(url), line);
    }
    FunctionId function = builder_.function(
        {.name = builder_.string(name), .file = builder_.string(url), .line = line});
    return builder_.frame({.function = function,
                           .line = line,
                           .language = url.empty() ? Language::kUnknown : Language::kJavaScript,
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

  void add_samples() {
    EventId event = builder_.event({.name = builder_.string("time"),
                                    .unit = builder_.string("nanoseconds"),
                                    .kind = Quantity::kWallTime});
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
  int64_t start_ = 0;
  int64_t end_ = 0;
  uint64_t bad_nodes_ = 0;
  uint64_t bad_numbers_ = 0;
  uint64_t unpaired_ = 0;
  uint64_t lost_samples_ = 0;
};

}  // namespace

bool sniff(Bytes head) {
  JsonShape shape(head);
  return shape.has("nodes[].callFrame.functionName");
}

Result<Profile> read(Input& input, const FlagValues& /*flags*/) {
  return Reader(input).read();
}

}  // namespace wick::cpuprofile
