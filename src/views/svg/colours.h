// SPDX-License-Identifier: Apache-2.0
// The colour of a frame in wick's own flame graph, as a class of flame.css.
//
//     kModule   g0..g7   the eight heaviest modules. Each has the slot of its name's hash, or the
//                        next free slot: mostly the same in every picture. gx: all others. If there
//                        are functions of Python, g5 is theirs
//     kKind     g0..g7   one fixed slot for each kind
//     kName     n0..nb   warm tones by the name's hash; they only separate neighbours
//     kHeat     h0..h7   by own weight, in steps of its square root
//     kDelta    d5..d1 z u1..u5   blue for less, orange for more, by own change
//
// In every scheme, the root is r and a run of narrow frames is m. The more gaps a run has, the
// paler it is (m1 to m4). Colour is never the only sign: titles contain the same information as
// words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "views/svg/flame_tree.h"
#include "views/svg/layout.h"

namespace wick {

enum class ColourBy { kAuto, kModule, kKind, kName, kHeat, kDelta };

struct LegendEntry {
  std::string style;  // class of flame.css
  std::string text;
};

struct ColourOptions {
  ColourBy by = ColourBy::kAuto;
  bool negate = false;     // swaps the colours of a difference
  double share_total = 1;  // 100 % of the legend's shares
};

class Colours {
 public:
  Colours(const FlameTree& tree, const ColourOptions& options);

  // One class, or two for runs with gaps.
  std::string_view style_of(const Box& box) const;
  const std::vector<LegendEntry>& legend() const { return legend_; }

 private:
  void rank_modules();
  void list_kinds();
  void scale_heat();
  void scale_delta();

  const FlameTree& tree_;
  ColourOptions options_;
  bool is_python(size_t row) const;

  bool has_python_ = false;           // beside modules
  double largest_ = 0;                // own weight or own change, for the scales
  std::vector<uint8_t> value_slots_;  // slot of each value of the module or kind column
  std::vector<LegendEntry> legend_;
};

}  // namespace wick
