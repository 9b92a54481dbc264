// SPDX-License-Identifier: Apache-2.0
// Prints samples as `perf script` would, with every column that stackcollapse-perf.pl, inferno,
// speedscope or Firefox needs. These programs parse any text with one pattern and drop lines that
// do not match, so some values are changed:
//
//     comm "Thread (pool) 7"    "Thread (pool)_7": they take the first number as the thread
//     comm "x"                  two blanks after it: they require two characters
//     blanks in modules         '_': two of them lose the frame
//     blanks in event names     '_': the period would be lost
//     no time                   made up, with a header line that says so: speedscope refuses
//                               samples without a time
//     unit of an event          a header line, where the name of the event does not imply it
//     no thread                 "[unknown] 0"
//     no module                 "([unknown])", "([kernel.kallsyms])" for kernel code
//
// The text does not have: source lines (other programs would take them as frames), the origin of
// frames, the number of samples of a row (its weight is there), decimals.
#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "formats/perf_script/frame_line.h"
#include "formats/perf_script/header.h"
#include "formats/perf_script/perf_script.h"
#include "formats/perf_script/text.h"
#include "profile/names.h"

namespace wick::perf_script {
namespace {

constexpr int64_t kNsPerSecond = 1'000'000'000;
constexpr int64_t kMadeUpStepNs = 1'000'000;

bool is_control(char c) {
  return static_cast<unsigned char>(c) < ' ' || c == 0x7f;
}

// On one line, without blanks at its ends.
std::string one_line(std::string_view text) {
  std::string result(text);
  std::ranges::replace_if(result, is_control, ' ');
  return std::string(trim_start(trim_end(result)));
}

std::string without_blanks(std::string_view text) {
  std::string result = one_line(text);
  std::ranges::replace(result, ' ', '_');
  return result;
}

std::string comm_text(std::string_view name, int64_t tid) {
  std::string comm = one_line(name);
  if (comm.empty()) {
    return fmt::format(":{}", tid);
  }
  if (comm[0] == '#') {
    comm[0] = '_';  // the line would be a comment
  }
  for (size_t blank = comm.find(' '); blank != std::string::npos;
       blank = comm.find(' ', blank + 1)) {
    std::string_view word = std::string_view(comm).substr(blank + 1);
    size_t numeric = run_length(word, [](char c) { return is_digit(c) || c == '/'; });
    if (numeric > 0 && (numeric == word.size() || word[numeric] == ' ')) {
      comm[blank] = '_';
    }
  }
  return comm.size() == 1 ? comm + " " : comm;
}

class Writer {
 public:
  Writer(const Profile& profile, Output& out)
      : profile_(profile), out_(out), timed_(profile.has_time()), frames_(profile.frames.size()) {
    for (size_t row = 0; row < profile.samples.size(); ++row) {
      int64_t time = profile.samples.time_ns[row];
      fine_ = fine_ || (time != kNoTime && time % 1000 != 0);
    }
    for (size_t row = 0; row < profile.threads.size(); ++row) {
      ThreadId thread = ThreadId::from_index(row);
      threads_.push_back(thread_text(thread, profile.threads[thread].name));
    }
    for (const ThreadName& name : profile.thread_names) {
      if (name.thread.valid()) {
        names_[name.thread].emplace_back(name.time_ns, thread_text(name.thread, name.name));
      }
    }
    for (auto& [thread, names] : names_) {
      std::ranges::stable_sort(names, {}, &NameSince::first);
    }
    for (const Event& event : profile.events) {
      std::string name = without_blanks(profile.strings[event.name]);
      events_.push_back(name.empty() ? "samples" : name);
    }
  }

  void run() {
    write_header();
    std::vector<size_t> rows(profile_.samples.size());
    std::iota(rows.begin(), rows.end(), 0);
    if (timed_) {
      std::ranges::stable_sort(rows, {}, [&](size_t row) { return profile_.samples.time_ns[row]; });
    }
    for (size_t row : rows) {
      write_sample(profile_.samples[row]);
    }
  }

 private:
  void write_header() {
    for (const Fact& fact : profile_.facts) {
      std::string_view key = profile_.strings[fact.key];
      if (std::ranges::find(kFactKeys, key) != kFactKeys.end()) {
        out_.print("# {} : {}\n", key, one_line(profile_.strings[fact.value]));
      }
    }
    if (std::ranges::any_of(profile_.frames, [](const Frame& f) { return f.address != 0; })) {
      out_.print("# {}\n", kNoReturnAddresses);
    }
    if (!timed_) {
      out_.print("# {}\n", kMadeUpTimes);
    }
    std::vector<bool> prints_period = events_with_periods();
    for (size_t row = 0; row < events_.size(); ++row) {
      const Event& event = profile_.events[EventId::from_index(row)];
      std::string unit = one_line(profile_.strings[event.unit]);
      if (prints_period[row] && !unit.empty() &&
          without_blanks(unit) != implied_unit(events_[row])) {
        out_.print("# {}{}{}{}\n", kUnitStart, events_[row], kUnitMiddle, unit);
      }
    }
  }

  std::vector<bool> events_with_periods() const {
    std::vector<bool> result(events_.size());
    for (size_t row = 0; row < profile_.samples.size(); ++row) {
      size_t event = profile_.samples.event[row].index();
      result[event] = result[event] || !is_plain(profile_.samples[row]);
    }
    return result;
  }

