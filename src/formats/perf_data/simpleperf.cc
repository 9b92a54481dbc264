// SPDX-License-Identifier: Apache-2.0
// Names come in three forms: DSO records with SYMBOL records that refer to them by id, a feature
// section of files (read_file), and a newer section of protobuf messages (read_proto_file). All end
// in report_symbol(), which reports path, address, size, name and the offset in the file.
//
// That offset is the difficult part. Symbols have addresses as linked, and the offset in the file
// depends on where the code segment begins. The start of the segment may be stored after the
// symbols, so both readers of files make two passes: first the segment, then the symbols.
//
// The layouts are written above the functions that read them, with sizes in bytes.
#include "formats/perf_data/simpleperf.h"

#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "base/lines.h"
#include "base/parse_number.h"
#include "base/protobuf.h"
#include "formats/perf_data/tracing_data.h"

namespace wick::perf_data {
namespace {

// The kind of a file with names; the numbers are simpleperf's.
enum class DsoType : uint32_t {
  kKernel = 0,
  kKernelModule = 1,
  kElf = 2,
  kDex = 3,
  kSymbolMap = 4
};

// Symbols of an ELF file or a module have addresses as linked. The segment with the code starts at
// address `first` and at offset `offset_of_first` of the file.
struct NamedFile {
  std::string_view path;
  DsoType type = DsoType::kElf;
  uint64_t first = 0;
  std::optional<uint64_t> offset_of_first;

