// SPDX-License-Identifier: Apache-2.0
// For readers that count damage in the fields of a struct: a table says what each count means.
#pragma once

#include <span>

#include "profile/builder.h"

namespace wick {

template <typename Damage>
struct DamageRow {
  uint64_t Damage::* count;
  std::string_view reason;
  std::string_view what;
  LossClass severity = LossClass::kDataLoss;
};

template <typename Damage>
void add_losses(const Damage& damage,
                std::span<const DamageRow<Damage>> rows,
                ProfileBuilder& builder) {
  for (const DamageRow<Damage>& row : rows) {
    if (uint64_t count = damage.*row.count; count > 0) {
      builder.add_loss(
          {.reason = row.reason, .what = row.what, .count = count, .severity = row.severity});
    }
  }
}

}  // namespace wick
