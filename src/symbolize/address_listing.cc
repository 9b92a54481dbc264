#include "symbolize/address_listing.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "base/check.h"
#include "base/escape.h"
#include "base/mapped_file.h"
#include "base/worker_pool.h"
#include "symbolize/module_places.h"

namespace wick {
namespace {

struct Asked {
  uint64_t address = 0;
  size_t index = 0;  // among the questions
};

constexpr uint32_t kNone = PlaceFrame::kNone;

// By address, and where in the question. Digit by digit, the last one first: 2 ms for 100,000
// addresses of a program, where comparing them takes 6.
std::vector<Asked> by_address(std::span<const uint64_t> asked, uint64_t base) {
  constexpr unsigned kDigitBits = 11;
  constexpr size_t kDigits = size_t{1} << kDigitBits;
  std::vector<Asked> sorted;
  sorted.reserve(asked.size());
  uint64_t differing = 0;  // bits
  for (uint64_t address : asked) {
    differing |= (address + base) ^ (asked.front() + base);
    sorted.push_back({address + base, sorted.size()});
  }
  std::vector<Asked> before(asked.size());
  for (unsigned shift = 0; shift < 64 && differing >> shift != 0; shift += kDigitBits) {
    auto digit = [&](const Asked& row) { return (row.address >> shift) % kDigits; };
    std::array<size_t, kDigits> next{};  // row of each digit
    for (const Asked& row : sorted) {
      ++next[digit(row)];
    }
    std::exclusive_scan(next.begin(), next.end(), next.begin(), size_t{0});
    std::swap(sorted, before);
    for (const Asked& row : before) {
      sorted[next[digit(row)]++] = row;
    }
  }
  return sorted;
}

std::vector<uint64_t> once_each(std::span<const Asked> sorted) {
  std::vector<uint64_t> addresses;
  addresses.reserve(sorted.size());
  for (const Asked& asked : sorted) {
    if (addresses.empty() || addresses.back() != asked.address) {
      addresses.push_back(asked.address);
    }
  }
  return addresses;
}

// A frame with everything that is printed of it. Questions come in any order, and each step from a
// frame to its function, to where the name stands, to the name waits for memory: 100,000 answers of
// 440,000 frames cost 11 ms of CPU time less this way (of 135, with everything).
struct Printed {
  const char* name = nullptr;
  const char* file = nullptr;
  uint32_t name_size = 0;
  uint32_t file_size = 0;
  uint32_t line = 0;
  uint32_t caller = kNone;  // the one that it was inlined into
};

// The frames of all views, one view after the other.
class PrintedFrames {
 public:
  PrintedFrames(std::span<const PlaceView> views, bool linkage_names, WorkerPool& pool)
      : views_(views), linkage_names_(linkage_names), safe_texts_(views.size()) {
    size_t frames = 0;
    for (const PlaceView& view : views) {
      first_.push_back(static_cast<uint32_t>(frames));
      frames += view.frames.size();
    }
    CHECK(frames < kNone);
    frames_.resize(frames);
    pool.run(views.size(), 1, [&](size_t view, size_t) { add(view); });
  }

  const Printed& operator[](uint32_t number) const { return frames_[number]; }

  // The innermost frame of each question, or none.
  std::vector<uint32_t> answers_of(std::span<const Asked> sorted) const {
    std::vector<uint32_t> answers(sorted.size(), kNone);
    for (size_t view = 0; view < views_.size(); ++view) {
      for_each_match(
          sorted,
          views_[view].places,
          [](const Asked& asked) { return asked.address; },
          [&](const Asked& asked, const Place& place) {
            answers[asked.index] = number(view, place.innermost);
          });
    }
    return answers;
  }

 private:
  uint32_t number(size_t view, uint32_t frame) const {
    return frame == kNone ? kNone : first_[view] + frame;
  }

