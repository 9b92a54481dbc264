// SPDX-License-Identifier: Apache-2.0
// Runs every target on every file of its corpus, and on each file truncated and with changed bytes:
// past failures, as a test that any compiler can build. Usage: replay CORPUS_DIRECTORY
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "fuzz/targets.h"

namespace {

constexpr size_t kCuts = 60;
constexpr size_t kDamages = 200;

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void run_with_damage(const wick::fuzz::Target& target, const std::string& bytes) {
  target.run(wick::as_bytes(bytes));
  for (size_t cut = 0; cut < kCuts; ++cut) {
    std::string shorter = bytes.substr(0, bytes.size() * cut / kCuts);
    target.run(wick::as_bytes(shorter));
  }
  std::mt19937 random(1);
  for (size_t damage = 0; damage < kDamages && !bytes.empty(); ++damage) {
    std::string changed = bytes;
    for (size_t i = 0; i <= damage % 4; ++i) {
      constexpr unsigned char kValues[] = {0, 1, 0x7f, 0x80, 0xff};
      changed[random() % changed.size()] =
          static_cast<char>(kValues[random() % std::size(kValues)]);
    }
    target.run(wick::as_bytes(changed));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "Usage: replay CORPUS_DIRECTORY\n");
    return 2;
  }
  int status = 0;
  for (const wick::fuzz::Target& target : wick::fuzz::all_targets()) {
    size_t files = 0;
    std::error_code error;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(argv[1]) / target.name, error)) {
      run_with_damage(target, read_file(entry.path()));
      ++files;
    }
    std::printf("%s: %zu inputs\n", std::string(target.name).c_str(), files);
    status = files == 0 ? 1 : status;  // a target without inputs tests nothing
  }
  return status;
}
