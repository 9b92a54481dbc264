// dwarf_lookup FILE: reads hexadecimal addresses, one a line, and prints what DWARF says about
// each, for comparison with other tools:
//
//     0xADDRESS
//     FUNCTION <TAB> FILE:LINE:COLUMN       innermost first; ?? for what is not known
//
// On standard error: how long it took, the files that lack, and what was damaged. With --quiet the
// addresses are looked up on all cores and only that is printed.
#include <chrono>
#include <cstdio>
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
  wick::FoundDwarfFiles others(wick::default_file_search(), argv[1], file->image);
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
  std::fprintf(stderr,
               "seconds %.4f damaged %llu missing %llu\n",
               took.count(),
               static_cast<unsigned long long>(info.damaged()),
               static_cast<unsigned long long>(info.missing_split()));
  return 0;
}
