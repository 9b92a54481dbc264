// SPDX-License-Identifier: Apache-2.0
#include "memory_mock/frames.h"

#include <algorithm>

namespace memory_mock {
namespace {

constexpr uint16_t kRequester = 0x0000;
constexpr uint16_t kCompleter = 0x0100;
constexpr uint8_t kWideBit = 0x20;
constexpr uint8_t kPayloadBit = 0x40;
constexpr size_t kHeaderAt = 3;

bool is_known(uint8_t type) {
  switch (static_cast<PacketType>(type)) {
    case PacketType::memory_read:
    case PacketType::memory_read_wide:
    case PacketType::memory_write:
    case PacketType::memory_write_wide:
    case PacketType::config_read:
    case PacketType::config_write:
    case PacketType::completion:
    case PacketType::completion_with_data:
      return true;
  }
  return false;
}

bool is_completion(PacketType type) {
  return type == PacketType::completion || type == PacketType::completion_with_data;
}
bool has_payload(uint8_t type) {
  return (type & kPayloadBit) != 0;
}
size_t header_size(uint8_t type) {
  return (type & kWideBit) != 0 ? 16 : 12;
}

size_t length_in_header(const uint8_t* header) {
  size_t words = (header[2] & 3u) << 8 | header[3];
  return 4 * (words == 0 ? kMaxPayload / 4 : words);
}

void put_16(uint8_t* at, unsigned value) {
  at[0] = static_cast<uint8_t>(value >> 8);
  at[1] = static_cast<uint8_t>(value);
}

void put_32(uint8_t* at, uint32_t value) {
  put_16(at, value >> 16);
  put_16(at + 2, value & 0xFFFF);
}

uint32_t get_32(const uint8_t* at) {
  return static_cast<uint32_t>(at[0]) << 24 | static_cast<uint32_t>(at[1]) << 16 |
         static_cast<uint32_t>(at[2]) << 8 | at[3];
}

uint16_t sequence_at(const uint8_t* at) {
  return static_cast<uint16_t>((at[0] << 8 | at[1]) & kSequenceMask);
}

void put_request(uint8_t* header, const Packet& packet) {
  put_16(header + 4, kRequester);
  header[6] = packet.tag;
  header[7] = packet.length > 4 ? 0xFF : 0x0F;
  if (header_size(header[0]) == 16) {
    put_32(header + 8, static_cast<uint32_t>(packet.address >> 32));
    put_32(header + 12, static_cast<uint32_t>(packet.address));
  } else {
    put_32(header + 8, static_cast<uint32_t>(packet.address));
  }
}

void put_completion(uint8_t* header, const Packet& packet) {
  put_16(header + 4, kCompleter);
  unsigned byte_count = packet.length & 0xFFF;
  put_16(header + 6, static_cast<unsigned>(packet.status) << 13 | byte_count);
  put_16(header + 8, kRequester);
  header[10] = packet.tag;
  header[11] = 0;
}

}  // namespace

const char* name_of(PacketType type) {
  switch (type) {
    case PacketType::memory_read:
    case PacketType::memory_read_wide:
      return "MRd";
    case PacketType::memory_write:
    case PacketType::memory_write_wide:
      return "MWr";
    case PacketType::config_read:
      return "CfgRd0";
    case PacketType::config_write:
      return "CfgWr0";
    case PacketType::completion:
      return "Cpl";
    case PacketType::completion_with_data:
      return "CplD";
  }
  return "?";
}

const char* name_of(AckType type) {
  switch (type) {
    case AckType::ack:
      return "ACK";
    case AckType::nak:
      return "NAK";
    case AckType::nop:
      return "NOP";
  }
  return "?";
}

size_t frame_size(std::span<const uint8_t, kFrameStart> start) {
  if (start[0] == kAckProtocol) {
    return kAckSize;
  }
  const uint8_t* header = start.data() + kHeaderAt;
  if (start[0] != kPacketProtocol || !is_known(header[0])) {
    return 0;
  }
  size_t payload = has_payload(header[0]) ? length_in_header(header) : 0;
  return kHeaderAt + header_size(header[0]) + payload + kCrc32Size;
}

std::vector<uint8_t> frame_of(const Packet& packet) {
  auto type = static_cast<uint8_t>(packet.type);
  if (!is_completion(packet.type) && packet.address > UINT32_MAX) {
    type |= kWideBit;
  }
  size_t payload_at = kHeaderAt + header_size(type);
  std::vector<uint8_t> frame(payload_at + packet.payload.size() + kCrc32Size);
  frame[0] = kPacketProtocol;
  put_16(&frame[1], packet.sequence);
  uint8_t* header = &frame[kHeaderAt];
  header[0] = type;
  put_16(header + 2, packet.length / 4 % 1024);
  if (is_completion(packet.type)) {
    put_completion(header, packet);
  } else {
    put_request(header, packet);
  }
  std::copy(packet.payload.begin(), packet.payload.end(), frame.begin() + payload_at);
  return frame;
}

std::array<uint8_t, kAckSize> frame_of(const Acknowledgement& acknowledgement) {
  std::array<uint8_t, kAckSize> frame{kAckProtocol, static_cast<uint8_t>(acknowledgement.type)};
  put_16(&frame[3], acknowledgement.sequence);
  return frame;
}

Packet packet_in(std::span<const uint8_t> frame) {
  Packet packet;
  packet.sequence = sequence_at(&frame[1]);
  const uint8_t* header = &frame[kHeaderAt];
  packet.type = static_cast<PacketType>(header[0]);
  size_t payload_at = kHeaderAt + header_size(header[0]);
  packet.payload = frame.subspan(payload_at, frame.size() - payload_at - kCrc32Size);
  if (is_completion(packet.type)) {
    packet.status = static_cast<Status>(header[6] >> 5);
    packet.tag = header[10] % kTags;
    packet.length = packet.payload.size();
    return packet;
  }
  packet.tag = header[6] % kTags;
  packet.length = length_in_header(header);
  bool wide = header_size(header[0]) == 16;
  packet.address = wide ? static_cast<uint64_t>(get_32(header + 8)) << 32 | get_32(header + 12)
                        : get_32(header + 8);
  return packet;
}

Acknowledgement acknowledgement_in(std::span<const uint8_t> frame) {
  return {static_cast<AckType>(frame[1]), sequence_at(&frame[3])};
}

std::span<const uint8_t> covered_by_crc(std::span<const uint8_t> frame) {
  size_t crc_size = frame[0] == kAckProtocol ? 2 : kCrc32Size;
  return frame.subspan(1, frame.size() - 1 - crc_size);
}

}  // namespace memory_mock
