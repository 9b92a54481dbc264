// SPDX-License-Identifier: Apache-2.0
// A program to record: a small text service whose stacks are about ten frames deep.
//
// A reader of recordings must neither gain from repeated stacks, nor lose because no stack is
// repeated. So four jobs take turns, and each spreads over many paths: an expression tree walked
// recursively (depth varies), words counted in a std::map, records sorted through a comparator,
// text built and hashed. Small helpers give the compiler something to inline; work inside
// std::string, std::map, malloc and memcpy puts frames of libstdc++ and libc on top. The namespace
// has a name because stackcollapse-perf.pl drops frames whose names start with a parenthesis.
//
// It runs for the requested CPU time, so a recording at N Hz has N samples a second on every
// machine.
//
// Usage: deep SECONDS
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <memory>
#include <string>
#include <vector>

#define OUT_OF_LINE __attribute__((noinline))

namespace service {

class Random {
 public:
  std::uint32_t next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state_ >> 33);
  }
  std::uint32_t below(std::uint32_t limit) { return next() % limit; }

 private:
  std::uint64_t state_ = 1;
};

// ---- expressions --------------------------------------------------------------------------------

struct Expression {
  char operation = 'n';
  std::int64_t number = 0;
  std::unique_ptr<Expression> left, right;
};

std::unique_ptr<Expression> make_expression(Random& random, int depth) {
  auto made = std::make_unique<Expression>();
  if (depth == 0 || random.below(8) == 0) {
    made->number = random.below(1000);
    return made;
  }
  made->operation = "+*^?"[random.below(4)];
  made->left = make_expression(random, depth - 1);
  made->right = make_expression(random, depth - 1);
  return made;
}

std::int64_t evaluate(const Expression& expression);

OUT_OF_LINE std::int64_t evaluate_sum(const Expression& e) {
  return evaluate(*e.left) + evaluate(*e.right);
}
OUT_OF_LINE std::int64_t evaluate_product(const Expression& e) {
  return (evaluate(*e.left) % 9973) * (evaluate(*e.right) % 9973);
}
OUT_OF_LINE std::int64_t evaluate_choice(const Expression& e) {
  return evaluate(*e.left) % 2 ? evaluate(*e.right) : evaluate(*e.left) / 2;
}

inline std::int64_t mix(std::int64_t a, std::int64_t b) {
  for (int round = 0; round < 6; round++) {
    a = (a ^ (b >> round)) * 31 + round;
  }
  return a;
}

OUT_OF_LINE std::int64_t evaluate(const Expression& e) {
  switch (e.operation) {
    case '+':
      return evaluate_sum(e);
    case '*':
      return evaluate_product(e);
    case '?':
      return evaluate_choice(e);
    case '^':
      return mix(evaluate(*e.left), evaluate(*e.right));
    default:
      return mix(e.number, 7);
  }
}

OUT_OF_LINE std::int64_t run_expressions(
    const std::vector<std::unique_ptr<Expression>>& expressions) {
  std::int64_t sum = 0;
  for (const auto& expression : expressions) {
    sum += evaluate(*expression);
  }
  return sum;
}

// ---- words --------------------------------------------------------------------------------------

class Dictionary {
 public:
  OUT_OF_LINE void count(const std::string& word) { find_or_add(word) += weight(word); }
  std::size_t size() const { return counts_.size(); }
  OUT_OF_LINE void forget() { counts_.clear(); }

 private:
  std::uint64_t& find_or_add(const std::string& word) {
    auto at = counts_.lower_bound(word);
    if (at == counts_.end() || at->first != word) {
      at = add(at, word);
    }
    return at->second;
  }
  OUT_OF_LINE std::map<std::string, std::uint64_t>::iterator add(
      std::map<std::string, std::uint64_t>::iterator hint, const std::string& word) {
    return counts_.emplace_hint(hint, word, 0);
  }
  static std::uint64_t weight(const std::string& word) { return 1 + word.size() / 4; }

  std::map<std::string, std::uint64_t> counts_;
};

