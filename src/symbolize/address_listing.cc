// SPDX-License-Identifier: Apache-2.0
// Lists addresses in four steps: sort the questions and drop duplicates (sort_questions), resolve
// each address once (ModuleResolver), match the sorted addresses with the sorted rows of each view
// (Answers), and write the answers in the order of the questions (write_answers).
//
// The fast case is 100,000 addresses, whose answers are 67 MB of text. So sorting is a radix sort,
// names are made safe for the terminal once per view and not once per answer, and the worker
// threads make one batch of text while the main thread writes the previous one.
//
// Invariant: an address belongs to exactly one view, and Questions::row leads from each question to
// its address, so that every question gets one answer, in order.
#include "symbolize/address_listing.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <functional>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/mapped_file.h"
#include "base/worker_pool.h"
#include "symbolize/module_resolver.h"

namespace wick {
namespace {

constexpr uint32_t kNone = AddressFrame::kNone;

// The addresses, sorted and unique, and the row of each question among them.
struct Questions {
  std::vector<uint64_t> addresses;
  std::vector<uint32_t> row;  // by question
};

// The questions, sorted by address. A radix sort; comparing takes three times as long.
std::vector<uint32_t> by_address(std::span<const uint64_t> asked) {
  constexpr unsigned kDigitBits = 11;
  constexpr size_t kDigits = size_t{1} << kDigitBits;
  std::vector<uint32_t> sorted(asked.size());
  std::iota(sorted.begin(), sorted.end(), 0U);
  uint64_t differing = 0;  // bits
  for (uint64_t address : asked) {
    differing |= address ^ asked.front();
  }
  std::vector<uint32_t> before(asked.size());
  for (unsigned shift = 0; shift < 64 && differing >> shift != 0; shift += kDigitBits) {
    auto digit = [&](uint64_t address) { return (address >> shift) % kDigits; };
    std::array<uint32_t, kDigits> next{};  // row of each digit
    for (uint64_t address : asked) {
      ++next[digit(address)];
    }
    std::exclusive_scan(next.begin(), next.end(), next.begin(), 0U);
    std::swap(sorted, before);
    for (uint32_t question : before) {
      sorted[next[digit(asked[question])]++] = question;
    }
  }
  return sorted;
}

Questions sort_questions(std::span<const uint64_t> asked, uint64_t base) {
  Questions questions;
  questions.addresses.reserve(asked.size());
  questions.row.resize(asked.size());
  for (uint32_t question : by_address(asked)) {
    uint64_t address = asked[question] + base;
    if (questions.addresses.empty() || questions.addresses.back() != address) {
      questions.addresses.push_back(address);
    }
    questions.row[question] = static_cast<uint32_t>(questions.addresses.size() - 1);
  }
  return questions;
}

// The names to print for the frames of a view. Questions come in any order, so each step to a
// frame, to its function and to its name waits for memory. The fewer and the smaller the rows on
// the way, the better.
class PrintedNames {
 public:
  PrintedNames() = default;
  PrintedNames(const AddressView& view, bool linkage_names) {
    // Names that need escaping are rare, so one pass over all of them decides.
    auto is_plain = [](char c) { return c >= ' ' && c < '\x7f'; };
    bool all_plain = std::ranges::all_of(view.text, is_plain);
    safe_.resize(all_plain ? 0 : view.text_ends.size());
    texts_.push_back("??");
    for (uint32_t text = 1; text < view.text_ends.size(); ++text) {
      if (!all_plain) {
        safe_[text] = terminal_text(view.string(text));
      }
      texts_.push_back(all_plain ? view.string(text) : safe_[text]);
    }
    functions_.reserve(view.functions.size());
    for (const AddressFunction& function : view.functions) {
      bool linkage = linkage_names && function.linkage_name != 0;
      functions_.push_back(texts_[linkage ? function.linkage_name : function.name]);
    }
  }

  std::string_view function(const AddressFrame& frame) const {
    return frame.function == kNone ? texts_[0] : functions_[frame.function];
  }
  std::string_view file(const AddressFrame& frame) const { return texts_[frame.file]; }

 private:
  std::vector<std::string> safe_;  // empty if all names are safe
  std::vector<std::string_view> texts_;
  std::vector<std::string_view> functions_;
};

struct Answer {
  uint32_t view = 0;
  uint32_t innermost = kNone;  // frame
};

// The answer for each of the addresses, from the views.
class Answers {
 public:
  Answers(std::span<const AddressView> views,
          std::span<const uint64_t> addresses,
          bool linkage_names,
          WorkerPool& pool)
      : views_(views), names_(views.size()), answers_(addresses.size()), counts_(views.size()) {
    pool.run(views.size(), 1, [&](size_t view, size_t) {
      names_[view] = PrintedNames(views[view], linkage_names);
      for_each_match(addresses,
                     views[view].entries,
                     std::identity(),
                     [&](const uint64_t& address, const AddressEntry& entry) {
                       auto row = static_cast<size_t>(&address - addresses.data());
                       answers_[row] = {static_cast<uint32_t>(view), entry.innermost};
                       count(view, entry);
                     });
    });
  }

  const Answer& operator[](uint32_t row) const { return answers_[row]; }
  std::span<const AddressFrame> frames(const Answer& answer) const {
    return views_[answer.view].frames;
  }
  const PrintedNames& names(const Answer& answer) const { return names_[answer.view]; }

  void add_counts(AddressSummary& summary) const {
    for (const Counts& counts : counts_) {
      summary.named += counts.named;
      summary.with_lines += counts.with_lines;
    }
  }

 private:
  struct Counts {
    size_t named = 0;
    size_t with_lines = 0;
  };

