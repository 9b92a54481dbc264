// SPDX-License-Identifier: Apache-2.0
// The DWARF 2 to 5 constants that wick uses, and GNU's extensions for split and shared debug
// information. The readers skip all others by their form.
#pragma once

#include <cstdint>

namespace wick {

namespace dw_tag {
inline constexpr uint16_t kArrayType = 0x01;
inline constexpr uint16_t kClassType = 0x02;
inline constexpr uint16_t kEnumerationType = 0x04;
inline constexpr uint16_t kFormalParameter = 0x05;
inline constexpr uint16_t kPointerType = 0x0F;
inline constexpr uint16_t kReferenceType = 0x10;
inline constexpr uint16_t kCompileUnit = 0x11;
inline constexpr uint16_t kStructureType = 0x13;
inline constexpr uint16_t kSubroutineType = 0x15;
inline constexpr uint16_t kUnionType = 0x17;
inline constexpr uint16_t kInlinedSubroutine = 0x1D;
inline constexpr uint16_t kBaseType = 0x24;
inline constexpr uint16_t kSubprogram = 0x2E;
inline constexpr uint16_t kVariable = 0x34;
inline constexpr uint16_t kInterfaceType = 0x38;
inline constexpr uint16_t kCallSite = 0x48;
inline constexpr uint16_t kGnuCallSite = 0x4109;
}  // namespace dw_tag

namespace dw_at {
inline constexpr uint16_t kSibling = 0x01;
inline constexpr uint16_t kLocation = 0x02;
inline constexpr uint16_t kName = 0x03;
inline constexpr uint16_t kStmtList = 0x10;
inline constexpr uint16_t kLowPc = 0x11;
inline constexpr uint16_t kHighPc = 0x12;
inline constexpr uint16_t kLanguage = 0x13;
inline constexpr uint16_t kCompDir = 0x1B;
inline constexpr uint16_t kProducer = 0x25;
inline constexpr uint16_t kAbstractOrigin = 0x31;
inline constexpr uint16_t kDeclFile = 0x3A;
inline constexpr uint16_t kDeclLine = 0x3B;
inline constexpr uint16_t kSpecification = 0x47;
inline constexpr uint16_t kType = 0x49;
inline constexpr uint16_t kEntryPc = 0x52;
inline constexpr uint16_t kRanges = 0x55;
inline constexpr uint16_t kCallColumn = 0x57;
inline constexpr uint16_t kCallFile = 0x58;
inline constexpr uint16_t kCallLine = 0x59;
inline constexpr uint16_t kLinkageName = 0x6E;
inline constexpr uint16_t kStrOffsetsBase = 0x72;
inline constexpr uint16_t kAddrBase = 0x73;
inline constexpr uint16_t kRnglistsBase = 0x74;
inline constexpr uint16_t kDwoName = 0x76;
inline constexpr uint16_t kMipsLinkageName = 0x2007;
inline constexpr uint16_t kGnuDwoName = 0x2130;
inline constexpr uint16_t kGnuDwoId = 0x2131;
inline constexpr uint16_t kGnuRangesBase = 0x2132;
inline constexpr uint16_t kGnuAddrBase = 0x2133;
}  // namespace dw_at

namespace dw_form {
inline constexpr uint16_t kAddr = 0x01;
inline constexpr uint16_t kBlock2 = 0x03;
inline constexpr uint16_t kBlock4 = 0x04;
inline constexpr uint16_t kData2 = 0x05;
inline constexpr uint16_t kData4 = 0x06;
inline constexpr uint16_t kData8 = 0x07;
inline constexpr uint16_t kString = 0x08;
inline constexpr uint16_t kBlock = 0x09;
inline constexpr uint16_t kBlock1 = 0x0A;
inline constexpr uint16_t kData1 = 0x0B;
inline constexpr uint16_t kFlag = 0x0C;
inline constexpr uint16_t kSdata = 0x0D;
inline constexpr uint16_t kStrp = 0x0E;
inline constexpr uint16_t kUdata = 0x0F;
inline constexpr uint16_t kRefAddr = 0x10;
inline constexpr uint16_t kRef1 = 0x11;
inline constexpr uint16_t kRef2 = 0x12;
inline constexpr uint16_t kRef4 = 0x13;
inline constexpr uint16_t kRef8 = 0x14;
inline constexpr uint16_t kRefUdata = 0x15;
inline constexpr uint16_t kIndirect = 0x16;
inline constexpr uint16_t kSecOffset = 0x17;
inline constexpr uint16_t kExprloc = 0x18;
inline constexpr uint16_t kFlagPresent = 0x19;
inline constexpr uint16_t kStrx = 0x1A;
inline constexpr uint16_t kAddrx = 0x1B;
inline constexpr uint16_t kRefSup4 = 0x1C;
inline constexpr uint16_t kStrpSup = 0x1D;
inline constexpr uint16_t kData16 = 0x1E;
inline constexpr uint16_t kLineStrp = 0x1F;
inline constexpr uint16_t kRefSig8 = 0x20;
inline constexpr uint16_t kImplicitConst = 0x21;
inline constexpr uint16_t kLoclistx = 0x22;
inline constexpr uint16_t kRnglistx = 0x23;
inline constexpr uint16_t kRefSup8 = 0x24;
inline constexpr uint16_t kStrx1 = 0x25;
inline constexpr uint16_t kStrx2 = 0x26;
inline constexpr uint16_t kStrx3 = 0x27;
inline constexpr uint16_t kStrx4 = 0x28;
inline constexpr uint16_t kAddrx1 = 0x29;
inline constexpr uint16_t kAddrx2 = 0x2A;
inline constexpr uint16_t kAddrx3 = 0x2B;
inline constexpr uint16_t kAddrx4 = 0x2C;
inline constexpr uint16_t kGnuAddrIndex = 0x1F01;
inline constexpr uint16_t kGnuStrIndex = 0x1F02;
inline constexpr uint16_t kGnuRefAlt = 0x1F20;
inline constexpr uint16_t kGnuStrpAlt = 0x1F21;
inline constexpr uint16_t kLlvmAddrxOffset = 0x2001;
}  // namespace dw_form

namespace dw_unit {
inline constexpr uint8_t kCompile = 0x01;
inline constexpr uint8_t kType = 0x02;
inline constexpr uint8_t kPartial = 0x03;
inline constexpr uint8_t kSkeleton = 0x04;
inline constexpr uint8_t kSplitCompile = 0x05;
inline constexpr uint8_t kSplitType = 0x06;
}  // namespace dw_unit

// The operations of an expression that say where a variable is.
namespace dw_op {
inline constexpr uint8_t kFirstReg = 0x50;  // in register 0 .. 31
inline constexpr uint8_t kLastReg = 0x6F;
inline constexpr uint8_t kFirstBreg = 0x70;  // in memory, relative to register 0 .. 31
inline constexpr uint8_t kLastBreg = 0x8F;
inline constexpr uint8_t kRegx = 0x90;
inline constexpr uint8_t kFbreg = 0x91;  // in memory, relative to the frame
inline constexpr uint8_t kStackValue = 0x9F;
}  // namespace dw_op

// Entries of .debug_rnglists.
namespace dw_rle {
inline constexpr uint8_t kEndOfList = 0x00;
inline constexpr uint8_t kBaseAddressx = 0x01;
inline constexpr uint8_t kStartxEndx = 0x02;
inline constexpr uint8_t kStartxLength = 0x03;
inline constexpr uint8_t kOffsetPair = 0x04;
inline constexpr uint8_t kBaseAddress = 0x05;
inline constexpr uint8_t kStartEnd = 0x06;
inline constexpr uint8_t kStartLength = 0x07;
}  // namespace dw_rle

// Opcodes of line programs.
namespace dw_lns {
inline constexpr uint8_t kExtended = 0x00;
inline constexpr uint8_t kCopy = 0x01;
inline constexpr uint8_t kAdvancePc = 0x02;
inline constexpr uint8_t kAdvanceLine = 0x03;
inline constexpr uint8_t kSetFile = 0x04;
inline constexpr uint8_t kSetColumn = 0x05;
inline constexpr uint8_t kConstAddPc = 0x08;
inline constexpr uint8_t kFixedAdvancePc = 0x09;
}  // namespace dw_lns
namespace dw_lne {
inline constexpr uint8_t kEndSequence = 0x01;
inline constexpr uint8_t kSetAddress = 0x02;
inline constexpr uint8_t kDefineFile = 0x03;
}  // namespace dw_lne
namespace dw_lnct {
inline constexpr uint64_t kPath = 0x1;
inline constexpr uint64_t kDirectoryIndex = 0x2;
}  // namespace dw_lnct

// Columns of .debug_cu_index. Version 2 is GNU's, version 5 the standard's.
namespace dw_sect {
inline constexpr uint32_t kInfo = 1;
inline constexpr uint32_t kAbbrev = 3;
inline constexpr uint32_t kLine = 4;
inline constexpr uint32_t kStrOffsets = 6;
inline constexpr uint32_t kRnglists = 8;  // version 5 only
}  // namespace dw_sect

}  // namespace wick
