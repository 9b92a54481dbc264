// SPDX-License-Identifier: Apache-2.0
// disassembly_boundaries FILE: reads ranges of linked addresses, "BEGIN END" in hexadecimal a line,
// and prints for each instruction in them its address and length, for comparison with objdump:
//
//     0xADDRESS LENGTH [unnamed|data]
#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "symbolize/disassembly.h"
#include "symbolize/module_files.h"

int main(int argc, char** argv) {
  if (argc < 2) {
    return 2;
  }
  std::unique_ptr<wick::OpenedFile> file = wick::open_elf(argv[1]);
  if (file == nullptr) {
    return 1;
  }
  auto disassembler = wick::Disassembler::open(file->image.machine(), wick::AssemblySyntax::kAtt);
  if (disassembler == nullptr) {
    return 1;
  }
  unsigned long long begin = 0;
  unsigned long long end = 0;
  std::string out;
  // NOLINTNEXTLINE(cert-err34-c): the end is the first non-number
  while (std::scanf("%llx %llx", &begin, &end) == 2) {
    wick::Bytes code = file->image.bytes_at(begin);
    code = code.first(std::min<size_t>(code.size(), end - begin));
    for (uint64_t at = begin; !code.empty();) {
      wick::Instruction found = disassembler->next(code, at);
      out += fmt::format("0x{:x} {}{}{}\n",
                         at,
                         found.length,
                         found.is_unnamed ? " unnamed" : "",
                         found.is_data ? " data" : "");
      at += found.length;
      code = code.subspan(found.length);
    }
  }
  std::fwrite(out.data(), 1, out.size(), stdout);
  return 0;
}
