// SPDX-License-Identifier: Apache-2.0
#include "views/code_tables.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace wick {
namespace {

// The line segments that meet in a cell.
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

CostTable::CostTable(const Table& of) : table(&of) {
  self = of.find(ColumnRole::kSelf, ColumnKind::kWeight);
  self_share = of.find(ColumnRole::kSelf, ColumnKind::kShare);
  part = of.find(ColumnRole::kPart, ColumnKind::kNumber);
  total = of.find(ColumnRole::kTotal, ColumnKind::kWeight);
  total_share = of.find(ColumnRole::kTotal, ColumnKind::kShare);
  samples = of.find(ColumnRole::kSamples, ColumnKind::kCount);
  line_ = of.find(ColumnRole::kLine, ColumnKind::kCount);
  for (size_t role = 0; role < kRoles; ++role) {
    by_role_[role] = of.find(static_cast<ColumnRole>(role), ColumnKind::kText);
  }
}

const std::string& CostTable::text(ColumnRole role, size_t row) const {
  static const std::string kNone;
  const ReportColumn* column = by_role_[static_cast<size_t>(role)];
  return column == nullptr ? kNone : column->text[row];
}

uint32_t CostTable::line(size_t row) const {
  return line_ == nullptr ? 0 : static_cast<uint32_t>(line_->numbers[row]);
}

double CostTable::heat(size_t row) const {
  return part == nullptr ? 0 : part->numbers[row];
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

namespace {

// The member of `code` for the table of a section; null if views of code do not show the section.
CostTable* slot_for(const Section& section, CodeReport& code) {
  if (const auto* listing = std::get_if<Code>(&section.body)) {
    bool has_instructions = listing->rows.find(ColumnRole::kInstruction) != nullptr;
    return has_instructions ? &code.instructions : &code.lines;
  }
  switch (section.role) {
    case SectionRole::kSubject:
      return &code.function;
    case SectionRole::kParts:
      return &code.parts;
    case SectionRole::kOthers:
      return &code.others;
    case SectionRole::kAnswer:
      break;
  }
  return nullptr;
}

const Table* table_of(const Section& section) {
  const auto* code = std::get_if<Code>(&section.body);
  return code != nullptr ? &code->rows : std::get_if<Table>(&section.body);
}

}  // namespace

Result<CodeReport> code_report(const Report& report) {
  CodeReport code;
  for (const Section& section : report.sections) {
    CostTable* slot = slot_for(section, code);
    const Table* table = table_of(section);
    if (slot != nullptr && table != nullptr && CostTable(*table).has_costs()) {
      *slot = CostTable(*table);
    }
  }
  if (code.function.total == nullptr || code.function.total_share == nullptr) {
    code.function = {};
  }
  if (code.instructions.table == nullptr && code.lines.table == nullptr) {
    return fail(
        "This report has no code, so it cannot be shown as a listing. `wick annotate` shows the "
        "code of a function from the same input; --json and --csv write any report.");
  }
  return code;
}

std::vector<std::pair<uint32_t, uint32_t>> jumps(const CostTable& instructions) {
  std::unordered_map<std::string, uint32_t> rows;
  for (size_t row = 0; row < instructions.rows(); ++row) {
    rows.emplace(instructions.text(ColumnRole::kAddress, row), static_cast<uint32_t>(row));
  }
  std::vector<std::pair<uint32_t, uint32_t>> found;
  for (size_t row = 0; row < instructions.rows(); ++row) {
    const std::string& target = instructions.text(ColumnRole::kTarget, row);
    bool leaves = target.empty() || !instructions.text(ColumnRole::kReference, row).empty();
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
