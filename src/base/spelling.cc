// SPDX-License-Identifier: Apache-2.0
#include "base/spelling.h"

#include <algorithm>
#include <vector>

namespace wick {
namespace {

// The number of edits (insert, delete, change, swap of neighbours) between two words, computed with
// the usual table of prefixes.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> table(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        table[i][j] = i + j;
        continue;
      }
      size_t change = table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      table[i][j] = std::min({change, table[i - 1][j] + 1, table[i][j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
      }
    }
  }
  return table[a.size()][b.size()];
}

}  // namespace

std::string nearest_spelling(std::string_view word, std::span<const std::string> candidates) {
  constexpr size_t kMaxWord = 64;
  std::string best;
  size_t limit = std::max<size_t>(1, word.size() / 3);
  if (word.empty() || word.size() > kMaxWord) {
    return best;
  }
  for (const std::string& candidate : candidates) {
    size_t longer = std::max(word.size(), candidate.size());
    size_t shorter = std::min(word.size(), candidate.size());
    if (longer - shorter > limit) {
      continue;
    }
    size_t distance = edit_distance(word, candidate);
    if (distance <= limit) {
      best = candidate;
      limit = distance == 0 ? 0 : distance - 1;
    }
  }
  return best;
}

}  // namespace wick
