// SPDX-License-Identifier: Apache-2.0
// Where the bytes of a recording come from, and the order in which they are read:
//
//   a mapped file   MappedReader: header, attributes and features first, then the records
//   a directory     the same, with one lane for each of data.0, data.1, ...
//   a pipe          read_pipe: records only, read once, in pieces of any size
//   a compressed    spool() copies it to a temporary file and maps that, because the features are
//                   at
//   or piped file   the end but needed at the start
//
// Everything after that is in Reading (reading.h). Damage never stops the reader. It ends early
// only in a pipe without a record for 64 MiB, because such a pipe may never end.
#include <algorithm>
#include <deque>
#include <filesystem>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/parse_number.h"
#include "formats/broken_input.h"
#include "formats/perf_data/block_stream.h"
#include "formats/perf_data/header.h"
#include "formats/perf_data/mapped_lane.h"
#include "formats/perf_data/perf_data.h"
#include "formats/perf_data/spool.h"

namespace wick::perf_data {
namespace {

// A pipe without a record for this long will not have one later, and may never end.
constexpr uint64_t kMaxDamageInAPipe = 64 << 20;

void report_form(const FileHeader& header, std::string_view mode, FileRecording& recording) {
  recording.fact("recorded as", mode);
  recording.fact("file version", fmt::format("{}", header.version));
  recording.fact("byte order", header.order == ByteOrder::kLittle ? "little-endian" : "big-endian");
  recording.fact("header size", fmt::format("{} bytes", header.size));
}

std::unexpected<Error> no_events(std::string_view name) {
  return fail("{} does not describe any event, so nothing in it can be read.", terminal_text(name));
}

// The location of the records. A recorder that was killed leaves a size of 0: then everything up to
// the end of the file is records.
Section find_data(Bytes file, const FileHeader& header, FileRecording& recording) {
  if (header.pipe) {
    return {.offset = kPipeHeaderBytes, .size = file.size() - kPipeHeaderBytes};
  }
  Section data = header.data;
  uint64_t there = data.offset < file.size() ? file.size() - data.offset : 0;
  if (data.size == 0) {
    recording.account.lose({.reason = "the recorder was stopped before it could finish the file",
                            .what = "samples",
                            .count = 0,
                            .detail = "the part it wrote is read"});
    return {.offset = data.offset, .size = there};
  }
  if (data.size > there) {
    recording.account.lose({.reason = "the file is shorter than its header says",
                            .what = "bytes",
                            .count = data.size - there});
  }
  return {.offset = data.offset, .size = std::min(data.size, there)};
}

// A recording whose bytes are all available: one file, or a directory of files.
class MappedReader {
 public:
  MappedReader(std::string_view name, Bytes main, const MappedFile* mapped, EventSink& sink)
      : name_(name), main_(main), mapped_(mapped), sink_(sink) {}

  // The source of sibling files and the receiver of progress; may be null.
  void set_input(const Input* input) { input_ = input; }

  Result<> read() {
    Result<FileHeader> header = parse_file_header(main_);
    if (!header) {
      return fail("{} {}.", terminal_text(name_), header.error().message);
    }
    Reading reading(sink_, header->order);
    bool directory = input_ != nullptr && !input_->directory().empty();
    report_form(
        *header, header->pipe ? "pipe" : (directory ? "directory" : "file"), reading.recording);
    Section data = find_data(main_, *header, reading.recording);
    if (!header->pipe) {
      read_attributes(main_, *header, reading.recording);
      read_features(main_, *header, reading.recording);
      if (reading.recording.events.empty()) {
        return no_events(name_);
      }
    }
    Pager pager;
    std::deque<MappedLane> lanes;
    lanes.emplace_back(reading, main_, data.offset, data.offset + data.size, mapped_, pager);
    if (directory) {
      add_siblings(reading, lanes, pager);
      report_kernel_image(reading.recording);
    }
    if (siblings_.empty() && std::ranges::count(header->features, kFeatureDirFormat) > 0) {
      reading.recording.account.lose(
          {.reason = "the files data.0, data.1 ... of the recording are missing",
           .what = "data files",
           .count = 0,
           .detail = directory ? "" : "name the directory instead of the file data in it"});
    }
    scan(reading, lanes);
    reading.finish();
    report_changes(sink_);
    return reading.recording.events.empty() ? Result<>(no_events(name_)) : Result<>();
  }

 private:
  void add_siblings(Reading& reading, std::deque<MappedLane>& lanes, Pager& pager) {
    uint32_t next = 0;
    for (uint32_t number : data_file_numbers()) {
      Result<MappedFile> file = input_->sibling(fmt::format("data.{}", number));
      uint32_t missing = number - next + (file ? 0 : 1);
      if (missing > 0) {
        reading.recording.account.lose({.reason = "a file of the directory is missing",
                                        .what = "data files",
                                        .count = missing,
                                        .detail = fmt::format("data.{}", next)});
      }
      next = number + 1;
      if (!file) {
        continue;
      }
      siblings_.push_back(std::move(*file));
      const MappedFile& kept = siblings_.back();
      lanes.emplace_back(reading, kept.bytes(), 0, kept.bytes().size(), &kept, pager);
    }
    if (!siblings_.empty()) {
      reading.recording.fact("data files", fmt::format("{}", siblings_.size()));
      reading.ignore_rounds();
    }
  }

