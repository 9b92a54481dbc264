// SPDX-License-Identifier: Apache-2.0
#include "viewer/page_ladders.h"

#include <string>
#include <unordered_map>
#include <vector>

#include "base/escape.h"
#include "report/label_ladder.h"

namespace wick {
namespace {

constexpr size_t kLongestWithout = 8;

}  // namespace

void pack_ladders(const Profile& merged, ColumnPacker& columns) {
  std::string lines;
  std::unordered_map<std::string, uint32_t> known = {{"", 0}};
  std::vector<uint32_t> line_of(merged.functions.size());
  for (size_t row = 0; row < line_of.size(); ++row) {
    FunctionId function = FunctionId::from_index(row);
    std::string name = terminal_text(merged.strings[merged.functions[function].name]);
    if (name.size() <= kLongestWithout) {
      continue;
    }
    auto [found, is_new] = known.try_emplace(label_ladder(name, label_forms(name)),
                                             static_cast<uint32_t>(known.size()));
    if (is_new) {
      lines += '\n' + found->first;
    }
    line_of[row] = found->second;
  }
  columns.raw("ladder.bytes", lines.size(), lines);
  columns.varint("function.ladder", line_of.size(), [&](size_t row) { return line_of[row]; });
}

}  // namespace wick
