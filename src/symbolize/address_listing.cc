#include "symbolize/address_listing.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>

#include <fmt/format.h>

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

// The answer to one question: a place in one of the views.
struct Answer {
  const PlaceView* view = nullptr;
  const Place* place = nullptr;
};

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

std::vector<Answer> answers_of(std::span<const Asked> sorted, std::span<const PlaceView> views) {
  std::vector<Answer> answers(sorted.size());
  for (const PlaceView& view : views) {
    for_each_match(
        sorted,
        view.places,
        [](const Asked& asked) { return asked.address; },
        [&](const Asked& asked, const Place& place) { answers[asked.index] = {&view, &place}; });
  }
  return answers;
}

class AnswerWriter {
 public:
  // `columns` may be null.
  AnswerWriter(const AddressListing& listing,
               std::span<const PlaceView> views,
               const ModuleDwarf* columns,
               uint64_t base)
      : listing_(listing), columns_(columns), base_(base) {
    // Names that would have to be made safe are rare: one look at all of them tells.
    is_safe_ = std::ranges::all_of(views, [](const PlaceView& view) {
      return std::ranges::all_of(view.text, [](char c) { return c >= ' ' && c < '\x7f'; });
    });
  }

  void write(uint64_t address, const Answer& answer, std::string& text) const {
    if (listing_.addresses) {
      text += fmt::format("0x{:x}\n", address);
    }
    uint32_t frame = answer.place != nullptr ? answer.place->innermost : PlaceFrame::kNone;
    if (frame == PlaceFrame::kNone) {
      text += columns_ != nullptr ? "??\n??:0:0\n" : "??\n??:0\n";
    }
    std::vector<DwarfFrame> chain;
    if (columns_ != nullptr) {
      columns_->find(address + base_, chain);
    }
    for (size_t depth = 0; frame != PlaceFrame::kNone; ++depth) {
      write_frame(*answer.view, answer.view->frames[frame], text);
      if (columns_ != nullptr) {
        uint32_t column = depth < chain.size() ? chain[depth].column : 0;
        text.back() = ':';
        text += fmt::format("{}\n", column);
      }
      frame = answer.view->frames[frame].caller;
    }
  }

 private:
  void write_frame(const PlaceView& view, const PlaceFrame& frame, std::string& text) const {
    uint32_t number = 0;
    if (frame.function != PlaceFrame::kNone) {
      const PlaceFunction& function = view.functions[frame.function];
      bool linkage = listing_.linkage_names && function.linkage_name != 0;
      number = linkage ? function.linkage_name : function.name;
    }
    std::string_view name = number == 0 ? "??" : view.string(number);
    std::string_view file = frame.file == 0 ? "??" : view.string(frame.file);
    if (is_safe_) {
      append(name, file, frame.line, text);
    } else {
      append(terminal_text(name), terminal_text(file), frame.line, text);
    }
  }

  // 900,000 lines: appending them piece by piece takes twice as long.
  static void append(std::string_view name,
                     std::string_view file,
                     uint32_t line,
                     std::string& text) {
    constexpr size_t kMostDigits = 10;
    size_t before = text.size();
    size_t most = before + name.size() + file.size() + kMostDigits + 3;
    text.resize_and_overwrite(most, [&](char* begin, size_t) {
      char* at = std::copy(name.begin(), name.end(), begin + before);
      *at++ = '\n';
      at = std::copy(file.begin(), file.end(), at);
      *at++ = ':';
      at = std::to_chars(at, at + kMostDigits, line).ptr;
      *at++ = '\n';
      return static_cast<size_t>(at - begin);
    });
  }

  const AddressListing& listing_;
  const ModuleDwarf* columns_;
  uint64_t base_;
  bool is_safe_ = false;
};

// The answers of 100,000 addresses are 67 MB of text: some are made while others are written.
void write_answers(std::span<const uint64_t> asked,
                   std::span<const Answer> answers,
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

Result<> list_addresses(const AddressListing& listing,
                        std::span<const uint64_t> asked,
                        Output& out) {
  ModuleFiles files = find_module_files(listing.search, listing.path, "");
  if (files.binary == nullptr) {
    return fail("{} is not here, or is no ELF file that can be read.",
                terminal_text(listing.search.symfs + listing.path));
  }
  ModuleDwarf::Source source{.binary = &files.binary->image, .path = files.binary->path};
  if (files.debug != nullptr) {
    source.debug = &files.debug->image;
    source.debug_path = files.debug->path;
  }
  WorkerPool pool;
  ModulePlaces places(
      listing.search,
      listing.kept,
      source,
      listing.inlines,
      listing.linkage_names ? PlaceTable::Names::kOfLinker : PlaceTable::Names::kForPeople);
  std::vector<Asked> sorted = by_address(asked, files.binary->image.base());
  places.find(once_each(sorted), pool);
  std::vector<PlaceView> views = places.views();
  std::vector<Answer> answers = answers_of(sorted, views);
  sorted = {};
  forget_mapped(files.binary->image.file());
  std::optional<ModuleDwarf> columns;
  if (listing.columns) {
    columns.emplace(listing.search, source);
  }
  AnswerWriter writer(listing, views, columns ? &*columns : nullptr, files.binary->image.base());
  write_answers(asked, answers, writer, pool, out);
  return {};
}

}  // namespace wick
