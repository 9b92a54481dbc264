// SPDX-License-Identifier: Apache-2.0
// Finds the frames in a stream of tags, without building a document tree. The writers disagree
// about where things are, so the state between two tags is a title and the attributes of the
// current group:
//
//   flamegraph.pl, inferno   <g> <title> ... <rect x y width>: the title comes before the rectangle
//   before 2013              the title is in onmouseover of the group or of the rectangle
//   wick                     <g data-s data-w>: the positions of a whole row, consumed one by one
//                            by the rectangles that follow, which have no y
//
// A title belongs to a rectangle only if no other tag comes between them. Exact positions are
// preferred to pixels, and those before zooming to the current ones. A titled rectangle without a
// usable position is counted in `unplaced`; its position is never guessed.
#include "formats/flamegraph_svg/boxes.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/parse_number.h"
#include "formats/flamegraph_svg/markup.h"

namespace wick::flamegraph_svg {
namespace {

// "12.5", "12.5%", "12.5px"; nothing if it is not a number or out of range.
std::optional<double> parse_length(std::string_view text) {
  constexpr double kMost = 9e15;  // exact as a double
  double number = 0;
  auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool usable = error == std::errc() && std::isfinite(number) && std::abs(number) <= kMost;
  return usable ? std::optional(number) : std::nullopt;
}

// Half of the last written digit of "12.5" is 0.05.
double half_digit(std::string_view text) {
  size_t point = text.find('.');
  if (point == std::string_view::npos) {
    return 0;
  }
  size_t digits = 0;
  while (point + 1 + digits < text.size() && text[point + 1 + digits] >= '0' &&
         text[point + 1 + digits] <= '9') {
    ++digits;
  }
  return 0.5 * std::pow(10, -static_cast<double>(std::min<size_t>(digits, 9)));
}

// The attributes of a rectangle.
struct Rectangle {
  std::optional<double> x, width, y;
  std::optional<double> first_x, first_width;  // before zooming
  std::optional<double> exact_x, exact_width;  // inferno
  std::string_view hover;                      // onmouseover
  double resolution = 0;
};

bool is_marked_hidden(std::string_view name, std::string_view value) {
  return (name == "display" && value == "none") ||
         (name == "class" && value.find("hide") != std::string_view::npos) ||
         (name == "style" && value.find("display: none") != std::string_view::npos) ||
         (name == "style" && value.find("display:none") != std::string_view::npos);
}

Rectangle parse_rectangle(std::string_view attributes) {
  Rectangle found;
  for_each_attribute(attributes, [&](std::string_view name, std::string_view value) {
    if (name == "x") {
      found.x = parse_length(value);
      found.resolution = std::max(found.resolution, half_digit(value));
    } else if (name == "width") {
      found.width = parse_length(value);
    } else if (name == "y") {
      found.y = parse_length(value);
    } else if (name == "fg:x") {
      found.exact_x = parse_length(value);
    } else if (name == "fg:w") {
      found.exact_width = parse_length(value);
    } else if (name == "_orig_x" || name == "fg:orig_x" || name == "orig_x") {
      found.first_x = parse_length(value);
    } else if (name == "_orig_width" || name == "fg:orig_width" || name == "orig_width") {
      found.first_width = parse_length(value);
    } else if (name == "onmouseover") {
      found.hover = value;
    }
  });
  return found;
}

// The title in onmouseover="s('title')", still escaped.
std::string_view hover_title(std::string_view hover) {
  if (!hover.starts_with("s('") || !hover.ends_with("')")) {
    return {};
  }
  return hover.substr(3, hover.size() - 5);
}

// Removes the next number from a list "1 2 3"; nothing at the end.
std::optional<double> take_number(std::string_view& list) {
  size_t end = std::min(list.find(' '), list.size());
  std::optional<double> number = parse_length(list.substr(0, end));
  list.remove_prefix(std::min(end + 1, list.size()));
  return number;
}

class Finder {
 public:
  explicit Finder(ProfileBuilder& builder) : builder_(builder) {}

  Boxes run(std::string_view text) {
    Markup markup(text);
    Tag tag;
    while (markup.next(tag)) {
      take(tag);
    }
    boxes_.broke_off = markup.broke_off() || !ended_;
    return std::move(boxes_);
  }

 private:
  void take(const Tag& tag) {
    if (tag.name == "/title") {
      has_title_ = true;
      title_ = unescaped(tag.text_before);
      ++boxes_.titles;
    } else if (tag.name == "rect") {
      take_rectangle(tag.attributes);
      has_title_ = false;
    } else if (tag.name == "g" || tag.name == "a") {
      take_group(tag.attributes);
    } else if (tag.name == "title" || tag.name == "/g" || tag.name == "/a") {
      has_title_ = false;
    } else if (tag.name == "/svg" || tag.name == "/svg:svg") {
      ended_ = true;
    } else if (tag.name == "/text") {
      boxes_.is_marked_empty = boxes_.is_marked_empty || tag.text_before.starts_with("ERROR: No ");
    } else {
      // A title belongs to the element whose first child it is.
      has_title_ = false;
    }
  }