  // The numbers of the existing files "data.0", "data.1" and so on. One may be missing.
  std::vector<uint32_t> data_file_numbers() const {
    constexpr uint32_t kMaxFiles = 1 << 16;
    constexpr std::string_view kStart = "data.";
    std::vector<uint32_t> numbers;
    std::error_code error;
    for (std::filesystem::directory_iterator entry(input_->directory(), error), end;
         !error && entry != end;
         entry.increment(error)) {
      std::string name = entry->path().filename().string();
      std::optional<uint32_t> number = name.starts_with(kStart)
                                           ? parse_number<uint32_t>(name.substr(kStart.size()))
                                           : std::nullopt;
      if (number && *number < kMaxFiles && name == fmt::format("{}{}", kStart, *number)) {
        numbers.push_back(*number);
      }
    }
    std::ranges::sort(numbers);
    return numbers;
  }

  // perf record --kcore saves the kernel's image, for readers that need its code or its names.
  void report_kernel_image(FileRecording& recording) const {
    std::string found;
    for (std::string_view name : {"kcore", "kallsyms", "modules"}) {
      if (input_->sibling(fmt::format("kcore_dir/{}", name))) {
        found += fmt::format("{}{}", found.empty() ? "" : ", ", name);
      }
    }
    if (!found.empty()) {
      recording.fact("kernel image", fmt::format("kcore_dir with {}", found));
    }
  }

  // A single file is ordered by its rounds. The files of a directory are each in order (one ring
  // buffer each). The loop always reads the lane that has progressed least in time, and delivers
  // the records that are older than the progress of all lanes.
  void scan(Reading& reading, std::deque<MappedLane>& lanes) const {
    while (true) {
      auto lane = std::ranges::min_element(lanes, {}, &MappedLane::horizon);
      if (lane->done()) {
        return;
      }
      lane->scan_slice();
      if (lanes.size() > 1) {
        reading.order.flush(std::ranges::min_element(lanes, {}, &MappedLane::horizon)->horizon());
      }
      if (input_ != nullptr) {
        input_->report_progress(lanes.front().position());
      }
    }
  }

  void report_changes(EventSink& sink) const {
    bool changed = mapped_ != nullptr && mapped_->changed();
    changed = changed || std::ranges::any_of(siblings_, &MappedFile::changed);
    if (changed) {
      sink.on_lost({.at = {},
                    .count = 0,
                    .what = "bytes",
                    .reason = "the file became shorter while it was read"});
    }
  }

  std::string_view name_;
  Bytes main_;
  const MappedFile* mapped_;
  EventSink& sink_;
  const Input* input_ = nullptr;
  std::deque<MappedFile> siblings_;
};

// A pipe: bytes arrive once, and in order. `next` returns them piece by piece; an empty piece is
// the end.
template <typename Next>
Result<> read_pipe(std::string_view name, const FileHeader& header, Next next, EventSink& sink) {
  Reading reading(sink, header.order);
  report_form(header, "pipe", reading.recording);
  BlockStream records(reading, false);
  size_t skip = kPipeHeaderBytes;
  while (true) {
    Result<Bytes> piece = next();
    if (!piece) {
      reading.recording.account.lose(
          {.reason = kInputBrokeOff, .what = "bytes", .count = 0, .detail = piece.error().message});
      break;
    }
    if (piece->empty()) {
      break;
    }
    Bytes rest = piece->subspan(std::min(skip, piece->size()));
    skip -= piece->size() - rest.size();
    while (!rest.empty()) {
      std::span<std::byte> space = records.space();
      size_t size = std::min(space.size(), rest.size());
      std::copy_n(rest.begin(), size, space.begin());
      rest = rest.subspan(size);
      records.commit(size);
    }
    reading.keep_bounds();
    if (records.damaged_bytes() > kMaxDamageInAPipe) {
      reading.recording.account.lose({.reason = "reading stopped: no record in 64 MiB",
                                      .what = "rest of the input",
                                      .count = 0});
      break;
    }
    if (records.ended()) {
      break;
    }
  }
  records.finish();
  reading.finish();
  return reading.recording.events.empty() ? Result<>(no_events(name)) : Result<>();
}

}  // namespace

bool sniff(Bytes head) {
  return has_magic(head);
}

Result<> read(Input& input, const FlagValues& /*flags*/, EventSink& sink) {
  if (const MappedFile* mapped = input.map()) {
    MappedReader reader(input.name(), mapped->bytes(), mapped, sink);
    reader.set_input(&input);
    return reader.read();
  }
  Result<FileHeader> header = parse_file_header(input.head());
  if (!header) {
    return fail("{} {}.", terminal_text(input.name()), header.error().message);
  }
  if (header->pipe) {
    return read_pipe(input.name(), *header, [&] { return input.next(); }, sink);
  }
  // The features of a file are at its end but needed at the start, so a stream of a file is copied
  // to a file that can be mapped.
  Spooled spooled = TRY(spool(input));
  if (!spooled.error.empty()) {
    sink.on_lost(
        {.at = {}, .count = 0, .what = "bytes", .reason = kInputBrokeOff, .detail = spooled.error});
  }
  return MappedReader(input.name(), spooled.file.bytes(), &spooled.file, sink).read();
}

Result<> read_bytes(Bytes file, EventSink& sink) {
  return MappedReader("The recording", file, nullptr, sink).read();
}

Result<> read_stream(Bytes file, size_t piece, EventSink& sink) {
  Result<FileHeader> header = parse_file_header(file);
  if (!header || !header->pipe) {
    return read_bytes(file, sink);
  }
  auto next = [&]() -> Result<Bytes> {
    Bytes given = file.first(std::min(piece, file.size()));
    file = file.subspan(given.size());
    return given;
  };
  return read_pipe("The recording", *header, next, sink);
}

}  // namespace wick::perf_data
