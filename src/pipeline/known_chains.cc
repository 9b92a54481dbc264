// SPDX-License-Identifier: Apache-2.0
#include "pipeline/known_chains.h"

#include <algorithm>

#include "base/hash.h"

namespace wick {
namespace {

constexpr size_t kMostWords = 1 << 20;

// Words of a key's head.
enum : size_t { kHash, kEpochs, kAddress, kCounts, kMode };

}  // namespace

KnownChains::Key KnownChains::key_of(const SampleEvent& sample,
                                     uint32_t kernel_epoch,
                                     uint32_t space_epoch) {
  Key key = {.head = {0,
                      uint64_t{kernel_epoch} << 32 | space_epoch,
                      sample.address,
                      uint64_t{sample.kernel_chain.size()} << 32 | sample.user_chain.size(),
                      static_cast<uint64_t>(sample.mode)},
             .kernel_chain = sample.kernel_chain,
             .user_chain = sample.user_chain};
  for (std::span<const uint64_t> part :
       {std::span<const uint64_t>(key.head).subspan(1), key.kernel_chain, key.user_chain}) {
    for (uint64_t word : part) {
      key.head[kHash] = hash_mix(key.head[kHash], word);
    }
  }
  return key;
}

SampleEvent KnownChains::sample_of(const Key& key) {
  return {.address = key.head[kAddress],
          .mode = static_cast<Mode>(key.head[kMode]),
          .kernel_chain = key.kernel_chain,
          .user_chain = key.user_chain};
}

void KnownChains::prefetch_record(const Key& key) const {
  constexpr size_t kLineWords = 8;
  uint32_t number = index_.likely(key.head[kHash]);
  if (number != kNone) {
    const uint64_t* record = words_.begin() + begins_[number];
    __builtin_prefetch(record);
    __builtin_prefetch(record + kLineWords);
  }
}

KnownChains::Answer KnownChains::find(const Key& key) {
  uint32_t number = index_.find(key.head[kHash], [&](uint32_t row) { return is_equal(row, key); });
  if (number != kNone) {
    return {.number = number, .is_new = false};
  }
  add(key);
  return {.number = index_.size() - 1};
}

bool KnownChains::is_equal(uint32_t number, const Key& key) const {
  const uint64_t* record = words_.begin() + begins_[number];
  if (!std::equal(key.head.begin(), key.head.end(), record)) {
    return false;
  }
  const uint64_t* kernel = record + key.head.size();
  const uint64_t* user = kernel + key.kernel_chain.size();
  return std::equal(key.kernel_chain.begin(), key.kernel_chain.end(), kernel) &&
         std::equal(key.user_chain.begin(), key.user_chain.end(), user);
}

void KnownChains::add(const Key& key) {
  size_t count = key.head.size() + key.kernel_chain.size() + key.user_chain.size();
  if (words_.size() + count > kMostWords) {
    forget();
  }
  begins_.push_back(static_cast<uint32_t>(words_.size()));
  for (std::span<const uint64_t> part :
       {std::span<const uint64_t>(key.head), key.kernel_chain, key.user_chain}) {
    for (uint64_t word : part) {
      words_.push_back(word);
    }
  }
  index_.add(key.head[kHash], [&](uint32_t row) { return words_[begins_[row]]; });
}

void KnownChains::forget() {
  words_ = {};
  begins_ = {};
  index_ = {};
}

}  // namespace wick
