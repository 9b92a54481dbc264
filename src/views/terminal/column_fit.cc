// SPDX-License-Identifier: Apache-2.0
#include "views/terminal/column_fit.h"

#include <algorithm>

namespace wick {
namespace {

constexpr size_t kShortProse = 24;       // prose up to this width is not wrapped
constexpr size_t kMinProseColumns = 30;  // narrower prose is read below its row

class ColumnFit {
 public:
  ColumnFit(std::vector<ShownColumn>& shown, size_t width) : shown_(shown), width_(width) {}

  void fit(size_t folded_names) {
    size_t wanted = std::min(folded_names, width_ / 2);
    shrink_name(std::max(wanted, kMinNameColumns));
    wrap_prose();
    while (excess() > 0 && drop_column()) {
      shrink_name(std::max(wanted, kMinNameColumns));
    }
    shrink_name(kMinNameColumns);
    shrink_texts();
    if (excess() > 0) {
      put_below(0);
    }
  }

 private:
  size_t excess() const {
    size_t width = line_width();
    return width > width_ ? width - width_ : 0;
  }

  size_t line_width() const {
    size_t width = 0;
    for (const ShownColumn& shown : shown_) {
      width += shown.below ? 0 : shown.width + kColumnGap;
    }
    return width == 0 ? 0 : width - kColumnGap;
  }

  // widen_name() gives space back when a later step frees more than is needed.
  void shrink_name(size_t least) {
    auto name = std::ranges::find_if(shown_, &ShownColumn::is_name);
    if (name == shown_.end() || excess() == 0) {
      return;
    }
    size_t spare = name->width > least ? name->width - least : 0;
    name->width -= std::min(excess(), spare);
  }

  // Prose is read as lines, so it is wrapped instead of being cut: the only prose of a row in its
  // column, several below their row. Prose that is not important is left out.
  void wrap_prose() {
    auto is_extra = [](const ShownColumn& shown) {
      return is_long_prose(shown) && shown.rank == kExtraRank;
    };
    for (auto extra = std::ranges::find_if(shown_, is_extra); excess() > 0 && extra != shown_.end();
         extra = std::ranges::find_if(shown_, is_extra)) {
      shown_.erase(extra);
    }
    if (excess() == 0) {
      return;
    }
    size_t room = excess();
    if (std::ranges::count_if(shown_, is_long_prose) == 1) {
      ShownColumn& prose = *std::ranges::find_if(shown_, is_long_prose);
      if (prose.width >= room + kMinProseColumns) {
        prose.width -= room;
        prose.wrapped = true;
        return;
      }
    }
    put_below(kShortProse);
  }

  void put_below(size_t longest_beside) {
    for (ShownColumn& shown : shown_) {
      shown.below = shown.is_prose() && shown.width > longest_beside;
    }
    widen_name();
  }

  static bool is_long_prose(const ShownColumn& shown) {
    return shown.is_prose() && shown.width > kShortProse;
  }

  bool drop_column() {
    auto least =
        std::ranges::max_element(shown_.rbegin(), shown_.rend(), {}, [](const ShownColumn& shown) {
          return shown.below ? 0 : shown.rank;
        });
    if (least == shown_.rend() || least->below || least->rank == 0) {
      return false;
    }
    shown_.erase(std::next(least).base());
    widen_name();
    return true;
  }

  // Names take the space that another column left.
  void widen_name() {
    auto name = std::ranges::find_if(shown_, &ShownColumn::is_name);
    if (name == shown_.end()) {
      return;
    }
    size_t others = line_width() - name->width;
    name->width =
        std::max(name->width, std::min(name->natural, width_ > others ? width_ - others : 0));
  }

  void shrink_texts() {
    for (ShownColumn& shown : shown_) {
      if (shown.is_text() && !shown.below && shown.width > kMinTextColumns) {
        shown.width -= std::min(excess(), shown.width - kMinTextColumns);
      }
    }
  }

  std::vector<ShownColumn>& shown_;
  size_t width_;
};

}  // namespace

void fit_columns(std::vector<ShownColumn>& shown, size_t width, size_t folded_names) {
  ColumnFit(shown, width).fit(folded_names);
}

}  // namespace wick
