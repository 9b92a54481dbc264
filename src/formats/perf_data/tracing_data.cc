// SPDX-License-Identifier: Apache-2.0
#include "formats/perf_data/tracing_data.h"

#include <optional>

#include <fmt/format.h>

#include "base/parse_number.h"

namespace wick::perf_data {
namespace {

constexpr std::string_view kMagic{"\x17\x08\x44tracing", 10};

// The rest of the line that begins with `key`.
std::string_view value_of(std::string_view text, std::string_view key) {
  size_t at = text.starts_with(key) ? 0 : text.find(fmt::format("\n{}", key));
  if (at == std::string_view::npos) {
    return {};
  }
  at = text.find(key, at) + key.size();
  return text.substr(at, text.find('\n', at) - at);
}

void add_tracepoint(std::string_view system, std::string_view format, FileRecording& recording) {
  std::string_view name = value_of(format, "name: ");
  std::optional<uint64_t> id = parse_number<uint64_t>(value_of(format, "ID: "));
  if (!name.empty() && id) {
    recording.names.tracepoints.emplace(*id, fmt::format("{}:{}", system, name));
  }
}

// A part with a name: the name, its length, its text.
void skip_part(FieldReader& fields) {
  fields.terminated_text();
  fields.skip(fields.u64());
}

}  // namespace

void read_tracing_data(Bytes data, FileRecording& recording) {
  if (!as_text(data).starts_with(kMagic)) {
    recording.account.lose({.reason = "the descriptions of tracepoints cannot be read",
                            .what = "tracepoint descriptions",
                            .count = 0,
                            .notice = true});
    return;
  }
  FieldReader fields(data.subspan(kMagic.size()), recording.order);
  fields.terminated_text();  // version
  fields.skip(1 + 1 + 4);
  skip_part(fields);
  skip_part(fields);
  uint32_t ftrace_formats = fields.u32();
  for (uint32_t i = 0; i < ftrace_formats && fields.ok(); ++i) {
    fields.skip(fields.u64());
  }
  uint32_t systems = fields.u32();
  for (uint32_t i = 0; i < systems && fields.ok(); ++i) {
    std::string system(fields.terminated_text());
    uint32_t formats = fields.u32();
    for (uint32_t k = 0; k < formats && fields.ok(); ++k) {
      add_tracepoint(system, as_text(fields.take(fields.u64())), recording);
    }
  }
}

}  // namespace wick::perf_data
