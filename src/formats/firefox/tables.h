// SPDX-License-Identifier: Apache-2.0
// The tables of a Firefox profile as columns of numbers, before their indexes are resolved.
//
// A file may have its tables in any order, and samples before the stacks that they refer to. So the
// reader collects columns (parser.h), and assembly.h makes the profile of them. Text is interned
// while it is read. A column with one value in all rows takes no memory (profile/column.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "profile/column.h"
#include "profile/ids.h"
#include "profile/profile.h"

namespace wick::firefox {

inline constexpr int32_t kNone = -1;  // of an index
inline constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

using Ints = Column<int32_t>;    // indexes, lines, flags; kNone for null
using Longs = Column<int64_t>;   // addresses; kNone for null
using Numbers = Column<double>;  // times and weights; kNoNumber for null
using Texts = Column<StringId>;  // texts inside of a table; empty for null

// The value of a row; the fallback if the column is shorter.
template <typename T>
T at(const Column<T>& column, size_t row, T fallback) {
  return row < column.size() ? column[row] : fallback;
}
inline int32_t at(const Ints& column, size_t row) {
  return at(column, row, kNone);
}
inline double at(const Numbers& column, size_t row) {
  return at(column, row, kNoNumber);
}

struct MarkerTable;
// A column and its name in the file. The data of markers fills several columns.
struct ColumnTarget {
  std::string_view name;
  std::variant<Ints*, Longs*, Numbers*, Texts*, MarkerTable*> column;
};

struct StackTable {
  Ints frame;
  Ints prefix;
  Ints prefix_offset;  // since version 66
  size_t size() const { return frame.size(); }
};

struct FrameTable {
  Ints func;
  Longs address;
  Ints inline_depth;
  Ints category;
  Ints subcategory;
  Ints native_symbol;
  Ints line;
  Ints column;
  Ints implementation;  // until 53
  Ints lib;             // since 70
  Ints flags;           // since 71
  Ints location;        // Gecko only; then there is no func
  size_t size() const { return std::max(func.size(), location.size()); }
};
// Bits of FrameTable::flags.
enum FrameBits : int32_t {
  kFrameInlined = 1,
  kFrameHasAddress = 2,
  kFrameHasCategory = 4,
  kFrameHasSymbol = 8,
  kFrameHasLine = 16,
  kFrameHasColumn = 32,
};

struct FuncTable {
  Ints name;
  Ints is_js;
  Ints resource;
  Ints file_name;  // until 57
  Ints source;     // since 58
  Ints line;
  Ints flags;     // since 75
  Longs address;  // until 35
};
// Bits of FuncTable::flags.
enum FuncBits : int32_t {
  kFuncIsJs = 1,
  kFuncHasResource = 4,
  kFuncHasSource = 8,
  kFuncHasLine = 16,
};

struct ResourceTable {
  Ints lib;
  Ints type;
};

struct NativeSymbols {
  Ints lib;
  Longs address;
  Ints name;
};

// A library. In a Gecko profile it also has the addresses of its mapping.
struct Library {
  StringId path;
  StringId build_id;
  uint64_t start = 0;
  uint64_t end = 0;
  uint64_t offset = 0;
};

// The tables that belong to a thread until version 59 and to all threads since 60.
struct CodeTables {
  std::vector<StringId> strings;
  StackTable stacks;
  FrameTable frames;
  FuncTable funcs;
  ResourceTable resources;
  NativeSymbols symbols;
  Ints source_files;  // shared.sources.filename
};

struct SampleTable {
  Ints stack;
  Numbers time;
  Numbers time_delta;
  Numbers weight;
  Numbers cpu_delta;
  Longs count;  // wick's own
  StringId weight_type;
};

// A value of a marker's data.
struct MarkerField {
  uint32_t marker = 0;
  StringId key;
  StringId text;  // empty for numbers
  int64_t number = 0;
  bool is_number = false;
};

struct MarkerTable {
  Ints name;
  Numbers start;
  Numbers end;
  Numbers time;  // until 29
  Ints phase;
  Ints category;
  // From data, one row for each marker.
  Texts type;
  Ints stack;
  Texts interval;  // "start" or "end", until 29
  Numbers data_start;
  Numbers data_end;
  std::vector<MarkerField> fields;
  size_t size() const { return name.size(); }
};

struct RawThread {
  StringId name;
  StringId process_name;
  bool is_thread = true;  // false in files of wick: the rows have no thread
  int64_t pid = -1;
  int64_t tid = -1;
  double register_time = kNoNumber;
  double unregister_time = kNoNumber;
  double process_start = kNoNumber;
  double process_end = kNoNumber;
  SampleTable samples;
  SampleTable js_allocations;
  SampleTable native_allocations;
  MarkerTable markers;
  CodeTables code;
  std::vector<Library> libs;  // until 40
  size_t process = 0;         // index of RawProfile::processes
};

struct RawCounter {
  StringId name;
  StringId category;
  StringId unit;
  StringId graph_type;
  int64_t pid = -1;
  Numbers time;
  Numbers time_delta;
  Numbers count;
  size_t process = 0;
};

struct RawCategory {
  StringId name;
  std::vector<StringId> subcategories;
};

// A processed profile is one process here; a Gecko profile has one for each process.
struct RawProcess {
  double start_time = kNoNumber;  // ms since 1970
  std::vector<Library> libs;
  std::vector<RawCategory> categories;
};

// What meta.wickEvent says.
struct RawEvent {
  StringId name;
  StringId unit;
  int64_t kind = 0;
  int64_t period = 0;
  int64_t frequency = 0;
};

struct RawProfile {
  int64_t version = -1;  // meta.preprocessedProfileVersion
  int64_t gecko = -1;    // meta.version
  double interval = kNoNumber;
  StringId product;
  StringId cpu_unit;  // meta.sampleUnits.threadCPUDelta
  RawEvent event;
  std::vector<RawProcess> processes = {RawProcess()};
  std::vector<RawThread> threads;
  std::vector<RawCounter> counters;
  CodeTables shared;
  // Fields of markers that are indexes of strings: type, then field.
  std::vector<std::pair<StringId, StringId>> string_fields;

  bool is_gecko() const { return version < 0; }
};

}  // namespace wick::firefox
