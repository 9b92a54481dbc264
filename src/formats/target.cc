// SPDX-License-Identifier: Apache-2.0
#include "formats/target.h"

#include "base/escape.h"

namespace wick {
namespace {

std::string writable_formats() {
  std::string names;
  for (const Format& format : all_formats()) {
    if (format.write_profile != nullptr) {
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

std::string unretained_text(const Format& format, const Profile& profile, size_t events) {
  std::vector<std::string> dropped = dropped_things(profile, format.retains);
  if (format.writes_one_event && events > profile.events.size()) {
    dropped.insert(dropped.begin(),
                   fmt::format("more events ({})", events - profile.events.size()));
  }
  std::string things;
  for (size_t i = 0; i < dropped.size(); ++i) {
    things += i == 0 ? "" : i + 1 == dropped.size() ? " and " : ", ";
    things += dropped[i];
  }
  return things.empty() ? things : fmt::format("{} cannot hold {}.", format.name, things);
}

}  // namespace wick
