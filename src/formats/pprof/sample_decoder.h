// SPDX-License-Identifier: Apache-2.0
// The bytes of one sample: location ids, values, and where its labels are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/protobuf.h"

namespace wick::pprof {

struct SampleFieldsDecoder {
  std::vector<uint64_t> locations;  // leaf first
  std::vector<int64_t> values;
  std::string_view labels;   // the bytes of the label fields, if they are next to each other
  std::string moved_labels;  // else a copy of them
  bool is_damaged = false;

  void decode(Bytes sample) {
    locations.clear();
    values.clear();
    labels = {};
    moved_labels.clear();
    is_damaged = false;
    ProtoReader fields(sample);
    size_t before = fields.remaining();
    while (fields.next()) {
      size_t after = fields.remaining();
      if (fields.field() == 1) {
        take_numbers(fields, [&](uint64_t id) { locations.push_back(id); });
      } else if (fields.field() == 2) {
        take_numbers(fields,
                     [&](uint64_t value) { values.push_back(static_cast<int64_t>(value)); });
      } else if (fields.is(3, ProtoKind::kBytes)) {
        take_label(as_text(sample).substr(sample.size() - before, before - after));
      } else {
        is_damaged = is_damaged || fields.field() == 3;
      }
      before = after;
    }
    is_damaged = is_damaged || !fields.ok();
  }

 private:
  template <typename Use>
  void take_numbers(const ProtoReader& field, Use use) {
    ProtoNumbers numbers(field);
    while (numbers.next()) {
      use(numbers.value());
    }
    is_damaged = is_damaged || !numbers.ok();
  }

  void take_label(std::string_view field) {
    if (labels.empty()) {
      labels = field;
    } else if (moved_labels.empty() && labels.data() + labels.size() == field.data()) {
      labels = {labels.data(), labels.size() + field.size()};
    } else {
      moved_labels = moved_labels.empty() ? std::string(labels) : std::move(moved_labels);
      moved_labels += field;
    }
  }
};

}  // namespace wick::pprof
