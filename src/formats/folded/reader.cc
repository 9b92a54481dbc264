// SPDX-License-Identifier: Apache-2.0
// Reads in one pass. Collapsers sort their lines, so many lines share the start of their stack with
// the previous line. Only the frames after the common start are parsed (add_frames). A second
// thread makes the stacks and samples (StackStage, stacks.h).
//
// Two things are known only at the end and change all rows: whether the numbers are samples,
// periods or weights (choose_counts), and whether the file marks kernel frames (choose_modes). The
// first decimal fraction rescales all earlier weights.
//
// Invariant: total_ never exceeds kMaxTotal. A line that would exceed it is counted as a bad line.
#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "base/escape.h"
#include "base/lines.h"
#include "formats/broken_input.h"
#include "formats/counts.h"
#include "formats/folded/folded.h"
#include "formats/folded/line.h"
#include "formats/folded/stacks.h"
#include "profile/builder.h"
#include "profile/validate.h"

namespace wick::folded {
namespace {

constexpr auto kMaxTotal = static_cast<int64_t>(kMaxTotalWeight);

constexpr std::array<Flag, 2> kReadFlags = {{
    kUnitFlag,
    {.name = "columns",
     .kind = FlagKind::kChoice,
     .value = "auto|1|2",
     .fallback = "auto",
     .help = "numbers on each folded line; 2 means before and after"},
}};

struct Suffix {
  char letter;
  Mode mode;
  uint8_t flags;
};
// Index 0 means "no suffix".
constexpr std::array<Suffix, 5> kSuffixes = {{{'\0', Mode::kUnknown, 0},
                                              {'k', Mode::kKernel, 0},
                                              {'i', Mode::kUnknown, kInlined},
                                              {'j', Mode::kUnknown, kJit},
                                              {'w', Mode::kUnknown, kWaker}}};

// Splits "vfs_read_[k]" into the name and the index of its suffix.
size_t take_suffix(std::string_view& name) {
  size_t size = name.size();
  if (size < 4 || name[size - 1] != ']' || name[size - 3] != '[' || name[size - 4] != '_') {
    return 0;
  }
  for (size_t i = 1; i < kSuffixes.size(); ++i) {
    if (name[size - 2] == kSuffixes[i].letter) {
      name.remove_suffix(4);
      return i;
    }
  }
  return 0;
}

// Length of the common start of two texts, eight bytes at a time.
size_t common_start(std::string_view a, std::string_view b) {
  size_t limit = std::min(a.size(), b.size());
  size_t at = 0;
  while (at + 8 <= limit && std::memcmp(a.data() + at, b.data() + at, 8) == 0) {
    at += 8;
  }
  while (at < limit && a[at] == b[at]) {
    ++at;
  }
  return at;
}

class Reader {
 public:
  Reader(Input& input, Columns columns, CountedUnit unit, bool unit_given)
      : lines_(input), columns_(columns), unit_(unit), unit_given_(unit_given) {}

  Result<Profile> run(const std::string& input_name) {
    while (std::optional<Line> line = lines_.next()) {
      uint64_t before = good_lines_;
      take(*line);
      has_end_ = line->has_end || good_lines_ == before;  // a bad line is already reported
    }
    add_unread_rest(lines_.error(), builder_);
    if (!has_end_ && good_lines_ > 1) {
      // Texts that people write often lack it, so this is not a loss.
      builder_.add_loss({.reason = "the last line has no line end: if the text was cut, its number "
                                   "may lack digits",
                         .what = "lines",
                         .severity = LossClass::kNotice});
    }
    if (good_lines_ == 0) {
      return fail("{} has no folded stacks: {}.",
                  terminal_text(input_name),
                  first_problem_.empty() ? "it is blank" : first_problem_);
    }
    return finish();
  }

 private:
  void take(const Line& line) {
    if (line.cut) {
      bad_line(line, "it is longer than 64 MiB");
      return;
    }
    if (is_silent(line.text)) {
      return;
    }
    Result<StackLine> parsed = split_line(line.text, columns_);
    if (!parsed) {
      bad_line(line, parsed.error().message);
      return;
    }
    if (parsed->decimals && scale_ == 1) {
      if (total_ > kMaxTotal / kFraction) {
        bad_line(line, "its decimals cannot be stored with counts this large");
        return;
      }
      scale_ = kFraction;
      total_ *= kFraction;
      period_ *= kFraction;
      stacks_.rescale(kFraction);
    }
    add(line, *parsed);
  }

  void add(const Line& line, const StackLine& parsed) {
    int64_t value = weight(parsed.value);
    int64_t before = weight(parsed.before);
    bool fits = value <= kMaxTotal && before <= kMaxTotal && total_ <= kMaxTotal - value - before;
    if (!fits || value < 0 || before < 0) {
      bad_line(line, "the counts add up to more than 62 bits can hold");
      return;
    }
    total_ += value + before;
    ++good_lines_;
    for (int64_t number : {value, before}) {
      period_ = period_ == 1 ? 1 : std::gcd(period_, number);
    }
    LineBatch::Entry entry = add_frames(parsed.stack);
    entry.value = value;
    entry.before = before;
    stacks_.add_line(entry);
  }

  int64_t weight(const Number& number) const {
    int64_t factor = unit_.factor;
    if (number.whole > kMaxTotal / factor / scale_) {
      return kMaxTotal + 1;
    }
    int64_t fraction = scale_ == 1 ? 0 : number.millionths;
    return (number.whole * scale_ + fraction) * factor;
  }

