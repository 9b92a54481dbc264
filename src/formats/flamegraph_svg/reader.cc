// SPDX-License-Identifier: Apache-2.0
// Converts boxes to a profile. A picture shows position and total cost only, so callers and own
// costs have to be reconstructed:
//
//   order_boxes    sorts by left edge, then from the root's row upwards, and finds the root "all"
//   undo_zoom      a picture saved while zoomed in: removes the hidden part and counts it as lost
//   choose_scale   amounts become whole numbers; refuses a sum that does not fit
//   nest           one sweep from left to right with a stack of open boxes. A new box first closes
//                  the open boxes that are as high as it or higher. Then the top of the stack is
//                  its caller, even if rows between the two are missing.
//   add_samples    own cost = width minus the widths on top; for differential pictures the other
//                  side follows from the changes in the titles
//
// Invariant: a box never gets more than its caller has left (add_node), so no total exceeds the
// whole, whatever the file says. Everything that was cut, guessed or ambiguous is counted, and
// note_what_is_uncertain() reports it.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/escape.h"
#include "base/whole_input.h"
#include "formats/counts.h"
#include "formats/flamegraph_svg/boxes.h"
#include "formats/flamegraph_svg/flamegraph_svg.h"
#include "profile/builder.h"
#include "profile/validate.h"

namespace wick::flamegraph_svg {
namespace {

constexpr std::array<Flag, 2> kReadFlags = {{
    kUnitFlag,
    {.name = "leaf-first",
     .kind = FlagKind::kSwitch,
     .help = "the picture was drawn from the leaves (flamegraph.pl --reverse): reverse its stacks"},
}};

constexpr uint32_t kNoBox = UINT32_MAX;
constexpr auto kMaxTotal = static_cast<int64_t>(kMaxTotalWeight) / 4;
// Reversing stacks costs the length of each stack.
constexpr uint64_t kMaxTurnedFrames = uint64_t{1} << 27;

// The result for a box.
struct Node {
  uint32_t parent = kNoBox;
  int64_t weight = 0;
  int64_t children = 0;  // total weight of the boxes on top of it
  StackId stack = kEmptyStack;
};

class Reader {
 public:
  Reader(std::string_view text, const FlagValues& flags)
      : leaf_first_(flags.is_set("leaf-first")),
        unit_given_(flags.given("unit")),
        picture_(find_boxes(text, builder_)),
        unit_word_(unit_given_ ? flags.text("unit") : picture_.unit) {}

  Result<Profile> run(const std::string& input_name, const std::string& break_off) {
    std::string name = terminal_text(input_name);
    if (picture_.boxes.empty()) {
      return nothing_found(name);
    }
    if (!break_off.empty() || picture_.broke_off) {
      builder_.add_loss(
          {.reason = "the picture ends early",
           .what = "frames",
           .detail = break_off.empty() ? "missing frames count as their callers' own" : break_off,
           .count = 0});
    }
    if (picture_.unplaced > 0) {
      builder_.add_loss({.reason = "without a usable position in the picture",
                         .what = "frames",
                         .detail = {},
                         .count = picture_.unplaced});
    }
    order_boxes();
    undo_zoom();
    if (!choose_scale()) {
      return fail("Cannot read {}: its numbers add up to more than 60 bits can hold.", name);
    }
    nest();
    for (size_t i = 0; i < nodes_.size(); ++i) {
      total_amount_ += nodes_[i].parent == kNoBox ? boxes()[i].amount : 0;
    }
    TRY(add_samples(name));
    note_what_is_uncertain();
    builder_.add_fact("format", "flamegraph-svg");
    return builder_.finish();
  }

 private:
  std::vector<Box>& boxes() { return picture_.boxes; }

  std::unexpected<Error> nothing_found(const std::string& name) const {
    if (picture_.is_marked_empty) {
      return fail("{} is a flame graph without frames: its writer found no stacks to draw.", name);
    }
    if (picture_.broke_off) {
      return fail("{} is a picture that ends before its first frame.", name);
    }
    return fail(
        "{} is a picture, but not a flame graph: nothing in it has a title like \"main (12 "
        "samples, 3.4%)\". wick reads pictures drawn by flamegraph.pl, inferno and wick.",
        name);
  }

  // Distance from the root's row. Sorting by it puts callers before callees.
  double height(const Box& box) const { return root_on_top_ ? box.y - first_y_ : last_y_ - box.y; }

