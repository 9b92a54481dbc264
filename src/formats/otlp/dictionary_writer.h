// SPDX-License-Identifier: Apache-2.0
// The dictionary of a written message: each row once. Row 0 of every table is empty.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/protobuf.h"
#include "base/string_table.h"
#include "profile/profile.h"

namespace wick::otlp {

class DictionaryWriter {
 public:
  explicit DictionaryWriter(const Profile& profile);

  uint64_t string(std::string_view text);
  uint64_t stack(StackId stack);
  uint64_t text_attribute(std::string_view key, std::string_view text);
  uint64_t number_attribute(std::string_view key, int64_t number, std::string_view unit = {});
  ProtoWriter finish();

 private:
  // Rows of a table by their bytes.
  class Rows {
   public:
    Rows() { number(ProtoWriter()); }
    uint64_t number(const ProtoWriter& row);
    void write(uint32_t field, ProtoWriter& out) const;

   private:
    std::map<std::string, uint64_t> known_;
    std::vector<const std::string*> rows_;
  };

  uint64_t location(const std::vector<FrameId>& frames);
  bool is_offset(ModuleId module) const;
  uint64_t mapping(ModuleId module);
  uint64_t function(const Frame& frame);
  uint64_t attribute(std::string_view key, const ProtoWriter& value, std::string_view unit);

  const Profile& profile_;
  StringInterner strings_;
  Rows mappings_;
  Rows locations_;
  Rows functions_;
  Rows attributes_;
  Rows stacks_;
  std::map<std::vector<FrameId>, uint64_t> location_rows_;  // innermost frame first
  std::vector<uint64_t> stack_rows_;                        // by stack; 0: not made yet
};

}  // namespace wick::otlp
