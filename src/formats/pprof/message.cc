// SPDX-License-Identifier: Apache-2.0
// One function decodes a row of each table; Decoder walks over the message and calls them. Rows of
// plain numbers share decode_numbers(). A damaged row keeps the fields before the damage.
#include "formats/pprof/message.h"

#include <algorithm>

#include "base/protobuf.h"

namespace wick::pprof {
namespace {

// Decodes the fields of one row: `take(field number, number)` for each number. Returns false if the
// bytes are not fields.
template <typename Take>
bool decode_numbers(Bytes row, uint64_t& wrong_kinds, Take take) {
  ProtoReader fields(row);
  while (fields.next()) {
    if (fields.kind() == ProtoKind::kNumber) {
      take(fields.field(), fields.number());
    } else {
      ++wrong_kinds;
    }
  }
  return fields.ok();
}

ValueType decode_value_type(Bytes row, Damage& damage) {
  ValueType type;
  bool ok = decode_numbers(row, damage.wrong_kinds, [&](uint32_t field, uint64_t number) {
    (field == 1 ? type.type : type.unit) = number;
  });
  damage.bad_rows += ok ? 0U : 1U;
  return type;
}

Mapping decode_mapping(Bytes row, Damage& damage) {
  Mapping mapping;
  uint64_t* targets[] = {nullptr,
                         &mapping.id,
                         &mapping.start,
                         &mapping.limit,
                         &mapping.offset,
                         &mapping.file,
                         &mapping.build_id};
  bool ok = decode_numbers(row, damage.wrong_kinds, [&](uint32_t field, uint64_t number) {
    if (field < std::size(targets)) {
      *targets[field] = number;
    }
  });
  damage.bad_rows += ok ? 0U : 1U;
  return mapping;
}

Function decode_function(Bytes row, Damage& damage) {
  Function function;
  uint64_t start_line = 0;
  uint64_t* targets[] = {
      nullptr, &function.id, &function.name, &function.linkage_name, &function.file, &start_line};
  bool ok = decode_numbers(row, damage.wrong_kinds, [&](uint32_t field, uint64_t number) {
    if (field < std::size(targets)) {
      *targets[field] = number;
    }
  });
  function.start_line = static_cast<int64_t>(start_line);
  damage.bad_rows += ok ? 0U : 1U;
  return function;
}

Line decode_line(Bytes row, Damage& damage) {
  Line line;
  bool ok = decode_numbers(row, damage.wrong_kinds, [&](uint32_t field, uint64_t number) {
    if (field == 1) {
      line.function = number;
    } else if (field == 2) {
      line.line = static_cast<int64_t>(number);
    } else if (field == 3) {
      line.column = static_cast<int64_t>(number);
    }
  });
  damage.bad_rows += ok ? 0U : 1U;
  return line;
}

Location decode_location(Bytes row, std::vector<Line>& lines, Damage& damage) {
  Location location{.first_line = lines.size()};
  ProtoReader fields(row);
  while (fields.next()) {
    if (fields.is(4, ProtoKind::kBytes)) {
      lines.push_back(decode_line(fields.bytes(), damage));
    } else if (fields.kind() != ProtoKind::kNumber || fields.field() == 4) {
      ++damage.wrong_kinds;
    } else if (fields.field() == 1) {
      location.id = fields.number();
    } else if (fields.field() == 2) {
      location.mapping = fields.number();
    } else if (fields.field() == 3) {
      location.address = fields.number();
    }
  }
  damage.bad_rows += fields.ok() ? 0U : 1U;
  location.line_count = lines.size() - location.first_line;
  return location;
}

class Decoder {
 public:
  explicit Decoder(Bytes bytes) { message_.bytes = bytes; }

  Message run() {
    ProtoReader fields(message_.bytes);
    while (fields.next()) {
      if (fields.kind() == ProtoKind::kBytes) {
        take_bytes(fields);
      } else if (fields.kind() == ProtoKind::kNumber) {
        take_number(fields);
      } else {
        ++message_.damage.wrong_kinds;
      }
    }
    message_.damage.unread_bytes = fields.remaining();
    message_.damage.repeated_ids += message_.mapping_rows.finish() +
                                    message_.function_rows.finish() +
                                    message_.location_rows.finish();
    return std::move(message_);
  }