  void order_boxes() {
    auto [lowest, highest] = std::ranges::minmax_element(boxes(), {}, &Box::y);
    first_y_ = lowest->y;
    last_y_ = highest->y;
    root_on_top_ = is_root_on_top();
    std::ranges::stable_sort(boxes(), [&](const Box& a, const Box& b) {
      if (a.start != b.start) {
        return a.start < b.start;
      }
      // Of several boxes at one position the widest comes last, because other boxes can be on top
      // of it.
      return a.y != b.y ? height(a) < height(b) : a.amount < b.amount;
    });
    std::vector<double> heights;
    for (const Box& box : boxes()) {
      heights.push_back(height(box));
    }
    std::ranges::sort(heights);
    for (size_t i = 1; i < heights.size(); ++i) {
      double gap = heights[i] - heights[i - 1];
      row_height_ = gap > 0 && (row_height_ == 0 || gap < row_height_) ? gap : row_height_;
    }
    find_root();
  }

  bool is_root_on_top() {
    if (picture_.geometry == Geometry::kWick) {
      return picture_.root_on_top;
    }
    const Box* all = nullptr;
    double top = 0;
    double bottom = 0;
    for (const Box& box : boxes()) {
      all = box.is_all && (all == nullptr || box.width > all->width) ? &box : all;
      top += box.y == first_y_ ? box.width : 0;
      bottom += box.y == last_y_ ? box.width : 0;
    }
    return all != nullptr ? all->y == first_y_ && first_y_ != last_y_ : top > bottom;
  }

  // "all" alone in its row is the total, not a frame.
  void find_root() {
    size_t in_row = 0;
    for (size_t i = 0; i < boxes().size(); ++i) {
      if (height(boxes()[i]) == 0) {
        ++in_row;
        root_ = boxes()[i].is_all ? static_cast<uint32_t>(i) : root_;
      }
    }
    root_ = in_row == 1 ? root_ : kNoBox;
  }

  // The picture was saved while zoomed in, without its original geometry. The frame in focus and
  // its callers are as wide as the whole, frames beside it are hidden, and only visible frames have
  // a position.
  void undo_zoom() {
    if (picture_.geometry != Geometry::kPixels || root_ == kNoBox || boxes()[root_].amount <= 0) {
      return;
    }
    Box& root = boxes()[root_];
    double pixels = root.width / root.amount;
    double least = root.amount;
    for (const Box& box : boxes()) {
      bool as_wide_as_all = std::abs(box.width - root.width) < 1;
      bool stretched = box.width > box.amount * pixels + 2;
      if (as_wide_as_all && stretched && !box.hidden) {
        least = std::min(least, box.amount);
      }
    }
    if (least == root.amount) {
      return;
    }
    double outside = root.amount - least;
    std::erase_if(boxes(), [](const Box& box) { return box.hidden; });
    for (Box& box : boxes()) {
      box.amount = std::min(box.amount, least);
    }
    builder_.add_loss({.reason = "outside the part that was zoomed in when the picture was saved",
                       .what = unit_word_,
                       .detail = "reset the zoom before saving",
                       .count = static_cast<uint64_t>(std::llround(outside))});
    find_root();
  }

  // Converts weights to whole numbers of 1/scale.
  bool choose_scale() {
    unit_ = parse_unit(unit_word_);
    if (picture_.geometry == Geometry::kInferno && root_ != kNoBox && boxes()[root_].amount > 0) {
      double factor = picture_.titled_total / boxes()[root_].amount;
      factor_ = std::abs(factor - 1) < 1e-9 ? 1 : factor;
    }
    auto is_whole = [](double number) { return number == std::floor(number); };
    bool whole = factor_ == 1 &&
                 std::ranges::all_of(boxes(), [&](const Box& box) { return is_whole(box.amount); });
    scale_ = whole ? 1 : kFraction;
    double sum = 0;
    for (const Box& box : boxes()) {
      sum += box.amount;
    }
    return sum * factor_ * static_cast<double>(scale_ * unit_.factor) <
           static_cast<double>(kMaxTotal);
  }

  // The possible error of a sum of such amounts: titles have two decimals.
  double rounding() const {
    constexpr double kSomeHundredths = 0.02;
    return has_fractions_ ? kSomeHundredths : 0;
  }

  int64_t weight_of(double amount) const {
    // A change in a title may be any number. It is limited to the possible range.
    int64_t largest = kMaxTotal / unit_.factor;
    auto most = static_cast<double>(largest);
    double weight = amount * factor_ * static_cast<double>(scale_);
    return std::llround(std::clamp(weight, -most, most)) * unit_.factor;
  }

