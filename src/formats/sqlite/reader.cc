// SPDX-License-Identifier: Apache-2.0
#include "base/escape.h"
#include "base/whole_input.h"
#include "formats/broken_input.h"
#include "formats/sqlite/loaded_parts.h"
#include "formats/sqlite/sqlite.h"

namespace wick::sqlite {
namespace {

constexpr std::string_view kMagic{"SQLite format 3\0", 16};
// Bytes 18 and 19: 2 if the newest rows may be in a second file, the write-ahead log.
constexpr size_t kWriteVersion = 18;
constexpr size_t kReadVersion = 19;
constexpr size_t kHeaderBytes = 100;

bool has_log(std::string_view bytes) {
  return bytes.size() > kReadVersion && (bytes[kWriteVersion] == 2 || bytes[kReadVersion] == 2);
}

// The size that the header states; 0 if a program that does not maintain it has written last.
size_t stated_size(std::string_view bytes) {
  auto number = [&](size_t offset, size_t size) {
    size_t value = 0;
    for (char byte : bytes.substr(offset, size)) {
      value = value << 8U | static_cast<unsigned char>(byte);
    }
    return value;
  };
  constexpr size_t kPageSize = 16;
  constexpr size_t kChanges = 24;
  constexpr size_t kPages = 28;
  constexpr size_t kChangesWithPages = 92;
  constexpr size_t kLargestPage = 65536;
  size_t page = number(kPageSize, 2) == 1 ? kLargestPage : number(kPageSize, 2);
  return number(kChanges, 4) == number(kChangesWithPages, 4) ? page * number(kPages, 4) : 0;
}

// SQLite opens the bytes of such a database only without its mark.
std::string without_log(std::string_view bytes) {
  std::string copy(bytes);
  copy[kWriteVersion] = 1;
  copy[kReadVersion] = 1;
  return copy;
}

}  // namespace

bool sniff(Bytes head) {
  return as_text(head).starts_with(kMagic);
}

Result<Profile> read(Input& input, const FlagValues&) {
  WholeInput whole(input);
  std::string name = terminal_text(input.name());
  if (whole.text().size() < kHeaderBytes) {
    return fail("{} is cut in the header of the database: it contains no table.", name);
  }
  std::string copy = has_log(whole.text()) ? without_log(whole.text()) : "";
  Result<StoredTables> tables = StoredTables::open(as_bytes(copy.empty() ? whole.text() : copy));
  if (!tables) {
    return fail("{} is a database of SQLite that cannot be read: {}.",
                name,
                terminal_text(tables.error().message));
  }
  ProfileBuilder builder;
  bool is_ours = tables->has("costs") && tables->has("stacks") && tables->has("lines");
  if (!is_ours && !tables->has("samples")) {
    return fail(
        "{} is a database of SQLite, but has no table `samples` as perf's export-to-sqlite.py and "
        "`wick convert` write it.",
        name);
  }
  if (!copy.empty()) {
    builder.add_loss({.reason = "rows that are only in the database's write-ahead log are not read",
                      .what = "rows",
                      .count = 0,
                      .severity = LossClass::kNotice});
  }
  add_unread_rest(whole.error(), builder);
  // SQLite fills what is missing of a page with zeros, which can be a page without rows.
  if (size_t stated = stated_size(whole.text()); whole.text().size() < stated) {
    add_unread_rest(fmt::format("{} of {} bytes", whole.text().size(), stated), builder);
  }
  is_ours ? read_wick_tables(*tables, builder) : read_perf_tables(*tables, builder);
  tables->report(builder);
  return builder.finish();
}

}  // namespace wick::sqlite
