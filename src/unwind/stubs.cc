#include "unwind/stubs.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "unwind/signal_frame.h"

namespace wick {
namespace {

using namespace std::string_view_literals;

// What the code between functions is searched for. The rule holds on both instructions.
struct SignalReturn {
  UnwindArch arch;
  std::string_view code;
  int32_t form;
};
constexpr std::array kSignalReturns = {
    // mov $15, %rax; syscall
    SignalReturn{UnwindArch::kX86_64, "\x48\xC7\xC0\x0F\x00\x00\x00\x0F\x05"sv, kRtSignalForm},
    // mov $15, %eax; syscall
    SignalReturn{UnwindArch::kX86_64, "\xB8\x0F\x00\x00\x00\x0F\x05"sv, kRtSignalForm},
    // mov $173, %eax; int $0x80
    SignalReturn{UnwindArch::kX86, "\xB8\xAD\x00\x00\x00\xCD\x80"sv, kRtSignalForm},
    // pop %eax; mov $119, %eax; int $0x80
    SignalReturn{UnwindArch::kX86, "\x58\xB8\x77\x00\x00\x00\xCD\x80"sv, kOldSignalForm},
    // mov x8, #139; svc #0
    SignalReturn{UnwindArch::kAarch64, "\x68\x11\x80\xD2\x01\x00\x00\xD4"sv, kRtSignalForm},
};

// Shorter gaps are padding: functions stand at multiples of 16 bytes.
constexpr uint64_t kShortestCode = 16;

UnwindRule signal_rule(int32_t form) {
  UnwindRule rule;
  rule.cfa_register = UnwindRule::kSignalFrame;
  rule.cfa_offset = form;
  rule.flags = UnwindRule::kExact | UnwindRule::kStub;
  return rule;
}

// `pushed` words stand above the return address that the call left.
UnwindRule pushed_rule(UnwindArch arch, int32_t pushed) {
  const UnwindArchTraits& traits = traits_of(arch);
  UnwindRule rule;
  rule.cfa_register = traits.stack_pointer;
  rule.flags = UnwindRule::kStub;
  if (arch == UnwindArch::kAarch64) {
    rule.cfa_offset = pushed * traits.word;
    rule.return_address = pushed > 0 ? UnwindRule::Where::kAtCfa : UnwindRule::Where::kSame;
    rule.return_address_offset = pushed > 0 ? -traits.word : 0;
  } else {
    rule.cfa_offset = (pushed + 1) * traits.word;
    rule.return_address = UnwindRule::Where::kAtCfa;
    rule.return_address_offset = -traits.word;
  }
  return rule;
}

// While the kernel is at work for a stub whose CFI ends with its system call, pc stands behind it.
void add_behind_signal_return(const ElfImage& image, uint64_t end, UnwindTableBuilder& builder) {
  for (const SignalReturn& known : kSignalReturns) {
    uint64_t begin = end - known.code.size();
    bool is_stub =
        known.arch == builder.arch() && as_text(image.bytes_at(begin)).starts_with(known.code);
    if (is_stub) {
      builder.add_known(end, end + 1, signal_rule(known.form));
    }
  }
}

void add_signal_returns(const ElfImage& image, UnwindTableBuilder& builder) {
  for (auto [begin, end] : builder.gaps(image)) {
    std::string_view code = as_text(image.bytes_at(begin));
    code = code.substr(0, end - begin);
    add_behind_signal_return(image, begin, builder);
    if (code.size() < kShortestCode) {
      continue;
    }
    for (const SignalReturn& known : kSignalReturns) {
      if (known.arch != builder.arch()) {
        continue;
      }
      for (size_t at = code.find(known.code); at != std::string_view::npos;
           at = code.find(known.code, at + 1)) {
        // The handler returns to the first instruction, and the byte before a return address is
        // looked up.
        uint64_t before = at > 0 ? 1 : 0;
        builder.add_known(
            begin + at - before, begin + at + known.code.size(), signal_rule(known.form));
      }
    }
  }
}

// One instruction of an x86 PLT stub.
struct PltInstruction {
  std::string_view bytes;  // how it begins
  uint8_t size;
  bool pushes;
  bool ends;  // nothing follows in this stub
};
constexpr std::array kPltInstructions = {
    PltInstruction{"\xF3\x0F\x1E\xFA"sv, 4, false, false},  // endbr64
    PltInstruction{"\xF3\x0F\x1E\xFB"sv, 4, false, false},  // endbr32
    PltInstruction{"\xF2\xFF\x25"sv, 7, false, true},       // bnd jmp *slot
    PltInstruction{"\xFF\x25"sv, 6, false, false},          // jmp *slot
    PltInstruction{"\xFF\xA3"sv, 6, false, false},          // jmp *slot(%ebx)
    PltInstruction{"\x68"sv, 5, true, false},               // push $index
    PltInstruction{"\xF2\xE9"sv, 6, false, true},           // bnd jmp first
    PltInstruction{"\xE9"sv, 5, false, true},               // jmp first
    PltInstruction{"\xFF\x35"sv, 6, true, false},           // push slot
    PltInstruction{"\xFF\xB3"sv, 6, true, false},           // push slot(%ebx)
    PltInstruction{"\x41\xBB"sv, 6, false, false},          // mov $index, %r11d (mold)
    PltInstruction{"\x41\x53"sv, 2, true, false},           // push %r11 (mold)
};

const PltInstruction* decode(std::string_view code) {
  auto found = std::ranges::find_if(kPltInstructions, [&](const PltInstruction& instruction) {
    return code.starts_with(instruction.bytes);
  });
  return found == kPltInstructions.end() || found->size > code.size() ? nullptr : &*found;
}

void add_x86_plt(const ElfSection& section, std::string_view code, UnwindTableBuilder& builder) {
  constexpr size_t kStep = 8;  // stubs begin at multiples of this
  // GNU ld's first stub is jumped to by the others, which have pushed a word before.
  bool has_first = code.starts_with("\xFF\x35"sv) || code.starts_with("\xFF\xB3"sv);
  int32_t pushed = has_first ? 1 : 0;
  uint64_t row = 0;
  auto finish_row = [&](uint64_t end) {
    if (end > row) {
      builder.add_known(
          section.address + row, section.address + end, pushed_rule(builder.arch(), pushed));
      row = end;
    }
  };
  for (size_t at = 0; at < code.size();) {
    const PltInstruction* instruction = decode(code.substr(at));
    bool ends = instruction == nullptr || instruction->ends;
    at += instruction == nullptr ? 1 : instruction->size;
    if (instruction != nullptr && instruction->pushes) {
      finish_row(at);
      ++pushed;
    }
    if (ends || decode(code.substr(std::min(at, code.size()))) == nullptr) {
      at = (at + kStep - 1) / kStep * kStep;  // the next stub
      if (pushed != 0) {
        finish_row(std::min(at, code.size()));
        pushed = 0;
      }
    }
  }
  finish_row(code.size());
}

void add_aarch64_plt(const ElfSection& section,
                     std::string_view code,
                     UnwindTableBuilder& builder) {
  constexpr std::string_view kSave = "\xF0\x7B\xBF\xA9"sv;  // stp x16, x30, [sp, #-16]!
  constexpr size_t kFirstStub = 32;
  size_t save = code.substr(0, kFirstStub).find(kSave);
  uint64_t begin = section.address;
  uint64_t end = begin + code.size();
  if (save != std::string_view::npos) {
    uint64_t saved = begin + save + kSave.size();
    uint64_t others = begin + kFirstStub;
    builder.add_known(begin, saved, pushed_rule(builder.arch(), 0));
    builder.add_known(saved, others, pushed_rule(builder.arch(), 2));
    begin = others;
  }
  if (begin < end) {
    builder.add_known(begin, end, pushed_rule(builder.arch(), 0));
  }
}

}  // namespace

void add_known_stubs(const ElfImage& image, UnwindTableBuilder& builder) {
  for (const ElfSection& section : image.sections()) {
    if (!section.executable() || !section.name.starts_with(".plt")) {
      continue;
    }
    std::string_view code = as_text(section.contents);
    if (builder.arch() == UnwindArch::kAarch64) {
      add_aarch64_plt(section, code, builder);
    } else {
      add_x86_plt(section, code, builder);
    }
  }
  add_signal_returns(image, builder);
}

}  // namespace wick