  void nest() {
    nodes_.resize(boxes().size());
    std::vector<uint32_t> open;
    double tolerance = 2 * picture_.resolution + 1e-9;
    for (uint32_t i = 0; i < boxes().size(); ++i) {
      const Box& box = boxes()[i];
      if (box.is_run) {
        continue;
      }
      while (!open.empty()) {
        const Box& top = boxes()[open.back()];
        bool beside =
            box.start > top.start + top.width + tolerance ||
            (picture_.geometry != Geometry::kPixels && box.start >= top.start + top.width);
        if (height(top) < height(box) && !beside) {
          break;
        }
        open.pop_back();
      }
      add_node(i, open.empty() ? kNoBox : open.back());
      open.push_back(i);
    }
  }

  void add_node(uint32_t index, uint32_t parent) {
    const Box& box = boxes()[index];
    Node& node = nodes_[index];
    node.parent = parent;
    node.weight = weight_of(box.amount);
    StackId below = kEmptyStack;
    double expected = 0;
    if (parent != kNoBox) {
      int64_t room = nodes_[parent].weight - nodes_[parent].children;
      excess_ += std::max<int64_t>(0, node.weight - room);
      node.weight = std::min(node.weight, room);
      nodes_[parent].children += node.weight;
      below = nodes_[parent].stack;
      expected = height(boxes()[parent]) + row_height_;
    }
    if (height(box) > expected + row_height_ / 2) {
      ++orphans_;
    }
    bool same_position =
        index > 0 && boxes()[index - 1].start == box.start && boxes()[index - 1].y == box.y;
    if (same_position && picture_.geometry == Geometry::kPixels) {
      ++ambiguous_;
    }
    if (index != root_) {
      node.stack = builder_.stack(below, box.frame);
      divisor_ = std::gcd(divisor_, node.weight);
      least_ = least_ == 0 || (node.weight > 0 && node.weight < least_) ? node.weight : least_;
    }
  }

  Result<> add_samples(const std::string& name) {
    bool guess = !unit_given_ && unit_.name == "samples" && factor_ == 1;
    bool period = guess && is_period(divisor_ / scale_, boxes().size());
    // Pictures without exact numbers have decimals from rounding.
    bool weights = guess && !period && are_weights(false, total_amount_, boxes().size());
    if (period) {
      note_period(divisor_ / scale_, builder_);
    }
    if (weights) {
      note_weights(false, builder_);
    }
    period_ = period ? divisor_ : unit_.name == "samples" && !weights ? scale_ : 0;
    StringId unit = builder_.string(period || weights ? "units" : unit_.name);
    auto event = [&](std::string_view event_name) {
      builder_.event({.name = builder_.string(event_name),
                      .unit = unit,
                      .scale = static_cast<uint32_t>(scale_)});
    };
    event(picture_.differential ? "after" : builder_.text(unit));
    if (picture_.differential) {
      event("before");
    }
    uint64_t turned = 0;
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      if (!boxes()[i].is_run) {
        turned += add_samples_of(i);
      }
      if (turned > kMaxTurnedFrames) {
        return fail("{} has too many and too deep stacks to reverse them.", name);
      }
    }
    return {};
  }

  // Returns the number of frames in the reversed stack.
  uint64_t add_samples_of(uint32_t index) {
    const Box& box = boxes()[index];
    const Node& node = nodes_[index];
    int64_t self = node.weight - node.children;
    bool is_root = index == root_;
    if (is_root && picture_.broke_off && self > 0) {
      builder_.add_loss({.reason = "the picture ends early and has no frames for these",
                         .what = unit_.name,
                         .detail = {},
                         .count = static_cast<uint64_t>(self / scale_)});
      return 0;
    }
    uint64_t turned = 0;
    StackId stack = leaf_first_ ? turned_round(index, turned) : node.stack;
    int64_t change = 0;
    if (picture_.differential && !is_root) {
      double amount = picture_.exact_change ? box.change : box.change * total_amount_;
      change = weight_of(amount);
    }
    if (box.self >= 0 && picture_.geometry == Geometry::kWick &&
        self > weight_of(box.self + rounding())) {
      int64_t narrow = self - weight_of(box.self);
      self -= narrow;
      narrow_ += narrow;
      add_sample(builder_.stack(stack, narrow_frame()), narrow, EventId(0));
    }
    int64_t before = self - change;
    if (picture_.differential && picture_.widths != Widths::kAfter) {
      before = picture_.widths == Widths::kBefore ? self : self - change / 2;
      self = std::clamp<int64_t>(before + change, 0, room_after_);
      room_after_ -= self;
    }
    add_sample(stack, self, EventId(0));
    if (picture_.differential) {
      before = std::clamp<int64_t>(before, 0, room_before_);
      room_before_ -= before;
      add_sample(stack, before, EventId(1));
    }
    return turned;
  }

  FrameId narrow_frame() {
    return builder_.frame(
        {.function = builder_.function({.name = builder_.string("[frames too narrow to draw]")})});
  }

