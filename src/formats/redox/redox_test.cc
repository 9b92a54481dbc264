// SPDX-License-Identifier: Apache-2.0
// Tests the readers of Redox' rings and text. The tests build rings word by word, cut them
// anywhere, and add, remove and change bytes: the reader must find all intact records and invent
// none.
#include "formats/redox/redox.h"

#include <algorithm>
#include <optional>
#include <random>
#include <ranges>

#include <gtest/gtest.h>

#include "formats/redox/text.h"
#include "formats/redox/words.h"
#include "profile/names.h"
#include "profile/validate.h"

namespace wick::redox {
namespace {

constexpr uint64_t kText = 0xFFFF'FFFF'8010'0000;
constexpr uint64_t kTick = 2'306'865;  // 0xFFFFF ns at 2.2 GHz

FlagValues flags_with(std::string_view name = {}, std::string_view value = {}) {
  FlagValues flags;
  flags.declare(read_flags());
  if (!name.empty()) {
    flags.set(name, std::string(value));
  }
  return flags;
}

Result<Profile> read_bytes(std::string bytes,
                           const FlagValues& flags = flags_with("tsc-ghz", "2.2"),
                           std::string name = "profiling-1") {
  Input input = Input::from_text(std::move(name), std::move(bytes));
  Result<Profile> profile = read(input, flags);
  EXPECT_TRUE(!profile || validate(*profile)) << validate(*profile).error().message;
  return profile;
}

std::string bytes_of(const std::vector<uint64_t>& words) {
  ByteWriter writer;
  for (uint64_t word : words) {
    writer.number(word);
  }
  return writer.bytes();
}

// One sample: addresses leaf first.
struct Taken {
  uint64_t tsc = 0;
  std::vector<uint64_t> addresses;
  uint32_t context = kNoContext;
};

void append(std::vector<uint64_t>& words, Generation generation, const Taken& taken) {
  if (generation == Generation::kFirst) {
    words.push_back(taken.addresses[0] & ~kTopBit);
    words.push_back(taken.tsc);
  } else {
    words.push_back(0xFEDF'AC00 + 3 + taken.addresses.size());
    words.push_back(taken.addresses[0]);
    words.push_back(taken.tsc);
    words.push_back(taken.context);
  }
  words.insert(words.end(), taken.addresses.begin() + 1, taken.addresses.end());
}

// A ring of samples. The leaf of each sample is its number.
std::vector<Taken> many(size_t count, uint64_t start = 1'250'999'896'576) {
  std::vector<Taken> taken;
  for (size_t i = 0; i < count; ++i) {
    Taken sample{.tsc = start + i * kTick, .addresses = {kText + 16 * i}, .context = 7};
    for (size_t caller = 0; caller < i % 6; ++caller) {
      sample.addresses.push_back(kText + 0x10'0000 + 16 * caller + 5);
    }
    taken.push_back(sample);
  }
  return taken;
}

std::vector<uint64_t> words_of(const std::vector<Taken>& samples, Generation generation) {
  std::vector<uint64_t> words;
  for (const Taken& sample : samples) {
    append(words, generation, sample);
  }
  return words;
}

uint64_t losses_of(const Profile& profile, std::string_view words, LossClass severity) {
  uint64_t count = 0;
  for (const Loss& loss : profile.losses) {
    bool matches = profile.strings[loss.reason].find(words) != std::string_view::npos;
    count += matches && loss.severity == severity ? std::max<uint64_t>(loss.count, 1) : 0;
  }
  return count;
}

std::string_view fact(const Profile& profile, std::string_view key) {
  for (const Fact& row : profile.facts) {
    if (profile.strings[row.key] == key) {
      return profile.strings[row.value];
    }
  }
  return "";
}

std::vector<uint64_t> addresses_of(const Profile& profile, size_t row) {
  std::vector<uint64_t> addresses;
  for (StackId at = profile.samples.stack[row]; at != kEmptyStack; at = profile.stacks.parent(at)) {
    addresses.push_back(profile.frames[profile.stacks.frame(at)].address);
  }
  return addresses;
}

TEST(RedoxWords, TheFirstGeneration) {
  std::string bytes = bytes_of(
      {0x7fff'ffff'8012'3456, 1'250'999'896'576, 0xffff'ffff'8014'0043, 0xffff'ffff'8010'1063});
  ASSERT_TRUE(sniff(as_bytes(bytes)));
  Result<Profile> profile = read_bytes(bytes);
  ASSERT_TRUE(profile) << profile.error().message;
  ASSERT_EQ(profile->samples.size(), 1U);
  EXPECT_EQ(
      addresses_of(*profile, 0),
      (std::vector<uint64_t>{0xffff'ffff'8012'3456, 0xffff'ffff'8014'0042, 0xffff'ffff'8010'1062}));
  EXPECT_EQ(profile->samples.time_ns[0] / 1000, 568'636'316);
  EXPECT_EQ(profile->samples.cpu[0], 1);
  EXPECT_EQ(profile->samples.ending[0], StackEnd::kComplete);
  EXPECT_EQ(losses_of(*profile, "", LossClass::kDataLoss), 0U);
  EXPECT_EQ(fact(*profile, "a missing tick is"), "user, idle or lost");
}

TEST(RedoxWords, TheSecondGenerationGoesOnIntoThePrograms) {
  std::string bytes = bytes_of(
      {0xfedf'ac06, 0xffff'ffff'8012'3456, 1'250'999'896'576, 7, 0xffff'ffff'8014'0043, 0x41'2345});
  ASSERT_TRUE(sniff(as_bytes(bytes)));
  FlagValues flags = flags_with("tsc-ghz", "2.2");
  flags.set("contexts", "7 file:/bin/dd\n");
  Result<Profile> profile = read_bytes(bytes, flags);
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(addresses_of(*profile, 0),
            (std::vector<uint64_t>{0xffff'ffff'8012'3456, 0xffff'ffff'8014'0042, 0x41'2344}));
  EXPECT_EQ(thread_name(*profile, profile->samples.thread[0]), "file:/bin/dd 7");
  StackId root = profile->samples.stack[0];
  while (profile->stacks.parent(root) != kEmptyStack) {
    root = profile->stacks.parent(root);
  }
  EXPECT_EQ(frame_name(*profile, profile->stacks.frame(root)), "[dd]+0x412344");
  EXPECT_EQ(profile->frames[profile->stacks.frame(root)].mode, Mode::kUser);
  EXPECT_EQ(fact(*profile, "a missing tick is"), "idle or lost");
}

// Wherever a ring is cut, every record with an address and a time in the rest is found, and nothing
// else; the remaining bytes are reported.
TEST(RedoxWords, CutAnywhereNothingIsMadeUp) {
  std::mt19937_64 random(1);
  std::vector<Taken> taken = many(300);
  for (Generation generation : {Generation::kFirst, Generation::kSecond}) {
    std::string whole = bytes_of(words_of(taken, generation));
    size_t needed = generation == Generation::kFirst ? 16 : 32;
    for (int round = 0; round < 400; ++round) {
      size_t begin = random() % (whole.size() / 2);
      size_t end = begin + 1024 + random() % (whole.size() - begin - 1024);
      size_t expected = 0;
      size_t at = 0;
      for (const Taken& sample : taken) {
        expected += at >= begin && at + needed <= end ? 1U : 0U;
        at += (needed / 8 - 1 + sample.addresses.size()) * 8;
      }
      Result<Profile> profile = read_bytes(whole.substr(begin, end - begin));
      ASSERT_TRUE(profile) << begin << ".." << end << ": " << profile.error().message;
      ASSERT_EQ(profile->samples.size(), expected) << begin << ".." << end;
      for (size_t row = 0; row < expected; ++row) {
        uint64_t leaf = addresses_of(*profile, row)[0];
        size_t number = (leaf - kText) / 16;
        ASSERT_LT(number, taken.size());
        EXPECT_LE(addresses_of(*profile, row).size(), taken[number].addresses.size());
      }
    }
  }
}

// A full ring: a record without all of its words, then the next one.
TEST(RedoxWords, RecordsCutShortAreKeptAndMarked) {
  std::vector<Taken> taken = many(40);
  std::vector<uint64_t> words;
  for (size_t i = 0; i < taken.size(); ++i) {
    size_t before = words.size();
    append(words, Generation::kSecond, taken[i]);
    if (i == 11) {
      words.resize(before + 5);  // of 9
    } else if (i == 17) {
      words.resize(before + 2);  // no TSC
    }
  }
  Result<Profile> profile = read_bytes(bytes_of(words));
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->samples.size(), 39U);
  EXPECT_EQ(profile->samples.ending[11], StackEnd::kCopyTooShort);
  EXPECT_EQ(losses_of(*profile, "damaged before their callers", LossClass::kDataLoss), 1U);
  EXPECT_EQ(losses_of(*profile, "without callers", LossClass::kNotice), 1U);
}

TEST(RedoxWords, TheDeepestStacksAreMarked) {
  Taken deep{.tsc = 1'000'000'000, .addresses = {kText}};
  for (size_t i = 0; i < 30; ++i) {
    deep.addresses.push_back(kText + 32 * i + 1);
  }
  Result<Profile> profile = read_bytes(bytes_of(words_of({deep, deep}, Generation::kFirst)));
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->samples.ending[0], StackEnd::kTooDeep);
}

TEST(RedoxWords, RubbishBetweenRecordsIsSkippedAndCounted) {
  std::vector<Taken> taken = many(100);
  for (Generation generation : {Generation::kFirst, Generation::kSecond}) {
    std::vector<uint64_t> words;
    for (size_t i = 0; i < taken.size(); ++i) {
      append(words, generation, taken[i]);
      if (i == 50) {
        words.insert(words.end(), 20, 0xDEAD'BEEF'0000'0000);
      }
    }
    Result<Profile> profile = read_bytes(bytes_of(words));
    ASSERT_TRUE(profile);
    EXPECT_EQ(profile->samples.size(), 100U);
    EXPECT_GE(losses_of(*profile, "bytes that belong to no record", LossClass::kDataLoss), 1U);
  }
}

// A serial line loses single bytes and adds some. Everything between the damaged parts must be
// found, each record with its own time and all of its callers. Nothing may be made up from a
// damaged record.
class DamagedRing {
 public:
  DamagedRing(Generation generation, std::mt19937_64& random, size_t samples)
      : taken_(many(samples)), touched_(samples) {
    for (size_t i = 0; i < samples; ++i) {
      taken_[i].tsc += random() % 1000;
      for (uint64_t& address : taken_[i].addresses) {
        address += (random() % 16) << 20;  // all values of the low bytes
      }
      if (generation == Generation::kSecond && i % 3 == 0) {
        for (uint64_t user = 0; user < random() % 4; ++user) {
          taken_[i].addresses.push_back(0x40'0000 + random() % (uint64_t{1} << (24 + 8 * (i % 3))));
        }
      }
      begins_.push_back(whole_.size());
      whole_ += bytes_of(words_of({taken_[i]}, generation));
    }
    begins_.push_back(whole_.size());
  }

  // From the end to the start, so that positions stay valid.
  std::string damage(std::mt19937_64& random, size_t distance) {
    std::string bytes = whole_;
    for (size_t at = bytes.size() - distance; at > 2 * distance; at -= distance + random() % 97) {
      size_t count = random() % 4 == 0 ? 1 + random() % 60 : 1 + random() % 7;
      bool loses = random() % 2 == 0;
      for (size_t i = 0; i < taken_.size(); ++i) {
        bool inside = loses ? begins_[i] < at + count && at < begins_[i + 1]
                            : begins_[i] <= at && at < begins_[i + 1];
        touched_[i] = touched_[i] || inside;
      }
      std::string gained(loses ? 0 : count, '\0');
      std::ranges::generate(gained, [&] { return static_cast<char>(random()); });
      bytes.replace(at, loses ? count : 0, gained);
    }
    return bytes;
  }

  const std::vector<Taken>& taken() const { return taken_; }
  bool is_touched(size_t number) const { return touched_[number]; }
  // Next to damage: a caller or the whole record may be dropped.
  bool is_beside(size_t number) const {
    return !touched_[number] && ((number > 0 && touched_[number - 1]) ||
                                 (number + 1 < touched_.size() && touched_[number + 1]));
  }
  // The record with that time, if these are its addresses or its innermost addresses.
  std::optional<size_t> find(uint64_t tsc, const std::vector<uint64_t>& found) const {
    auto it = std::ranges::find_if(
        taken_, [&](const Taken& one) { return one.tsc + 1 >= tsc && one.tsc <= tsc + 1; });
    if (it == taken_.end() || found.size() > it->addresses.size()) {
      return std::nullopt;
    }
    for (size_t i = 0; i < found.size(); ++i) {
      if (found[i] != it->addresses[i] - (i == 0 ? 0 : 1)) {
        return std::nullopt;
      }
    }
    return static_cast<size_t>(it - taken_.begin());
  }

 private:
  std::vector<Taken> taken_;
  std::vector<bool> touched_;
  std::vector<size_t> begins_;
  std::string whole_;
};

// Sums over all damaged rings.
struct Damage {
  size_t made_up = 0;
  size_t kept_of_touched = 0;
  size_t all_touched = 0;
  size_t kept_beside = 0;
  size_t all_beside = 0;
};

// Which samples of the ring the profile has.
std::vector<bool> samples_in(const Profile& profile,
                             const DamagedRing& ring,
                             size_t samples,
                             Damage& damage) {
  std::vector<bool> seen(samples);
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    std::vector<uint64_t> found = addresses_of(profile, row);
    std::optional<size_t> number =
        ring.find(static_cast<uint64_t>(profile.samples.time_ns[row]), found);
    if (!number) {
      ++damage.made_up;
      continue;
    }
    EXPECT_FALSE(seen[*number]);
    seen[*number] = true;
    damage.kept_of_touched += ring.is_touched(*number) ? 1U : 0U;
    damage.kept_beside += ring.is_beside(*number) ? 1U : 0U;
    if (!ring.is_touched(*number) && !ring.is_beside(*number)) {
      EXPECT_EQ(found.size(), ring.taken()[*number].addresses.size()) << *number;
    }
  }
  return seen;
}

// How many samples are missing; only those at the damage may be.
size_t missing_samples(const std::vector<bool>& seen, const DamagedRing& ring, Damage& damage) {
  size_t missing = 0;
  for (size_t number = 0; number < seen.size(); ++number) {
    damage.all_touched += ring.is_touched(number) ? 1U : 0U;
    damage.all_beside += ring.is_beside(number) ? 1U : 0U;
    missing += seen[number] ? 0U : 1U;
    EXPECT_TRUE(seen[number] || ring.is_touched(number) || ring.is_beside(number)) << number;
  }
  return missing;
}

TEST(RedoxWords, BytesThatAreLostOrTooManyCostOnlyTheRecordsTheyAreIn) {
  std::mt19937_64 random(11);
  for (Generation generation : {Generation::kFirst, Generation::kSecond}) {
    Damage damage;
    for (int round = 0; round < 60; ++round) {
      SCOPED_TRACE(round);
      constexpr size_t kSamples = 400;
      DamagedRing ring(generation, random, kSamples);
      std::string bytes = ring.damage(random, 700);
      Result<Profile> profile = read_bytes(bytes, flags_with("tsc-ghz", "1"));
      ASSERT_TRUE(profile) << profile.error().message;
      std::vector<bool> seen = samples_in(*profile, ring, kSamples, damage);
      size_t missing = missing_samples(seen, ring, damage);
      uint64_t lost = losses_of(*profile, "damaged before", LossClass::kDataLoss) +
                      losses_of(*profile, "belong to no record", LossClass::kDataLoss);
      EXPECT_NEAR(static_cast<double>(lost), static_cast<double>(missing), 0.04 * kSamples);
    }
    EXPECT_LE(damage.made_up, damage.all_touched / 50)
        << "words of two addresses that look like one";
    EXPECT_GE(damage.kept_beside, damage.all_beside * 3 / 4);
    EXPECT_GE(damage.kept_of_touched, damage.all_touched / 4) << "samples before the damage remain";
  }
}

// As many bytes as a hundred records: about a hundred were lost.
TEST(RedoxWords, LossIsEstimatedFromTheSizeOfWholeRecords) {
  std::vector<uint64_t> words;
  for (const Taken& one : many(100)) {
    append(words, Generation::kFirst, one);
  }
  size_t whole = words.size();
  words.insert(words.begin() + static_cast<std::ptrdiff_t>(whole), whole, 0xDEAD'BEEF'0000'0000);
  for (const Taken& one : many(100)) {
    append(words, Generation::kFirst, one);
  }
  Result<Profile> profile = read_bytes(bytes_of(words));
  ASSERT_TRUE(profile);
  uint64_t lost = losses_of(*profile, "bytes that belong to no record", LossClass::kDataLoss);
  EXPECT_GE(lost, 90U);
  EXPECT_LE(lost, 110U);
}

TEST(RedoxWords, RingsOneAfterAnotherAreSeveralCpus) {
  std::vector<uint64_t> words = words_of(many(200), Generation::kFirst);
  std::vector<uint64_t> second = words_of(many(150, 1'250'999'896'576 + 500), Generation::kFirst);
  words.insert(words.end(), second.begin(), second.end());
  Result<Profile> profile = read_bytes(bytes_of(words), flags_with("tsc-ghz", "2.2"), "rings.bin");
  ASSERT_TRUE(profile);
  EXPECT_EQ(std::ranges::count_if(std::views::iota(size_t{0}, profile->samples.size()),
                                  [&](size_t row) { return profile->samples.cpu[row] == 1; }),
            150);
  EXPECT_NE(fact(*profile, "ring of CPU 0").find("200 samples"), std::string_view::npos);
  EXPECT_EQ(losses_of(*profile, "time stamps", LossClass::kNotice), 0U);
}

TEST(RedoxWords, TimeThatGoesBackOrFarAheadIsReported) {
  std::vector<Taken> taken = many(100);
  taken[50].tsc -= 3 * kTick;
  taken[70].tsc += uint64_t{1} << 50;
  Result<Profile> profile = read_bytes(bytes_of(words_of(taken, Generation::kFirst)));
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->samples.size(), 100U);
  EXPECT_EQ(losses_of(*profile, "go back", LossClass::kNotice), 1U);
  EXPECT_EQ(losses_of(*profile, "are ignored", LossClass::kNotice), 1U);
  EXPECT_EQ(profile->samples.time_ns[70], kNoTime);
  EXPECT_NE(profile->samples.time_ns[71], kNoTime);
}

TEST(RedoxWords, TheRateIsEstimatedFromTicksWithAWarning) {
  std::mt19937 random(3);
  std::vector<Taken> taken;
  for (const Taken& sample : many(3000)) {
    if (random() % 2 == 0) {  // half of the ticks are missing
      taken.push_back(sample);
      taken.back().tsc += random() % 4000;
    }
  }
  std::string bytes = bytes_of(words_of(taken, Generation::kFirst));
  Result<Profile> guessed = read_bytes(bytes, flags_with());
  Result<Profile> given = read_bytes(bytes);
  ASSERT_TRUE(guessed && given);
  EXPECT_EQ(losses_of(*guessed, "estimated rate", LossClass::kNotice), 1U);
  EXPECT_EQ(losses_of(*given, "estimated rate", LossClass::kNotice), 0U);
  double ratio = static_cast<double>(guessed->samples.time_ns[1000]) /
                 static_cast<double>(given->samples.time_ns[1000]);
  EXPECT_NEAR(ratio, 1, 1e-4);
  Result<Profile> two = read_bytes(bytes_of(words_of(many(2), Generation::kFirst)), flags_with());
  ASSERT_TRUE(two);
  EXPECT_FALSE(two->has_time());
  EXPECT_EQ(losses_of(*two, "too few samples", LossClass::kNotice), 1U);
  EXPECT_FALSE(read_bytes(bytes, flags_with("tsc-ghz", "0")));
}

TEST(RedoxWords, OtherBytesAreNoRings) {
  EXPECT_FALSE(sniff(as_bytes(std::string(4096, '\0'))));
  EXPECT_FALSE(sniff(as_bytes(std::string(4096, '\xff'))));
  EXPECT_FALSE(sniff(as_bytes("main;work 12\n")));
  std::mt19937_64 random(5);
  std::vector<uint64_t> noise(8192);
  std::ranges::generate(noise, random);
  EXPECT_FALSE(sniff(as_bytes(bytes_of(noise))));
}

TEST(RedoxText, OneSampleALine) {
  std::string text =
      "# cpu tsc addresses\n"
      "1 1250999896576 ffffffff80123456 ffffffff80140043\n"
      "1 1251002203441 0xffffffff80123458, 0x7fffffff80140043\n";
  ASSERT_TRUE(sniff(as_bytes(text)));
  Result<Profile> profile = read_bytes(text);
  ASSERT_TRUE(profile) << profile.error().message;
  ASSERT_EQ(profile->samples.size(), 2U);
  EXPECT_EQ(addresses_of(*profile, 1),
            (std::vector<uint64_t>{0xffff'ffff'8012'3458, 0xffff'ffff'8014'0042}));
  EXPECT_EQ(profile->samples.cpu[0], 1);
  EXPECT_EQ(profile->samples.time_ns[0] / 1000, 568'636'316);
}

TEST(RedoxText, ASampleIsABlock) {
  std::string text =
      "cpu2: 1250999896576\n  ffffffff80123456\n  ffffffff80140043\n\n"
      "[3] 1251002203441\n  ffffffff80123456\n  412345\n  41234a\n";
  ASSERT_TRUE(sniff(as_bytes(text)));
  Result<Profile> profile = read_bytes(text);
  ASSERT_TRUE(profile) << profile.error().message;
  ASSERT_EQ(profile->samples.size(), 2U);
  EXPECT_EQ(addresses_of(*profile, 0).size(), 2U);
  EXPECT_EQ(profile->samples.cpu[1], 3);
  EXPECT_EQ(addresses_of(*profile, 1).size(), 3U);  // into the program
}

TEST(RedoxText, FieldsSayWhatALineHolds) {
  Result<Profile> profile = read_bytes("ignored dd 7 123456789a 2 ffffffff80123456 412345\n", [] {
    FlagValues flags = flags_with("tsc-ghz", "1");
    flags.set("fields", "_ comm ctx tsc:hex cpu ip*");
    return flags;
  }());
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->samples.cpu[0], 2);
  EXPECT_EQ(profile->samples.time_ns[0], 0x12'3456'789a);
  EXPECT_EQ(thread_name(*profile, profile->samples.thread[0]), "dd 7");
  EXPECT_EQ(addresses_of(*profile, 0).size(), 2U);

  FlagValues blocks = flags_with("fields", "cpu time / ip _");
  profile =
      read_bytes("0 1.5\nffffffff80123456 x\nffffffff80140043 y\n\nbad line here\n\n", blocks);
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->samples.size(), 1U);
  EXPECT_EQ(profile->samples.time_ns[0], 1'500'000'000);
  EXPECT_EQ(losses_of(*profile, "not part of a sample", LossClass::kDataLoss), 1U);
}

TEST(RedoxText, AddressesOfABadLineGoToNoSample) {
  FlagValues blocks = flags_with("fields", "cpu time / ip ip");
  Result<Profile> profile =
      read_bytes("0 1.5\nffffffff80123456 ffffffff80123457\nffffffff80140043 xyz\n\n", blocks);
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(addresses_of(*profile, 0).size(), 2U);
}

TEST(RedoxText, ARateThatGivesNoTimeGivesNone) {
  Result<Profile> profile = read_bytes("1 4611686018427387904 ffffffff80123456 ffffffff80140043\n",
                                       flags_with("tsc-ghz", "0.01"));
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->samples.time_ns[0], kNoTime);
}

TEST(RedoxText, ABadDescriptionIsExplained) {
  for (std::string_view spec : {"", "cpu tsc", "cpu nonsense ip*", "tsc:octal ip", "/ ip"}) {
    Result<FieldSpec> parsed = parse_fields(spec);
    ASSERT_FALSE(parsed) << spec;
    EXPECT_TRUE(parsed.error().usage) << spec;
  }
}

TEST(RedoxText, TextsOfOthersAreNotTakenForIt) {
  for (std::string_view text : {"ffffffff81000000;ffffffff81001000 12\n",
                                "ffffffff81000000 T _text\nffffffff81000040 t start\n",
                                "swapper 0 [000] 1.5: cycles:\n\tffffffff81000000 f (k)\n\n",
                                "123 10101010 ffffffff81000000\n123 10101010 ffffffff81000000\n",
                                "words and more words\n"}) {
    EXPECT_FALSE(sniff(as_bytes(text))) << text;
  }
}

TEST(Redox, EveryCutAndEveryChangedByteIsSurvived) {
  std::string text = "1 1250999896576 ffffffff80123456\n2 1251002203441 ffffffff80123458 abc\n";
  std::string first = bytes_of(words_of(many(6), Generation::kFirst));
  std::string second = bytes_of(words_of(many(6), Generation::kSecond));
  for (const std::string& whole : {text, first, second}) {
    for (size_t at = 0; at < whole.size(); ++at) {
      for (const std::string& part : {whole.substr(0, at), whole.substr(at)}) {
        Result<Profile> profile = read_bytes(part);
        EXPECT_TRUE(profile || profile.error().message.ends_with('.')) << profile.error().message;
      }
      for (char value : {'\0', '\x7f', '\xff'}) {
        std::string changed = whole;
        changed[at] = value;
        Result<Profile> profile = read_bytes(changed);
        EXPECT_TRUE(profile || profile.error().message.ends_with('.')) << profile.error().message;
      }
    }
  }
}

}  // namespace
}  // namespace wick::redox
