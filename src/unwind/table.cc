// SPDX-License-Identifier: Apache-2.0
#include "unwind/table.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "unwind/stubs.h"
#include "unwind/table_builder.h"

namespace wick {
namespace {

constexpr UnwindRule kNothing;

// Comes before the columns: pcs, rules, dictionary, ends of expressions, their bytes.
struct TableHeader {
  uint64_t base;
  uint64_t damaged;
  uint64_t rows;
  uint64_t distinct_rules;
  uint64_t expressions;
  uint64_t expression_bytes;
  uint32_t arch;
  uint32_t tracks_extra;
};

template <typename T>
void append(std::string& bytes, const std::vector<T>& rows) {
  bytes.append(reinterpret_cast<const char*>(rows.data()), rows.size() * sizeof(T));
}

// Removes rows from the front of the bytes; false if there are fewer.
template <typename Rows>
bool take(Bytes& bytes, uint64_t count, Rows& rows) {
  constexpr size_t kSize = sizeof(typename Rows::value_type);
  if (count > bytes.size() / kSize) {
    return false;
  }
  rows.resize(static_cast<size_t>(count));
  if (count > 0) {
    std::memcpy(rows.data(), bytes.data(), rows.size() * kSize);
  }
  bytes = bytes.subspan(rows.size() * kSize);
  return true;
}

}  // namespace

UnwindTable UnwindTable::compile(const ElfImage& image, const ElfImage* debug) {
  std::optional<UnwindArch> arch = unwind_arch_of(image.machine());
  if (!arch) {
    return {};
  }
  UnwindTableBuilder builder(*arch);
  const ElfImage* code = image.type() == ElfType::kRelocatable ? nullptr : &image;
  builder.add_go_frames(image);
  builder.add(find_cfi(image, CfiKind::kEhFrame), code);
  builder.add(find_cfi(image, CfiKind::kDebugFrame), code);
  if (debug != nullptr) {
    builder.add(find_cfi(*debug, CfiKind::kDebugFrame), code);
  }
  add_known_stubs(image, builder);
  return builder.finish();
}

UnwindTable UnwindTable::compile(UnwindArch arch, const CfiSection& section) {
  UnwindTableBuilder builder(arch);
  builder.add(section, nullptr);
  return builder.finish();
}

std::string UnwindTable::bytes() const {
  TableHeader header = {.base = base_,
                        .damaged = damaged_,
                        .rows = pcs_.size(),
                        .distinct_rules = dictionary_.size(),
                        .expressions = expression_ends_.size(),
                        .expression_bytes = expression_bytes_.size(),
                        .arch = static_cast<uint32_t>(arch_),
                        .tracks_extra = tracks_extra_ ? 1U : 0U};
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  append(bytes, pcs_);
  append(bytes, rules_);
  append(bytes, dictionary_);
  append(bytes, expression_ends_);
  return bytes + expression_bytes_;
}

std::optional<UnwindTable> UnwindTable::parse(Bytes bytes) {
  TableHeader header = {};
  if (bytes.size() < sizeof header) {
    return {};
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  bytes = bytes.subspan(sizeof header);
  UnwindTable table;
  table.base_ = header.base;
  table.damaged_ = header.damaged;
  table.arch_ = static_cast<UnwindArch>(header.arch);
  table.tracks_extra_ = header.tracks_extra != 0;
  bool whole = take(bytes, header.rows, table.pcs_) && take(bytes, header.rows, table.rules_) &&
               take(bytes, header.distinct_rules, table.dictionary_) &&
               take(bytes, header.expressions, table.expression_ends_) &&
               take(bytes, header.expression_bytes, table.expression_bytes_) && bytes.empty();
  return whole && table.is_sound() ? std::optional(std::move(table)) : std::nullopt;
}

bool UnwindTable::is_sound() const {
  auto has_expression = [&](UnwindRule::Where where, int32_t number) {
    bool uses =
        where == UnwindRule::Where::kAtExpression || where == UnwindRule::Where::kExpression;
    return !uses || (number >= 0 && static_cast<size_t>(number) < expression_ends_.size());
  };
  auto is_known = [&](const UnwindRule& rule) {
    bool by_expression = rule.cfa_register == UnwindRule::kCfaExpression;
    return has_expression(rule.return_address, rule.return_address_offset) &&
           has_expression(rule.frame_pointer, rule.frame_pointer_offset) &&
           has_expression(rule.extra, rule.extra_offset) &&
           (!by_expression || has_expression(UnwindRule::Where::kExpression, rule.cfa_offset));
  };
  bool ends_inside =
      expression_ends_.empty() || expression_ends_.back() <= expression_bytes_.size();
  return static_cast<size_t>(arch_) < kUnwindArchs.size() && !dictionary_.empty() &&
         std::ranges::is_sorted(pcs_) && ends_inside && std::ranges::is_sorted(expression_ends_) &&
         std::ranges::all_of(
             rules_, [&](uint32_t rule) { return rule < dictionary_.size(); }) &&
         std::ranges::all_of(dictionary_, is_known);
}

size_t UnwindTable::row_at(uint64_t linked) const {
  uint64_t relative = linked - base_;
  if (relative > std::numeric_limits<uint32_t>::max()) {
    return kNoRow;
  }
  auto after = std::ranges::upper_bound(pcs_, static_cast<uint32_t>(relative));
  return static_cast<size_t>(after - pcs_.begin()) - 1;  // kNoRow before the first
}

const UnwindRule& UnwindTable::find(uint64_t linked) const {
  size_t row = row_at(linked);
  return row == kNoRow ? kNothing : row_rule(row);
}

bool UnwindTable::ends_before(uint64_t linked) const {
  constexpr uint64_t kFewInstructions = 16;
  size_t row = row_at(linked);
  return row != kNoRow && row > 0 && rules_[row] == 0 &&
         linked - row_address(row) < kFewInstructions;
}

Bytes UnwindTable::expression(int32_t index) const {
  auto number = static_cast<size_t>(index);
  size_t begin = number == 0 ? 0 : expression_ends_[number - 1];
  return as_bytes(expression_bytes_).subspan(begin, expression_ends_[number] - begin);
}

size_t UnwindTable::memory_bytes() const {
  return (pcs_.capacity() + rules_.capacity()) * sizeof(uint32_t) +
         dictionary_.capacity() * sizeof(UnwindRule) + expression_bytes_.capacity() +
         expression_ends_.capacity() * sizeof(uint32_t);
}

}  // namespace wick
