// SPDX-License-Identifier: Apache-2.0
#include "runtimes/placement.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace wick {
namespace {

using Agreement = Placement::Agreement;

// Native frames as letters, leaf first; 'E' is an evaluator, '+' at the end: cut.
struct Native {
  explicit Native(std::string_view text) : is_cut(text.ends_with('+')) {
    for (char letter : text.substr(0, text.size() - (is_cut ? 1 : 0))) {
      is_evaluator.push_back(letter == 'E' ? 1 : 0);
      names += letter;
    }
  }
  std::vector<uint8_t> is_evaluator;
  std::string names;
  bool is_cut;
};

// Frames as letters, innermost first; '|' after an entry, a '|' alone is one without code. A capital
// is a function that has not started.
struct List {
  explicit List(std::string_view text) : is_cut(text.ends_with('+')) {
    for (char letter : text.substr(0, text.size() - (is_cut ? 1 : 0))) {
      if (letter != '|') {
        frames.push_back({.code = 1, .position = letter >= 'a' ? 8U : 0U});
        names += letter;
      } else if (!frames.empty() && !frames.back().is_entry) {
        frames.back().is_entry = true;
      } else {
        frames.push_back({.is_entry = true});
        names += letter;
      }
    }
  }
  std::vector<InterpreterFrame> frames;
  std::string names;
  bool is_cut;
};

std::string place(std::string_view native_text, std::string_view list_text) {
  Native native(native_text);
  List list(list_text);
  Placement placed = place_frames({native.is_evaluator, native.is_cut}, {list.frames, list.is_cut});
  std::string text;
  for (const Placement::Frame& frame : placed.frames) {
    text += frame.is_native ? native.names[frame.index] : list.names[frame.index];
  }
  constexpr std::string_view kMarks[] = {"", " from the leaf", " none"};
  return text + std::string(kMarks[static_cast<size_t>(placed.agreement)]);
}

TEST(Placement, AFrameThatHasNotStartedIsThatOfTheNewEvaluator) {
  EXPECT_EQ(place("EsEm", "Kpl|"), "KEsplEm");
  EXPECT_EQ(place("EsEm", "kpl|"), "EskplEm") << "it has called what called the new one";
  EXPECT_EQ(place("EsEm", "K|pl|"), "KEsplEm");
}

TEST(Placement, EachEvaluatorRunsTheFramesUpToAnEntry) {
  EXPECT_EQ(place("rEsEm", "k|pl|"), "rkEsplEm");
  EXPECT_EQ(place("EEE", "1|2|3|"), "1E2E3E");
  EXPECT_EQ(place("abc", ""), "abc");
  EXPECT_EQ(place("", ""), "");
}

TEST(Placement, AnEvaluatorAtTheLeafMayHaveNoFrameYet) {
  EXPECT_EQ(place("EsEm", "pl|"), "EsplEm");
  EXPECT_EQ(place("cEsEm", "pl|"), "cEsplEm");
  EXPECT_EQ(place("Em", ""), "Em");
  // Far from the leaf, it is not the one that has just been called.
  EXPECT_EQ(place("abcEsEm", "pl|"), "abcEsplEm none");
}

TEST(Placement, AnEvaluatorMayRunNothing) {
  EXPECT_EQ(place("abcdEfEm", "|pl|"), "abcdEfplEm");
  EXPECT_EQ(place("abcdEfEgEm", "d||pl|"), "abcddEfEgplEm");
}

TEST(Placement, AStackThatWasCutIsComparedFromTheLeaf) {
  EXPECT_EQ(place("rEs+", "k|pl|"), "rkEspl from the leaf");
  EXPECT_EQ(place("r+", "k|pl|"), "rkpl from the leaf");
  EXPECT_EQ(place("rEsE+", "k|pl|"), "rkEsplE");  // cut below the outermost evaluator
  EXPECT_EQ(place("aaarEsEE+", "k|pl|"), "aaarEsEkplE none");
}

TEST(Placement, AListThatWasCutIsComparedFromTheLeaf) {
  EXPECT_EQ(place("rEsEmEz", "k|p+"), "rkEspEmEz from the leaf");
  EXPECT_EQ(place("rEsEmEz", "k|pl|+"), "rkEsplEmEz from the leaf");
  EXPECT_EQ(place("rEm", "k|p+"), "rkpEm none");
  EXPECT_EQ(place("rEm+", "k|p+"), "rkEmp from the leaf");
}

TEST(Placement, DisagreementLeavesTheLeafNative) {
  EXPECT_EQ(place("rEsEm", "k|l|m|"), "rEsklmEm none");
  EXPECT_EQ(place("rEsEm", "kl"), "rEsklEm none");
  EXPECT_EQ(place("rEsEm", "k|l"), "rEsklEm none");
  EXPECT_EQ(place("rsm", "k|l|"), "rsmkl none");  // a file that does not name its evaluator
}

TEST(Placement, EveryFrameIsThereOnceAndInItsOrder) {
  std::mt19937 random(1);
  for (int round = 0; round < 20'000; ++round) {
    std::vector<uint8_t> is_evaluator(random() % 12);
    for (uint8_t& flag : is_evaluator) {
      flag = random() % 3 == 0 ? 1 : 0;
    }
    std::vector<InterpreterFrame> frames(random() % 12);
    for (InterpreterFrame& frame : frames) {
      frame = {.code = random() % 5, .is_entry = random() % 2 == 0};
    }
    Placement placed = place_frames({is_evaluator, random() % 3 == 0}, {frames, random() % 3 == 0});
    uint32_t next_native = 0;
    uint32_t next = 0;
    for (const Placement::Frame& frame : placed.frames) {
      if (frame.is_native) {
        ASSERT_EQ(frame.index, next_native++);
        continue;
      }
      while (frames[next].code == 0) {
        ++next;
      }
      ASSERT_EQ(frame.index, next++);
    }
    while (next < frames.size() && frames[next].code == 0) {
      ++next;
    }
    ASSERT_EQ(next_native, is_evaluator.size());
    ASSERT_EQ(next, frames.size());
  }
}

}  // namespace
}  // namespace wick
