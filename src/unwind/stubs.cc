// SPDX-License-Identifier: Apache-2.0
// Each kind of stub has a function that finds it in the sections of a file and adds its rule:
// signal returns by their bytes, PLT entries by decoding them, starts by the header and by their
// bytes.
#include "unwind/stubs.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "elf/symbol_reader.h"
#include "isa/signal_return.h"
#include "unwind/signal_frame.h"

namespace wick {
namespace {

using namespace std::string_view_literals;

int32_t form_of(const isa::SignalReturn& known) {
  return known.is_old ? kOldSignalForm : kRtSignalForm;
}

// Shorter gaps are padding: functions are aligned to 16 bytes.
constexpr uint64_t kShortestCode = 16;

UnwindRule signal_rule(int32_t form) {
  UnwindRule rule;
  rule.cfa_register = UnwindRule::kSignalFrame;
  rule.cfa_offset = form;
  rule.flags = UnwindRule::kExact | UnwindRule::kStub;
  return rule;
}

// The stub has pushed `pushed` words after the return address of the call.
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

// While the kernel executes the system call at the end of a stub's CFI, pc is after that CFI.
void add_after_signal_return(const ElfImage& image, uint64_t end, UnwindTableBuilder& builder) {
  for (const isa::SignalReturn& known : isa::kSignalReturns) {
    uint64_t begin = end - known.code.size();
    bool is_stub = known.set == traits_of(builder.arch()).instructions &&
                   as_text(image.bytes_at(begin)).starts_with(known.code);
    if (is_stub) {
      builder.add_known(end, end + 1, signal_rule(form_of(known)));
    }
  }
}

// The first code of a thread or a fiber. It has no caller.
struct KnownStart {
  UnwindArch arch;
  std::string_view code;
};
constexpr std::array kKnownStarts = {
    // musl's clone, in the new thread: pop %rdi; call *%r9; mov %eax,%edi; exit
    KnownStart{UnwindArch::kX86_64, "\x5F\x41\xFF\xD1\x89\xC7\x31\xC0\xB0\x3C\x0F\x05"sv},
    // boost's make_fcontext, in the new fiber: push %rbp; jmp *%rbx; (it returns to) xor %rdi,%rdi;
    // exit
    KnownStart{UnwindArch::kX86_64, "\x55\xFF\xE3\x48\x31\xFF\xE8"sv},
    // glibc's makecontext: ret; (the context returns to) lea (%esp,%ebx,4),%esp; cmpl $0,(%esp)
    KnownStart{UnwindArch::kX86, "\xC3\x8D\x24\x9C\x83\x3C\x24\x00"sv},
};

UnwindRule start_rule() {
  UnwindRule rule;
  rule.cfa_register = UnwindRule::kEndOfStack;
  rule.flags = UnwindRule::kStub;
  return rule;
}

// The length of the code up to the end of its next call; 0 if it calls nothing.
size_t length_to_call(UnwindArch arch, Bytes code) {
  constexpr size_t kMaxBytes = 128;
  for (size_t at = 0; at < std::min(code.size(), kMaxBytes);) {
    isa::Instruction found = isa::decode(traits_of(arch).instructions, code.subspan(at), at);
    at += found.length;
    if (isa::is_call(found.kind)) {
      return at;
    }
    if (!found.ok() || found.kind != isa::Kind::kOther) {
      return 0;
    }
  }
  return 0;
}

// The size of the function at an address by its symbol; 0 if that is unknown.
uint64_t symbol_size(const ElfImage& image, uint64_t address) {
  uint64_t size = 0;
  for (const char* table : {".symtab", ".dynsym"}) {
    SymbolReader symbols(image, table);
    for (size_t row = 0; row < symbols.size(); ++row) {
      RawSymbol symbol = symbols[row];
      bool is_it = symbol.value == address && symbol.section != SHN_UNDEF;
      size = is_it ? std::max(size, symbol.size) : size;
    }
  }
  return std::min<uint64_t>(size, image.bytes_at(address).size());
}

// The value of an entry of the table for the dynamic linker, or none.
template <typename Row>
std::optional<uint64_t> dynamic_entry(Bytes table, uint64_t tag) {
  for (; table.size() >= sizeof(Row); table = table.subspan(sizeof(Row))) {
    Row row;
    std::memcpy(&row, table.data(), sizeof row);
    if (static_cast<uint64_t>(row.d_tag) == tag) {
      return row.d_un.d_val;
    }
  }
  return {};
}
std::optional<uint64_t> dynamic_entry(const ElfImage& image, uint64_t tag) {
  Bytes table = image.section(".dynamic");
  return image.is_64() ? dynamic_entry<Elf64_Dyn>(table, tag)
                       : dynamic_entry<Elf32_Dyn>(table, tag);
}

// Libraries have an entry, too, often the start of their code. A few of them can be run, like the C
// library.
bool is_program(const ElfImage& image) {
  bool is_position_independent = (dynamic_entry(image, DT_FLAGS_1).value_or(0) & DF_1_PIE) != 0;
  bool can_run = image.type() == ElfType::kProgram || is_position_independent ||
                 image.find_section(".interp") != nullptr;
  return can_run && !dynamic_entry(image, DT_SONAME);
}

// The function at the entry of the file, which calls the C library, which calls main; or which
// calls other functions first, if the program has its own. Its unwind entry or its symbol shows its
// end. Else only the code up to its first call is known: that of glibc's dynamic linker continues
// after it, with the result in r12, and calls the initialisation.
void add_entry(const ElfImage& image, UnwindTableBuilder& builder) {
  constexpr std::string_view kContinues = "\x49\x89\xC4"sv;
  constexpr std::string_view kZeroFramePointer = "\x31\xED"sv;  // perhaps after REX
  uint64_t entry = image.entry();
  if (entry == 0 || !image.is_code(entry)) {
    return;
  }
  Bytes code = image.bytes_at(entry);
  size_t length = length_to_call(builder.arch(), code);
  bool goes_on = as_text(code.subspan(length)).starts_with(kContinues);
  if (goes_on) {
    length += length_to_call(builder.arch(), code.subspan(length));
  }
  uint64_t size = length;
  if (is_program(image)) {
    if (builder.mark_start(entry, start_rule())) {
      return;
    }
    size = std::max(size, symbol_size(image, entry));
  } else if (!goes_on && as_text(code).substr(0, 3).find(kZeroFramePointer) >= 2) {
    return;
  }
  if (size > 0) {
    builder.add_known(entry, entry + size, start_rule());
  }
}

void add_starts(const ElfImage& image, UnwindTableBuilder& builder) {
  add_entry(image, builder);
  for (auto [begin, end] : builder.gaps(image)) {
    std::string_view code = as_text(image.bytes_at(begin)).substr(0, end - begin);
    for (const KnownStart& known : kKnownStarts) {
      size_t at = known.arch == builder.arch() ? code.find(known.code) : std::string_view::npos;
      if (at != std::string_view::npos) {
        builder.add_known(begin + at, begin + at + known.code.size(), start_rule());
      }
    }
  }
}

void add_signal_returns(const ElfImage& image, UnwindTableBuilder& builder) {
  for (auto [begin, end] : builder.gaps(image)) {
    std::string_view code = as_text(image.bytes_at(begin));
    code = code.substr(0, end - begin);
    add_after_signal_return(image, begin, builder);
    if (code.size() < kShortestCode) {
      continue;
    }
    for (const isa::SignalReturn& known : isa::kSignalReturns) {
      if (known.set != traits_of(builder.arch()).instructions) {
        continue;
      }
      for (size_t at = code.find(known.code); at != std::string_view::npos;
           at = code.find(known.code, at + 1)) {
        // The handler returns to the first instruction, and the unwinder looks up the byte before a
        // return address.
        uint64_t before = at > 0 ? 1 : 0;
        builder.add_known(
            begin + at - before, begin + at + known.code.size(), signal_rule(form_of(known)));
      }
    }
  }
}

// One instruction of an x86 PLT stub.
struct PltInstruction {
  std::string_view bytes;  // its first bytes
  bool pushes = false;
  bool ends = false;  // the stub ends after it
};
constexpr std::array kPltInstructions = {
    PltInstruction{.bytes = "\xF3\x0F\x1E\xFA"sv},            // endbr64
    PltInstruction{.bytes = "\xF3\x0F\x1E\xFB"sv},            // endbr32
    PltInstruction{.bytes = "\xF2\xFF\x25"sv, .ends = true},  // bnd jmp *slot
    PltInstruction{.bytes = "\xFF\x25"sv},                    // jmp *slot
    PltInstruction{.bytes = "\xFF\xA3"sv},                    // jmp *slot(%ebx)
    PltInstruction{.bytes = "\x68"sv, .pushes = true},        // push $index
    PltInstruction{.bytes = "\xF2\xE9"sv, .ends = true},      // bnd jmp first
    PltInstruction{.bytes = "\xE9"sv, .ends = true},          // jmp first
    PltInstruction{.bytes = "\xFF\x35"sv, .pushes = true},    // push slot
    PltInstruction{.bytes = "\xFF\xB3"sv, .pushes = true},    // push slot(%ebx)
    PltInstruction{.bytes = "\x41\xBB"sv},                    // mov $index, %r11d (mold)
    PltInstruction{.bytes = "\x41\x53"sv, .pushes = true},    // push %r11 (mold)
};

// The stub instruction at the start of `code`, and its length; null for any other instruction.
struct DecodedPltInstruction {
  const PltInstruction* instruction = nullptr;
  size_t length = 0;
};
DecodedPltInstruction decode(UnwindArch arch, std::string_view code) {
  const auto* found = std::ranges::find_if(
      kPltInstructions, [&](const PltInstruction& known) { return code.starts_with(known.bytes); });
  isa::Instruction decoded = isa::decode(traits_of(arch).instructions, as_bytes(code), 0);
  bool is_known = found != kPltInstructions.end() && decoded.ok();
  return is_known ? DecodedPltInstruction{found, decoded.length} : DecodedPltInstruction{};
}

void add_x86_plt(const ElfSection& section, std::string_view code, UnwindTableBuilder& builder) {
  constexpr size_t kStep = 8;  // stubs start at multiples of this
  // The other stubs jump to GNU ld's first stub after they have pushed a word.
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
    auto [instruction, length] = decode(builder.arch(), code.substr(at));
    bool ends = instruction == nullptr || instruction->ends;
    at += instruction == nullptr ? 1 : length;
    if (instruction != nullptr && instruction->pushes) {
      finish_row(at);
      ++pushed;
    }
    bool continues = decode(builder.arch(), code.substr(at)).instruction != nullptr;
    if (ends || !continues) {
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
  add_starts(image, builder);
}

}  // namespace wick