 private:
  void take_bytes(const ProtoReader& fields) {
    Bytes row = fields.bytes();
    Damage& damage = message_.damage;
    switch (fields.field()) {
      case 1:
        message_.value_types.push_back(decode_value_type(row, damage));
        break;
      case 2:
        ++message_.sample_count;
        break;
      case 3:
        add_row(decode_mapping(row, damage), message_.mappings, message_.mapping_rows);
        break;
      case 4:
        add_row(decode_location(row, message_.lines, damage),
                message_.locations,
                message_.location_rows);
        break;
      case 5:
        add_row(decode_function(row, damage), message_.functions, message_.function_rows);
        break;
      case 6:
        message_.strings.push_back(row.empty() ? 0 : offset_of(row));
        message_.strings.push_back(row.size());
        break;
      case 11:
        message_.period_type = decode_value_type(row, damage);
        break;
      case 13:
        take_comments(fields);
        break;
      default:
        damage.wrong_kinds += fields.field() <= 15 ? 1U : 0U;
    }
  }

  // Rows without an id cannot be referred to, and they take more memory than bytes.
  template <typename Row>
  void add_row(const Row& row, std::vector<Row>& rows, RowIds& ids) {
    if (row.id == 0) {
      ++message_.damage.repeated_ids;
      return;
    }
    rows.push_back(row);
    ids.add(row.id);
  }

  void take_number(const ProtoReader& fields) {
    switch (fields.field()) {
      case 7:
        message_.drop_frames = fields.number();
        break;
      case 8:
        message_.keep_frames = fields.number();
        break;
      case 9:
        message_.time_ns = fields.signed_number();
        break;
      case 10:
        message_.duration_ns = fields.signed_number();
        break;
      case 12:
        message_.period = fields.signed_number();
        break;
      case 13:
        take_comments(fields);
        break;
      case 14:
        message_.default_type = fields.number();
        break;
      case 15:
        message_.documentation = fields.number();
        break;
      default:
        message_.damage.wrong_kinds += fields.field() <= 15 ? 1U : 0U;
    }
  }

  void take_comments(const ProtoReader& fields) {
    ProtoNumbers numbers(fields);
    while (numbers.next()) {
      message_.comments.push_back(numbers.value());
    }
    message_.damage.bad_rows += numbers.ok() ? 0U : 1U;
  }

  uint64_t offset_of(Bytes row) const {
    return static_cast<uint64_t>(row.data() - message_.bytes.data());
  }

  Message message_;
};

}  // namespace

uint64_t RowIds::finish() {
  uint64_t most = 0;
  for (uint64_t id : ids_) {
    most = std::max(most, id);
  }
  uint64_t repeated = 0;
  bool is_dense = most / 4 <= ids_.size() + 1024;
  dense_.assign(is_dense ? static_cast<size_t>(most) + 1 : 0, kNone);
  for (size_t row = 0; row < ids_.size(); ++row) {
    uint64_t id = ids_[row];
    bool is_new = !is_dense || dense_[static_cast<size_t>(id)] == kNone;
    repeated += is_new ? 0U : 1U;
    if (is_new && is_dense) {
      dense_[static_cast<size_t>(id)] = static_cast<uint32_t>(row);
    } else if (is_new) {
      sparse_.emplace_back(id, static_cast<uint32_t>(row));
    }
  }
  std::ranges::sort(sparse_);
  auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
  auto doubled = std::ranges::unique(sparse_, same);
  repeated += doubled.size();
  sparse_.erase(doubled.begin(), doubled.end());
  ids_ = {};
  return repeated;
}

uint32_t RowIds::find(uint64_t id) const {
  if (!dense_.empty()) {
    return id < dense_.size() ? dense_[static_cast<size_t>(id)] : kNone;
  }
  auto found = std::ranges::lower_bound(sparse_, id, {}, &std::pair<uint64_t, uint32_t>::first);
  return found != sparse_.end() && found->first == id ? found->second : kNone;
}

Message Message::decode(Bytes bytes) {
  return Decoder(bytes).run();
}

std::string_view Message::text(uint64_t string) const {
  if (string < strings.size() / 2) {
    auto row = static_cast<size_t>(string * 2);
    return as_text(bytes).substr(strings[row], strings[row + 1]);
  }
  damage.bad_texts += string == 0 ? 0U : 1U;
  return {};
}

}  // namespace wick::pprof