  void bad_line(const Line& line, std::string_view problem) {
    std::string detail = fmt::format("line {}: {}", line.number, problem);
    if (first_problem_.empty()) {
      first_problem_ = detail;
    }
    builder_.add_loss(
        {.reason = "not in the form of folded stacks", .what = "lines", .detail = detail});
  }

  // Adds the frames that the previous line does not have.
  LineBatch::Entry add_frames(std::string_view text) {
    size_t common = common_start(text, previous_);
    while (!ends_.empty() && !is_shared(text, ends_.back(), common)) {
      ends_.pop_back();
    }
    LineBatch::Entry entry{.shared = static_cast<uint32_t>(ends_.size())};
    size_t begin = ends_.empty() ? 0 : ends_.back() + 1;
    while (begin <= text.size() && !text.empty()) {
      size_t end = std::min(text.find(';', begin), text.size());
      stacks_.add_frame(frame(text.substr(begin, end - begin)));
      ++entry.new_frames;
      ends_.push_back(end);
      begin = end + 1;
    }
    previous_.assign(text);
    return entry;
  }

  // Whether the previous line's frame that ends at `end` is also a whole frame of this line.
  static bool is_shared(std::string_view text, size_t end, size_t shared) {
    return end <= shared && (end == text.size() || text[end] == ';') && !text.empty();
  }

  FrameId frame(std::string_view name) {
    size_t suffix = take_suffix(name);
    StringId id = builder_.string(name);
    std::vector<FrameId>& known = frames_[suffix];
    if (id.value >= known.size()) {
      known.resize(id.value + 1);
    }
    if (!known[id.value].valid()) {
      known[id.value] = builder_.frame({.function = builder_.function({.name = id}),
                                        .mode = kSuffixes[suffix].mode,
                                        .flags = kSuffixes[suffix].flags});
    }
    return known[id.value];
  }

  Profile finish() {
    stacks_.finish();
    add_events();
    builder_.add_fact("format", "folded");
    Profile profile = builder_.finish();
    choose_modes(profile);
    choose_counts(profile);
    return profile;
  }

  void add_events() {
    bool differential = columns_ == Columns::kTwo;
    uint64_t numbers = good_lines_ * (differential ? 2 : 1);
    double sum = static_cast<double>(total_) / static_cast<double>(scale_);
    if (!unit_given_ && is_period(period_ / scale_, good_lines_)) {
      unit_.name = "units";
      sample_weight_ = period_;
      note_period(period_ / scale_, builder_);
    } else if (!unit_given_ && are_weights(scale_ != 1, sum, numbers)) {
      unit_.name = "units";
      note_weights(scale_ != 1, builder_);
    } else if (unit_.name == "samples") {
      sample_weight_ = scale_;
    }
    auto scale = static_cast<uint32_t>(scale_);
    StringId unit = builder_.string(unit_.name);
    auto event = [&](std::string_view name) {
      builder_.event({.name = builder_.string(name), .unit = unit, .scale = scale});
    };
    event(differential ? "after" : unit_.name);
    if (differential) {
      event("before");
    }
  }

  // If the file marks kernel frames, the others are user frames.
  static void choose_modes(Profile& profile) {
    auto is_kernel = [](const Frame& frame) { return frame.mode == Mode::kKernel; };
    if (std::ranges::none_of(profile.frames, is_kernel)) {
      return;
    }
    for (size_t row = 0; row < profile.frames.size(); ++row) {
      Frame& frame = profile.frames[FrameId::from_index(row)];
      if (frame.mode == Mode::kUnknown) {
        frame.mode = Mode::kUser;
      }
    }
  }

  // The number of samples of a weight: the weight itself, or the weight divided by the period.
  // Unknown (0) otherwise.
  void choose_counts(Profile& profile) const {
    bool known = sample_weight_ > 0;
    int64_t divisor = known ? sample_weight_ : 1;
    Column<uint64_t> counts;
    for (size_t row = 0; row < profile.samples.size(); ++row) {
      int64_t samples = (profile.samples.weight[row] + divisor - 1) / divisor;
      counts.push_back(known ? static_cast<uint64_t>(samples) : 0);
    }
    profile.samples.count = std::move(counts);
  }

  LineReader lines_;
  Columns columns_;
  CountedUnit unit_;
  bool unit_given_;
  ProfileBuilder builder_;
  StackStage stacks_{builder_};
  std::string previous_;      // stack text of the previous line
  std::vector<size_t> ends_;  // where each of its frames ends in that text
  std::array<std::vector<FrameId>, kSuffixes.size()> frames_;  // by suffix, then by name
  int64_t scale_ = 1;
  int64_t total_ = 0;
  int64_t period_ = 0;         // greatest common divisor of all weights
  int64_t sample_weight_ = 0;  // of one sample, 0 when unknown
  uint64_t good_lines_ = 0;
  bool has_end_ = true;  // the last line
  std::string first_problem_;
};

}  // namespace

std::span<const Flag> read_flags() {
  return kReadFlags;
}

Result<Profile> read(Input& input, const FlagValues& flags) {
  Columns columns = choose_columns(flags.text("columns"), input.head());
  Reader reader(input, columns, parse_unit(flags.text("unit")), flags.given("unit"));
  return reader.run(input.name());
}

Profile from_text(std::string_view lines) {
  Input input = Input::from_text("text", std::string(lines));
  FlagValues flags;
  flags.declare(kReadFlags);
  flags.set("unit", "samples");
  Result<Profile> profile = read(input, flags);
  CHECK(profile && profile->losses.empty());
  return *std::move(profile);
}

}  // namespace wick::folded
