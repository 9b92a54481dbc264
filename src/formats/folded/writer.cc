// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <vector>

#include "base/rank_set.h"
#include "formats/folded/folded.h"
#include "formats/folded/line.h"
#include "profile/sorted_stacks.h"

namespace wick::folded {
namespace {

constexpr std::array<Flag, 1> kWriteFlags = {{
    {.name = "weight",
     .kind = FlagKind::kChoice,
     .value = "samples|period|time",
     .fallback = "samples",
     .help = "folded numbers: samples (for Firefox and speedscope), the event's own count, "
             "or microseconds"},
}};

enum class Measure { kSamples, kPeriod, kMicroseconds };

// The chosen measure of a profile: the column and its unit.
struct Scale {
  Measure measure;
  int64_t divisor = 1;  // the number written is weight / divisor
};

Result<Scale> choose_scale(const Profile& profile, const FlagValues& flags) {
  std::string_view flag = flags.text("weight");
  const Event& event = profile.events[profile.samples.event[0]];
  std::string_view unit = profile.strings[event.unit];
  int64_t scale = event.scale;
  if (flag == "time") {
    if (unit != "nanoseconds") {
      return fail("--weight time needs an event that counts time; this one counts {}.", unit);
    }
    return Scale{Measure::kMicroseconds, 1000 * scale};
  }
  // If the number of samples of some row is unknown (0), only the weight can be written.
  bool counted = true;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    counted = counted && profile.samples.count[row] > 0;
  }
  // Numbers in "units" are written as they were read, unless the user chooses another measure.
  bool as_read = unit == "units" && !flags.given("weight");
  if (flag == "period" || unit == "samples" || !counted || as_read) {
    return Scale{Measure::kPeriod, scale};
  }
  return Scale{Measure::kSamples, 1};
}

std::string number(int64_t amount, int64_t divisor) {
  int64_t rest = amount % divisor;
  if (rest == 0) {
    return fmt::format("{}", amount / divisor);
  }
  std::string digits = fmt::format("{:06}", rest * kFraction / divisor);
  digits.erase(digits.find_last_not_of('0') + 1);
  return digits.empty() ? fmt::format("{}", amount / divisor)
                        : fmt::format("{}.{}", amount / divisor, digits);
}

// The stacks as lines: frames that look the same in a line (another address of the same function)
// are one.
class LineTree {
 public:
  LineTree(const Profile& profile, const FoldedLabels& labels) : profile_(profile) {
    std::vector<FrameId> first(labels.size());  // frame of each label
    std::vector<FrameId> shown;
    shown.reserve(profile.frames.size());
    for (size_t row = 0; row < profile.frames.size(); ++row) {
      FrameId frame = FrameId::from_index(row);
      FrameId& known = first[labels.number(frame)];
      known = known.valid() ? known : frame;
      shown.push_back(known);
    }
    if (first.size() == shown.size()) {
      return;  // every stack has its own line
    }
    StackInterner lines;
    lines_.push_back(kEmptyStack);
    for (size_t row = 1; row < profile.stacks.size(); ++row) {
      StackId stack = StackId::from_index(row);
      StackId parent = lines_[profile.stacks.parent(stack).index()];
      lines_.push_back(lines.intern(parent, shown[profile.stacks.frame(stack).index()]));
    }
    merged_ = lines.release();
  }

  const StackTree& tree() const { return lines_.empty() ? profile_.stacks : merged_; }
  StackId line(StackId stack) const { return lines_.empty() ? stack : lines_[stack.index()]; }

 private:
  const Profile& profile_;
  StackTree merged_;
  std::vector<StackId> lines_;  // by stack; empty if each stack has its own line
};

// One or two columns of numbers for each line with samples, which are few of the tree.
class Amounts {
 public:
  Amounts(const Profile& profile, const LineTree& lines, Scale scale)
      : scale_(scale), columns_(is_before_after(profile) ? 2 : 1), rows_(lines.tree().size()) {
    const SampleColumns& samples = profile.samples;
    for (size_t row = 0; row < samples.size(); ++row) {
      rows_.insert(lines.line(samples.stack[row]).index());
    }
    rows_.number();
    amounts_.resize(rows_.size());
    for (size_t row = 0; row < samples.size(); ++row) {
      size_t column = columns_ == 2 ? samples.event[row].index() : 0;
      int64_t amount = scale.measure == Measure::kSamples ? static_cast<int64_t>(samples.count[row])
                                                          : samples.weight[row];
      amounts_[rows_.rank(lines.line(samples.stack[row]).index())][column] += amount;
    }
  }

  bool contains(StackId line) const { return rows_.contains(line.index()); }
  std::string text(StackId line) const {
    const std::array<int64_t, 2>& amounts = amounts_[rows_.rank(line.index())];
    std::string after = number(amounts[0], scale_.divisor);
    return columns_ == 1 ? after : number(amounts[1], scale_.divisor) + " " + after;
  }

 private:
  Scale scale_;
  size_t columns_;
  RankSet rows_;                                 // lines with samples
  std::vector<std::array<int64_t, 2>> amounts_;  // by rank: after, before
};

}  // namespace

std::span<const Flag> write_flags() {
  return kWriteFlags;
}

bool counts_samples(const Profile& profile, const FlagValues& flags) {
  if (profile.samples.empty()) {
    return false;
  }
  Result<Scale> scale = choose_scale(profile, flags);
  return scale && scale->measure == Measure::kSamples;
}

Result<> write(const Profile& profile, const FlagValues& flags, Output& out) {
  if (profile.events.size() > 1 && !is_before_after(profile)) {
    return fail("Folded text holds one event, this profile has {}: choose one with --event.",
                profile.events.size());
  }
  if (profile.samples.empty()) {
    return {};
  }
  Scale scale = TRY(choose_scale(profile, flags));
  FoldedLabels labels(profile);
  LineTree lines(profile, labels);
  Amounts amounts(profile, lines, scale);
  SortedStacks stacks(lines.tree(), std::move(labels));
  std::string path;
  stacks.visit([&](StackId node) { return amounts.contains(node); },
               [&](StackId node) {
                 path += stacks.label(node);
                 path += ';';
               },
               [&](StackId node) {
                 out.write(path);
                 if (node != kEmptyStack) {
                   out.write(stacks.label(node));
                 }
                 out.print(" {}\n", amounts.text(node));
               },
               [&](StackId node) { path.resize(path.size() - stacks.label(node).size() - 1); });
  return {};
}

}  // namespace wick::folded
