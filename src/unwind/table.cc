#include "unwind/table.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "unwind/stubs.h"
#include "unwind/table_builder.h"

namespace wick {
namespace {

constexpr UnwindRule kNothing;

}  // namespace

UnwindTable UnwindTable::compile(const ElfImage& image, const ElfImage* debug) {
  std::optional<UnwindArch> arch = unwind_arch_of(image.machine());
  if (!arch) {
    return {};
  }
  UnwindTableBuilder builder(*arch);
  const ElfImage* code = image.type() == ElfType::kRelocatable ? nullptr : &image;
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
