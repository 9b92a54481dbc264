// SPDX-License-Identifier: Apache-2.0
#include "memory_mock/link.h"

#include "memory_mock/little_endian.h"

namespace memory_mock {
namespace {

Arrival arrival_of(Transfer transfer) {
  switch (transfer) {
    case Transfer::timed_out:
      return Arrival::timed_out;
    case Transfer::stopped:
      return Arrival::stopped;
    default:
      return Arrival::closed;
  }
}

}  // namespace

void Traffic::add(const Traffic& other) {
  packets += other.packets;
  acknowledgements += other.acknowledgements;
  bytes += other.bytes;
  crc32_bytes += other.crc32_bytes;
  crc16_bytes += other.crc16_bytes;
  crc_errors += other.crc_errors;
}

WORKLOAD_FUNCTION Arrival Link::receive(Frame& frame) {
  std::span<uint8_t> bytes(frame.bytes);
  Transfer start = receive_all(socket(), bytes.first(kFrameStart));
  if (start != Transfer::done) {
    return arrival_of(start);
  }
  size_t size = frame_size(std::span<const uint8_t>(frame.bytes).first<kFrameStart>());
  if (size == 0) {
    return Arrival::malformed;
  }
  Transfer rest = receive_all(socket(), bytes.subspan(kFrameStart, size - kFrameStart));
  if (rest != Transfer::done) {
    return arrival_of(rest);
  }
  received_.bytes += size;
  return frame.bytes[0] == kAckProtocol ? check_acknowledgement(frame) : check_packet(frame, size);
}

Arrival Link::check_packet(Frame& frame, size_t size) {
  std::span<const uint8_t> bytes = std::span<const uint8_t>(frame.bytes).first(size);
  std::span<const uint8_t> covered = covered_by_crc(bytes);
  frame.packet = packet_in(bytes);
  received_.packets += 1;
  received_.crc32_bytes += covered.size();
  if (crc32_(covered.data(), covered.size()) == little_endian_32(covered.data() + covered.size())) {
    return Arrival::packet;
  }
  received_.crc_errors += 1;
  return Arrival::wrong_packet;
}

Arrival Link::check_acknowledgement(Frame& frame) {
  std::span<const uint8_t> bytes = std::span<const uint8_t>(frame.bytes).first(kAckSize);
  std::span<const uint8_t> covered = covered_by_crc(bytes);
  frame.acknowledgement = acknowledgement_in(bytes);
  received_.acknowledgements += 1;
  received_.crc16_bytes += covered.size();
  uint16_t crc = crc16_bitwise(covered.data(), covered.size());
  if (crc == little_endian_16(covered.data() + covered.size())) {
    return Arrival::acknowledgement;
  }
  received_.crc_errors += 1;
  return Arrival::wrong_acknowledgement;
}

WORKLOAD_FUNCTION Transfer Link::send_packet(Packet& packet) {
  packet.sequence = next_sequence_;
  next_sequence_ = (next_sequence_ + 1) & kSequenceMask;
  std::vector<uint8_t> frame = frame_of(packet);
  std::span<const uint8_t> covered = covered_by_crc(frame);
  put_little_endian_32(&frame[frame.size() - kCrc32Size], crc32_(covered.data(), covered.size()));
  sent_.packets += 1;
  sent_.crc32_bytes += covered.size();
  return send_frame(frame);
}

WORKLOAD_FUNCTION Transfer Link::send_acknowledgement(const Acknowledgement& acknowledgement) {
  std::array<uint8_t, kAckSize> frame = frame_of(acknowledgement);
  std::span<const uint8_t> covered = covered_by_crc(frame);
  put_little_endian_16(&frame[kAckSize - 2], crc16_bitwise(covered.data(), covered.size()));
  sent_.acknowledgements += 1;
  sent_.crc16_bytes += covered.size();
  return send_frame(frame);
}

Transfer Link::send_frame(std::span<const uint8_t> frame) {
  sent_.bytes += frame.size();
  return send_all(socket(), frame);
}

}  // namespace memory_mock
