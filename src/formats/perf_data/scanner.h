// SPDX-License-Identifier: Apache-2.0
// Splits bytes into records, and resynchronises after damage.
//
// A record with an impossible header (a size below 8, an unknown type) means that the reader has
// lost its position. It then searches for the next offset at which a few plausible records follow
// each other: known types, sizes that fit, times near the last one. The bytes in between are
// counted as lost. So one bad byte costs one record, not the rest of the file.
//
// The bytes may arrive in pieces: bytes that were not consumed must be passed again, with more
// after them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "formats/perf_data/reading.h"

namespace wick::perf_data {

class Unpacker;

class Scanner {
 public:
  // `nested`: these are the records of a compressed stream.
  Scanner(Reading& reading, bool nested);
  ~Scanner();
  Scanner(const Scanner&) = delete;
  Scanner& operator=(const Scanner&) = delete;

  // No record is larger, so that a wrong size cannot demand all the memory.
  static constexpr uint32_t kMaxRecordBytes = 64 << 20;

  struct Piece {
    Bytes bytes;
    uint64_t offset = 0;       // of the piece in its file or stream, for messages
    size_t enough = SIZE_MAX;  // stop when this many bytes are consumed
    bool last = false;         // nothing follows it
  };
  // Returns how many bytes at the start were consumed. Waiting records are stored in `home`.
  size_t scan(const Piece& piece, RunHome& home);
  // The last piece has been scanned.
  void finish();

  // The newest time seen.
  uint64_t newest() const;
  // How many bytes the current search for a record has skipped.
  uint64_t damaged_bytes() const { return searching_ ? searched_to_ - lost_from_ : 0; }
  // perf's own messages were found after the records.
  bool ended() const { return ended_; }

 private:
  // Bytes that follow a record and belong to it.
  enum class Payload : uint8_t { kTrace, kTracepoints };

  enum class Guess : uint8_t { kNo, kYes, kNeedsMore };

  static bool plausible(const RecordHeader& header);
  Guess guess_records(Bytes bytes, bool last) const;
  void take(const Record& record, RunHome& home);
  void take_tool_record(const Record& record);
  void start_trace(const Record& record);
  void start_tracepoints(const Record& record);
  void unpack(const Record& record);
  FieldReader body(const Record& record) const;
  size_t take_payload(Bytes bytes, bool last);
  size_t scan_record(Bytes rest, uint64_t offset, RunHome& home);
  // Returns how many bytes to skip; ends the search when it finds a chain of records.
  size_t search(Bytes bytes, uint64_t offset, bool last);
  void lose_gap();
  void lose_rest(Bytes rest, uint64_t offset);
  std::string location(uint64_t offset) const;

  Reading& reading_;
  const ByteOrder order_;
  const bool nested_;
  uint64_t newest_ = 0;
  bool searching_ = false;
  uint64_t lost_from_ = 0;
  uint64_t searched_to_ = 0;
  bool ended_ = false;  // by perf's own messages

  Payload payload_ = Payload::kTrace;
  uint64_t payload_left_ = 0;
  AuxEvent trace_;
  std::string tracepoints_;

  std::unique_ptr<Unpacker> unpacker_;
};

}  // namespace wick::perf_data