  void add_sample(StackId stack, int64_t weight, EventId event) {
    if (weight <= 0) {
      return;
    }
    double samples = period_ > 0 ? static_cast<double>(weight) / static_cast<double>(period_) : 0;
    builder_.add_sample({.weight = weight,
                         .count = static_cast<uint64_t>(std::ceil(samples / factor_ - 1e-6)),
                         .stack = stack,
                         .event = event});
  }

  StackId turned_round(uint32_t index, uint64_t& turned) {
    StackId stack = kEmptyStack;
    for (uint32_t at = index; at != kNoBox && at != root_; at = nodes_[at].parent) {
      stack = builder_.stack(stack, boxes()[at].frame);
      ++turned;
    }
    return stack;
  }

  void notice(std::string_view reason,
              std::string_view what,
              uint64_t count,
              std::string_view detail = {}) {
    builder_.add_loss({.reason = reason,
                       .what = what,
                       .detail = detail,
                       .count = count,
                       .severity = LossClass::kNotice});
  }

  std::string amount_text(int64_t weight) const {
    return fmt::format(
        "{} {}", static_cast<double>(weight) / static_cast<double>(scale_), unit_.name);
  }

  // The narrowest frame has more than one sample, and a single sample would have been too narrow to
  // draw.
  bool may_hide_frames() const {
    constexpr double kSeen = 0.001;  // of the width
    double total = static_cast<double>(weight_of(total_amount_));
    return picture_.geometry != Geometry::kWick && least_ > divisor_ &&
           static_cast<double>(divisor_) < kSeen * total;
  }

  void note_what_is_uncertain() {
    if (narrow_ > 0) {
      notice("frames too narrow to draw have no names", "", 0, amount_text(narrow_) + " in total");
    } else if (may_hide_frames()) {
      notice("frames too narrow to draw count as their callers' own",
             "",
             0,
             fmt::format("the narrowest drawn frame has {}", amount_text(least_)));
    }
    if (orphans_ > 0) {
      notice("frames whose caller is not in the picture are attached to the next one below",
             "frames",
             orphans_);
    }
    if (ambiguous_ > 0) {
      notice("frames at one position, whose callers the rounded picture cannot distinguish",
             "frames",
             ambiguous_);
    }
    if (excess_ > 0) {
      notice("frames wider than their callers are cut to the callers' width",
             "",
             0,
             amount_text(excess_) + " in total");
    }
    if (picture_.differential) {
      double step = picture_.exact_change ? 0 : 0.00005 * total_amount_;
      notice(
          picture_.widths != Widths::kAfter
              ? "both sides are computed from the widths and the changes in the titles"
              : "the side before is computed from the changes in the titles; stacks that vanished "
                "are not in the picture",
          "",
          0,
          step < 0.5 ? "" : fmt::format("each accurate to {:.0f} {}", std::ceil(step), unit_.name));
    }
  }

  static constexpr int64_t kFraction = 1000;

  ProfileBuilder builder_;
  bool leaf_first_;
  bool unit_given_;
  Boxes picture_;
  std::string unit_word_;
  CountedUnit unit_;
  std::vector<Node> nodes_;  // by box
  uint32_t root_ = kNoBox;
  bool root_on_top_ = false;
  double first_y_ = 0;
  double last_y_ = 0;
  double row_height_ = 0;
  double total_amount_ = 0;
  double factor_ = 1;  // titles over exact numbers (flamegraph --factor)
  int64_t scale_ = 1;
  int64_t period_ = 0;   // weight of one sample, 0 when unknown
  int64_t divisor_ = 0;  // common divisor of all weights
  int64_t least_ = 0;
  bool has_fractions_ = std::ranges::any_of(  // amounts that are not whole
      boxes(),
      [](const Box& box) { return box.amount != std::floor(box.amount); });
  int64_t room_before_ = kMaxTotal;  // how much weight the side before may still get
  int64_t room_after_ = kMaxTotal;
  int64_t narrow_ = 0;
  int64_t excess_ = 0;
  uint64_t orphans_ = 0;
  uint64_t ambiguous_ = 0;
};

}  // namespace

bool sniff(Bytes head) {
  std::string_view text = as_text(head);
  size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || text[begin] != '<') {
    return false;
  }
  return text.find("<svg") != std::string_view::npos;
}

std::span<const Flag> read_flags() {
  return kReadFlags;
}

Result<Profile> read(Input& input, const FlagValues& flags) {
  WholeInput whole(input);
  return Reader(whole.text(), flags).run(input.name(), whole.error());
}

}  // namespace wick::flamegraph_svg
