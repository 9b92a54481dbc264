#include "views/code_tables.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace wick {
namespace {

// The lines that meet in a cell.
enum Line : uint8_t { kNone = 0, kUp = 1, kDown = 2, kLeft = 4, kRight = 8, kHead = 16 };

std::string_view box(uint8_t lines) {
  constexpr std::array<std::string_view, 16> kBoxes = {
      " ", "│", "│", "│", "─", "┘", "┐", "┤", "─", "└", "┌", "├", "─", "┴", "┬", "┼"};
  return (lines & kHead) != 0 ? "▸" : kBoxes[lines & 15U];
}

struct Arrow {
  uint32_t from = 0;
  uint32_t to = 0;
  size_t lane = 0;

  uint32_t top() const { return std::min(from, to); }
  uint32_t bottom() const { return std::max(from, to); }
};

// Gives each arrow the nearest lane that is free over its length. Arrows to one target share a
// lane.
std::vector<Arrow> arranged(const std::vector<std::pair<uint32_t, uint32_t>>& jumps, size_t lanes) {
  std::vector<Arrow> arrows;
  for (const auto& [from, to] : jumps) {
    arrows.push_back({from, to});
  }
  std::ranges::stable_sort(
      arrows, {}, [](const Arrow& arrow) { return arrow.bottom() - arrow.top(); });
  std::vector<std::vector<Arrow>> taken(lanes);
  std::vector<Arrow> placed;
  for (Arrow arrow : arrows) {
    auto is_free = [&](const std::vector<Arrow>& lane) {
      return std::ranges::none_of(lane, [&](const Arrow& other) {
        bool apart = other.bottom() < arrow.top() || arrow.bottom() < other.top();
        return !apart && other.to != arrow.to;
      });
    };
    auto lane = std::ranges::find_if(taken, is_free);
    arrow.lane = static_cast<size_t>(lane - taken.begin());
    if (lane != taken.end()) {
      lane->push_back(arrow);
    }
    placed.push_back(arrow);
  }
  return placed;
}

}  // namespace

CostTable::CostTable(const Report& report, std::string_view section) {
  auto found = std::ranges::find(report.sections, section, &Section::name);
  if (found == report.sections.end()) {
    return;
  }
  table = &std::get<Table>(found->body);
  self = table->find("self");
  self_share = table->find("self_share");
  function_share = table->find("function_share");
  total_share = table->find("total_share");
  samples = table->find("samples");
}

const std::string& CostTable::text(std::string_view column, size_t row) const {
  static const std::string kNone;
  const ReportColumn* found = table == nullptr ? nullptr : table->find(column);
  return found == nullptr ? kNone : found->text[row];
}

uint32_t CostTable::number(std::string_view column, size_t row) const {
  const ReportColumn* found = table == nullptr ? nullptr : table->find(column);
  return found == nullptr ? 0 : static_cast<uint32_t>(found->numbers[row]);
}

double CostTable::heat(size_t row) const {
  return function_share == nullptr ? 0 : function_share->numbers[row];
}

std::vector<size_t> CostTable::hottest() const {
  std::vector<size_t> order;
  for (size_t row = 0; row < rows(); ++row) {
    if (is_sampled(row)) {
      order.push_back(row);
    }
  }
  std::ranges::stable_sort(order,
                           [&](size_t a, size_t b) { return self->numbers[a] > self->numbers[b]; });
  return order;
}

std::vector<std::pair<uint32_t, uint32_t>> jumps(const CostTable& instructions) {
  std::unordered_map<std::string, uint32_t> rows;
  for (size_t row = 0; row < instructions.rows(); ++row) {
    rows.emplace(instructions.text("address", row), static_cast<uint32_t>(row));
  }
  std::vector<std::pair<uint32_t, uint32_t>> found;
  for (size_t row = 0; row < instructions.rows(); ++row) {
    const std::string& target = instructions.text("target", row);
    bool leaves = target.empty() || !instructions.text("refers_to", row).empty();
    auto to = rows.find(target);
    if (!leaves && to != rows.end() && to->second != row) {
      found.emplace_back(static_cast<uint32_t>(row), to->second);
    }
  }
  return found;
}

DrawnJumps draw_jumps(const std::vector<std::pair<uint32_t, uint32_t>>& jumps,
                      size_t rows,
                      size_t lanes) {
  std::vector<Arrow> arrows = arranged(jumps, lanes);
  size_t used = 0;
  for (const Arrow& arrow : arrows) {
    used = std::max(used, arrow.lane < lanes ? arrow.lane + 1 : 0);
  }
  size_t width = jumps.empty() ? 0 : used + 2;
  std::vector<uint8_t> cells(rows * width);
  auto cell = [&](size_t row, size_t column) -> uint8_t& { return cells[row * width + column]; };
  for (const Arrow& arrow : arrows) {
    cell(arrow.to, width - 1) |= kHead;
    if (arrow.lane >= lanes) {
      continue;
    }
    size_t column = used - 1 - arrow.lane;
    for (uint32_t row = arrow.top(); row <= arrow.bottom(); ++row) {
      cell(row, column) |= row > arrow.top() ? kUp : kNone;
      cell(row, column) |= row < arrow.bottom() ? kDown : kNone;
    }
    for (uint32_t row : {arrow.from, arrow.to}) {
      cell(row, column) |= kRight;
      for (size_t right = column + 1; right < width; ++right) {
        cell(row, right) |= kLeft | kRight;
      }
    }
  }
  DrawnJumps drawn{.at = std::vector<std::string>(rows),
                   .above = std::vector<std::string>(rows),
                   .width = width};
  for (size_t row = 0; row < rows; ++row) {
    for (size_t column = 0; column < width; ++column) {
      drawn.at[row] += box(cell(row, column));
      drawn.above[row] += box((cell(row, column) & kUp) != 0 ? kUp : kNone);
    }
  }
  return drawn;
}

std::string without_tabs(std::string_view text) {
  constexpr size_t kTab = 4;
  std::string plain;
  for (char c : text) {
    if (c == '\t') {
      plain.append(kTab - plain.size() % kTab, ' ');
    } else {
      plain += c;
    }
  }
  return plain;
}

}  // namespace wick
