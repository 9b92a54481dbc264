#include "symbolize/x86_length.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace wick {
namespace {

constexpr size_t kLongest = 15;

// What follows an opcode.
enum Follows : uint8_t {
  kNothing = 0,
  kModRm = 1,
  kImm8 = 2,
  kImm16 = 4,
  kImmZ = 8,       // 2 bytes with the operand size prefix, else 4
  kImmV = 16,      // 8 bytes with REX.W, else as above
  kAddress = 32,   // a plain address, as wide as addresses are
  kPrefix = 64,    // not an opcode at all
  kInvalid = 128,  // not in 64-bit mode
};

// The one-byte opcodes, a letter each: what it means stands in kLetters.
constexpr std::string_view kOneByte =
    "mmmmbz!!mmmmbz!."   // 00  0F is the way to the other maps
    "mmmmbz!!mmmmbz!!"   // 10
    "mmmmbzp!mmmmbzp!"   // 20
    "mmmmbzp!mmmmbzp!"   // 30
    "................"   // 40  REX in 64-bit mode
    "................"   // 50
    "!!MmppppzZbB...."   // 60  62 is EVEX in 64-bit mode
    "bbbbbbbbbbbbbbbb"   // 70
    "BZKBmmmmmmmmmmmm"   // 80  8F may be XOP
    "..........f....."   // 90
    "aaaa....bz......"   // A0
    "bbbbbbbbvvvvvvvv"   // B0
    "BBw.MMBZe.w..b!."   // C0  C4 and C5 are VEX in 64-bit mode
    "mmmmkk..mmmmmmmm"   // D0
    "bbbbbbbbzzfb...."   // E0
    "p.pp..TT......mm";  // F0  TEST has an immediate, its neighbours have none

// The two-byte opcodes after 0F.
constexpr std::string_view kAfter0F =
    "mmmm............"   // 00  0D and 0F are told apart below
    "mmmmmmmmmmmmmmmm"   // 10
    "rrrrmmmmmmmmmmmm"   // 20
    "................"   // 30  38 and 3A are the way to other maps
    "mmmmmmmmmmmmmmmm"   // 40
    "mmmmmmmmmmmmmmmm"   // 50
    "mmmmmmmmmmmmmmmm"   // 60
    "BBBBmmm.mmmmmmmm"   // 70
    "zzzzzzzzzzzzzzzz"   // 80
    "mmmmmmmmmmmmmmmm"   // 90
    "...mBmmm...mBmmm"   // A0
    "mmmmmmmmmmBmmmmm"   // B0
    "mmBmBBBm........"   // C0
    "mmmmmmmmmmmmmmmm"   // D0
    "mmmmmmmmmmmmmmmm"   // E0
    "mmmmmmmmmmmmmmmm";  // F0
static_assert(kOneByte.size() == 256 && kAfter0F.size() == 256);

constexpr uint8_t follows(char letter) {
  switch (letter) {
    case 'm':
    case 'M':
    case 'r':  // registers only, whatever the mode bits say
    case 'T':
      return kModRm;
    case 'B':
      return kModRm | kImm8;
    case 'Z':
      return kModRm | kImmZ;
    case 'K':
      return kModRm | kImm8 | kInvalid;
    case 'b':
      return kImm8;
    case 'k':
      return kImm8 | kInvalid;
    case 'w':
      return kImm16;
    case 'e':  // enter
      return kImm16 | kImm8;
    case 'z':
      return kImmZ;
    case 'v':
      return kImmV;
    case 'a':
      return kAddress;
    case 'f':  // a far pointer
      return kImmZ | kImm16 | kInvalid;
    case 'p':
      return kPrefix;
    case '!':
      return kInvalid;
    default:
      return kNothing;
  }
}

class Decoder {
 public:
  Decoder(Bytes code, X86Mode mode)
      : code_(code.first(std::min(code.size(), kLongest))), is_64_(mode == X86Mode::k64) {}

  size_t length() {
    skip_prefixes();
    bool stands_alone = rex_ && (is_rex(peek()) || follows(kOneByte[peek()]) == kPrefix);
    if (stands_alone && at_ < code_.size()) {
      return at_;  // without effect before another prefix; data that is read as code has these
    }
    decode();
    return ok_ ? at_ : 0;
  }

 private:
  uint8_t peek(size_t ahead = 0) const {
    return at_ + ahead < code_.size() ? static_cast<uint8_t>(code_[at_ + ahead]) : 0;
  }
  uint8_t next() {
    uint8_t byte = peek();
    skip(1);
    return byte;
  }
  void skip(size_t bytes) {
    at_ += bytes;
    ok_ = ok_ && at_ <= code_.size();
  }

