// SPDX-License-Identifier: Apache-2.0
#include "views/svg/options.h"

#include <array>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/parse_number.h"
#include "views/svg/svg.h"

namespace wick {
namespace {

constexpr std::array<Flag, 13> kSvgFlags = {{
    {.name = "width",
     .kind = FlagKind::kInteger,
     .value = "PIXELS",
     .fallback = "1200",
     .help = "Width of the picture where no script runs; in a browser it fills the window"},
    {.name = "height",
     .kind = FlagKind::kInteger,
     .value = "PIXELS",
     .fallback = "16",
     .help = "Height of a frame"},
    {.name = "min-width",
     .kind = FlagKind::kText,
     .value = "PIXELS|%",
     .fallback = "0.1",
     .help = "Merge narrower frames into grey runs; in pixels, or in % of everything"},
    {.name = "max-depth",
     .kind = FlagKind::kInteger,
     .value = "ROWS",
     .fallback = "1000",
     .help = "Hide deeper frames and show their number"},
    {.name = "icicle", .help = "Draw the root on top and callees below"},
    {.name = "inverted", .help = "The same as --icicle, in flamegraph.pl's word"},
    {.name = "color-by",
     .kind = FlagKind::kChoice,
     .value = "auto|module|kind|name|heat|delta",
     .fallback = "auto",
     .help = "What colours mean; auto: the change if there is one, else module, kind or name"},
    {.name = "title", .kind = FlagKind::kText, .value = "TEXT", .help = "Heading of the picture"},
    {.name = "subtitle",
     .kind = FlagKind::kText,
     .value = "TEXT",
     .help = "Line below the heading"},
    {.name = "negate", .help = "Swap the two hues of a difference"},
    {.name = "flamegraph-pl", .help = "Draw exactly the frames and colours of flamegraph.pl"},
    {.name = "colors",
     .kind = FlagKind::kChoice,
     .value = kPerlPaletteChoices,
     .fallback = "hot",
     .help = "Palette of --flamegraph-pl"},
    {.name = "hash", .help = "With --flamegraph-pl: colours by its name hash"},
}};

struct ColourChoice {
  std::string_view name;
  ColourBy by;
};

constexpr std::array<ColourChoice, 6> kColourChoices = {{{"auto", ColourBy::kAuto},
                                                         {"module", ColourBy::kModule},
                                                         {"kind", ColourBy::kKind},
                                                         {"name", ColourBy::kName},
                                                         {"heat", ColourBy::kHeat},
                                                         {"delta", ColourBy::kDelta}}};

Result<ColourBy> colour_by(std::string_view name) {
  for (const ColourChoice& choice : kColourChoices) {
    if (choice.name == name) {
      return choice.by;
    }
  }
  return fail_usage("--color-by takes auto, module, kind, name, heat or delta.");
}

Result<uint32_t> between(const FlagValues& flags,
                         std::string_view name,
                         uint32_t least,
                         uint32_t most) {
  uint64_t value = flags.integer(name);
  if (value < least || value > most) {
    return fail_usage("--{} takes a number from {} to {}.", name, least, most);
  }
  return static_cast<uint32_t>(value);
}

}  // namespace

std::span<const Flag> svg_flags() {
  return kSvgFlags;
}

std::string SvgOptions::min_width_text(double times) const {
  return fmt::format("{:g} {}", times * min_width, min_width_is_percent ? "%" : "px");
}

Result<SvgOptions> svg_options(const FlagValues& flags) {
  SvgOptions options;
  options.width = TRY(between(flags, "width", 100, 100'000));
  options.frame_height = TRY(between(flags, "height", 4, 200));
  options.max_depth = TRY(between(flags, "max-depth", 1, UINT32_MAX));
  options.max_depth_given = flags.given("max-depth");
  options.icicle = flags.is_set("icicle") || flags.is_set("inverted");
  options.negate = flags.is_set("negate");
  options.title = flags.text("title");
  options.subtitle = flags.text("subtitle");
  options.flamegraph_pl = flags.is_set("flamegraph-pl");
  options.name_hash = flags.is_set("hash");
  options.palette = TRY(perl_palette(flags.text("colors")));
  options.colour_by = TRY(colour_by(flags.text("color-by")));

  std::string_view width = flags.text("min-width");
  options.min_width_is_percent = width.ends_with('%');
  if (options.min_width_is_percent) {
    width.remove_suffix(1);
  }
  options.min_width = parse_number<double>(width).value_or(-1);
  if (options.min_width < 0 || options.min_width > 1e6) {
    return fail_usage(
        "--min-width takes a number of pixels, such as 0.5, or a percentage, such as 0.1%; {} "
        "is neither.",
        terminal_text(flags.text("min-width")));
  }
  return options;
}

}  // namespace wick