class Tokenizer {
 public:
  explicit Tokenizer(const std::string& text) : text_(text) {}
  OUT_OF_LINE bool next(std::string& word) {
    skip_blanks();
    if (at_ == text_.size()) {
      return false;
    }
    const std::size_t end = std::min(text_.find(' ', at_), text_.size());
    word.assign(text_, at_, end - at_);
    at_ = end;
    return true;
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') {
      at_++;
    }
  }
  const std::string& text_;
  std::size_t at_ = 0;
};

OUT_OF_LINE std::size_t index_text(Dictionary& dictionary, const std::string& text) {
  Tokenizer tokens(text);
  for (std::string word; tokens.next(word);) {
    dictionary.count(word);
  }
  return dictionary.size();
}

std::string make_text(Random& random, int words) {
  std::string text;
  for (int i = 0; i < words; i++) {
    text += "a_word_that_needs_the_heap_" + std::to_string(random.below(700));
    text += ' ';
  }
  return text;
}

OUT_OF_LINE std::size_t run_words(const std::vector<std::string>& texts) {
  Dictionary dictionary;
  std::size_t words = 0;
  for (const std::string& text : texts) {
    words += index_text(dictionary, text);
  }
  dictionary.forget();
  return words;
}

// ---- records ------------------------------------------------------------------------------------

struct Record {
  std::string name;
  std::uint32_t rank = 0;
};

OUT_OF_LINE bool by_name(const Record& a, const Record& b) {
  return a.name < b.name;
}
OUT_OF_LINE bool by_rank(const Record& a, const Record& b) {
  return a.rank < b.rank;
}

OUT_OF_LINE void sort_records(std::vector<Record>& records, bool ranked) {
  if (ranked) {
    std::sort(records.begin(), records.end(), by_rank);
  } else {
    std::stable_sort(records.begin(), records.end(), by_name);
  }
}

OUT_OF_LINE std::size_t run_records(std::vector<Record> records) {
  sort_records(records, false);
  sort_records(records, true);
  return records.front().name.size();
}

std::vector<Record> make_records(Random& random, int count) {
  std::vector<Record> records;
  for (int i = 0; i < count; i++) {
    records.push_back({"record number " + std::to_string(random.below(100000)), random.next()});
  }
  return records;
}

// ---- text out -----------------------------------------------------------------------------------

OUT_OF_LINE void append_field(std::string& line, const std::string& name, std::uint32_t value) {
  line += name;
  line += '=';
  line += std::to_string(value);
  line += ';';
}

OUT_OF_LINE std::uint64_t hash_line(const std::string& line) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : line) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  }
  return hash;
}

OUT_OF_LINE std::string render_record(const Record& record) {
  std::string line;
  append_field(line, record.name, record.rank);
  append_field(line, "length", static_cast<std::uint32_t>(record.name.size()));
  return line;
}

OUT_OF_LINE std::uint64_t run_lines(const std::vector<Record>& records) {
  std::uint64_t sum = 0;
  for (const Record& record : records) {
    sum += hash_line(render_record(record));
  }
  return sum;
}

// ---- the service --------------------------------------------------------------------------------

class Service {
 public:
  Service() {
    for (int i = 0; i < 12; i++) {
      expressions_.push_back(make_expression(random_, 9));
    }
    for (int i = 0; i < 8; i++) {
      texts_.push_back(make_text(random_, 150));
    }
    records_ = make_records(random_, 600);
  }

  OUT_OF_LINE std::uint64_t handle(unsigned job) {
    switch (job % 4) {
      case 0:
        return static_cast<std::uint64_t>(run_expressions(expressions_));
      case 1:
        return run_words(texts_);
      case 2:
        return run_records(records_);
      default:
        return run_lines(records_);
    }
  }

 private:
  Random random_;
  std::vector<std::unique_ptr<Expression>> expressions_;
  std::vector<std::string> texts_;
  std::vector<Record> records_;
};

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

OUT_OF_LINE std::uint64_t serve(double seconds) {
  Service service;
  std::uint64_t sum = 0;
  for (unsigned job = 0; cpu_seconds() < seconds; job++) {
    sum += service.handle(job);
  }
  return sum;
}

}  // namespace service

int main(int argc, char** argv) {
  std::printf("%llu\n",
              static_cast<unsigned long long>(service::serve(argc > 1 ? std::atof(argv[1]) : 1)));
}