  uint64_t file_offset(uint64_t address) const {
    switch (type) {
      case DsoType::kKernel:
      case DsoType::kSymbolMap:
        return SymbolEvent::kNoFile;
      case DsoType::kElf:
      case DsoType::kKernelModule:
        // Before 2018 the offset was not written; the code started at 0.
        return address - first + offset_of_first.value_or(0);
      default:
        return address;
    }
  }
};

void report_symbol(const NamedFile& file,
                   uint64_t address,
                   uint64_t size,
                   std::string_view name,
                   FileRecording& recording) {
  recording.sink.on_symbol({.path = file.path,
                            .address = address,
                            .size = size,
                            .name = name,
                            .file_offset = file.file_offset(address)});
}

// {path NUL, type 4, first address 8, number 4, number x {address 8, size 4, name NUL}, then by
// type: DEX: number 4, offsets 8 each; ELF and modules, since 2018: offset of the first address 8}
bool read_file(Bytes bytes, FileRecording& recording) {
  FieldReader fields(bytes, recording.order);
  NamedFile file;
  file.path = fields.terminated_text();
  file.type = static_cast<DsoType>(fields.u32());
  file.first = fields.u64();
  uint32_t symbols = fields.u32();
  // The offset is after the symbols, but the first symbol needs it.
  FieldReader ahead = fields;
  for (uint32_t i = 0; i < symbols && ahead.ok(); ++i) {
    ahead.skip(12);
    ahead.terminated_text();
  }
  bool has_offset = file.type == DsoType::kElf || file.type == DsoType::kKernelModule;
  if (has_offset && ahead.remaining() >= 8) {
    uint64_t offset = ahead.u64();
    file.offset_of_first = offset == UINT64_MAX ? std::nullopt : std::optional(offset);
  }
  for (uint32_t i = 0; i < symbols && fields.ok(); ++i) {
    uint64_t address = fields.u64();
    uint32_t size = fields.u32();
    std::string_view name = fields.terminated_text();
    if (fields.ok()) {
      report_symbol(file, address, size, name, recording);
    }
  }
  return fields.ok();
}

// The first field of a message: the offset inside the messages 6 (ELF) and 7 (module).
uint64_t first_number(Bytes message) {
  ProtoReader fields(message);
  while (fields.next()) {
    if (fields.field() == 1) {
      return fields.number();
    }
  }
  return 0;
}

void read_proto_symbol(const NamedFile& file, Bytes message, FileRecording& recording) {
  uint64_t address = 0;
  uint64_t size = 0;
  std::string_view name;
  ProtoReader fields(message);
  while (fields.next()) {
    if (fields.field() == 1) {
      address = fields.number();
    } else if (fields.field() == 2) {
      size = fields.number();
    } else if (fields.field() == 3) {
      name = as_text(fields.bytes());
    }
  }
  if (fields.ok()) {
    report_symbol(file, address, size, name, recording);
  }
}

// {1: path, 2: type, 3: first address, 4: symbol {1: address, 2: size, 3: name} ...,
//  6 or 7: {1: offset of the first address}}
bool read_proto_file(Bytes message, FileRecording& recording) {
  NamedFile file{.path = {}, .type = DsoType::kKernel};
  ProtoReader head(message);
  while (head.next()) {
    if (head.field() == 1) {
      file.path = as_text(head.bytes());
    } else if (head.field() == 2) {
      file.type = static_cast<DsoType>(head.number());
    } else if (head.field() == 3) {
      file.first = head.number();
    } else if (head.field() == 6 || head.field() == 7) {
      file.offset_of_first = first_number(head.bytes());
    }
  }
  if (!head.ok()) {
    return false;
  }
  ProtoReader again(message);
  while (again.next()) {
    if (again.field() == 4) {
      read_proto_symbol(file, again.bytes(), recording);
    }
  }
  return true;
}

// Both sections are a list of files, each preceded by its size in 4 bytes.
void read_file_list(Bytes section,
                    FileRecording& recording,
                    bool (*read_one)(Bytes, FileRecording&)) {
  recording.announce();
  FieldReader fields(section, recording.order);
  while (!fields.at_end()) {
    Bytes file = fields.take(fields.u32());
    if (!fields.ok() || !read_one(file, recording)) {
      recording.account.lose(
          {.reason = "the names in the file are damaged", .what = "named files", .count = 0});
      return;
    }
  }
}

// Lines of "name,type,config".
void read_event_types(std::string_view lines, FileRecording& recording) {
  for_each_line(lines, [&](std::string_view line) {
    size_t last = line.rfind(',');
    size_t middle = last == std::string_view::npos || last == 0 ? last : line.rfind(',', last - 1);
    if (middle == std::string_view::npos || middle == last) {
      return;
    }
    std::optional<uint32_t> type =
        parse_number<uint32_t>(line.substr(middle + 1, last - middle - 1));
    std::optional<uint64_t> config = parse_number<uint64_t>(line.substr(last + 1));
    if (type && config) {
      recording.names.simpleperf.emplace(std::pair(*type, *config), line.substr(0, middle));
    }
  });
}

}  // namespace

void read_simpleperf_files(Bytes section, FileRecording& recording) {
  read_file_list(section, recording, read_file);
}

void read_simpleperf_files2(Bytes section, FileRecording& recording) {
  read_file_list(section, recording, read_proto_file);
}

// {key NUL, value NUL} ...
void read_simpleperf_meta_info(Bytes section, FileRecording& recording) {
  FieldReader fields(section, recording.order);
  while (!fields.at_end()) {
    std::string_view key = fields.terminated_text();
    std::string_view value = fields.terminated_text();
    if (!fields.ok()) {
      return;
    }
    if (key == "event_type_info") {
      read_event_types(value, recording);
    } else {
      recording.fact(fmt::format("simpleperf {}", key), value);
    }
  }
}

void SimpleperfRecords::take(const Record& record) {
  Bytes body(record.at + kRecordHeaderBytes, record.size() - kRecordHeaderBytes);
  if (record.type() == kSimpleperfSplit) {
    if (split_.size() + body.size() <= kMaxSplitBytes) {
      split_ += as_text(body);
    } else {
      recording_.account.lose({.reason = "a record of simpleperf has no end"});
    }
  } else if (record.type() == kSimpleperfSplitEnd) {
    if (split_.size() >= kRecordHeaderBytes) {
      Bytes whole = as_bytes(split_);
      uint32_t type = load_header(whole.data(), recording_.order).type;
      recording_.count_record(type);
      take_whole(type, whole.subspan(kRecordHeaderBytes));
    }
    split_ = {};
  } else {
    take_whole(record.type(), body);
  }
}

void SimpleperfRecords::take_whole(uint32_t type, Bytes body) {
  switch (type) {
    case kSimpleperfEventId:
      read_event_ids(body);
      break;
    case kSimpleperfKernelSymbol:
      read_kernel_symbols(body);
      break;
    case kSimpleperfDso:
      read_dso(body);
      break;
    case kSimpleperfSymbol:
      read_symbol(body);
      break;
    case kSimpleperfTracingData: {
      FieldReader fields(body, recording_.order);
      read_tracing_data(fields.take(fields.u32()), recording_);
      break;
    }
    case kSimpleperfUnwindingResult:
      read_unwinding_result(body);
      break;
    default:
      break;
  }
}

// number 8, number x {event's index 8, id 8}
void SimpleperfRecords::read_event_ids(Bytes body) {
  FieldReader fields(body, recording_.order);
  uint64_t count = fields.u64();
  for (uint64_t i = 0; i < count && fields.ok(); ++i) {
    uint64_t event = fields.u64();
    uint64_t id = fields.u64();
    if (fields.ok() && event < recording_.events.size()) {
      recording_.events.add_id(static_cast<uint32_t>(event), id);
    }
  }
}

// size 4, text as in /proc/kallsyms: "ffffff8008080000 T name [module]"
void SimpleperfRecords::read_kernel_symbols(Bytes body) {
  FieldReader fields(body, recording_.order);
  std::string_view text = as_text(fields.take(fields.u32()));
  recording_.announce();
  for_each_line(text, [&](std::string_view line) {
    uint64_t address = 0;
    auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), address, 16);
    auto used = static_cast<size_t>(rest - line.data());
    if (error != std::errc() || used + 3 >= line.size() || line.ends_with(']')) {
      return;
    }
    recording_.sink.on_symbol({.path = "[kernel.kallsyms]",
                               .address = address,
                               .size = 0,
                               .name = line.substr(used + 3)});
  });
}