  void count(size_t view, const AddressEntry& entry) {
    if (entry.innermost != kNone) {
      const AddressFrame& frame = views_[view].frames[entry.innermost];
      counts_[view].named += frame.function != kNone ? 1U : 0U;
      counts_[view].with_lines += frame.line != 0 ? 1U : 0U;
    }
  }

  std::span<const AddressView> views_;
  std::vector<PrintedNames> names_;  // by view
  std::vector<Answer> answers_;      // by address
  std::vector<Counts> counts_;       // by view
};

class AnswerWriter {
 public:
  // `columns` may be null.
  AnswerWriter(const AddressListing& listing,
               const Answers& answers,
               const ModuleDwarf* columns,
               uint64_t base)
      : listing_(listing), answers_(answers), columns_(columns), base_(base) {}

  void write(uint64_t address, const Answer& answer, std::string& text) const {
    if (listing_.addresses) {
      text += fmt::format("0x{:x}\n", address);
    }
    if (answer.innermost == kNone) {
      text += listing_.lines_only ? "" : "??\n";
      text += columns_ != nullptr ? "??:0:0\n" : "??:0\n";
      return;
    }
    std::vector<DwarfFrame> chain;
    if (columns_ != nullptr) {
      columns_->find(address + base_, chain);
    }
    std::span<const AddressFrame> frames = answers_.frames(answer);
    const PrintedNames& names = answers_.names(answer);
    size_t depth = 0;
    for (uint32_t at = answer.innermost; at != kNone; at = frames[at].caller, ++depth) {
      append(frames[at], names, text);
      if (columns_ != nullptr) {
        uint32_t column = depth < chain.size() ? chain[depth].column : 0;
        text.back() = ':';
        text += fmt::format("{}\n", column);
      }
    }
  }

 private:
  // There are 900,000 lines, and appending each in parts takes twice as long.
  void append(const AddressFrame& frame, const PrintedNames& names, std::string& text) const {
    constexpr size_t kMaxDigits = 10;
    std::string_view function = listing_.lines_only ? "" : names.function(frame);
    std::string_view file = names.file(frame);
    size_t before = text.size();
    size_t most = before + function.size() + file.size() + kMaxDigits + 3;
    text.resize_and_overwrite(most, [&](char* begin, size_t) {
      char* at = begin + before;
      if (!listing_.lines_only) {
        at = std::copy_n(function.data(), function.size(), at);
        *at++ = '\n';
      }
      at = std::copy_n(file.data(), file.size(), at);
      *at++ = ':';
      at = std::to_chars(at, at + kMaxDigits, frame.line).ptr;
      *at++ = '\n';
      return static_cast<size_t>(at - begin);
    });
  }

  const AddressListing& listing_;
  const Answers& answers_;
  const ModuleDwarf* columns_;
  uint64_t base_;
};

// The answers for 100,000 addresses are 67 MB of text, so the pool makes some while others are
// written.
void write_answers(std::span<const uint64_t> asked,
                   std::span<const uint32_t> rows,
                   const Answers& answers,
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
      for (size_t question = begin; question < end; ++question) {
        writer.write(asked[question], answers[rows[question]], made[piece]);
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

AddressTable::Names names_for(const AddressListing& listing) {
  return listing.lines_only      ? AddressTable::Names::kNone
         : listing.linkage_names ? AddressTable::Names::kOfLinker
                                 : AddressTable::Names::kForPeople;
}

}  // namespace

Result<> read_addresses(std::string_view text, std::vector<uint64_t>& addresses) {
  auto is_blank = [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; };
  constexpr size_t kLikelySize = 8;  // of an address and its separator
  addresses.reserve(addresses.size() + text.size() / kLikelySize);
  const char* end = text.data() + text.size();
  const char* at = std::find_if_not(text.data(), end, is_blank);
  while (at != end) {
    bool prefixed = end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
    uint64_t address = 0;
    auto [rest, error] = std::from_chars(prefixed ? at + 2 : at, end, address, 16);
    if (error != std::errc() || (rest != end && !is_blank(*rest))) {
      std::string_view word(at, std::find_if(at, end, is_blank));
      auto line = 1 + std::count(text.data(), at, '\n');
      return fail_usage("{}{} is not an address; write it in hexadecimal digits, such as 0x1234.",
                        text.contains('\n') ? fmt::format("Line {}: ", line) : "",
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
    return fail("{} does not exist, or is not a readable ELF file.",
                terminal_text(listing.search.symfs + listing.path));
  }
  ModuleDwarf::Source source = ModuleDwarf::Source::of(files);
  uint64_t base = files.binary->image.base();
  WorkerPool pool;
  ModuleResolver resolver(
      listing.search, listing.cache, source, listing.inlines, names_for(listing));
  Questions questions = sort_questions(asked, base);

  auto began = std::chrono::steady_clock::now();
  resolver.find(questions.addresses, pool);
  resolver.save();
  std::vector<AddressView> views = resolver.views();
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  AddressSummary summary{.addresses = questions.addresses.size(),
                         .cached = resolver.cached_answers(),
                         .seconds = took.count(),
                         .shortcomings = resolver.shortcomings()};
  forget_mapped(files.binary->image.file());

  Answers answers(views, questions.addresses, listing.linkage_names, pool);
  answers.add_counts(summary);

  std::optional<ModuleDwarf> columns;
  if (listing.columns) {
    columns.emplace(listing.search, source);
  }
  AnswerWriter writer(listing, answers, columns ? &*columns : nullptr, base);
  write_answers(asked, questions.row, answers, writer, pool, out);

  return summary;
}

}  // namespace wick
