// SPDX-License-Identifier: Apache-2.0
#include "formats/otlp/message.h"

#include <bit>

#include <fmt/format.h>

namespace wick::otlp {
namespace {

StoredMapping mapping_row(ProtoReader& fields) {
  StoredMapping row;
  while (fields.next()) {
    switch (fields.field()) {
      case 1:
        row.start = fields.number();
        break;
      case 2:
        row.limit = fields.number();
        break;
      case 3:
        row.offset = fields.number();
        break;
      case 4:
        row.file = fields.number();
        break;
      case 5:
        append_numbers(fields, row.attributes);
        break;
      default:
        break;
    }
  }
  return row;
}

StoredLine line_row(Bytes bytes) {
  StoredLine row;
  for (ProtoReader fields(bytes); fields.next();) {
    uint64_t StoredLine::* const kFields[] = {
        &StoredLine::function, &StoredLine::line, &StoredLine::column};
    if (fields.field() >= 1 && fields.field() <= std::size(kFields)) {
      row.*kFields[fields.field() - 1] = fields.number();
    }
  }
  return row;
}

StoredLocation location_row(ProtoReader& fields) {
  StoredLocation row;
  while (fields.next()) {
    if (fields.is(1, ProtoKind::kNumber)) {
      row.mapping = fields.number();
    } else if (fields.is(2, ProtoKind::kNumber)) {
      row.address = fields.number();
    } else if (fields.is(3, ProtoKind::kBytes)) {
      row.lines.push_back(line_row(fields.bytes()));
    } else if (fields.field() == 4) {
      append_numbers(fields, row.attributes);
    }
  }
  return row;
}

StoredFunction function_row(ProtoReader& fields) {
  StoredFunction row;
  uint64_t StoredFunction::* const kFields[] = {&StoredFunction::name,
                                                &StoredFunction::linkage_name,
                                                &StoredFunction::file,
                                                &StoredFunction::line};
  while (fields.next()) {
    if (fields.field() >= 1 && fields.field() <= std::size(kFields)) {
      row.*kFields[fields.field() - 1] = fields.number();
    }
  }
  return row;
}

StoredLink link_row(ProtoReader& fields) {
  StoredLink row;
  while (fields.next()) {
    if (fields.is(1, ProtoKind::kBytes)) {
      row.trace = as_text(fields.bytes());
    } else if (fields.is(2, ProtoKind::kBytes)) {
      row.span = as_text(fields.bytes());
    }
  }
  return row;
}

}  // namespace

void append_numbers(const ProtoReader& field, std::vector<uint64_t>& numbers) {
  for (ProtoNumbers list(field); list.next();) {
    numbers.push_back(list.value());
  }
}

void Dictionary::decode(Bytes bytes) {
  ProtoReader fields(bytes);
  while (fields.next()) {
    if (fields.kind() == ProtoKind::kBytes) {
      add_row(fields.field(), fields.bytes());
    }
  }
  damaged_rows += fields.ok() ? 0U : 1U;
  take_attributes();
}

void Dictionary::add_row(uint32_t table, Bytes bytes) {
  ProtoReader fields(bytes);
  switch (table) {
    case 1:
      mappings_.push_back(mapping_row(fields));
      break;
    case 2:
      locations_.push_back(location_row(fields));
      break;
    case 3:
      functions_.push_back(function_row(fields));
      break;
    case 4:
      links_.push_back(link_row(fields));
      break;
    case 5:
      strings_.push_back(as_text(bytes));
      return;
    case 6:
      attribute_rows_.push_back(bytes);
      return;
    case 7:
      stacks_.push_back(bytes);
      return;
    default:
      return;
  }
  damaged_rows += fields.ok() ? 0U : 1U;
}

void Dictionary::take_attributes() {
  for (Bytes row : attribute_rows_) {
    StoredAttribute attribute;
    ProtoReader fields(row);
    while (fields.next()) {
      if (fields.is(1, ProtoKind::kNumber)) {
        attribute.key = text(fields.number());
      } else if (fields.is(2, ProtoKind::kBytes)) {
        attribute.value = value(fields.bytes());
      } else if (fields.is(3, ProtoKind::kNumber)) {
        attribute.unit = text(fields.number());
      }
    }
    damaged_rows += fields.ok() ? 0U : 1U;
    attributes_.push_back(std::move(attribute));
  }
  attribute_rows_.clear();
}

AnyValue Dictionary::value(Bytes bytes) const {
  AnyValue value;
  for (ProtoReader fields(bytes); fields.next();) {
    value.is_set = true;
    value.is_number = false;
    if (fields.is(1, ProtoKind::kBytes)) {
      value.text = as_text(fields.bytes());
    } else if (fields.is(2, ProtoKind::kNumber)) {
      value.text = fields.number() != 0 ? "true" : "false";
    } else if (fields.is(3, ProtoKind::kNumber)) {
      value.number = fields.signed_number();
      value.is_number = true;
    } else if (fields.is(4, ProtoKind::kFixed64)) {
      value.text = fmt::format("{}", std::bit_cast<double>(fields.number()));
    } else if (fields.is(7, ProtoKind::kBytes)) {
      value.text = hex_digits(as_text(fields.bytes()));
    } else if (fields.is(8, ProtoKind::kNumber)) {
      value.text = text(fields.number());
    } else {
      value.is_set = false;  // lists
    }
  }
  return value;
}

StoredAttribute Dictionary::key_value(Bytes bytes) const {
  StoredAttribute attribute;
  for (ProtoReader fields(bytes); fields.next();) {
    if (fields.is(1, ProtoKind::kBytes)) {
      attribute.key = as_text(fields.bytes());
    } else if (fields.is(2, ProtoKind::kBytes)) {
      attribute.value = value(fields.bytes());
    } else if (fields.is(3, ProtoKind::kNumber)) {
      attribute.key = text(fields.number());
    }
  }
  return attribute;
}

}  // namespace wick::otlp
