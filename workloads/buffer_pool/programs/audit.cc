// SPDX-License-Identifier: Apache-2.0
#include "buffer_pool/programs/audit.h"

#include <cstring>

#include "common/no_inline.h"

namespace buffer_pool {

namespace {

int64_t word_at(const std::byte* at) {
  int64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

std::byte* last_word(std::span<std::byte> bytes) {
  return bytes.data() + bytes.size() - sizeof(int64_t);
}

// All zero: the first byte is, and each byte equals the next.
WORKLOAD_FUNCTION bool audit_scan(std::span<std::byte> bytes) {
  return bytes[0] == std::byte{0} &&
         std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

}  // namespace

WORKLOAD_FUNCTION int64_t audit_begin(Audit& audit, std::span<std::byte> bytes) {
  bool zero = word_at(bytes.data()) == 0 && word_at(last_word(bytes)) == 0;
  if (audit.scan_every > 0 && --audit.until_scan <= 0) {
    audit.until_scan = audit.scan_every;
    zero = zero && audit_scan(bytes);
    ++audit.scanned;
  }
  audit.dirty += zero ? 0 : 1;
  int64_t token = audit.next_token++;
  std::memcpy(bytes.data(), &token, sizeof token);
  std::memcpy(last_word(bytes), &token, sizeof token);
  return token;
}

WORKLOAD_FUNCTION void audit_end(Audit& audit, std::span<std::byte> bytes, int64_t token) {
  bool kept = word_at(bytes.data()) == token && word_at(last_word(bytes)) == token;
  audit.twice += kept ? 0 : 1;
}

}  // namespace buffer_pool
