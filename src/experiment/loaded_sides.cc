// SPDX-License-Identifier: Apache-2.0
#include "experiment/loaded_sides.h"

#include <algorithm>

#include "base/escape.h"
#include "profile/common_names.h"

namespace wick {
namespace {

using Paths = std::vector<std::string>;

std::string side_name(const Paths& files) {
  return files.size() == 1 ? files[0] : fmt::format("{} and {} more", files[0], files.size() - 1);
}

void take_notes(const std::vector<std::string>& notes, std::vector<std::string>& all) {
  for (const std::string& note : notes) {
    if (std::ranges::find(all, note) == all.end()) {
      all.push_back(note);
    }
  }
}

// A differential folded file contains both sides.
Result<> split_pair(const std::string& path, const Profile& pair, RecordedSides& result) {
  for (EventId event : {EventId(1), EventId(0)}) {
    Filter filter;
    filter.event = std::string(pair.strings[pair.events[event].name]);
    Filtered part = TRY(apply_filter(Profile(pair), filter));
    result.sides.push_back(
        {.name = fmt::format("{} {}", path, event.value == 0 ? "after" : "before")});
    result.sides.back().runs.push_back(std::move(part.profile));
  }
  return {};
}

// A filter removed everything from a side: says which side, and what to do.
std::unexpected<Error> empty_side(const Error& error, const std::string& side) {
  if (error.usage) {
    return std::unexpected(error);
  }
  return fail("{}: {} Without that filter, rows of only one side are listed as gone or new.",
              terminal_text(side),
              error.message);
}

}  // namespace

Result<LoadedSide> load_side(const Paths& files,
                             const acquire::Options& options,
                             const Filter& filter) {
  LoadedSide result{.side = {.name = side_name(files), .runs = {}}};
  std::vector<Paths> runs = TRY(acquire::runs_of(files, options));
  for (const Paths& run_files : runs) {
    acquire::Acquired run = TRY(acquire::read(run_files, options));
    std::erase_if(run.notes, [&](const std::string& note) {
      return std::ranges::find(run.unused, note) != run.unused.end();
    });
    Result<Filtered> filtered = apply_filter(std::move(run.profile), filter);
    if (!filtered) {
      return empty_side(filtered.error(), result.side.name);
    }
    result.lost_share = std::max(result.lost_share, run.lost_share);
    take_notes(run.notes, result.notes);
    take_notes(filtered->notes, result.notes);
    std::vector<std::string> unmatched = std::move(filtered->unmatched);
    unmatched.insert(unmatched.end(), run.unused.begin(), run.unused.end());
    result.unmatched.take(unmatched);
    result.side.runs.push_back(std::move(filtered->profile));
    result.side.retained.push_back(filtered->retained);
  }
  return result;
}

Result<RecordedSides> load_sides(const std::vector<Paths>& sides,
                                 const acquire::Options& options,
                                 Filter filter) {
  RecordedSides result;
  bool is_single_file = sides.size() == 1 && sides[0].size() == 1;
  filter.keep_events = is_single_file ? KeepEvents::kFirstOrPair : KeepEvents::kFirst;
  for (const Paths& files : sides) {
    LoadedSide loaded = TRY(load_side(files, options, filter));
    result.lost_share = std::max(result.lost_share, loaded.lost_share);
    for (double share : loaded.side.retained) {
      result.retained.take(share);
    }
    take_notes(loaded.notes, result.notes);
    result.unmatched.take(loaded.unmatched.sentences());
    if (is_single_file && is_before_after(loaded.side.runs[0])) {
      TRY(split_pair(files[0], loaded.side.runs[0], result));
      return result;
    }
    result.sides.push_back(std::move(loaded.side));
  }
  for (Side& side : result.sides) {
    std::ranges::for_each(side.runs, use_common_names);
  }
  return result;
}

}  // namespace wick
