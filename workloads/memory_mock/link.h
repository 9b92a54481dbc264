// SPDX-License-Identifier: Apache-2.0
// One end of a connection: sends and receives whole, numbered frames, and makes and checks their
// checksums.
//
// A frame is read as the original reads it: its first 7 bytes, then the rest. Every byte that a
// checksum covers is counted, because that count is compared with the profile of the checksum.
// Sending and receiving share only the socket: one thread may receive while another sends.
#pragma once

#include <array>
#include <cstdint>

#include "common/no_inline.h"
#include "memory_mock/crc.h"
#include "memory_mock/frames.h"
#include "memory_mock/sockets.h"

namespace memory_mock {

// Counters for one direction.
struct Traffic {
  uint64_t packets = 0;
  uint64_t acknowledgements = 0;
  uint64_t bytes = 0;
  uint64_t crc32_bytes = 0;
  uint64_t crc16_bytes = 0;
  uint64_t crc_errors = 0;

  void add(const Traffic& other);
};

enum class Arrival {
  packet,
  acknowledgement,
  wrong_packet,           // its CRC is wrong; the sequence may be, too
  wrong_acknowledgement,  // its CRC is wrong
  malformed,              // no frame starts like this: the stream is out of step
  closed,
  timed_out,
  stopped,
};

// The last frame received. The packet's payload points into the bytes.
struct Frame {
  std::array<uint8_t, kMaxFrame> bytes;
  Packet packet;
  Acknowledgement acknowledgement;
};

class Link {
 public:
  Link(Descriptor socket, Crc32 crc32) : socket_(std::move(socket)), crc32_(crc32) {}

  int socket() const { return socket_.get(); }
  const Traffic& received() const { return received_; }
  const Traffic& sent() const { return sent_; }

  Arrival receive(Frame& frame);
  // Gives the packet the next sequence number.
  Transfer send_packet(Packet& packet);
  Transfer send_acknowledgement(const Acknowledgement& acknowledgement);

 private:
  Arrival check_packet(Frame& frame, size_t size);
  Arrival check_acknowledgement(Frame& frame);
  Transfer send_frame(std::span<const uint8_t> frame);

  Descriptor socket_;
  Crc32 crc32_;
  uint16_t next_sequence_ = 0;
  Traffic received_, sent_;
};

}  // namespace memory_mock
