// SPDX-License-Identifier: Apache-2.0
// The flags of a workload: one row each, parsed and explained in the same way in every program.
//
//     Options options("echo", "Two tasks hand a token to each other.");
//     options.number("pairs", pairs, 1, 10'000, "pairs of tasks");
//     options.choice("mode", mode, {"threads", "coroutines"}, "how a task waits");
//     options.parse(argc, argv);
//
// Flags are written --name value or --name=value; --help prints the rows with their defaults. An
// invalid value ends the program with one sentence on stderr: status 2 if the command line is
// wrong, status 1 if the environment is (fail_usage, fail_world).
#pragma once

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace workloads {

[[noreturn]] inline void exit_with(int status,
                                   std::string_view program,
                                   const std::string& sentence) {
  std::fprintf(
      stderr, "%.*s: %s\n", static_cast<int>(program.size()), program.data(), sentence.c_str());
  std::exit(status);
}

class Options {
 public:
  Options(std::string program, std::string summary)
      : program_(std::move(program)), summary_(std::move(summary)) {}

  template <typename Integer>
  void number(std::string name, Integer& value, int64_t min, int64_t max, std::string help) {
    auto set = [this, name, &value, min, max](std::string_view text) {
      int64_t parsed = 0;
      auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
      if (error != std::errc() || end != text.data() + text.size() || parsed < min ||
          parsed > max) {
        fail_usage("--" + name + " takes a whole number from " + std::to_string(min) + " to " +
                   std::to_string(max) + ", not '" + std::string(text) + "'.");
      }
      value = static_cast<Integer>(parsed);
    };
    add({std::move(name), "N", std::to_string(value), std::move(help), set});
  }

  void real(std::string name, double& value, double min, double max, std::string help) {
    auto set = [this, name, &value, min, max](std::string_view text) {
      double parsed = 0;
      auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
      bool whole = error == std::errc() && end == text.data() + text.size();
      if (!whole || !(parsed >= min && parsed <= max)) {
        fail_usage("--" + name + " takes a number from " + short_number(min) + " to " +
                   short_number(max) + ", not '" + std::string(text) + "'.");
      }
      value = parsed;
    };
    add({std::move(name), "X", short_number(value), std::move(help), set});
  }

  void choice(std::string name,
              std::string& value,
              std::vector<std::string> choices,
              std::string help) {
    std::string words;
    for (const std::string& choice : choices) {
      words += (words.empty() ? "" : "|") + choice;
    }
    auto set = [this, name, &value, choices, words](std::string_view text) {
      for (const std::string& choice : choices) {
        if (choice == text) {
          value = choice;
          return;
        }
      }
      fail_usage("--" + name + " takes one of " + words + ", not '" + std::string(text) + "'.");
    };
    add({std::move(name), words, value, std::move(help), set});
  }

  void text(std::string name, std::string& value, std::string placeholder, std::string help) {
    auto set = [&value](std::string_view given) { value = given; };
    add({std::move(name), std::move(placeholder), value, std::move(help), set});
  }

  void flag(std::string name, bool& value, std::string help) {
    add({std::move(name), "", "", std::move(help), [&value](std::string_view) { value = true; }});
  }

  void parse(int argc, char** argv) {
    for (int at = 1; at < argc; ++at) {
      std::string_view word = argv[at];
      if (word == "--help" || word == "-h") {
        help_and_exit();
      }
      if (!word.starts_with("--")) {
        fail_usage("'" + std::string(word) + "' is not a flag; --help lists them.");
      }
      size_t equals = word.find('=');
      const Row& row = find(word.substr(2, equals - 2));
      if (row.placeholder.empty()) {
        if (equals != std::string_view::npos) {
          fail_usage("--" + row.name + " takes no value.");
        }
        row.set({});
      } else if (equals != std::string_view::npos) {
        row.set(word.substr(equals + 1));
      } else {
        if (at + 1 == argc) {
          fail_usage("--" + row.name + " needs a value.");
        }
        row.set(argv[++at]);
      }
    }
  }

  // The command line asks for something impossible.
  [[noreturn]] void fail_usage(const std::string& sentence) const {
    exit_with(2, program_, sentence);
  }
  // The machine or the peer failed.
  [[noreturn]] void fail_world(const std::string& sentence) const {
    exit_with(1, program_, sentence);
  }

 private:
  struct Row {
    std::string name, placeholder, fallback, help;
    std::function<void(std::string_view)> set;
  };

  void add(Row row) { rows_.push_back(std::move(row)); }

  const Row& find(std::string_view name) const {
    for (const Row& row : rows_) {
      if (row.name == name) {
        return row;
      }
    }
    fail_usage("There is no flag --" + std::string(name) + "; --help lists them.");
  }

  [[noreturn]] void help_and_exit() const {
    std::printf("Usage: %s [FLAGS]\n\n%s\n\n", program_.c_str(), summary_.c_str());
    for (const Row& row : rows_) {
      std::string left = "--" + row.name + (row.placeholder.empty() ? "" : " " + row.placeholder);
      std::string fallback = row.fallback.empty() ? "" : " (" + row.fallback + ")";
      std::printf("  %-34s %s%s\n", left.c_str(), row.help.c_str(), fallback.c_str());
    }
    std::printf("  %-34s %s\n", "--help", "this text");
    std::exit(0);
  }

  static std::string short_number(double value) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%g", value);
    return buffer;
  }

  std::string program_, summary_;
  std::vector<Row> rows_;
};

}  // namespace workloads