  void skip_prefixes() {
    while (at_ < code_.size() && follows(kOneByte[peek()]) == kPrefix) {
      uint8_t prefix = next();
      operand_16_ = operand_16_ || prefix == 0x66;
      address_67_ = address_67_ || prefix == 0x67;
      repeat_ = prefix == 0xF2 || prefix == 0xF3 ? prefix : repeat_;
    }
    if (is_rex(peek())) {
      rex_ = true;
      wide_ = (next() & 8U) != 0;
    }
  }
  bool is_rex(uint8_t byte) const { return is_64_ && (byte & 0xF0U) == 0x40; }

  void decode() {
    uint8_t opcode = next();
    // In 32-bit mode the first bytes of VEX and EVEX are other instructions with operands in
    // memory.
    bool is_vector = is_64_ || (peek() & 0xC0U) == 0xC0;
    if (opcode == 0x0F) {
      return decode_after_0f();
    }
    if (opcode == 0xC5 && is_vector) {
      skip(1);
      return decode_vector(1);
    }
    if (opcode == 0xC4 && is_vector) {
      uint8_t map = next() & 0x1FU;
      skip(1);
      return decode_vector(map);
    }
    if (opcode == 0x62 && is_vector) {
      uint8_t map = next() & 7U;
      skip(2);
      return decode_vector(map);
    }
    if (opcode == 0x8F && (peek() & 0x38U) != 0) {
      uint8_t map = next() & 0x1FU;
      skip(1);
      return decode_xop(map);
    }
    char letter = kOneByte[opcode];
    if (letter == 'T' && (peek() & 0x30U) == 0) {
      letter = opcode == 0xF6 ? 'B' : 'Z';
    }
    take(follows(letter));
  }

  void decode_after_0f() {
    uint8_t opcode = next();
    if (opcode == 0x38 || opcode == 0x3A) {
      skip(1);
      return take(opcode == 0x38 ? kModRm : kModRm | kImm8);
    }
    if (opcode == 0x0D) {  // prefetch
      return take(kModRm);
    }
    if (opcode == 0x0F) {  // 3DNow!: what it does is told by a byte at the end
      return take(kModRm | kImm8);
    }
    if (opcode == 0x78 && (operand_16_ || repeat_ == 0xF2)) {  // extrq, insertq
      return take(kModRm | kImm16);
    }
    if (kAfter0F[opcode] == 'r') {
      return skip(1);
    }
    take(follows(kAfter0F[opcode]));
  }

  // VEX and EVEX number the maps alike: 1 is 0F, 2 is 0F 38, 3 is 0F 3A, 5 and 6 are FP16.
  void decode_vector(uint8_t map) {
    uint8_t opcode = next();
    switch (map) {
      case 1:
        return take(follows(kAfter0F[opcode]) & (kModRm | kImm8));
      case 2:
      case 5:
      case 6:
        return take(kModRm);
      case 3:
        return take(kModRm | kImm8);
      default:
        ok_ = false;
    }
  }

  void decode_xop(uint8_t map) {
    skip(1);
    take(map == 8 ? kModRm | kImm8 : kModRm);
    skip(map == 10 ? 4 : 0);
  }

  void take(int what) {
    ok_ = ok_ && !(is_64_ && (what & kInvalid) != 0);
    if ((what & kModRm) != 0) {
      take_modrm();
    }
    bool narrow = operand_16_ && !wide_;
    skip((what & kImm8) != 0 ? 1 : 0);
    skip((what & kImm16) != 0 ? 2 : 0);
    skip((what & kImmZ) != 0 ? (narrow ? 2 : 4) : 0);
    skip((what & kImmV) != 0 ? (wide_ ? 8 : narrow ? 2 : 4) : 0);
    size_t address = is_64_ ? 8 : 4;
    skip((what & kAddress) != 0 ? (address_67_ ? address / 2 : address) : 0);
  }

  void take_modrm() {
    uint8_t modrm = next();
    uint8_t mode = modrm >> 6U;
    uint8_t base = modrm & 7U;
    if (mode == 3) {
      return;
    }
    if (!is_64_ && address_67_) {  // 16-bit addresses
      return skip(mode == 1 ? 1 : mode == 2 || base == 6 ? 2 : 0);
    }
    if (base == 4) {
      base = next() & 7U;
    }
    skip(mode == 1 ? 1 : mode == 2 || base == 5 ? 4 : 0);
  }

  Bytes code_;
  bool is_64_;
  size_t at_ = 0;
  bool ok_ = true;
  bool operand_16_ = false;
  bool address_67_ = false;
  bool rex_ = false;
  bool wide_ = false;  // REX.W
  uint8_t repeat_ = 0;
};

}  // namespace

size_t x86_length(Bytes code, X86Mode mode) {
  return code.empty() ? 0 : Decoder(code, mode).length();
}

}  // namespace wick