  void take_group(std::string_view attributes) {
    has_title_ = false;
    hidden_ = false;
    ended_ = false;
    for_each_attribute(attributes, [&](std::string_view name, std::string_view value) {
      hidden_ = hidden_ || is_marked_hidden(name, value);
      if (name == "data-s") {
        row_starts_ = value;
        boxes_.geometry = Geometry::kWick;
      } else if (name == "data-w") {
        row_widths_ = value;
      } else if (name == "data-unit") {
        boxes_.unit = unescaped(value);
      } else if (name == "data-root") {
        boxes_.root_on_top = value == "top";
      } else if (name == "transform" && value.starts_with("translate(0 ")) {
        row_y_ = parse_length(value.substr(12));
      } else if (name == "onmouseover" && !hover_title(value).empty()) {
        title_ = unescaped(hover_title(value));
        has_title_ = true;
      }
    });
  }

  void take_rectangle(std::string_view attributes) {
    Rectangle rectangle;
    if (has_title_ || attributes.find("onmouseover") != std::string_view::npos) {
      rectangle = parse_rectangle(attributes);
    }
    if (!has_title_) {
      title_ = unescaped(hover_title(rectangle.hover));
      std::erase(title_, '\\');
    }
    std::optional<Title> title = parse_title(title_);
    if (!title && !rectangle.exact_width) {
      return;
    }
    if (!title) {
      title = Title{.name = title_};  // inferno: the user gave this frame a title
    }
    Box box;
    if (!set_position(rectangle, box)) {
      ++boxes_.unplaced;
      return;
    }
    describe(*title, box);
    boxes_.boxes.push_back(box);
  }

  bool set_position(const Rectangle& rectangle, Box& box) {
    box.hidden = hidden_;
    if (!row_starts_.empty() && !rectangle.y) {
      std::optional<double> start = take_number(row_starts_);
      std::optional<double> width = take_number(row_widths_);
      if (!start || !width || !row_y_) {
        return false;
      }
      box.start = *start;
      box.width = *width;
      box.y = *row_y_;
    } else if (rectangle.exact_x && rectangle.exact_width && rectangle.y) {
      boxes_.geometry = Geometry::kInferno;
      box.start = *rectangle.exact_x;
      box.width = *rectangle.exact_width;
      box.y = *rectangle.y;
    } else if (rectangle.x && rectangle.width && rectangle.y) {
      bool zoomed = rectangle.first_x && rectangle.first_width;
      box.start = zoomed ? *rectangle.first_x : *rectangle.x;
      box.width = zoomed ? *rectangle.first_width : *rectangle.width;
      box.y = *rectangle.y;
      box.hidden = box.hidden && !zoomed;
      boxes_.resolution = std::max(boxes_.resolution, rectangle.resolution);
    } else {
      return false;
    }
    return box.width >= 0;
  }

  void describe(const Title& title, Box& box) {
    bool exact = boxes_.geometry != Geometry::kPixels;
    box.amount = exact ? box.width : title.amount;
    box.self = title.self.value_or(-1);
    if (boxes_.unit.empty()) {
      boxes_.unit = title.unit;
    }
    if (title.change) {
      boxes_.differential = true;
      boxes_.exact_change = title.change_amount.has_value();
      box.change = title.change_amount.value_or(*title.change);
    }
    if (title.before && title.after) {
      off_after_ += std::abs(box.amount - *title.after);
      off_before_ += std::abs(box.amount - *title.before);
      off_both_ += std::abs(box.amount - (*title.before + *title.after) / 2);
      double least = std::min({off_after_, off_before_, off_both_});
      boxes_.widths = least == off_after_    ? Widths::kAfter
                      : least == off_before_ ? Widths::kBefore
                                             : Widths::kBoth;
    }
    box.is_all = title.name == "all" || title.name == "all samples";
    if (box.is_all) {
      boxes_.titled_total = std::max(boxes_.titled_total, title.amount);
    }
    box.is_run = boxes_.geometry == Geometry::kWick && !title.reports_self;
    if (!box.is_run) {
      box.frame = frame_of(title);
    }
  }

  FrameId frame_of(const Title& title) {
    ModuleId module;
    if (!title.module.empty()) {
      module = builder_.module({.path = builder_.string(title.module), .build_id = {}});
    }
    Frame frame{
        .function = builder_.function({.name = builder_.string(title.name), .module = module}),
        .module = module};
    if (title.kind == "kernel") {
      frame.mode = Mode::kKernel;
    } else if (title.kind == "user") {
      frame.mode = Mode::kUser;
    } else if (title.kind == "inlined") {
      frame.flags = kInlined;
    } else if (title.kind == "jit") {
      frame.flags = kJit;
    } else if (title.kind == "waker") {
      frame.flags = kWaker;
    } else if (title.kind == "python") {
      frame.language = Language::kPython;
    }
    return builder_.frame(frame);
  }

  ProfileBuilder& builder_;
  Boxes boxes_;
  std::string title_;
  bool has_title_ = false;
  bool hidden_ = false;
  bool ended_ = false;           // the last tag closed the picture
  std::string_view row_starts_;  // the unused rest of wick's lists
  std::string_view row_widths_;
  std::optional<double> row_y_;
  // The sum of the differences between the widths and each side, and the mean of both sides.
  double off_after_ = 0;
  double off_before_ = 0;
  double off_both_ = 0;
};

}  // namespace

Boxes find_boxes(std::string_view text, ProfileBuilder& builder) {
  return Finder(builder).run(text);
}

}  // namespace wick::flamegraph_svg
