// SPDX-License-Identifier: Apache-2.0
// The nodes of the file are the stacks with functions as frames: different addresses of one function
// are one node.
#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "base/json_writer.h"
#include "formats/cpuprofile/cpuprofile.h"
#include "formats/made_once.h"
#include "profile/names.h"

namespace wick::cpuprofile {
namespace {

// The first frame of each name, for every frame. A name of Python is one function in each file.
std::vector<FrameId> first_of_name(const Profile& profile) {
  std::unordered_map<std::string, FrameId> known;
  std::vector<FrameId> first;
  for (size_t row = 0; row < profile.frames.size(); ++row) {
    FrameId id = FrameId::from_index(row);
    const Frame& frame = profile.frames[id];
    bool is_python = frame.language == Language::kPython;
    std::string key = fmt::format(
        "{}\n{}", frame_name(profile, id), is_python ? module_path(profile, frame) : "");
    first.push_back(known.emplace(std::move(key), id).first->second);
  }
  return first;
}

class Writer {
 public:
  Writer(const Profile& profile, Output& out) : profile_(profile), out_(out), json_(out) {}

  void write() {
    make_nodes();
    collect_samples();
    json_.begin_object();
    json_.key("nodes");
    json_.begin_array();
    StackChildren children(tree_);
    for (size_t row = 0; row < tree_.size(); ++row) {
      write_node(StackId::from_index(row), children);
    }
    json_.end_array();
    json_.field("startTime", int64_t{0});
    json_.field("endTime", ends_.empty() ? 0 : ends_.back());
    write_samples();
    json_.end_object();
    out_.write("\n");
  }

 private:
  void make_nodes() {
    std::vector<FrameId> shown = first_of_name(profile_);
    StackInterner nodes;
    node_of_.push_back(kEmptyStack);
    for (size_t row = 1; row < profile_.stacks.size(); ++row) {
      StackId stack = StackId::from_index(row);
      StackId parent = node_of_[profile_.stacks.parent(stack).index()];
      node_of_.push_back(nodes.intern(parent, shown[profile_.stacks.frame(stack).index()]));
    }
    tree_ = nodes.release();
  }

  // Samples of the first event by time, and where each ends if they follow each other.
  void collect_samples() {
    const SampleColumns& samples = profile_.samples;
    std::vector<uint32_t> rows(samples.size());
    std::iota(rows.begin(), rows.end(), 0);
    if (profile_.has_time()) {
      std::ranges::stable_sort(rows, {}, [&](uint32_t row) { return samples.time_ns[row]; });
    }
    hits_.resize(tree_.size());
    bool is_expanded = fits_one_by_one();
    int64_t total = 0;
    for (uint32_t row : rows) {
      if (samples.event[row] != EventId(0) || samples.weight[row] <= 0) {
        continue;
      }
      StackId node = node_of_[samples.stack[row].index()];
      hits_[node.index()] += samples.count[row];
      uint64_t parts = is_expanded ? std::max<uint64_t>(samples.count[row], 1) : 1;
      add_parts(node, total, samples.weight[row], static_cast<int64_t>(parts));
      total += samples.weight[row];
    }
  }

  // A row that is several samples becomes as many, so that readers count them right.
  void add_parts(StackId node, int64_t total, int64_t weight, int64_t parts) {
    for (int64_t part = 1; part <= parts; ++part) {
      int64_t until = weight / parts * part + weight % parts * part / parts;
      nodes_.push_back(node);
      ends_.push_back(microseconds(total + until));
    }
  }

  // Whether all samples, counted one by one, make a file of a usable size.
  bool fits_one_by_one() const {
    constexpr uint64_t kMaxSamples = 10'000'000;
    uint64_t all = 0;
    for (size_t row = 0; row < profile_.samples.size() && all <= kMaxSamples; ++row) {
      all += std::min(uint64_t{profile_.samples.count[row]}, kMaxSamples + 1);
    }
    return all <= kMaxSamples;
  }

  int64_t microseconds(int64_t weight) const {
    const Event& event = profile_.events[EventId(0)];
    bool is_time = profile_.strings[event.unit] == "nanoseconds";
    return weight / (int64_t{event.scale} * (is_time ? 1000 : 1));
  }

  void write_node(StackId node, const StackChildren& children) {
    json_.newline();
    json_.begin_object();
    json_.field("id", uint64_t{node.value} + 1);
    json_.key("callFrame");
    FrameId frame = tree_.frame(node);
    json_.raw(
        call_frames_.of(frame.valid() ? frame.index() + 1 : 0, [&] { return call_frame(frame); }));
    json_.field("hitCount", hits_[node.index()]);
    json_.key("children");
    json_.begin_array();
    for (StackId child = children.first(node); child.valid(); child = children.next(child)) {
      json_.value(uint64_t{child.value} + 1);
    }
    json_.end_array();
    json_.end_object();
  }

  std::string call_frame(FrameId id) const {
    std::string text;
    Output out = Output::to_text(text);
    JsonWriter json(out);
    json.begin_object();
    Frame frame = id.valid() ? profile_.frames[id] : Frame{};
    bool has_function = frame.function.valid();
    Function function = has_function ? profile_.functions[frame.function] : Function{};
    json.field(
        "functionName",
        id.valid() ? std::string_view(frame_name(profile_, id)) : std::string_view("(root)"));
    json.field("scriptId", "0");
    json.field("url", profile_.strings[function.file]);
    json.field("lineNumber", int64_t{function.line} - 1);
    json.field("columnNumber", function.line == frame.line ? int64_t{frame.column} - 1 : -1);
    json.end_object();
    return text;
  }

  void write_samples() {
    std::string deltas = "0";
    json_.key("samples");
    json_.begin_array();
    for (StackId node : nodes_) {
      json_.value(uint64_t{node.value} + 1);
    }
    if (!nodes_.empty()) {
      json_.value(uint64_t{1});
    }
    json_.end_array();
    for (size_t i = 0; i < ends_.size(); ++i) {
      deltas += ',';
      fmt::format_int digits(ends_[i] - (i > 0 ? ends_[i - 1] : 0));
      deltas.append(digits.data(), digits.size());
    }
    json_.key("timeDeltas");
    json_.raw("[" + (nodes_.empty() ? std::string() : deltas) + "]");
  }

  const Profile& profile_;
  Output& out_;
  JsonWriter json_;
  MadeOnce<std::string> call_frames_;  // by frame; row 0: the root
  StackTree tree_;
  std::vector<StackId> node_of_;  // by stack
  std::vector<uint64_t> hits_;
  std::vector<StackId> nodes_;  // samples
  std::vector<int64_t> ends_;   // of samples, in microseconds
};

}  // namespace

Result<> write(const Profile& profile, const FlagValues& /*flags*/, Output& out) {
  Writer(profile, out).write();
  return {};
}

}  // namespace wick::cpuprofile
