// SPDX-License-Identifier: Apache-2.0
// Tracks as lines of text, for the terminal and for Markdown:
//
//                      0 s                                  1.20 s
//     worker 42        ▂▅████▇▅▂                   ▂▅█████▇▅▂        2 CPUs
//       requests       aaaabbbbbb                  aaa.cbbbbb
//       states         ###########----------++-----###########
//     frames           |    |    |    2    |    |    |
//     IPC: at most     ▆▇███▇▆▅▅▆▇░░░░░▇███▇▆▅▅▆▇
//          linear      ▅▆▆▇▆▆▅▃▄▅▆░░░░░▆▇▇▆▅▃▄▅▆▆                    3.20
//          at least    ▂▃▃▄▃▃▂▁▁▂▃░░░░░▃▄▄▃▂▁▁▂▃▃
//     a parse 1.20 s, b send 0.40 s
//     wake-up 12.3 ms worker 1 -> worker 2 12.4 ms
//
// Lines have bars on the scale that is written after them, spans the letter of their name, states
// and marks a character each; a legend explains those that are used. No line exceeds the width.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace wick {

struct SketchStyle {
  size_t width = 100;  // columns of a line
  size_t limit = 0;    // lines of tracks; 0: all
};

std::vector<std::string> sketch_lines(const Tracks& tracks, const SketchStyle& style);

}  // namespace wick
