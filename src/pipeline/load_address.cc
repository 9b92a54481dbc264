// SPDX-License-Identifier: Apache-2.0
#include "pipeline/load_address.h"

#include <algorithm>
#include <array>
#include <vector>

#include "unwind/call_site.h"

namespace wick {
namespace {

constexpr uint64_t kPage = 4096;
constexpr size_t kMostReturns = 512;    // more do not make the answer better
constexpr size_t kMostSites = 4 << 20;  // of hundreds of MB of code
constexpr size_t kFewestCalls = 5;

// Linked return addresses of the calls in a program, by their last twelve bits.
using Sites = std::array<std::vector<uint64_t>, kPage>;

// A quick answer for most bytes. `code` ends at the address.
bool may_end_call(UnwindArch arch, Bytes code) {
  if (arch == UnwindArch::kAarch64) {
    return true;
  }
  constexpr std::byte kCall{0xE8};
  constexpr std::byte kGroup5{0xFF};
  constexpr size_t kDirectLength = 5;
  return code[code.size() - kDirectLength] == kCall ||
         std::ranges::find(code.last(kLongestCall), kGroup5) != code.end();
}

bool is_return_site(UnwindArch arch, Bytes code, uint64_t address, const ElfImage& program) {
  if (is_system_call_before(arch, code.last(kLongestSystemCall))) {
    return true;
  }
  if (!may_end_call(arch, code)) {
    return false;
  }
  CallSite site = call_before(arch, code, address);
  return site.kind == CallSite::Kind::kIndirect ||
         (site.kind == CallSite::Kind::kDirect && program.is_code(site.target));
}

Sites sites_of(const ElfImage& program, UnwindArch arch) {
  Sites sites;
  size_t all = 0;
  size_t step = arch == UnwindArch::kAarch64 ? 4 : 1;
  for (const ElfSegment& segment : program.segments()) {
    Bytes code = segment.executable ? program.bytes_at(segment.address) : Bytes();
    for (size_t at = kLongestCall; at <= code.size() && all < kMostSites; at += step) {
      uint64_t address = segment.address + at;
      if (is_return_site(arch, code.subspan(at - kLongestCall, kLongestCall), address, program)) {
        sites[address % kPage].push_back(address);
        ++all;
      }
    }
  }
  return sites;
}

struct Votes {
  uint64_t address = 0;
  size_t count = 0;
};

// The two load addresses with the most votes.
std::array<Votes, 2> best_two(std::vector<uint64_t> votes) {
  std::ranges::sort(votes);
  std::array<Votes, 2> best = {};
  for (size_t begin = 0; begin < votes.size();) {
    auto same = std::ranges::equal_range(votes, votes[begin]);
    Votes found{votes[begin], same.size()};
    if (found.count > best[0].count) {
      best = {found, best[0]};
    } else if (found.count > best[1].count) {
      best[1] = found;
    }
    begin += same.size();
  }
  return best;
}

}  // namespace

std::optional<LoadAddress> find_load_address(const ElfImage& program,
                                             std::span<const uint64_t> returns) {
  std::optional<UnwindArch> arch = unwind_arch_of(program.machine());
  if (!arch || returns.size() < kFewestCalls) {
    return {};
  }
  std::vector<uint64_t> some(returns.begin(), returns.end());
  std::ranges::sort(some);
  some.erase(std::ranges::unique(some).begin(), some.end());
  size_t step = some.size() / kMostReturns + 1;
  Sites sites = sites_of(program, *arch);
  std::vector<uint64_t> votes;
  for (size_t row = 0; row < some.size(); row += step) {
    for (uint64_t site : sites[some[row] % kPage]) {
      votes.push_back(some[row] - site);
    }
  }
  auto [best, second] = best_two(std::move(votes));
  LoadAddress found{.address = best.address, .after_calls = best.count};
  for (size_t row = 0; row < some.size(); row += step) {
    found.returns += program.is_code(some[row] - 1 - best.address) ? 1U : 0U;
  }
  bool is_enough = best.count >= kFewestCalls && best.count * 5 >= found.returns * 4;
  bool is_alone = second.count * 2 <= best.count;
  return is_enough && is_alone ? std::optional(found) : std::nullopt;
}

}  // namespace wick