// type 8, id 8, first address 8, path
void SimpleperfRecords::read_dso(Bytes body) {
  FieldReader fields(body, recording_.order);
  fields.skip(8);
  uint64_t id = fields.u64();
  fields.skip(8);
  std::string_view path = text_before_nul(fields.rest());
  if (fields.ok()) {
    dso_paths_[id] = path;
  }
}

// address 8, size 8, id of the file 8, name
void SimpleperfRecords::read_symbol(Bytes body) {
  FieldReader fields(body, recording_.order);
  uint64_t address = fields.u64();
  uint64_t size = fields.u64();
  auto path = dso_paths_.find(fields.u64());
  std::string_view name = text_before_nul(fields.rest());
  if (fields.ok() && path != dso_paths_.end()) {
    recording_.announce();
    report_symbol({.path = path->second, .type = DsoType::kElf}, address, size, name, recording_);
  }
}

// time 8, duration 8, stop reason 8, ...
void SimpleperfRecords::read_unwinding_result(Bytes body) {
  FieldReader fields(body, recording_.order);
  fields.skip(16);
  uint64_t reason = fields.u64();
  if (fields.ok() && (stop_reasons_.size() < 64 || stop_reasons_.contains(reason))) {
    ++stop_reasons_[reason];
  }
}

void SimpleperfRecords::finish() {
  std::string text;
  for (auto [reason, count] : stop_reasons_) {
    text += fmt::format("{}{} stopped with code {}", text.empty() ? "" : ", ", count, reason);
  }
  if (!text.empty()) {
    recording_.fact("unwinding on the phone", text);
  }
}

}  // namespace wick::perf_data