  std::string thread_text(ThreadId id, StringId name) const {
    const Thread& thread = profile_.threads[id];
    int64_t tid = std::max<int64_t>(thread.tid, 0);
    int64_t pid = thread.process.valid() ? profile_.processes[thread.process].pid : -1;
    std::string comm = comm_text(profile_.strings[name], tid);
    return pid < 0 ? fmt::format("{} {:5}", comm, tid)
                   : fmt::format("{} {:5}/{:<5}", comm, pid, tid);
  }

  // The thread with the name that it had at the time.
  std::string text_of(ThreadId thread, int64_t time_ns) const {
    if (!thread.valid()) {
      return fmt::format("{} 0", kUnknownProcess);
    }
    auto found = names_.find(thread);
    if (found == names_.end()) {
      return threads_[thread.index()];
    }
    const std::vector<NameSince>& names = found->second;
    auto later = std::ranges::upper_bound(names, time_ns, {}, &NameSince::first);
    return later == names.begin() ? names.front().second : std::prev(later)->second;
  }

  void write_sample(const Sample& sample) {
    text_ = text_of(sample.thread, sample.time_ns);
    if (sample.cpu != kNoCpu) {
      fmt::format_to(std::back_inserter(text_), " [{:03}]", sample.cpu);
    }
    append_time(sample);
    append_event(sample);
    for (StackId at = sample.stack; at != kEmptyStack; at = profile_.stacks.parent(at)) {
      text_ += frame_text(profile_.stacks.frame(at));
    }
    text_ += '\n';
    out_.write(text_);
  }

  void append_time(const Sample& sample) {
    int64_t time = sample.time_ns;
    if (!timed_) {
      time = made_up_ns_;
      made_up_ns_ += kMadeUpStepNs;
    }
    if (time < 0) {  // kNoTime among samples that have one
      text_ += ' ';
      return;
    }
    int64_t fraction = time % kNsPerSecond;
    if (fine_) {
      fmt::format_to(std::back_inserter(text_), " {:5}.{:09}: ", time / kNsPerSecond, fraction);
    } else {
      fmt::format_to(
          std::back_inserter(text_), " {:5}.{:06}: ", time / kNsPerSecond, fraction / 1000);
    }
  }

  int64_t period_of(const Sample& sample) const {
    int64_t scale = profile_.events[sample.event].scale;
    return sample.weight / scale + (sample.weight % scale * 2 >= scale ? 1 : 0);
  }

  // Samples with a weight of one sample print no period, like perf without that column.
  bool is_plain(const Sample& sample) const {
    const Event& event = profile_.events[sample.event];
    return profile_.strings[event.unit] == "samples" &&
           events_[sample.event.index()] != "samples" && period_of(sample) == 1;
  }

  void append_event(const Sample& sample) {
    const std::string& name = events_[sample.event.index()];
    if (is_plain(sample)) {
      fmt::format_to(std::back_inserter(text_), "{}: \n", name);
    } else {
      fmt::format_to(std::back_inserter(text_), "{:10} {}: \n", period_of(sample), name);
    }
  }

  const std::string& frame_text(FrameId id) {
    std::string& text = frames_[id.index()];
    if (text.empty()) {
      text = make_frame_text(profile_.frames[id]);
    }
    return text;
  }

  std::string make_frame_text(const Frame& frame) const {
    std::string name = name_text(frame);
    bool inlined = (frame.flags & kInlined) != 0;
    return fmt::format(
        "\t{:16x} {} ({})\n", frame.address, name, inlined ? "inlined" : module_text(frame));
  }

  std::string name_text(const Frame& frame) const {
    if (!frame.function.valid()) {
      return "[unknown]";
    }
    const Function& function = profile_.functions[frame.function];
    std::string name = one_line(profile_.strings[function.name]);
    bool only_module = frame.module.valid() && name == module_label(module_path(frame));
    if (name.empty() || only_module) {
      return "[unknown]";
    }
    bool inlined = (frame.flags & kInlined) != 0;
    if (!inlined && function.address != 0 && function.address <= frame.address) {
      return fmt::format("{}+{:#x}", name, frame.address - function.address);
    }
    // If a name seems to end in an offset, another offset is added after it, so that a reader
    // removes only the second.
    size_t plus = name.rfind("+0x");
    bool offset_like =
        plus != std::string::npos && plus + 3 < name.size() &&
        run_length(std::string_view(name).substr(plus + 3), is_hex_digit) == name.size() - plus - 3;
    return offset_like ? name + "+0x0" : name;
  }

  std::string_view module_path(const Frame& frame) const {
    return profile_.strings[profile_.modules[frame.module].path];
  }

  std::string module_text(const Frame& frame) const {
    if (frame.module.valid()) {
      std::string path = without_blanks(module_path(frame));
      return path.empty() ? "[unknown]" : path;
    }
    if (std::string_view file = wick::module_path(profile_, frame); !file.empty()) {
      return without_blanks(file);
    }
    if (frame.mode == Mode::kKernel && frame.address < (uint64_t{1} << 63)) {
      return "[kernel.kallsyms]";
    }
    return (frame.flags & kJit) != 0 ? "/tmp/perf-0.map" : "[unknown]";
  }

  const Profile& profile_;
  Output& out_;
  bool timed_;
  bool fine_ = false;  // times have nanoseconds
  int64_t made_up_ns_ = 0;
  std::vector<std::string> threads_;
  using NameSince = std::pair<int64_t, std::string>;
  std::map<ThreadId, std::vector<NameSince>> names_;  // of threads with several, in order of time
  std::vector<std::string> events_;
  std::vector<std::string> frames_;  // made when needed
  std::string text_;
};

}  // namespace

Result<> write(const Profile& profile, const FlagValues& /*flags*/, Output& out) {
  Writer(profile, out).run();
  return {};
}

}  // namespace wick::perf_script