  void add(size_t view) {
    const PlaceView& from = views_[view];
    // Names that would have to be made safe are rare: one look at all of them tells.
    auto is_plain = [](char c) { return c >= ' ' && c < '\x7f'; };
    std::vector<std::string>& safe = safe_texts_[view];
    if (!std::ranges::all_of(from.text, is_plain)) {
      for (uint32_t text = 0; text < from.text_ends.size(); ++text) {
        safe.push_back(terminal_text(from.string(text)));
      }
    }
    auto text_of = [&](uint32_t number) -> std::string_view {
      return number == 0 ? "??" : safe.empty() ? from.string(number) : safe[number];
    };
    for (size_t row = 0; row < from.frames.size(); ++row) {
      const PlaceFrame& frame = from.frames[row];
      std::string_view name = text_of(name_of(from, frame));
      std::string_view file = text_of(frame.file);
      frames_[first_[view] + row] = {.name = name.data(),
                                     .file = file.data(),
                                     .name_size = static_cast<uint32_t>(name.size()),
                                     .file_size = static_cast<uint32_t>(file.size()),
                                     .line = frame.line,
                                     .caller = number(view, frame.caller)};
    }
  }

  uint32_t name_of(const PlaceView& view, const PlaceFrame& frame) const {
    if (frame.function == kNone) {
      return 0;
    }
    const PlaceFunction& function = view.functions[frame.function];
    bool linkage = linkage_names_ && function.linkage_name != 0;
    return linkage ? function.linkage_name : function.name;
  }

  std::span<const PlaceView> views_;
  bool linkage_names_;
  std::vector<std::vector<std::string>> safe_texts_;  // by view; none where all are safe
  std::vector<uint32_t> first_;                       // by view
  std::vector<Printed> frames_;
};

// 900,000 lines: appending them piece by piece takes twice as long.
void append(const Printed& frame, std::string& text) {
  constexpr size_t kMostDigits = 10;
  size_t before = text.size();
  size_t most = before + frame.name_size + frame.file_size + kMostDigits + 3;
  text.resize_and_overwrite(most, [&](char* begin, size_t) {
    char* at = std::copy_n(frame.name, frame.name_size, begin + before);
    *at++ = '\n';
    at = std::copy_n(frame.file, frame.file_size, at);
    *at++ = ':';
    at = std::to_chars(at, at + kMostDigits, frame.line).ptr;
    *at++ = '\n';
    return static_cast<size_t>(at - begin);
  });
}

class AnswerWriter {
 public:
  // `columns` may be null.
  AnswerWriter(const AddressListing& listing,
               const PrintedFrames& frames,
               const ModuleDwarf* columns,
               uint64_t base)
      : listing_(listing), frames_(frames), columns_(columns), base_(base) {}

  // The answer is the innermost frame, or none.
  void write(uint64_t address, uint32_t answer, std::string& text) const {
    if (listing_.addresses) {
      text += fmt::format("0x{:x}\n", address);
    }
    if (answer == kNone) {
      text += columns_ != nullptr ? "??\n??:0:0\n" : "??\n??:0\n";
    }
    std::vector<DwarfFrame> chain;
    if (columns_ != nullptr) {
      columns_->find(address + base_, chain);
    }
    size_t depth = 0;
    for (uint32_t frame = answer; frame != kNone; frame = frames_[frame].caller, ++depth) {
      append(frames_[frame], text);
      if (columns_ != nullptr) {
        uint32_t column = depth < chain.size() ? chain[depth].column : 0;
        text.back() = ':';
        text += fmt::format("{}\n", column);
      }
    }
  }

