// SPDX-License-Identifier: Apache-2.0
// The bytes on the wire: PCIe packets inside a TCP stream. A frame starts with a protocol byte.
//
//   acknowledgement   2 | type | 0 | sequence (2) | CRC-16 (2); 7 bytes in all
//   packet            3 | sequence (2) | header | payload | CRC-32 (4)
//
// A sequence has 12 bits and is big endian. A CRC is little endian and covers everything between
// the protocol byte and itself.
//
// The header has 12 bytes, 16 if the address needs more than 32 bits:
//
//   request       type | 0 | length / 4 (10 bits, 0 is 1024) | requester (2) | tag | byte enables |
//                 address (4 or 8, big endian); of configuration requests the register
//   completion    type | 0 | length / 4 | completer (2) | status << 5, byte count (12 bits) |
//                 requester (2) | tag | low bits of the address
//
// The first 7 bytes of a frame determine its size: an acknowledgement ends there. Payloads are
// whole words of 4 bytes. These functions work on bytes in memory and use no socket.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace memory_mock {

enum class PacketType : uint8_t {
  memory_read = 0x00,
  memory_read_wide = 0x20,
  memory_write = 0x40,
  memory_write_wide = 0x60,
  config_read = 0x04,
  config_write = 0x44,
  completion = 0x0A,
  completion_with_data = 0x4A,
};

enum class AckType : uint8_t { ack = 0x00, nak = 0x10, nop = 0x31 };

// The result of a request, in its completion.
enum class Status : uint8_t { successful = 0, unsupported_request = 1 };

inline constexpr uint8_t kAckProtocol = 2;
inline constexpr uint8_t kPacketProtocol = 3;
inline constexpr size_t kFrameStart = 7;  // bytes that determine the size of a frame
inline constexpr size_t kAckSize = 7;
inline constexpr size_t kCrc32Size = 4;
inline constexpr size_t kMaxPayload = 4096;
inline constexpr size_t kMaxFrame = 3 + 16 + kMaxPayload + kCrc32Size;
inline constexpr unsigned kSequenceMask = 0xFFF;
inline constexpr size_t kTags = 32;

struct Packet {
  PacketType type = PacketType::memory_read;
  uint16_t sequence = 0;
  uint8_t tag = 0;
  uint64_t address = 0;  // memory; for configuration the register's offset; not in completions
  size_t length = 0;     // bytes requested or carried
  Status status = Status::successful;
  std::span<const uint8_t> payload;  // inside the frame it was read from
};

struct Acknowledgement {
  AckType type = AckType::ack;
  uint16_t sequence = 0;
};

const char* name_of(PacketType type);
const char* name_of(AckType type);

// The size of the frame that starts with these bytes; 0 if no frame does.
size_t frame_size(std::span<const uint8_t, kFrameStart> start);

// The frame of a packet, with four bytes reserved at its end for the CRC.
std::vector<uint8_t> frame_of(const Packet& packet);
std::array<uint8_t, kAckSize> frame_of(const Acknowledgement& acknowledgement);

// The content of a complete frame; its size is the result of frame_size.
Packet packet_in(std::span<const uint8_t> frame);
Acknowledgement acknowledgement_in(std::span<const uint8_t> frame);

// The part of a frame that its CRC covers.
std::span<const uint8_t> covered_by_crc(std::span<const uint8_t> frame);

}  // namespace memory_mock
