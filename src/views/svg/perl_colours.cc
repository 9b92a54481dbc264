// SPDX-License-Identifier: Apache-2.0
#include "views/svg/perl_colours.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/utf8.h"

namespace wick {
namespace {

std::vector<uint32_t> code_points(std::string_view text) {
  std::vector<uint32_t> codes;
  for (Utf8Cursor cursor(text); !cursor.at_end();) {
    codes.push_back(cursor.next().code);
  }
  return codes;
}

// The first value of drand48. Its seed is the sum of the characters.
double sum_value(const std::vector<uint32_t>& codes) {
  uint32_t seed = 0;
  for (uint32_t code : codes) {
    seed += code;
  }
  uint64_t state = (static_cast<uint64_t>(seed) << 16) + 0x330E;
  state = (state * 0x5DEECE66DULL + 0xB) & 0xFFFFFFFFFFFFULL;
  return static_cast<double>(state) / 0x1p48;
}

// A number from the first three characters; each has less weight than the one before. The text up
// to a backquote is a module and does not count, if it has at least one character.
double leading_value(std::span<const uint32_t> codes) {
  if (!codes.empty()) {
    auto quote = std::ranges::find(codes.subspan(1), uint32_t{'`'});
    if (quote != codes.subspan(1).end()) {
      codes = codes.subspan(static_cast<size_t>(quote - codes.subspan(1).begin()) + 2);
    }
  }
  double sum = 0;
  double weight = 1;
  double largest = 1;
  uint32_t base = 10;
  for (size_t i = 0; i < codes.size() && i < 3; ++i, ++base) {
    sum += static_cast<double>(codes[i] % base) / (base - 1) * weight;
    largest += weight;
    weight *= 0.70;
  }
  return 1 - sum / largest;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool is_java_path(std::string_view name) {
  constexpr std::array<std::string_view, 8> kRoots = {
      "java/", "javax/", "jdk/", "net/", "org/", "com/", "io/", "sun/"};
  auto starts = [&](std::string_view text) {
    return std::ranges::any_of(kRoots, [&](std::string_view r) { return text.starts_with(r); });
  };
  return starts(name) || (name.starts_with('L') && starts(name.substr(1)));
}

PerlPalette java_palette(std::string_view name) {
  if (name.ends_with("_[j]")) {
    return PerlPalette::kGreen;
  }
  if (name.ends_with("_[i]")) {
    return PerlPalette::kAqua;
  }
  if (is_java_path(name) || contains(name, ":::")) {
    return PerlPalette::kGreen;
  }
  if (contains(name, "::")) {
    return PerlPalette::kYellow;
  }
  return name.ends_with("_[k]") ? PerlPalette::kOrange : PerlPalette::kRed;
}

PerlPalette perl_script_palette(std::string_view name) {
  if (contains(name, "::")) {
    return PerlPalette::kYellow;
  }
  if (contains(name, "Perl") || contains(name, ".pl")) {
    return PerlPalette::kGreen;
  }
  return name.ends_with("_[k]") ? PerlPalette::kOrange : PerlPalette::kRed;
}

PerlPalette js_palette(std::string_view name) {
  if (name.ends_with("_[j]")) {
    return contains(name, "/") ? PerlPalette::kGreen : PerlPalette::kAqua;
  }
  if (contains(name, "::")) {
    return PerlPalette::kYellow;
  }
  size_t slash = name.find('/');
  if (slash != std::string_view::npos && contains(name.substr(slash + 1), ".js")) {
    return PerlPalette::kGreen;
  }
  if (contains(name, ":")) {
    return PerlPalette::kAqua;
  }
  if (name == " ") {
    return PerlPalette::kGreen;
  }
  return contains(name, "_[k]") ? PerlPalette::kOrange : PerlPalette::kRed;
}

// Some palettes only choose another palette by the name.
PerlPalette resolved(PerlPalette palette, std::string_view name) {
  switch (palette) {
    case PerlPalette::kJava:
      return java_palette(name);
    case PerlPalette::kJs:
      return js_palette(name);
    case PerlPalette::kPerl:
      return perl_script_palette(name);
    case PerlPalette::kWakeup:
      return PerlPalette::kAqua;
    case PerlPalette::kChain:
      return contains(name, "_[w]") ? PerlPalette::kAqua : PerlPalette::kBlue;
    default:
      return palette;
  }
}

}  // namespace

Result<PerlPalette> perl_palette(std::string_view name) {
  std::string_view rest = kPerlPaletteChoices;
  for (int palette = 0; !rest.empty(); ++palette) {
    std::string_view choice = rest.substr(0, rest.find('|'));
    if (choice == name) {
      return static_cast<PerlPalette>(palette);
    }
    rest.remove_prefix(std::min(rest.size(), choice.size() + 1));
  }
  return fail_usage("There is no palette of that name; --colors takes one of {}.",
                    kPerlPaletteChoices);
}

std::string_view perl_suffix(std::string_view kind) {
  return kind == "kernel"    ? "_[k]"
         : kind == "inlined" ? "_[i]"
         : kind == "jit"     ? "_[j]"
         : kind == "waker"   ? "_[w]"
                             : "";
}

Rgb perl_colour(PerlPalette palette, std::string_view name, bool name_hash) {
  std::vector<uint32_t> codes = code_points(name);
  double first = 0;
  double second = 0;
  if (name_hash) {
    first = leading_value(codes);
    std::ranges::reverse(codes);
    second = leading_value(codes);
  } else {
    first = second = sum_value(codes);
  }
  auto mix = [](int least, int range, double value) {
    return least + static_cast<int>(range * value);
  };
  int a = 0;
  int b = 0;
  switch (resolved(palette, name)) {
    case PerlPalette::kHot:
      return {mix(205, 50, second), mix(0, 230, first), mix(0, 55, second)};
    case PerlPalette::kMem:
      return {0, mix(190, 50, second), mix(0, 210, first)};
    case PerlPalette::kIo:
      a = mix(80, 60, first);
      return {a, a, mix(190, 55, second)};
    case PerlPalette::kRed:
      b = mix(50, 80, first);
      return {mix(200, 55, first), b, b};
    case PerlPalette::kGreen:
      b = mix(50, 60, first);
      return {b, mix(200, 55, first), b};
    case PerlPalette::kBlue:
      b = mix(80, 60, first);
      return {b, b, mix(205, 50, first)};
    case PerlPalette::kYellow:
      a = mix(175, 55, first);
      return {a, a, mix(50, 20, first)};
    case PerlPalette::kPurple:
      a = mix(190, 65, first);
      return {a, mix(80, 60, first), a};
    case PerlPalette::kAqua:
      a = mix(165, 55, first);
      return {mix(50, 60, first), a, a};
    default:
      return {mix(190, 65, first), mix(90, 65, first), 0};
  }
}

Rgb perl_delta_colour(double delta, double largest) {
  auto fade = [&](double size) { return static_cast<int>(210 * (largest - size) / largest); };
  if (delta > 0) {
    return {255, fade(delta), fade(delta)};
  }
  if (delta < 0) {
    return {fade(-delta), fade(-delta), 255};
  }
  return {};
}

PerlBackground perl_background(PerlPalette palette) {
  switch (palette) {
    case PerlPalette::kMem:
      return {"#eef2ee", "#e0ffe0"};
    case PerlPalette::kIo:
    case PerlPalette::kWakeup:
    case PerlPalette::kChain:
      return {"#eeeeee", "#e0e0ff"};
    case PerlPalette::kRed:
    case PerlPalette::kGreen:
    case PerlPalette::kBlue:
    case PerlPalette::kAqua:
    case PerlPalette::kYellow:
    case PerlPalette::kPurple:
    case PerlPalette::kOrange:
      return {"#f8f8f8", "#e8e8e8"};
    default:
      return {"#eeeeee", "#eeeeb0"};
  }
}

}  // namespace wick
