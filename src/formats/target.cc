// SPDX-License-Identifier: Apache-2.0
#include "formats/target.h"

#include "base/escape.h"
#include "profile/spelled_frames.h"

namespace wick {
namespace {

std::string writable_formats(bool with_spelled_stacks = true) {
  std::string names;
  for (const Format& format : all_formats()) {
    if (format.write_profile != nullptr && (with_spelled_stacks || !format.spells_stacks)) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ", format.name);
    }
  }
  return names;
}

// Calls use(extension) for each extension of a format.
template <typename Use>
void for_each_extension(const Format& format, Use use) {
  use(format.extension);
  for (std::string_view rest = format.more_extensions; !rest.empty();) {
    size_t end = std::min(rest.find(' '), rest.size());
    use(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

const Format* format_by_extension(std::string_view path) {
  const Format* best = nullptr;
  size_t longest = 0;
  for (const Format& format : all_formats()) {
    for_each_extension(format, [&](std::string_view extension) {
      if (format.write_profile != nullptr && path.ends_with(extension) &&
          extension.size() > longest) {
        best = &format;
        longest = extension.size();
      }
    });
  }
  return best;
}

// Samples whose weights are times that are not multiples of the finest one.
uint64_t rounded_samples(const Profile& profile, int64_t finest_ns) {
  uint64_t count = 0;
  const SampleColumns& samples = profile.samples;
  for (size_t row = 0; row < samples.size() && finest_ns > 1; ++row) {
    const Event& event = profile.events[samples.event[row]];
    bool is_time = profile.strings[event.unit] == "nanoseconds";
    count += is_time && samples.weight[row] % (finest_ns * event.scale) != 0 ? 1U : 0U;
  }
  return count;
}

uint64_t events_without_time(const Profile& profile) {
  return static_cast<uint64_t>(std::ranges::count_if(profile.events, [&](const Event& event) {
    return profile.strings[event.unit] != "nanoseconds";
  }));
}

}  // namespace

Result<ConvertTarget> choose_target(std::string_view name, std::string_view path) {
  ConvertTarget target;
  target.packing = take_packing(path);
  target.format = name.empty() ? format_by_extension(path) : find_format(name);
  bool is_writable = target.format != nullptr && target.format->write_profile != nullptr;
  if (!name.empty() && !is_writable) {
    return fail_usage("wick cannot write \"{}\"; --to takes one of: {}.",
                      terminal_text(name),
                      writable_formats());
  }
  if (!is_writable) {
    return fail_usage("Missing output format; use --to with one of: {}.", writable_formats());
  }
  if (target.packing == Packing::kNone && target.format->is_usually_gzip) {
    target.packing = Packing::kGzip;
  }
  return target;
}

Result<> check_spelled_stacks(const Format& format, const Profile& profile) {
  constexpr uint64_t kMost = 1'000'000'000;
  constexpr uint64_t kMostPerRow = 2'000;  // larger profiles may have that many per row
  if (!format.spells_stacks) {
    return {};
  }
  uint64_t frames = spelled_frames(profile);
  if (frames <= kMost || frames / kMostPerRow <= profile.samples.size() + profile.stacks.size()) {
    return {};
  }
  return fail(
      "{} lists the frames of every stack, which are {} here. Formats that store stacks as a tree "
      "hold the profile in less: {}.",
      format.name,
      frames,
      writable_formats(false));
}

std::string unretained_text(const Format& format,
                            const Profile& profile,
                            const FlagValues& flags,
                            size_t events) {
  bool counts = format.counts_samples != nullptr && format.counts_samples(profile, flags);
  PropertySet retained = counts ? format.retains.with(Property::kCounts) : format.retains;
  retained = format.is_time_only ? retained.with(Property::kUnits) : retained;
  std::vector<std::string> dropped = dropped_things(profile, retained);
  auto drop_first = [&](std::string_view what, uint64_t count) {
    if (count > 0) {
      dropped.insert(dropped.begin(), fmt::format("{} ({})", what, count));
    }
  };
  if (counts) {
    drop_first("weights", samples_with_other_weights(profile));
  }
  if (format.is_time_only) {
    drop_first("units", events_without_time(profile));
  }
  if (format.writes_one_event && events > profile.events.size()) {
    drop_first("more events", events - profile.events.size());
  }
  if (uint64_t rounded = rounded_samples(profile, format.finest_ns); rounded > 0) {
    dropped.push_back(fmt::format("times below {} ns ({} {})",
                                  format.finest_ns,
                                  rounded,
                                  rounded == 1 ? "sample" : "samples"));
  }
  std::string things;
  for (size_t i = 0; i < dropped.size(); ++i) {
    things += i == 0 ? "" : i + 1 == dropped.size() ? " and " : ", ";
    things += dropped[i];
  }
  return things.empty() ? things : fmt::format("{} cannot hold {}.", format.name, things);
}

}  // namespace wick
