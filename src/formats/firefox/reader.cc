// SPDX-License-Identifier: Apache-2.0
#include "base/escape.h"
#include "formats/broken_input.h"
#include "formats/firefox/assembly.h"
#include "formats/firefox/firefox.h"
#include "formats/firefox/parser.h"
#include "formats/json_shape.h"

namespace wick::firefox {
namespace {

Result<> check_version(const RawProfile& raw, const std::string& name) {
  bool is_gecko = raw.is_gecko();
  int64_t version = is_gecko ? raw.gecko : raw.version;
  int64_t oldest = is_gecko ? kOldestGecko : kOldestVersion;
  int64_t newest = is_gecko ? kNewestGecko : kNewestVersion;
  std::string_view kind = is_gecko ? "Gecko profile" : "processed profile";
  if (version < 0) {
    return fail(
        "{} looks like a Firefox profile, but its version (in \"meta\") is missing: the "
        "file may be cut.",
        name);
  }
  if (version > newest) {
    return fail(
        "{} is a Firefox {} of version {}, which is newer than this wick knows ({}): use "
        "a newer wick.",
        name,
        kind,
        version,
        newest);
  }
  if (version < oldest) {
    return fail(
        "{} is a Firefox {} of version {}; wick reads {} to {}. Open it at "
        "profiler.firefox.com and save it there again (Upload Local Profile > Download).",
        name,
        kind,
        version,
        oldest,
        newest);
  }
  return {};
}

void add_facts(const RawProfile& raw, ProfileBuilder& builder) {
  builder.add_fact("format",
                   raw.is_gecko() ? fmt::format("Firefox Gecko profile, version {}", raw.gecko)
                                  : fmt::format("Firefox profile, version {}", raw.version));
  if (!raw.product.empty()) {
    std::string product(builder.text(raw.product));
    builder.add_fact("recorded by", product);
  }
}

}  // namespace

bool sniff(Bytes head) {
  JsonShape shape(head);
  if (!shape.is_json()) {
    return false;
  }
  bool has_meta = shape.has("meta.preprocessedProfileVersion") ||
                  (shape.has("meta.version") && shape.has("meta.interval"));
  bool has_threads = shape.has("threads[].stackTable") || shape.has("threads[].samples.stack");
  bool has_gecko_libs = shape.has("libs[].breakpadId") || shape.has("profile.libs[].breakpadId");
  bool has_shared = shape.has("shared.stringArray");
  // The developer tools' envelope begins with long lists of their own.
  bool is_envelope = shape.has("profile.meta.version") ||
                     (shape.has("label") && shape.has("duration") && shape.has("markers"));
  return has_meta || has_threads || has_gecko_libs || has_shared || is_envelope;
}

Result<Profile> read(Input& input, const FlagValues& /*flags*/) {
  std::string name = terminal_text(input.name());
  JsonReader json(input);
  ProfileBuilder builder;
  Parser parser(json, builder);
  RawProfile raw = parser.run();
  TRY(check_version(raw, name));
  Damage damage;
  Assembly assembly(raw, builder, damage);
  assembly.run();
  if (assembly.samples() == 0) {
    return fail("{} is a Firefox profile without samples{}{}",
                name,
                json.failed() ? ": " : ".",
                json.error());
  }
  damage.values += parser.wrong_values();
  damage.processes += parser.skipped_processes();
  damage.report(builder);
  add_unread_rest(json.error(), builder);
  add_facts(raw, builder);
  return builder.finish();
}

}  // namespace wick::firefox
