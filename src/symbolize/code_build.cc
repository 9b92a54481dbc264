// SPDX-License-Identifier: Apache-2.0
#include "symbolize/code_build.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/path.h"
#include "elf/symbol_reader.h"

namespace wick {
namespace {

// Optimised code may have a few variables in memory, because their addresses are passed on. It also
// has others in registers.
constexpr uint32_t kLeastVariables = 3;

// With clang, one variable in a register is enough to decide. Code of rustc has some there without
// optimisation, too: the generic code of Rust's library is optimised before it is instantiated. Of
// 875 variables of a program, 44 were there. So the larger number decides, if it is clearly larger.
BuildKind kind_by_variables(const VariableCounts& variables, bool is_rust) {
  constexpr uint32_t kMany = 12;
  constexpr uint32_t kClearly = 6;
  if (variables.in_registers == 0) {
    return variables.in_memory >= kLeastVariables ? BuildKind::kNone : BuildKind::kUnknown;
  }
  if (is_rust && variables.in_memory >= std::max(kMany, kClearly * variables.in_registers)) {
    return BuildKind::kNone;
  }
  bool is_undecided = is_rust && variables.in_memory >= variables.in_registers;
  return is_undecided ? BuildKind::kUnknown : BuildKind::kOptimised;
}

// The next word, removed from the front of the text.
std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  return word;
}

bool starts_with_digit(std::string_view word) {
  return !word.empty() && word[0] >= '0' && word[0] <= '9';
}

// The first word that starts with a digit: a version.
std::string_view take_version(std::string_view& text) {
  while (!text.empty()) {
    std::string_view word = take_word(text);
    if (starts_with_digit(word)) {
      return word;
    }
  }
  return {};
}

// The last -O among the options. None if there are no options at all: then they were not recorded.
struct Level {
  bool has_options = false;
  std::string_view option;
};
Level level_of(std::string_view options) {
  Level level;
  while (!options.empty()) {
    std::string_view word = take_word(options);
    level.has_options = level.has_options || word.starts_with('-');
    level.option = word.starts_with("-O") ? word : level.option;
  }
  return level;
}

CodeBuild with_level(std::string compiler, const Level& level) {
  bool optimises = !level.option.empty() && level.option != "-O0";
  return {.text = fmt::format("{}, {}", compiler, optimises ? level.option : "-O0"),
          .kind = optimises ? BuildKind::kOptimised : BuildKind::kNone};
}

// "GNU C17 12.2.0 -mtune=generic -g -O2"
CodeBuild of_gcc(std::string_view producer) {
  bool is_assembler = producer.starts_with("GNU AS");
  // With -flto, the options of the linker's step do not contain those that functions carry along.
  bool is_linker = producer.starts_with("GNU GIMPLE");
  std::string_view version = take_version(producer);
  if (is_assembler || version.empty()) {
    return {};
  }
  std::string compiler = fmt::format("GCC {}", version);
  Level level = level_of(producer);
  bool is_known = level.has_options && !(is_linker && level.option.empty());
  return is_known ? with_level(std::move(compiler), level) : CodeBuild{.text = std::move(compiler)};
}

// "Go cmd/compile go1.19.8; -N -l; regabi"
CodeBuild of_go(std::string_view producer) {
  size_t begin = producer.find(" go");
  if (begin == std::string_view::npos) {
    return {};
  }
  producer.remove_prefix(begin + 3);
  std::string_view version = producer.substr(0, producer.find(';'));
  producer.remove_prefix(version.size());
  bool optimises = producer.find("-N") == std::string_view::npos;
  return {.text = fmt::format("Go {}, {}", version, optimises ? "optimised" : "-N"),
          .kind = optimises ? BuildKind::kOptimised : BuildKind::kNone};
}

// target/debug or target/TRIPLE/debug.
bool is_in_cargo_debug(std::string_view path) {
  size_t begin = path.find("/target/");
  while (begin != std::string_view::npos) {
    std::string_view rest = path.substr(begin + std::string_view("/target/").size());
    size_t slash = rest.find('/');
    std::string_view after = slash == std::string_view::npos ? "" : rest.substr(slash + 1);
    if (rest.starts_with("debug/") || after.starts_with("debug/")) {
      return true;
    }
    begin = path.find("/target/", begin + 1);
  }
  return false;
}

// Rust's own libraries are optimised in every profile.
bool is_of_rust_itself(std::string_view directory) {
  return directory.starts_with("/rustc/") || directory.starts_with("/usr/src/rustc");
}

CodeBuild of_llvm(const UnitBuild& unit, std::string_view path) {
  std::string_view rest = unit.producer;
  size_t rust = rest.find("rustc version ");
  bool is_rust = rust != std::string_view::npos;
  rest.remove_prefix(is_rust ? rust : 0);
  std::string_view version = take_version(rest);
  if (version.empty()) {
    return {};
  }
  std::string compiler = fmt::format("{} {}", is_rust ? "rustc" : "clang", version);
  Level level = level_of(rest);
  if (!is_rust && level.has_options) {
    return with_level(std::move(compiler), level);
  }
  switch (BuildKind kind = kind_by_variables(unit.variables, is_rust)) {
    case BuildKind::kNone:
      return {.text = compiler + ", variables in memory", .kind = kind};
    case BuildKind::kOptimised:
      return {.text = compiler + ", optimised", .kind = kind};
    default:
      break;
  }
  if (is_rust && is_in_cargo_debug(path) && !is_of_rust_itself(unit.directory)) {
    return {.text = compiler + ", target/debug", .kind = BuildKind::kCargoDebug};
  }
  return {.text = std::move(compiler)};
}

bool defines(const ElfImage& image, std::string_view section, std::string_view name) {
  SymbolReader symbols(image, section);
  for (size_t row = 0; row < symbols.size(); ++row) {
    RawSymbol symbol = symbols[row];
    if (symbol.section != SHN_UNDEF && symbols.name(symbol) == name) {
      return true;
    }
  }
  return false;
}

}  // namespace

CodeBuild code_build(const UnitBuild& unit, std::string_view path) {
  if (unit.producer.starts_with("GNU ")) {
    return of_gcc(unit.producer);
  }
  if (unit.producer.starts_with("Go ")) {
    return of_go(unit.producer);
  }
  bool is_llvm = unit.producer.find("clang version ") != std::string_view::npos ||
                 unit.producer.find("rustc version ") != std::string_view::npos;
  return is_llvm ? of_llvm(unit, path) : CodeBuild();
}

bool is_checked_python(const ElfImage& image, std::string_view path) {
  constexpr std::string_view kCheck = "_Py_NegativeRefcount";
  std::string_view name = file_name_of(path);
  return (name.starts_with("python") || name.starts_with("libpython")) &&
         (defines(image, ".dynsym", kCheck) || defines(image, ".symtab", kCheck));
}

CodeBuild with_python_checks(CodeBuild build) {
  build.text = build.text.empty()          ? "CPython, Py_DEBUG"
               : build.text.contains(", ") ? build.text + " with Py_DEBUG"
                                           : build.text + ", Py_DEBUG";
  build.kind = build.kind == BuildKind::kNone ? BuildKind::kNone : BuildKind::kChecked;
  return build;
}

}  // namespace wick
