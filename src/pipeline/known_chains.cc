// SPDX-License-Identifier: Apache-2.0
#include "pipeline/known_chains.h"

#include <bit>

#include "base/hash.h"

namespace wick {
namespace {

constexpr size_t kMaxWords = 1 << 20;

// The words at the start of a record; the first four are the head of its key.
enum : size_t { kHash, kEpochs, kAddress, kShape, kStack, kFirstHalf };

// A count of words fits: a chain is in memory.
constexpr unsigned kNoUserHalfShift = 63;
constexpr unsigned kModeShift = 56;
constexpr uint64_t kModeMask = 0x7F;
constexpr unsigned kKernelShift = 28;

// Both functions below take four words at a time, and the last four words again instead of single
// words at the end: chains differ in length, and a loop over single words ends where the processor
// does not expect it.
constexpr size_t kBlock = 4;

uint64_t hash_block(uint64_t hash, const uint64_t* words) {
  return hash_mix(hash_mix(hash ^ words[0], words[1]), hash_mix(hash ^ words[2], words[3]));
}

uint64_t hash_words(uint64_t hash, std::span<const uint64_t> words) {
  if (words.size() < kBlock) {
    for (uint64_t word : words) {
      hash = hash_mix(hash, word);
    }
    return hash;
  }
  for (size_t at = 0; at + kBlock < words.size(); at += kBlock) {
    hash = hash_block(hash, words.data() + at);
  }
  return hash_block(hash, words.last<kBlock>().data());
}

uint64_t difference(const uint64_t* a, const uint64_t* b) {
  return (a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3]);
}

bool is_same(const uint64_t* record, std::span<const uint64_t> words) {
  uint64_t different = 0;
  if (words.size() < kBlock) {
    for (uint64_t word : words) {
      different |= *record++ ^ word;
    }
    return different == 0;
  }
  for (size_t at = 0; at + kBlock < words.size(); at += kBlock) {
    different |= difference(record + at, words.data() + at);
  }
  size_t last = words.size() - kBlock;
  return (different | difference(record + last, words.data() + last)) == 0;
}

}  // namespace

void KnownChains::Key::set(const SampleEvent& sample, uint32_t kernel_epoch, uint32_t space_epoch) {
  kernel = sample.kernel_chain;
  user = sample.user_chain;
  head[kEpochs] = uint64_t{kernel_epoch} << 32 | space_epoch;
  head[kAddress] = sample.address;
  head[kShape] = uint64_t{sample.has_no_user_half} << kNoUserHalfShift |
                 static_cast<uint64_t>(sample.mode) << kModeShift |
                 uint64_t{sample.kernel_chain.size()} << kKernelShift | sample.user_chain.size();
  uint64_t hash = hash_mix(hash_mix(head[kEpochs], head[kAddress]), head[kShape]);
  head[kHash] = hash_words(hash_words(hash, sample.kernel_chain), sample.user_chain);
}

SampleEvent KnownChains::sample_of(const Key& key) {
  return {.address = key.head[kAddress],
          .mode = static_cast<Mode>(key.head[kShape] >> kModeShift & kModeMask),
          .kernel_chain = key.kernel,
          .user_chain = key.user,
          .has_no_user_half = (key.head[kShape] >> kNoUserHalfShift) != 0};
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

uint32_t KnownChains::find(const Key& key) const {
  return index_.find(key.head[kHash], [&](uint32_t number) { return is_equal(number, key); });
}

AssembledStack KnownChains::stack(uint32_t number) const {
  return std::bit_cast<AssembledStack>(words_[begins_[number] + kStack]);
}

bool KnownChains::is_equal(uint32_t number, const Key& key) const {
  const uint64_t* record = words_.begin() + begins_[number];
  const uint64_t* kernel = record + kFirstHalf;
  return difference(record, key.head.data()) == 0 && is_same(kernel, key.kernel) &&
         is_same(kernel + key.kernel.size(), key.user);
}

void KnownChains::add(const Key& key, AssembledStack stack) {
  size_t count = kFirstHalf + key.kernel.size() + key.user.size();
  if (words_.size() + count > kMaxWords) {
    clear();
  }
  begins_.push_back(static_cast<uint32_t>(words_.size()));
  const std::array stack_word = {std::bit_cast<uint64_t>(stack)};
  for (std::span<const uint64_t> part : {std::span<const uint64_t>(key.head),
                                         std::span<const uint64_t>(stack_word),
                                         key.kernel,
                                         key.user}) {
    for (uint64_t word : part) {
      words_.push_back(word);
    }
  }
  index_.add(key.head[kHash], [&](uint32_t row) { return words_[begins_[row]]; });
}

void KnownChains::clear() {
  words_ = {};
  begins_ = {};
  index_ = {};
}

}  // namespace wick