 private:
  const AddressListing& listing_;
  const PrintedFrames& frames_;
  const ModuleDwarf* columns_;
  uint64_t base_;
};

// The answers of 100,000 addresses are 67 MB of text: some are made while others are written.
void write_answers(std::span<const uint64_t> asked,
                   std::span<const uint32_t> answers,
                   const AnswerWriter& writer,
                   WorkerPool& pool,
                   Output& out) {
  constexpr size_t kPiece = 256;  // answers
  size_t pieces = 4 * pool.workers();
  std::vector<std::string> made(pieces);
  std::vector<std::string> ready(pieces);
  for (size_t first = 0; first < asked.size(); first += pieces * kPiece) {
    pool.start(pieces, 1, [&](size_t piece, size_t) {
      made[piece].clear();
      size_t begin = std::min(first + piece * kPiece, asked.size());
      size_t end = std::min(begin + kPiece, asked.size());
      for (size_t index = begin; index < end; ++index) {
        writer.write(asked[index], answers[index], made[piece]);
      }
    });
    for (std::string& piece : ready) {
      out.write(piece);
    }
    pool.finish();
    std::swap(made, ready);
  }
  for (std::string& piece : ready) {
    out.write(piece);
  }
}

void count_answers(std::span<const PlaceView> views,
                   std::span<const uint64_t> addresses,
                   AddressSummary& summary) {
  for (const PlaceView& view : views) {
    for_each_match(
        addresses, view.places, std::identity(), [&](const uint64_t&, const Place& place) {
          if (place.innermost == kNone) {
            return;
          }
          const PlaceFrame& frame = view.frames[place.innermost];
          summary.named += frame.function != kNone ? 1U : 0U;
          summary.with_lines += frame.line != 0 ? 1U : 0U;
        });
  }
}

}  // namespace

Result<> read_addresses(std::string_view text, std::vector<uint64_t>& addresses) {
  auto is_blank = [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; };
  const char* end = text.data() + text.size();
  const char* at = std::find_if_not(text.data(), end, is_blank);
  while (at != end) {
    bool prefixed = end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
    uint64_t address = 0;
    auto [rest, error] = std::from_chars(prefixed ? at + 2 : at, end, address, 16);
    if (error != std::errc() || (rest != end && !is_blank(*rest))) {
      std::string_view word(at, std::find_if(at, end, is_blank));
      return fail_usage("{} is no address; write it in hexadecimal digits, as 0x1234.",
                        terminal_text(word.substr(0, 64)));
    }
    addresses.push_back(address);
    at = std::find_if_not(rest, end, is_blank);
  }
  return {};
}

Result<AddressSummary> list_addresses(const AddressListing& listing,
                                      std::span<const uint64_t> asked,
                                      Output& out) {
  ModuleFiles files = find_module_files(listing.search, listing.path, "");
  if (files.binary == nullptr) {
    return fail("{} is not here, or is no ELF file that can be read.",
                terminal_text(listing.search.symfs + listing.path));
  }
  ModuleDwarf::Source source = ModuleDwarf::Source::of(files);
  WorkerPool pool;
  ModulePlaces places(
      listing.search,
      listing.kept,
      source,
      listing.inlines,
      listing.linkage_names ? PlaceTable::Names::kOfLinker : PlaceTable::Names::kForPeople);
  std::vector<Asked> sorted = by_address(asked, files.binary->image.base());
  std::vector<uint64_t> addresses = once_each(sorted);
  auto began = std::chrono::steady_clock::now();
  places.find(addresses, pool);
  std::vector<PlaceView> views = places.views();
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  AddressSummary summary{.addresses = addresses.size(),
                         .kept = places.kept_answers(),
                         .seconds = took.count(),
                         .shortcomings = places.shortcomings()};
  count_answers(views, addresses, summary);
  addresses = {};
  forget_mapped(files.binary->image.file());
  PrintedFrames frames(views, listing.linkage_names, pool);
  std::vector<uint32_t> answers = frames.answers_of(sorted);
  sorted = {};
  std::optional<ModuleDwarf> columns;
  if (listing.columns) {
    columns.emplace(listing.search, source);
  }
  AnswerWriter writer(listing, frames, columns ? &*columns : nullptr, files.binary->image.base());
  write_answers(asked, answers, writer, pool, out);
  return summary;
}

}  // namespace wick
