// SPDX-License-Identifier: Apache-2.0
#include "formats/perf_data/writer.h"

#include <algorithm>
#include <array>

#include "formats/perf_data/layout.h"

namespace wick::perf_data {
namespace {

constexpr size_t kTextAlignment = 64;
// pid and tid, time, CPU and identifier: the fields that wick requests for every event.
constexpr size_t kSampleIdBytes = 32;
constexpr uint32_t kProtectionRead = 1;
constexpr uint32_t kReadAndExecute = 5;
constexpr uint32_t kPrivate = 2;
constexpr uint16_t kKernelMode = 1;
constexpr uint16_t kUserMode = 2;
constexpr std::array<uint32_t, 9> kFeatures = {kFeatureBuildId,
                                               kFeatureHostname,
                                               kFeatureOsRelease,
                                               kFeatureVersion,
                                               kFeatureArch,
                                               kFeatureNrCpus,
                                               kFeatureCmdline,
                                               kFeatureEventDesc,
                                               kFeatureSampleTime};

void append(ByteWriter& bytes, uint64_t offset, uint64_t size) {
  bytes.number(offset);
  bytes.number(size);
}

// Its size, then the text and zeros up to a multiple of 64.
void append_text(ByteWriter& bytes, std::string_view text) {
  size_t size = (text.size() + 1 + kTextAlignment - 1) / kTextAlignment * kTextAlignment;
  bytes.number(static_cast<uint32_t>(size));
  bytes.text(text);
  bytes.bytes().append(size - text.size(), '\0');
}

// In records, a text ends in at least one zero, at a multiple of 8.
void append_name(ByteWriter& bytes, std::string_view text) {
  bytes.text(text);
  bytes.bytes().append(8 - text.size() % 8, '\0');
}

}  // namespace

void Writer::begin(std::vector<WrittenEvent> events) {
  events_ = std::move(events);
  ByteWriter bytes;
  bytes.bytes().append(kFileHeaderBytes, '\0');  // filled in by finish()
  std::vector<uint64_t> id_offsets;
  for (const WrittenEvent& event : events_) {
    id_offsets.push_back(bytes.bytes().size());
    for (uint64_t id : event.ids) {
      bytes.number(id);
    }
  }
  attrs_offset_ = bytes.bytes().size();
  for (size_t i = 0; i < events_.size(); ++i) {
    bytes.text(events_[i].attr);
    append(bytes, id_offsets[i], events_[i].ids.size() * sizeof(uint64_t));
  }
  data_offset_ = bytes.bytes().size();
  attrs_bytes_ = data_offset_ - attrs_offset_;
  std::string first = header(0, 0);
  std::copy(first.begin(), first.end(), bytes.bytes().begin());
  out_.write(bytes.bytes());
}

std::string Writer::header(uint64_t data_bytes, uint64_t features) const {
  ByteWriter bytes;
  bytes.text(kMagicLittle);
  bytes.number(uint64_t{kFileHeaderBytes});
  bytes.number(attrs_bytes_ / std::max<uint64_t>(1, events_.size()));
  append(bytes, attrs_offset_, attrs_bytes_);
  append(bytes, data_offset_, data_bytes);
  append(bytes, 0, 0);
  bytes.number(features);
  bytes.bytes().resize(kFileHeaderBytes);
  return bytes.bytes();
}

void Writer::write(const Record& record, uint64_t time) {
  if (time != 0) {
    first_time_ = first_time_ == 0 ? time : first_time_;
    last_time_ = time;
  }
  round_is_open_ = true;
  out_.write(as_text(Bytes(record.at, record.size())));
}

void Writer::write_record(uint32_t type, uint16_t misc, const std::string& body) {
  ByteWriter bytes;
  bytes.number(type);
  bytes.number(misc);
  bytes.number(static_cast<uint16_t>(kRecordHeaderBytes + body.size()));
  bytes.text(body);
  out_.write(bytes.bytes());
}

void Writer::finish_round() {
  if (round_is_open_) {
    write_record(kFinishedRound, 0, {});
    round_is_open_ = false;
  }
}

void Writer::on_map(const MapEvent& event) {
  ByteWriter body;
  bool is_kernel = event.at.pid == -1;
  body.number(event.at.pid);
  body.number(is_kernel ? 0 : event.at.tid);
  body.number(event.start);
  body.number(event.size);
  body.number(event.file_offset);
  if (!is_kernel) {
    body.number(static_cast<uint32_t>(event.file.device >> 32));
    body.number(static_cast<uint32_t>(event.file.device));
    body.number(event.file.inode);
    body.number(event.file.generation);
    body.number(event.executable ? kReadAndExecute : kProtectionRead);
    body.number(kPrivate);
  }
  append_name(body, event.path.empty() ? "//anon" : event.path);
  body.bytes().append(kSampleIdBytes, '\0');
  auto misc = static_cast<uint16_t>((is_kernel ? kKernelMode : kUserMode) |
                                    (event.executable ? 0 : kMiscMmapData));
  write_record(is_kernel ? kMmap : kMmap2, misc, body.bytes());
}

void Writer::on_comm(const CommEvent& event) {
  ByteWriter body;
  body.number(event.at.pid);
  body.number(event.at.tid);
  append_name(body, event.name);
  body.bytes().append(kSampleIdBytes, '\0');
  write_record(kComm, 0, body.bytes());
}

// header 8, pid 4, build id 20, its size 1, 3 unused, path up to a multiple of 64
void Writer::add_build_id(std::string_view path, std::string_view build_id) {
  bool is_kernel = path.starts_with('[') && path != "[vdso]";
  std::string_view id = build_id.substr(0, kBuildIdBytes);
  ByteWriter body;
  body.number(is_kernel ? int32_t{-1} : int32_t{0});
  body.text(id);
  body.bytes().append(kBuildIdBytes - id.size(), '\0');
  body.number(static_cast<uint32_t>(id.size()));
  body.text(path);
  body.bytes().append(kTextAlignment - path.size() % kTextAlignment, '\0');
  ByteWriter header;
  header.number(uint32_t{0});
  header.number(static_cast<uint16_t>((is_kernel ? kKernelMode : kUserMode) | kMiscBuildIdSize));
  header.number(static_cast<uint16_t>(kRecordHeaderBytes + body.bytes().size()));
  build_ids_ += header.bytes() + body.bytes();
}

std::string Writer::feature(uint32_t number) const {
  ByteWriter bytes;
  switch (number) {
    case kFeatureBuildId:
      bytes.text(build_ids_);
      break;
    case kFeatureHostname:
      append_text(bytes, host_.name);
      break;
    case kFeatureOsRelease:
      append_text(bytes, host_.release);
      break;
    case kFeatureVersion:
      append_text(bytes, host_.version);
      break;
    case kFeatureArch:
      append_text(bytes, host_.architecture);
      break;
    case kFeatureNrCpus:
      bytes.number(host_.cpus);
      bytes.number(host_.cpus);
      break;
    case kFeatureCmdline:
      bytes.number(static_cast<uint32_t>(host_.command_line.size()));
      for (const std::string& word : host_.command_line) {
        append_text(bytes, word);
      }
      break;
    case kFeatureEventDesc:
      bytes.number(static_cast<uint32_t>(events_.size()));
      bytes.number(static_cast<uint32_t>(events_.empty() ? 0 : events_[0].attr.size()));
      for (const WrittenEvent& event : events_) {
        bytes.text(event.attr);
        bytes.number(static_cast<uint32_t>(event.ids.size()));
        append_text(bytes, event.name);
        for (uint64_t id : event.ids) {
          bytes.number(id);
        }
      }
      break;
    case kFeatureSampleTime:
      append(bytes, first_time_, last_time_);
      break;
    default:
      break;
  }
  return bytes.bytes();
}

void Writer::finish() {
  finish_round();
  uint64_t data_end = out_.size();
  uint64_t at = data_end + kFeatures.size() * kSectionBytes;
  uint64_t bits = 0;
  ByteWriter section_table;
  std::string sections;
  for (uint32_t number : kFeatures) {
    std::string bytes = feature(number);
    append(section_table, at, bytes.size());
    at += bytes.size();
    sections += bytes;
    bits |= uint64_t{1} << number;
  }
  out_.write(section_table.bytes());
  out_.write(sections);
  out_.overwrite(0, header(data_end - data_offset_, bits));
}

}  // namespace wick::perf_data
