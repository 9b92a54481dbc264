// SPDX-License-Identifier: Apache-2.0
// The key of a map can go over many lines. It ends at "]: " and the value. Lines of a stack start
// with blanks; the parts of the key between the stacks do not.
#include <algorithm>
#include <array>
#include <map>

#include "base/parse_number.h"
#include "formats/stacks/stack_text.h"

namespace wick::stacks {
namespace {

// The outermost functions of kernel stacks.
constexpr std::array<std::string_view, 16> kKernelStarts = {"entry_SYSCALL_64_after_hwframe",
                                                            "do_syscall_64",
                                                            "ret_from_fork",
                                                            "ret_from_fork_asm",
                                                            "kthread",
                                                            "secondary_startup_64",
                                                            "secondary_startup_64_no_verify",
                                                            "common_startup_64",
                                                            "x86_64_start_kernel",
                                                            "start_kernel",
                                                            "cpu_startup_entry",
                                                            "asm_sysvec_apic_timer_interrupt",
                                                            "asm_exc_page_fault",
                                                            "el0t_64_sync",
                                                            "el0_svc",
                                                            "el1h_64_irq"};

bool is_kernel_stack(const std::vector<TextFrame>& frames) {
  return !frames.empty() &&
         std::ranges::find(kKernelStarts, frames.back().name) != kKernelStarts.end();
}

bool starts_key(std::string_view line) {
  size_t open = line.starts_with('@') ? line.find('[') : std::string_view::npos;
  return open != std::string_view::npos &&
         line.substr(1, open - 1).find_first_of(" :=") == std::string_view::npos;
}

class BpftraceParser : public TextParser {
 public:
  BpftraceParser(StackBuilder& out, UnitChoice unit) : out_(out), unit_(unit) {}

  void take(const Line& line) override {
    std::string_view text = line.text;
    if (starts_key(text)) {
      if (is_open_) {
        out_.loss(kNoNumber, "stacks", start_);
      }
      size_t open = text.find('[');
      map_ = text.substr(1, open - 1);
      stacks_.clear();
      scalars_.clear();
      is_open_ = true;
      is_in_stack_ = false;
      start_ = line.number;
      take_parts(text.substr(open + 1), line);
    } else if (is_open_ && (text.starts_with("    ") || text.starts_with('\t'))) {
      if (!is_in_stack_) {
        stacks_.emplace_back();
        is_in_stack_ = true;
      }
      stacks_.back().push_back(parse_frame(text));
    } else if (is_open_ && !trimmed(text).empty()) {
      is_in_stack_ = false;
      take_parts(text, line);
    }
  }

  void finish() override {
    if (is_open_) {
      out_.loss(kNoNumber, "stacks", start_);
    }
    for (const auto& [name, map] : maps_) {
      if (!map.has_stacks) {
        continue;  // its key is something else
      }
      bool are_weights_of_map = !unit_.is_given && are_weights(false, map.sum, map.rows.size());
      if (are_weights_of_map) {
        note_weights(false, out_.builder());
      }
      add_map(name, map, are_weights_of_map);
    }
  }

 private:
  static constexpr std::string_view kNoNumber = "stacks without a number";
  struct Row {
    TextStack stack;
    int64_t value = 0;
    uint64_t line = 0;
  };
  struct Map {
    std::vector<Row> rows;
    double sum = 0;
    bool has_stacks = false;  // in some row; kernel threads have no user stack
  };

  // Parts of the key outside of stacks, and the value after the end of the key.
  void take_parts(std::string_view text, const Line& line) {
    size_t end = text.rfind("]: ");
    std::string_view parts = text.substr(0, end);
    while (!parts.empty()) {
      size_t comma = std::min(parts.find(','), parts.size());
      if (std::string_view part = trimmed(parts.substr(0, comma)); !part.empty()) {
        scalars_.emplace_back(part);
      }
      parts.remove_prefix(std::min(comma + 1, parts.size()));
    }
    if (end == std::string_view::npos) {
      return;
    }
    is_open_ = false;
    std::optional<int64_t> value = parse_number<int64_t>(trimmed(text.substr(end + 3)));
    if (value && *value >= 0) {
      add_row(*value, line.number);
    } else if (!stacks_.empty()) {
      out_.loss("numbers that are not whole numbers of zero or more", "stacks", line.number);
    }
  }

  void add_row(int64_t value, uint64_t line) {
    Map& map = maps_[map_];
    map.has_stacks = map.has_stacks || !stacks_.empty();
    Row row = {.stack = stack(), .value = value, .line = line};
    map.sum += static_cast<double>(value);
    map.rows.push_back(std::move(row));
  }

  TextStack stack() {
    TextStack result;
    bool are_two = stacks_.size() == 2;
    if (are_two && is_kernel_stack(stacks_[1]) && !is_kernel_stack(stacks_[0])) {
      std::swap(stacks_[0], stacks_[1]);
    }
    for (size_t i = 0; i < stacks_.size(); ++i) {
      bool is_kernel = is_kernel_stack(stacks_[i]) || (are_two && i == 0);
      for (TextFrame& frame : stacks_[i]) {
        frame.mode = is_kernel ? Mode::kKernel : are_two ? Mode::kUser : frame.mode;
        result.frames.push_back(std::move(frame));
      }
    }
    for (const std::string& scalar : scalars_) {
      std::optional<int64_t> number = parse_number<int64_t>(scalar);
      if (!number || *number < 0) {
        result.name = result.name.empty() ? scalar : result.name;
      } else if (result.pid < 0) {
        result.pid = *number;
      } else if (result.tid < 0) {
        result.tid = *number;
      }
    }
    result.tid = result.tid < 0 ? result.pid : result.tid;
    return result;
  }

  void add_map(const std::string& name, const Map& map, bool are_weights_of_map) {
    ProfileBuilder& builder = out_.builder();
    std::string_view unit = are_weights_of_map ? "units" : unit_.unit.name;
    EventId event = out_.event(
        {.name = builder.string(name.empty() ? unit : name), .unit = builder.string(unit)});
    bool are_samples = unit == "samples";
    for (const Row& row : map.rows) {
      int64_t factor = unit_.unit.factor;
      bool fits = row.value <= INT64_MAX / factor &&
                  out_.add(row.stack,
                           event,
                           row.value * factor,
                           are_samples ? static_cast<uint64_t>(row.value) : 0);
      if (!fits) {
        out_.loss("numbers that add up to more than 62 bits can hold", "stacks", row.line);
      }
    }
  }

  StackBuilder& out_;
  UnitChoice unit_;
  std::map<std::string, Map> maps_;
  std::string map_;
  std::vector<std::vector<TextFrame>> stacks_;
  std::vector<std::string> scalars_;
  bool is_open_ = false;
  bool is_in_stack_ = false;
  uint64_t start_ = 0;
};

}  // namespace

bool is_bpftrace(std::string_view head) {
  bool is_open = false;
  bool found = false;
  for_each_line_of_head(head, [&](std::string_view line) {
    found = found || (is_open && line.starts_with("    ") && !trimmed(line).empty());
    is_open = starts_key(line) && line.rfind("]: ") == std::string_view::npos;
  });
  return found;
}

std::unique_ptr<TextParser> bpftrace_parser(StackBuilder& out, UnitChoice unit) {
  return std::make_unique<BpftraceParser>(out, unit);
}

}  // namespace wick::stacks
