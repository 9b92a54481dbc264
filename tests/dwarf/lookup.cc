// SPDX-License-Identifier: Apache-2.0
// dwarf_lookup FILE: reads hexadecimal addresses, one a line, and prints the DWARF information for
// each, for comparison with other tools:
//
//     0xADDRESS
//     FUNCTION <TAB> FILE:LINE:COLUMN       innermost first; ?? if unknown
//
// It prints to standard error: the time it took, missing files, damage, and for how many addresses
// the answer differs between looking up all addresses of a unit together and one alone. With
// --quiet it looks the addresses up on all cores and prints only the time and the damage.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/worker_pool.h"
#include "elf/dwarf_info.h"
#include "symbolize/dwarf_files.h"

namespace {

using wick::DwarfFrame;

std::string described(const DwarfFrame& frame) {
  std::string file = frame.file.known() ? frame.file.path() : "??";
  std::string_view name = frame.symbol().empty() ? "??" : frame.symbol();
  return fmt::format("{}\t{}:{}:{}\n", name, file, frame.line, frame.column);
}

std::string described_all(const wick::DwarfInfo& info, const std::vector<uint64_t>& addresses) {
  std::string out;
  std::vector<DwarfFrame> frames;
  for (uint64_t address : addresses) {
    out += fmt::format("0x{:x}\n", address);
    frames.clear();
    info.find(address, frames);
    for (const DwarfFrame& frame : frames) {
      out += described(frame);
    }
  }
  return out;
}

bool is_same(std::span<const DwarfFrame> a, std::span<const DwarfFrame> b) {
  return std::ranges::equal(a, b, [](const DwarfFrame& x, const DwarfFrame& y) {
    return x.symbol() == y.symbol() && x.file == y.file && x.line == y.line &&
           x.column == y.column && x.declared_in == y.declared_in && x.scope == y.scope &&
           x.declared_line == y.declared_line && x.inlined == y.inlined;
  });
}

size_t count_different(const wick::DwarfInfo& info, const std::vector<uint64_t>& addresses) {
  std::map<uint32_t, std::set<uint64_t>> by_unit;
  for (uint64_t address : addresses) {
    by_unit[info.unit_of(address)].insert(address);
  }
  by_unit.erase(wick::DwarfInfo::kNoUnit);
  size_t different = 0;
  for (const auto& [unit, set] : by_unit) {
    std::vector<uint64_t> together(set.begin(), set.end());
    auto compare = [&](std::span<const uint64_t> asked) {
      wick::DwarfChains chains = info.find_in_unit(unit, asked);
      for (size_t index = 0; index < asked.size(); ++index) {
        std::vector<DwarfFrame> alone;
        std::vector<DwarfFrame> among_others;
        info.find(asked[index], alone);
        chains.append_to(among_others, index);
        different += is_same(alone, among_others) ? 0U : 1U;
      }
    };
    compare(together);
    compare({&together[together.size() / 2], 1});
  }
  return different;
}

std::vector<uint64_t> read_addresses() {
  std::vector<uint64_t> addresses;
  unsigned long long address = 0;
  while (std::scanf("%llx", &address) ==
         1) {  // NOLINT(cert-err34-c): the end is the first non-number
    addresses.push_back(address);
  }
  return addresses;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    return 2;
  }
  bool quiet = argc > 2 && std::string_view(argv[2]) == "--quiet";
  std::vector<uint64_t> addresses = read_addresses();
  auto start = std::chrono::steady_clock::now();
  std::unique_ptr<wick::OpenedFile> file = wick::open_elf(argv[1]);
  if (file == nullptr) {
    return 1;
  }
  wick::DwarfFileSearch others(wick::default_file_search(), argv[1], file->image);
  wick::DwarfInfo info(file->image, &others);
  std::string out;
  if (quiet) {
    wick::WorkerPool pool;
    std::vector<std::vector<DwarfFrame>> frames(pool.workers());
    pool.run(addresses.size(), 64, [&](size_t index, size_t worker) {
      frames[worker].clear();
      info.find(addresses[index], frames[worker]);
    });
  } else {
    out = described_all(info, addresses);
  }
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::fwrite(out.data(), 1, out.size(), stdout);
  std::string summary = fmt::format("seconds {:.4f} damaged {} missing {} different {}\n",
                                    took.count(),
                                    info.damaged(),
                                    info.missing_split(),
                                    quiet ? 0 : count_different(info, addresses));
  std::fputs(summary.c_str(), stderr);
  return 0;
}
