// SPDX-License-Identifier: Apache-2.0
// Reads CFI that the tests write byte by byte: every instruction, encoding and augmentation, and
// damaged sections. Damaged input must end early, and in linear time.
//
// rows_of() prints all rows of a section as text, so that a test compares the complete result.
#include "elf/cfi.h"

#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "elf/dwarf_cursor.h"
#include "elf/frame_program.h"
#include "elf/testing.h"

namespace wick {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the writers of CFI

constexpr uint64_t kAddress = 0x5000;
constexpr DwarfRegister kRbp = 6;
constexpr DwarfRegister kRbx = 3;

std::string words(const RegisterRule& rule) {
  using Kind = RegisterRule::Kind;
  switch (rule.kind) {
    case Kind::kUnspecified:
      return "?";
    case Kind::kUndefined:
      return "undefined";
    case Kind::kSame:
      return "same";
    case Kind::kAtCfa:
      return fmt::format("c{:+}", rule.offset);
    case Kind::kCfaPlus:
      return fmt::format("v{:+}", rule.offset);
    case Kind::kRegister:
      return fmt::format("r{}", rule.offset);
    case Kind::kAtExpression:
      return fmt::format("*exp({})", rule.expression.size());
    case Kind::kExpression:
      return fmt::format("exp({})", rule.expression.size());
  }
  return "";
}
std::string words(const CfaRule& cfa) {
  switch (cfa.kind) {
    case CfaRule::Kind::kUnspecified:
      return "?";
    case CfaRule::Kind::kRegister:
      return fmt::format("r{}{:+}", cfa.base, cfa.offset);
    case CfaRule::Kind::kExpression:
      return fmt::format("exp({})", cfa.expression.size());
  }
  return "";
}

// All rows of a section as text: "1000 r7+8 fp ? ra c-8; 1004 ...| next function".
std::string rows_of(const CfiSection& section, uint64_t* damaged = nullptr) {
  std::string text;
  CfiReader reader(section);
  FrameProgram program(section, kRbp, kRbx);
  if (damaged != nullptr) {
    *damaged = reader.damaged();
  }
  for (const Fde& fde : reader.fdes()) {
    text += text.empty() ? "" : " | ";
    const Cie& cie = reader.cies()[fde.cie];
    CfiRow initial;
    if (!program.start(cie, initial)) {
      text += "bad CIE";
      continue;
    }
    uint64_t end = program.run(cie, initial, fde, [&](uint64_t address, const CfiRow& row) {
      text += fmt::format("{:x} {} fp {} ra {}; ",
                          address,
                          words(row.cfa),
                          words(row.frame_pointer),
                          words(row.return_address));
    });
    text += fmt::format("{:x}", end) + (end == fde.end ? "" : " cut");
  }
  return text;
}
CfiSection section_of(const CfiWriter& writer, CfiKind kind = CfiKind::kEhFrame) {
  return {.kind = kind, .bytes = as_bytes(writer.bytes()), .address = writer.address()};
}
// The rows of one function [0x1000, 0x1100) with the usual CIE.
std::string run(const std::string& instructions) {
  CfiWriter writer(kAddress);
  writer.fde(writer.usual_cie(), 0x1000, 0x100, instructions);
  return rows_of(section_of(writer));
}

TEST(FrameProgram, PrologueAndEpilogue) {
  EXPECT_EQ(run(advance(1) + def_cfa_offset(16) + saved_at(6, 2) + advance(3) +
                def_cfa_register(6) + advance(0x20) + def_cfa(7, 8) + restored(6)),
            "1000 r7+8 fp ? ra c-8; 1001 r7+16 fp c-16 ra c-8; 1004 r6+16 fp c-16 ra c-8; "
            "1024 r7+8 fp ? ra c-8; 1100");
}

TEST(FrameProgram, RowsThatChangeNothingWeFollowAreNotRows) {
  EXPECT_EQ(run(advance(1) + saved_at(12, 3) + advance(1) + saved_at(13, 4)),
            "1000 r7+8 fp ? ra c-8; 1100");
}

TEST(FrameProgram, RememberedStates) {
  EXPECT_EQ(run(def_cfa_offset(16) + kRememberState + advance(4) + def_cfa_offset(8) + advance(1) +
                kRestoreState),
            "1000 r7+16 fp ? ra c-8; 1004 r7+8 fp ? ra c-8; 1005 r7+16 fp ? ra c-8; 1100");
  EXPECT_EQ(run(advance(1) + kRestoreState), "1000 r7+8 fp ? ra c-8; 1001 cut");
  std::string many;
  for (int i = 0; i < 1000; ++i) {
    many += kRememberState;
  }
  EXPECT_EQ(run(advance(1) + many), "1000 r7+8 fp ? ra c-8; 1001 cut");
}

TEST(FrameProgram, EveryKindOfRule) {
  EXPECT_EQ(run(undefined(16)), "1000 r7+8 fp ? ra undefined; 1100");
  EXPECT_EQ(run(same_value(6)), "1000 r7+8 fp same ra c-8; 1100");
  EXPECT_EQ(run(in_register(6, 12)), "1000 r7+8 fp r12 ra c-8; 1100");
  EXPECT_EQ(run(at_expression(6, "abc")), "1000 r7+8 fp *exp(3) ra c-8; 1100");
  EXPECT_EQ(run(val_expression(16, "ab")), "1000 r7+8 fp ? ra exp(2); 1100");
  EXPECT_EQ(run(def_cfa_expression("x")), "1000 exp(1) fp ? ra c-8; 1100");
  EXPECT_EQ(run("\x05" + uleb(6) + uleb(3)), "1000 r7+8 fp c-24 ra c-8; 1100");
  EXPECT_EQ(run("\x11" + uleb(6) + sleb(-3)), "1000 r7+8 fp c+24 ra c-8; 1100");
  EXPECT_EQ(run("\x12" + uleb(6) + sleb(-2)), "1000 r6+16 fp ? ra c-8; 1100");
  EXPECT_EQ(run("\x13" + sleb(-4)), "1000 r7+32 fp ? ra c-8; 1100");
  EXPECT_EQ(run("\x14" + uleb(6) + uleb(2)), "1000 r7+8 fp v-16 ra c-8; 1100");
  EXPECT_EQ(run("\x15" + uleb(6) + sleb(-2)), "1000 r7+8 fp v+16 ra c-8; 1100");
  EXPECT_EQ(run("\x2F" + uleb(6) + uleb(2)), "1000 r7+8 fp c+16 ra c-8; 1100");
  EXPECT_EQ(run("\x2E" + uleb(100)), "1000 r7+8 fp ? ra c-8; 1100");  // GNU_args_size
  EXPECT_EQ(run("\x2D"), "1000 r7+8 fp ? ra c-8; 1100");              // negate_ra_state
  EXPECT_EQ(run("\x06" + uleb(16)), "1000 r7+8 fp ? ra c-8; 1100");   // restore_extended
}

TEST(FrameProgram, Advances) {
  std::string wide("\x03\x80\x00", 3);
  EXPECT_EQ(run(wide + def_cfa_offset(16)), "1000 r7+8 fp ? ra c-8; 1080 r7+16 fp ? ra c-8; 1100");
  std::string beyond("\x04\x00\x00\x00\x7F", 5);
  EXPECT_EQ(run(beyond + def_cfa_offset(16)), "1000 r7+8 fp ? ra c-8; 1100");
  std::string wraps("\x1D\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 9);
  EXPECT_EQ(run(wraps + def_cfa_offset(16)), "1000 cut");
  // set_loc in the encoding of the CIE (pcrel, 4 bytes), backwards.
  EXPECT_EQ(run(std::string("\x01\x00\x00\x00\x00", 5)).substr(0, 4), "1000");
}

TEST(FrameProgram, UnknownInstructionsEndWhatIsKnown) {
  EXPECT_EQ(run(advance(4) + "\x3C" + def_cfa_offset(16)), "1000 r7+8 fp ? ra c-8; 1004 cut");
  EXPECT_EQ(run(advance(4) + "\x0F\x7F"), "1000 r7+8 fp ? ra c-8; 1004 cut");
}

TEST(Cfi, DebugFrameInItsVersions) {
  for (uint8_t version : {uint8_t{1}, uint8_t{3}, uint8_t{4}}) {
    CfiWriter writer(0, false);
    uint64_t cie = writer.cie({.augmentation = "", .augmentation_data = "", .version = version},
                              def_cfa(7, 8) + saved_at(16, 1));
    writer.fde(cie, 0x1000, 0x100, advance(1) + def_cfa_offset(16));
    EXPECT_EQ(rows_of(section_of(writer, CfiKind::kDebugFrame)),
              "1000 r7+8 fp ? ra c-8; 1001 r7+16 fp ? ra c-8; 1100");
  }
}

TEST(Cfi, EncodingsOfAddresses) {
  using namespace eh_pointer;  // NOLINT(google-build-using-namespace): names of the encodings
  struct Case {
    uint8_t encoding;
    std::string begin;
    std::string size;
  };
  auto number = [](auto value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  // The address is 8 bytes into the FDE, which follows a CIE of `cie_size` bytes.
  for (uint8_t base : {uint8_t{0}, kToPc, kToText, kToData}) {
    CfiWriter probe(kAddress);
    probe.cie({.augmentation_data = std::string(1, '\0')}, def_cfa(7, 8) + saved_at(16, 1));
    uint64_t here = kAddress + probe.size() + 8;
    uint64_t origin = base == kToPc ? here : base == kToText ? 0x800 : base == kToData ? 0x900 : 0;
    uint64_t value = 0x1000 - origin;
    auto low = static_cast<int64_t>(value);
    std::vector<Case> cases = {
        {kAbsolute, number(value), number(uint64_t{0x100})},
        {kUdata4, number(static_cast<uint32_t>(value)), number(uint32_t{0x100})},
        {kUdata8, number(value), number(uint64_t{0x100})},
        {kSdata2, number(static_cast<int16_t>(low)), number(int16_t{0x100})},
        {kSdata4, number(static_cast<int32_t>(low)), number(int32_t{0x100})},
        {kSdata8, number(low), number(int64_t{0x100})},
        {kSleb, sleb(low), sleb(0x100)},
    };
    if (value < 0x10000) {
      cases.push_back({kUdata2, number(static_cast<uint16_t>(value)), number(uint16_t{0x100})});
      cases.push_back({kUleb, uleb(value), uleb(0x100)});
    }
    for (const Case& test : cases) {
      bool unsigned_backwards = base == kToPc && test.encoding == kUdata4;
      if (unsigned_backwards) {
        continue;
      }
      CfiWriter writer(kAddress);
      auto encoding = static_cast<char>(test.encoding | base);
      uint64_t cie = writer.cie({.augmentation_data = std::string(1, encoding)},
                                def_cfa(7, 8) + saved_at(16, 1));
      writer.raw_fde(cie, test.begin + test.size + std::string(1, '\0'));
      CfiSection section = section_of(writer);
      section.text_address = 0x800;
      section.data_address = 0x900;
      EXPECT_EQ(rows_of(section), "1000 r7+8 fp ? ra c-8; 1100")
          << fmt::format("encoding {:x}", test.encoding | base);
    }
  }
}

TEST(Cfi, Augmentations) {
  auto with = [](const std::string& augmentation, const std::string& data) {
    CfiWriter writer(kAddress);
    uint64_t cie = writer.cie({.augmentation = augmentation, .augmentation_data = data},
                              def_cfa(7, 8) + saved_at(16, 1));
    writer.fde(cie, 0x1000, 0x100, "");
    return rows_of(section_of(writer));
  };
  constexpr const char* kUsual = "1000 r7+8 fp ? ra c-8; 1100";
  EXPECT_EQ(with("zPLR", std::string("\x03\x78\x56\x34\x12\x1B\x1B", 7)), kUsual);
  EXPECT_EQ(with("zRS", "\x1B"), kUsual);
  EXPECT_EQ(with("zRB", "\x1B"), kUsual);
  EXPECT_EQ(with("zR?", "\x1B more that is unknown"), kUsual);
  EXPECT_EQ(with("zP", ""), with("zP", ""));  // data missing: any result, but no crash
  EXPECT_EQ(with("?", ""), "");               // without 'z' its size is unknown
}

TEST(Cfi, SignalFramesAreMarked) {
  CfiWriter writer(kAddress);
  writer.cie({.augmentation = "zRS"}, "");
  CfiReader reader(section_of(writer));
  ASSERT_EQ(reader.cies().size(), 1U);
  EXPECT_TRUE(reader.cies()[0].signal_frame);
}

TEST(Cfi, EntriesAfterTheTerminatorAreNotRead) {
  CfiWriter writer(kAddress);
  uint64_t cie = writer.usual_cie();
  writer.fde(cie, 0x1000, 0x100, "");
  writer.terminator();
  writer.fde(cie, 0x2000, 0x100, "");
  EXPECT_EQ(rows_of(section_of(writer)), "1000 r7+8 fp ? ra c-8; 1100");
}

TEST(Cfi, SixtyFourBitLengths) {
  CfiWriter narrow(kAddress);
  narrow.fde(narrow.usual_cie(), 0x1000, 0x100, def_cfa_offset(16));
  // The CIE again, with the long form of its length: 12 bytes instead of 4.
  uint32_t cie_size = 0;
  std::memcpy(&cie_size, narrow.bytes().data(), 4);
  std::string wide("\xFF\xFF\xFF\xFF", 4);
  wide += std::string(reinterpret_cast<const char*>(&cie_size), 4) + std::string(4, '\0');
  wide += narrow.bytes().substr(4, cie_size);
  std::string body = narrow.bytes().substr(4 + cie_size);
  // Its CIE pointer now reaches 8 bytes farther back.
  uint32_t back = 0;
  std::memcpy(&back, body.data() + 4, 4);
  back += 8;
  std::memcpy(body.data() + 4, &back, 4);
  std::string bytes = wide + body;
  CfiSection section{.bytes = as_bytes(bytes), .address = kAddress - 8};
  EXPECT_EQ(rows_of(section), "1000 r7+16 fp ? ra c-8; 1100");
}

// A section with many kinds of entries, for tests that damage it.
std::string plenty() {
  CfiWriter writer(kAddress);
  uint64_t cie = writer.usual_cie();
  uint64_t signal = writer.cie({.augmentation = "zRS"}, def_cfa(7, 8) + saved_at(16, 1));
  writer.fde(cie,
             0x1000,
             0x100,
             advance(1) + def_cfa_offset(16) + saved_at(6, 2) + kRememberState + advance(2) +
                 def_cfa_expression("\x77\x08") + advance(3) + kRestoreState);
  writer.fde(signal, 0x1100, 0x80, at_expression(6, "\x77\x78") + val_expression(16, "\x77\x10"));
  writer.fde(cie, 0x1180, 0x80, std::string("\x03\x10\x00", 3) + in_register(6, 3) + undefined(16));
  writer.terminator();
  return writer.bytes();
}

// Whether an entry ends at this size; the entries after it may then be absent without a trace.
bool is_entry_boundary(const std::string& bytes, size_t size) {
  size_t at = 0;
  while (at < size) {
    uint32_t length = 0;
    std::memcpy(&length, bytes.data() + at, sizeof length);
    at += sizeof length + length;
  }
  return at == size;
}

TEST(Cfi, CutAnywhere) {
  std::string bytes = plenty();
  for (CfiKind kind : {CfiKind::kEhFrame, CfiKind::kDebugFrame}) {
    CfiSection section{.kind = kind, .bytes = as_bytes(bytes), .address = kAddress};
    const std::string whole = rows_of(section);
    for (size_t size = 0; size < bytes.size(); ++size) {
      section.bytes = as_bytes(bytes).first(size);
      uint64_t damaged = 0;
      std::string rows = rows_of(section, &damaged);
      EXPECT_TRUE(whole.starts_with(rows)) << size << ": " << rows;
      EXPECT_TRUE(damaged > 0 || rows.size() == whole.size() || is_entry_boundary(bytes, size))
          << size;
    }
  }
}

TEST(Cfi, EveryByteReplacedByEveryValue) {
  constexpr size_t kMaxText = 10'000;  // the whole has about 300
  const std::string bytes = plenty();
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(value);
      std::string before = rows_of({.bytes = as_bytes(bytes).first(at), .address = kAddress});
      std::string rows = rows_of({.bytes = as_bytes(changed), .address = kAddress});
      EXPECT_TRUE(rows.starts_with(before)) << at << ": the entries before it are whole";
      EXPECT_LT(rows.size(), kMaxText) << at;
    }
  }
}

TEST(Cfi, HostileLengthsAndPointers) {
  uint64_t damaged = 0;
  std::string huge(
      "\xF0\xFF\xFF\x7F"
      "abcd",
      8);
  EXPECT_EQ(rows_of({.bytes = as_bytes(huge)}, &damaged), "");
  EXPECT_EQ(damaged, 1U);
  std::string long_huge(
      "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"
      "abcd",
      16);
  EXPECT_EQ(rows_of({.bytes = as_bytes(long_huge)}, &damaged), "");
  EXPECT_EQ(damaged, 1U);
  // An FDE whose CIE pointer leads to itself, or to the middle of another entry.
  CfiWriter writer(kAddress);
  writer.usual_cie();
  writer.fde(writer.size(), 0x1000, 0x100, "");
  writer.fde(5, 0x1000, 0x100, "");
  EXPECT_EQ(rows_of(section_of(writer), &damaged), "");
  EXPECT_EQ(damaged, 2U);
}

TEST(Cfi, TimeIsLinear) {
  // Many functions that share a CIE with very long initial instructions, which run only once.
  CfiWriter writer(kAddress);
  uint64_t cie = writer.cie({}, std::string(1 << 20, '\0'));
  for (uint64_t i = 0; i < 20000; ++i) {
    writer.fde(cie, 0x1000 + i * 16, 16, def_cfa(7, 8));
  }
  CfiReader reader(section_of(writer));
  EXPECT_EQ(reader.fdes().size(), 20000U);
}

TEST(DwarfCursor, Numbers) {
  std::string bytes = uleb(300) + sleb(-300) + sleb(63) + sleb(64) + sleb(INT64_MIN);
  DwarfCursor cursor(as_bytes(bytes));
  EXPECT_EQ(cursor.uleb(), 300U);
  EXPECT_EQ(cursor.sleb(), -300);
  EXPECT_EQ(cursor.sleb(), 63);
  EXPECT_EQ(cursor.sleb(), 64);
  EXPECT_EQ(cursor.sleb(), INT64_MIN);
  EXPECT_TRUE(cursor.ok() && cursor.at_end());
  EXPECT_EQ(cursor.number<uint32_t>(), 0U);
  EXPECT_FALSE(cursor.ok());
  // A hundred continuation bytes are one number; an unfinished number is none.
  std::string endless(100, '\x80');
  DwarfCursor first(as_bytes(endless));
  first.uleb();
  EXPECT_FALSE(first.ok());
  endless += '\x01';
  DwarfCursor second(as_bytes(endless));
  second.sleb();
  EXPECT_TRUE(second.ok() && second.at_end());
}

}  // namespace
}  // namespace wick
