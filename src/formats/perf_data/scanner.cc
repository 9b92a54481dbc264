// SPDX-License-Identifier: Apache-2.0
// A state machine over the bytes. scan() does one of these at each position:
//
//   payload_left_   bytes that belong to the last record but are outside it (traces, tracepoints):
//                   handed on without looking for records in them
//   searching_      after damage: tries every multiple of 8 for a chain of plausible records. A
//                   chain has eight records of known types, with times within a day of the newest
//                   one.
//   otherwise       one record. Records of the kernel wait in Order; those of perf are used at
//                   once.
//
// Two invariants. A record that is not complete consumes nothing, so the caller can offer it again
// with more bytes. Before a record that changes how others are read (changes_events), all waiting
// records are delivered, because they must be decoded by the old attributes.
#include "formats/perf_data/scanner.h"

#include <algorithm>

#include <fmt/format.h>

#include "formats/perf_data/block_stream.h"
#include "formats/perf_data/tracing_data.h"

namespace wick::perf_data {
namespace {

constexpr int kChainLength = 8;
constexpr uint64_t kDay = 86'400'000'000'000;
constexpr size_t kMaxTracepointBytes = 256 << 20;
constexpr std::string_view kStatusLine = "[ perf record";

bool is_simpleperf(uint32_t type) {
  return type > kFirstSimpleperfRecord && type <= kLastSimpleperfRecord;
}

// perf prints a summary when it ends. If its messages went into the same file as its data, the
// records end there.
bool is_status_line(Bytes bytes) {
  return as_text(bytes).starts_with(kStatusLine.substr(0, bytes.size()));
}

}  // namespace

Scanner::Scanner(Reading& reading, bool nested)
    : reading_(reading), order_(reading.recording.order), nested_(nested) {}
Scanner::~Scanner() = default;

uint64_t Scanner::newest() const {
  return unpacker_ ? std::max(newest_, unpacker_->newest()) : newest_;
}

bool Scanner::plausible(const RecordHeader& header) {
  return header.size >= kRecordHeaderBytes && header.size <= kMaxRecordBytes && header.type != 0 &&
         (header.type < kPlausibleTypes || is_simpleperf(header.type));
}

// Whether a few plausible records follow each other at the start of the bytes.
Scanner::Guess Scanner::guess_records(Bytes bytes, bool last) const {
  for (int i = 0; i < kChainLength; ++i) {
    if (last && bytes.empty() && i > 0) {
      return Guess::kYes;
    }
    if (bytes.size() < kRecordHeaderBytes) {
      return last ? Guess::kNo : Guess::kNeedsMore;
    }
    RecordHeader header = load_header(bytes.data(), order_);
    bool known = header.type < kPlausibleTypes && !record_name(header.type).empty();
    bool aligned = header.size % 8 == 0 || header.type == kCompressed;
    if (!known || !aligned || header.size < kRecordHeaderBytes) {
      return Guess::kNo;
    }
    if (header.size > bytes.size()) {
      return last ? Guess::kNo : Guess::kNeedsMore;
    }
    uint64_t time = reading_.recording.events.time_of({bytes.data(), header}, order_);
    bool strange = time != 0 && newest_ != 0 && (time > newest_ + kDay || time + kDay < newest_);
    if (strange) {
      return Guess::kNo;
    }
    bytes = bytes.subspan(header.size);
  }
  return Guess::kYes;
}

size_t Scanner::search(Bytes bytes, uint64_t offset, bool last) {
  size_t at = 0;
  for (; at + kRecordHeaderBytes <= bytes.size(); at += 8) {
    Guess guess = guess_records(bytes.subspan(at), last);
    searching_ = guess != Guess::kYes;
    if (guess != Guess::kNo) {
      break;
    }
  }
  at = last && searching_ ? bytes.size() : at;
  searched_to_ = offset + at;
  if (!searching_) {
    lose_gap();
  }
  return at;
}

std::string Scanner::location(uint64_t offset) const {
  return fmt::format("at byte {}{}", offset, nested_ ? " of the unpacked data" : "");
}

void Scanner::lose_gap() {
  searching_ = false;
  reading_.recording.account.lose({.reason = "a part of the file is damaged",
                                   .what = "bytes",
                                   .count = searched_to_ - lost_from_,
                                   .detail = location(lost_from_)});
}

size_t Scanner::scan(const Piece& piece, RunHome& home) {
  Bytes bytes = piece.bytes;
  size_t at = 0;
  bool needs_more = false;
  while (at < bytes.size() && at < piece.enough && !needs_more) {
    Bytes rest = bytes.subspan(at);
    uint64_t offset = piece.offset + at;
    if (ended_) {
      at = bytes.size();
    } else if (payload_left_ > 0) {
      at += take_payload(rest, piece.last);
    } else if (searching_) {
      at += search(rest, offset, piece.last);
      needs_more = searching_;
    } else if (size_t size = scan_record(rest, offset, home); size > 0) {
      at += size;
    } else if (!searching_ && !ended_) {
      needs_more = true;
      if (piece.last) {
        lose_rest(rest, offset);
        at = bytes.size();
      }
    }
  }
  return at;
}

// The size of the first record; 0 if it is incomplete or not a record.
size_t Scanner::scan_record(Bytes rest, uint64_t offset, RunHome& home) {
  if (rest.size() < kRecordHeaderBytes) {
    return 0;
  }
  Record record{rest.data(), load_header(rest.data(), order_)};
  if (!plausible(record.header)) [[unlikely]] {
    reading_.order.close();
    ended_ = is_status_line(rest);
    searching_ = !ended_;
    lost_from_ = offset;
    searched_to_ = offset;
    if (ended_) {
      lose_rest(rest, offset);
    }
    return 0;
  }
  if (record.size() > rest.size()) {
    return 0;
  }
  // Most records are as long as the one before. Waiting for memory to deliver the next header took
  // half of the scanning time.
  __builtin_prefetch(record.at + 2 * size_t{record.size()});
  take(record, home);
  return record.size();
}

void Scanner::finish() {
  if (searching_) {
    lose_gap();
  }
  if (payload_left_ > 0) {
    reading_.recording.account.lose({.reason = "the file ends too early",
                                     .what = "bytes",
                                     .count = payload_left_,
                                     .detail = payload_ == Payload::kTrace
                                                   ? "in the middle of a hardware trace"
                                                   : "in the descriptions of tracepoints"});
  }
  if (unpacker_) {
    unpacker_->finish();
  }
}

void Scanner::lose_rest(Bytes rest, uint64_t offset) {
  bool status = is_status_line(rest);
  reading_.recording.account.lose({.reason = status
                                                 ? "perf's own messages are at the end of the file"
                                                 : "the file ends in the middle of a record",
                                   .what = "bytes",
                                   .count = rest.size(),
                                   .detail = location(offset),
                                   .notice = status});
}

FieldReader Scanner::body(const Record& record) const {
  return {Bytes(record.at, record.size()).subspan(kRecordHeaderBytes), order_};
}

void Scanner::take(const Record& record, RunHome& home) {
  reading_.recording.count_record(record.type());
  if (record.type() >= kFirstToolRecord) [[unlikely]] {
    take_tool_record(record);
    return;
  }
  if (record.type() == kCallchainDeferred) [[unlikely]] {
    reading_.delivery.remember_deferred(record);
  }
  uint64_t time = reading_.recording.events.time_of(record, order_);
  if (time != 0) [[likely]] {
    newest_ = std::max(newest_, time);
    reading_.order.add(record, time, home);
  } else {
    reading_.take(record, 0);
  }
}

void Scanner::take_tool_record(const Record& record) {
  if (ToolRecords::changes_events(record.type()) && reading_.order.waiting()) {
    reading_.order.flush_all();
  }
  switch (record.type()) {
    case kFinishedRound:
      reading_.finish_round();
      break;
    case kCompressed:
    case kCompressed2:
      unpack(record);
      break;
    case kAuxtrace:
      start_trace(record);
      break;
    case kHeaderTracingData:
      start_tracepoints(record);
      break;
    default:
      if (is_simpleperf(record.type())) {
        reading_.simpleperf.take(record);
      } else {
        reading_.tools.take(record);
      }
  }
}

void Scanner::start_trace(const Record& record) {
  reading_.order.close();
  FieldReader fields = body(record);
  trace_ = {};
  uint64_t size = fields.u64();
  trace_.offset = fields.u64();
  fields.skip(8);
  trace_.queue = fields.u32();
  trace_.at.tid = fields.i32();
  trace_.at.cpu = fields.i32();
  trace_.at.time_ns = reading_.delivery.time();
  if (fields.ok()) {
    payload_ = Payload::kTrace;
    payload_left_ = size;
  }
}

// simpleperf puts the data into the record itself.
void Scanner::start_tracepoints(const Record& record) {
  reading_.order.close();
  FieldReader fields = body(record);
  uint32_t size = fields.u32();
  if (size > 0 && size <= fields.remaining()) {
    read_tracing_data(fields.take(size), reading_.recording);
    return;
  }
  payload_ = Payload::kTracepoints;
  payload_left_ = size;
  tracepoints_.clear();
}

size_t Scanner::take_payload(Bytes bytes, bool last) {
  Bytes piece = bytes.first(std::min<uint64_t>(bytes.size(), payload_left_));
  payload_left_ -= piece.size();
  if (payload_ == Payload::kTrace) {
    reading_.recording.announce();
    trace_.data = piece;
    trace_.truncated = last && payload_left_ > 0;
    reading_.recording.sink.on_aux(trace_);
    trace_.offset += piece.size();
    return piece.size();
  }
  if (tracepoints_.size() + piece.size() <= kMaxTracepointBytes) {
    tracepoints_ += as_text(piece);
  } else {
    reading_.recording.account.lose({.reason = "the descriptions of tracepoints have no end",
                                     .what = "bytes",
                                     .count = piece.size(),
                                     .notice = true});
  }
  if (payload_left_ == 0 || last) {
    read_tracing_data(as_bytes(tracepoints_), reading_.recording);
    tracepoints_ = {};
  }
  return piece.size();
}

void Scanner::unpack(const Record& record) {
  if (nested_) {
    reading_.recording.account.lose({.reason = "compressed data is nested in compressed data",
                                     .what = "bytes",
                                     .count = record.size()});
    return;
  }
  FieldReader fields = body(record);
  uint64_t size = record.type() == kCompressed2 ? fields.u64() : UINT64_MAX;
  Bytes packed = fields.rest();
  if (!unpacker_) {
    unpacker_ = std::make_unique<Unpacker>(reading_);
  }
  unpacker_->feed(packed.first(std::min<uint64_t>(size, packed.size())));
}

}  // namespace wick::perf_data
