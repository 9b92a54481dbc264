// SPDX-License-Identifier: Apache-2.0
// How the functions of a unit are read: one pass over its entries in file order, with a stack of
// open levels (open_) instead of recursion.
//
//     read_entries()   the loop: one entry, or the end of a level
//     visit()          by tag: reads, jumps over (DW_AT_sibling), or skips the attributes only
//     read_function()  adds a node for a function or an inlined call with code, then enters it
//     claim()          assigns the wanted addresses in the node's ranges to the node
//     read_passed()    reads the skipped functions if an address is still unclaimed
//
// The attributes that matter are located once per abbreviation (EntryShape), because most entries
// of one abbreviation have the same sizes.
//
// Invariants: a parent comes before its children in tree_.nodes_, so the last node that claims an
// address is the innermost. Nodes of read_passed() (from first_hidden_ on) never take an address
// from an earlier node. Nothing is read twice: a jump goes forward only, and read_passed() stops at
// the end that the jump used. Depth, nodes and claims are bounded against hostile files.
#include "elf/dwarf_functions.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/hash.h"
#include "base/id_index.h"

namespace wick {

namespace {

// The requested addresses, ascending, with a table of where those from each of as many equal
// stretches start. Hundreds of thousands of ranges are looked up in it: for 100,000 addresses of a
// 42 MB program this takes 7 ms, and 10 ms with a binary search over the caller's addresses.
class WantedAddresses {
 public:
  explicit WantedAddresses(std::span<const uint64_t> addresses) : addresses_(addresses) {
    if (addresses.empty()) {
      return;
    }
    uint64_t reach = addresses.back() - addresses.front();
    while (reach >> shift_ > 2 * addresses.size()) {
      ++shift_;
    }
    starts_.reserve(static_cast<size_t>(reach >> shift_) + 2);
    for (size_t at = 0; at < addresses.size(); ++at) {
      starts_.resize(stretch(addresses[at]) + 1, static_cast<uint32_t>(at));
    }
    starts_.push_back(static_cast<uint32_t>(addresses.size()));
  }

  bool empty() const { return addresses_.empty(); }
  size_t size() const { return addresses_.size(); }
  uint64_t operator[](size_t index) const { return addresses_[index]; }

  // The index of the first address that is not below `address`.
  size_t first_from(uint64_t address) const {
    if (addresses_.empty() || address > addresses_.back()) {
      return addresses_.size();
    }
    if (address <= addresses_.front()) {
      return 0;
    }
    auto begin = addresses_.begin();
    size_t at = stretch(address);
    return static_cast<size_t>(
        std::lower_bound(begin + starts_[at], begin + starts_[at + 1], address) - begin);
  }

 private:
  size_t stretch(uint64_t address) const {
    return static_cast<size_t>((address - addresses_.front()) >> shift_);
  }

  std::span<const uint64_t> addresses_;
  unsigned shift_ = 0;
  std::vector<uint32_t> starts_;
};

// The offsets of the attributes that this file uses, for one kind of entry.
struct EntryShape {
  enum Attribute : uint8_t {
    kLowPc,
    kHighPc,
    kRanges,
    kSibling,
    kOrigin,
    kCallFile,
    kCallLine,
    kCallColumn,
    kAttributes
  };
  struct Located {
    const AttributeSpec* spec = nullptr;  // null: the entry does not have it
    uint32_t at = 0;                      // offset after the entry's code
  };

  std::array<Located, kAttributes> attributes;
  uint32_t size = Abbreviation::kVaries;  // until it is computed
  bool has_linkage_name = false;

  bool has_code() const {
    return attributes[kLowPc].spec != nullptr || attributes[kRanges].spec != nullptr;
  }
  void add(const AttributeSpec& spec, uint32_t at) {
    if (spec.name == dw_at::kLinkageName || spec.name == dw_at::kMipsLinkageName) {
      has_linkage_name = true;
    } else if (Attribute attribute = known(spec.name); attribute != kAttributes) {
      attributes[attribute] = {&spec, at};
    }
  }
  static Attribute known(uint16_t name) {
    switch (name) {
      case dw_at::kLowPc:
        return kLowPc;
      case dw_at::kHighPc:
        return kHighPc;
      case dw_at::kRanges:
        return kRanges;
      case dw_at::kSibling:
        return kSibling;
      case dw_at::kAbstractOrigin:
        return kOrigin;
      case dw_at::kCallFile:
        return kCallFile;
      case dw_at::kCallLine:
        return kCallLine;
      case dw_at::kCallColumn:
        return kCallColumn;
      default:
        return kAttributes;
    }
  }
};

}  // namespace

class FunctionReader {
 public:
  FunctionReader(const DwarfUnit& unit,
                 const Abbreviations& abbreviations,
                 DwarfLimits& limits,
                 std::span<const uint64_t> wanted,
                 VariableCounts* variables,
                 FunctionTree& tree)
      : unit_(unit),
        abbreviations_(abbreviations),
        limits_(limits),
        wanted_(wanted),
        passes_unwanted_(!wanted.empty()),
        variables_(variables),
        tree_(tree),
        shapes_(std::min<uint64_t>(abbreviations.size(), unit.end - unit.root)),
        unclaimed_(wanted.size()) {
    tree_.claims_.assign(wanted.size(), kNone);
  }

  void run() {
    read_entries(unit_.root, unit_.end);
    read_passed();
    if (wanted_.empty()) {
      tree_.nodes_.shrink_to_fit();
      tree_.owners_ = RangeTable(std::move(ranges_), RangeTable::Winner::kLarger);
    }
  }

 private:
  static constexpr uint32_t kNone = FunctionNode::kNone;
  // Real programs stay below a hundred and a million.
  static constexpr size_t kDeepest = 20'000;
  static constexpr size_t kMaxNodes = 16'000'000;
  // Every function at an address claims it, five on average. Without a bound, hostile nodes that
  // all cover the same addresses would claim without end.
  static constexpr uint64_t kMaxClaims = 200;
  static constexpr uint64_t kAlwaysClaims = 1'000'000;

  static constexpr uint64_t kSpread = 0x9E3779B97F4A7C15;

  // The innermost function around the entries of one level.
  struct Scope {
    uint32_t node = kNone;     // the function or inlined call with code, or none
    bool in_function = false;  // also true in functions without code
  };

  struct Passed {
    uint64_t children = 0;  // offset of the first child
    uint64_t end = 0;
  };

  Scope scope() const { return open_.empty() ? Scope() : open_.back(); }

  // Reads one entry with everything below it, or the rest of an open level. Stops at `end`.
  void read_entries(uint64_t begin, uint64_t end) {
    DwarfCursor cursor = unit_.entries_at(begin);
    while (!cursor.at_end() && cursor.offset() < end) {
      uint64_t entry = cursor.offset();
      uint64_t code = cursor.uleb();
      if (code == 0 && open_.empty()) {
        continue;  // padding
      }
      if (code == 0) {
        open_.pop_back();
      } else {
        const Abbreviation* row = abbreviations_.find(code);
        if (row == nullptr || open_.size() >= kDeepest || tree_.nodes_.size() >= kMaxNodes) {
          limits_.add_damage();
          break;
        }
        visit(cursor, entry, *row);
      }
      if (open_.empty()) {
        break;
      }
    }
    if (!cursor.ok()) {
      limits_.add_damage();
    }
    open_.clear();
  }

  // A skipped function may contain another one that was requested. So if some addresses are still
  // unclaimed, this reads the skipped functions. Each is read up to the end that the skip used, so
  // that nothing is read twice, whatever the file says.
  void read_passed() {
    first_hidden_ = static_cast<uint32_t>(tree_.nodes_.size());
    passes_unwanted_ = false;
    for (const Passed& passed : passed_) {
      if (unclaimed_ == 0) {
        return;
      }
      open_.push_back({.in_function = true});
      read_entries(passed.children, passed.end);
    }
  }

  void visit(DwarfCursor& cursor, uint64_t entry, const Abbreviation& row) {
    switch (row.tag) {
      case dw_tag::kSubprogram:
        read_function(cursor, entry, row, {});
        return;
      case dw_tag::kInlinedSubroutine:
        if (scope().node != kNone) {
          read_function(cursor, entry, row, scope());
          return;
        }
        break;
      case dw_tag::kClassType:
      case dw_tag::kStructureType:
      case dw_tag::kUnionType:
      case dw_tag::kInterfaceType:
        if (row.has_sibling && !scope().in_function && pass_over(cursor, row)) {
          return;
        }
        break;
      case dw_tag::kArrayType:
      case dw_tag::kEnumerationType:
      case dw_tag::kSubroutineType:
      case dw_tag::kCallSite:
      case dw_tag::kGnuCallSite:
        if (row.children && row.has_sibling && pass_over(cursor, row)) {
          return;
        }
        break;
      case dw_tag::kFormalParameter:
      case dw_tag::kVariable:
        if (variables_ != nullptr && scope().node != kNone &&
            variables_->in_registers <= VariableCounts::kMostInRegisters) {
          count_variable(cursor, row);
        }
        if (row.children && row.has_sibling && pass_over(cursor, row)) {
          return;
        }
        break;
      default:
        break;
    }
    abbreviations_.skip(cursor, row);
    if (row.children) {
      open_.push_back(scope());
    }
  }

  // The shape of the entry whose attributes are under the cursor. If all sizes are fixed, as in
  // gcc's output, entries of one abbreviation have the same shape.
  const EntryShape& shape_of(DwarfCursor& cursor, const Abbreviation& row) {
    size_t number = abbreviations_.number_of(row);
    bool is_retained = number < shapes_.size();
    EntryShape& shape = is_retained ? shapes_[number] : other_shape_;
    bool varies = row.size == Abbreviation::kVaries;
    if (is_retained && !varies && shape.size == row.size) {
      return shape;
    }
    shape = {.attributes = {}, .size = 0};
    DwarfCursor at = cursor;
    for (const AttributeSpec& spec : abbreviations_.attributes(row)) {
      shape.add(spec, varies ? static_cast<uint32_t>(at.offset() - cursor.offset()) : shape.size);
      if (varies) {
        spec.skip(at, unit_.sizes);
      }
      shape.size += spec.fixed_size;
    }
    if (varies) {
      shape.size = static_cast<uint32_t>(at.offset() - cursor.offset());
    }
    if (!at.ok()) {
      cursor.fail();
    }
    return shape;
  }

  // A value of the entry whose attributes are under the cursor. Handles the forms that compilers
  // use for these attributes without a call.
  DwarfValue value_of(DwarfCursor cursor, const EntryShape::Located& located) const {
    if (located.spec == nullptr) {
      return {};
    }
    cursor.skip(located.at);
    switch (located.spec->form) {
      case dw_form::kData1:
        return {.kind = DwarfValue::Kind::kConstant, .number = cursor.number<uint8_t>()};
      case dw_form::kData2:
        return {.kind = DwarfValue::Kind::kConstant, .number = cursor.number<uint16_t>()};
      case dw_form::kData8:
        return {.kind = DwarfValue::Kind::kConstant, .number = cursor.number<uint64_t>()};
      case dw_form::kAddr:
        return {.kind = DwarfValue::Kind::kAddress,
                .number = cursor.unsigned_of(unit_.sizes.address)};
      case dw_form::kSecOffset:
        return {.kind = DwarfValue::Kind::kSectionOffset,
                .number = cursor.unsigned_of(unit_.sizes.offset)};
      case dw_form::kRef4:
        return {.kind = DwarfValue::Kind::kReference,
                .number = unit_.offset + cursor.number<uint32_t>()};
      default:
        return read_value(
            cursor, located.spec->form, located.spec->constant, unit_.sizes, unit_.offset);
    }
  }

  // Jumps to the next entry on the same level. If the entry's end is impossible, returns false and
  // does not move the cursor.
  bool pass_over(DwarfCursor& cursor, const Abbreviation& row) {
    const EntryShape& shape = shape_of(cursor, row);
    uint64_t sibling = value_of(cursor, shape.attributes[EntryShape::kSibling]).number;
    if (sibling < cursor.offset() + shape.size || sibling > unit_.end) {
      return false;
    }
    cursor.skip(sibling - cursor.offset());
    return true;
  }

  void count_variable(DwarfCursor cursor, const Abbreviation& row) {
    Bytes expression;
    bool has_list = false;
    bool is_named = false;
    DwarfValue type;
    for (const AttributeSpec& spec : abbreviations_.attributes(row)) {
      is_named = is_named || spec.name == dw_at::kName || spec.name == dw_at::kAbstractOrigin;
      if (spec.name == dw_at::kType) {
        type = read_value(cursor, spec.form, spec.constant, unit_.sizes, unit_.offset);
      } else if (spec.name == dw_at::kLocation &&
                 (spec.form == dw_form::kExprloc || spec.form == dw_form::kBlock)) {
        expression = cursor.take(cursor.uleb());
      } else if (spec.name == dw_at::kLocation && spec.form == dw_form::kBlock1) {
        expression = cursor.take(cursor.number<uint8_t>());
      } else {
        // Locations that change are in a list.
        has_list = has_list || spec.name == dw_at::kLocation;
        spec.skip(cursor, unit_.sizes);
      }
    }
    if (!cursor.ok() || !is_named || (expression.empty() && !has_list)) {
      return;
    }
    auto first = static_cast<uint8_t>(expression.empty() ? std::byte{0} : expression.front());
    bool is_value =
        !expression.empty() && expression.back() == std::byte{dw_op::kStackValue};  // no slot
    if (has_list || is_value || (first >= dw_op::kFirstReg && first <= dw_op::kLastReg) ||
        first == dw_op::kRegx) {
      ++variables_->in_registers;
    } else if (first == dw_op::kFbreg ||
               (first >= dw_op::kFirstBreg && first <= dw_op::kLastBreg)) {
      variables_->in_memory += is_scalar(type) ? 1U : 0U;
    }
  }

  // Whether a variable of this type fits into a register.
  bool is_scalar(const DwarfValue& type) const {
    bool is_here = type.kind == DwarfValue::Kind::kReference && type.number >= unit_.root &&
                   type.number < unit_.end;
    if (!is_here) {
      return false;
    }
    DwarfCursor cursor = unit_.entries_at(type.number);
    const Abbreviation* row = abbreviations_.find(cursor.uleb());
    return row != nullptr && (row->tag == dw_tag::kBaseType || row->tag == dw_tag::kPointerType ||
                              row->tag == dw_tag::kReferenceType);
  }

  // Claims the wanted addresses in the ranges of a node; false if the node gets none.
  bool claim(uint32_t node) {
    bool claimed = false;
    for (const OwnedRange& piece : ranges_) {
      for (size_t at = wanted_.first_from(piece.begin);
           at < wanted_.size() && wanted_[at] < piece.end && take_claim();
           ++at) {
        uint32_t& claim = tree_.claims_[at];
        if (claim == kNone || claim >= first_hidden_) {
          unclaimed_ -= claim == kNone ? 1 : 0;
          claim = node;
          claimed = true;
        }
      }
    }
    return claimed;
  }

  bool take_claim() {
    if (++claims_ == kAlwaysClaims + kMaxClaims * wanted_.size()) {
      limits_.add_damage();
    }
    return claims_ < kAlwaysClaims + kMaxClaims * wanted_.size();
  }

  // Adds a node for a function or an inlined call and enters it. If the node is not wanted and its
  // end is known, jumps over it.
  void read_function(DwarfCursor& cursor,
                     uint64_t entry,
                     const Abbreviation& row,
                     const Scope& around) {
    const EntryShape& shape = shape_of(cursor, row);
    Scope inner{.node = add_node(cursor, entry, shape, around), .in_function = true};
    if (passes_unwanted_ && inner.node == kNone && row.children && row.has_sibling) {
      uint64_t children = cursor.offset() + shape.size;
      if (pass_over(cursor, row)) {
        passed_.push_back({children, cursor.offset()});
        return;
      }
    }
    cursor.skip(shape.size);
    if (row.children) {
      open_.push_back(inner);
    }
  }

  // Returns none if the entry has no code or is not wanted.
  uint32_t add_node(const DwarfCursor& cursor,
                    uint64_t entry,
                    const EntryShape& shape,
                    const Scope& around) {
    auto value = [&](EntryShape::Attribute attribute) {
      return value_of(cursor, shape.attributes[attribute]);
    };
    auto number = static_cast<uint32_t>(tree_.nodes_.size());
    if (!wanted_.empty()) {
      ranges_.clear();
    }
    std::optional<uint64_t> begin;
    if (shape.has_code()) {
      begin = add_ranges(unit_,
                         {.low_pc = value(EntryShape::kLowPc),
                          .high_pc = value(EntryShape::kHighPc),
                          .ranges = value(EntryShape::kRanges)},
                         number,
                         limits_,
                         ranges_);
    }
    if (!begin && around.node == kNone) {
      return kNone;  // a declaration, or the origin of inlined calls
    }
    // DWARF 2 describes only one range of a node, but calls inlined into its other ranges are
    // inside it.
    bool answers_all = unit_.sizes.version > 2;
    if (begin && !wanted_.empty() && !claim(number) && answers_all) {
      return kNone;
    }
    DwarfValue origin = value(EntryShape::kOrigin);
    // Constructors have a linkage name that their origin lacks.
    bool refers = !shape.has_linkage_name && origin.kind == DwarfValue::Kind::kReference;
    tree_.nodes_.push_back({.begin = begin.value_or(0),
                            .name = name_number(refers ? origin.number : entry),
                            .caller = around.node,
                            .call_file = value(EntryShape::kCallFile).small(),
                            .call_line = value(EntryShape::kCallLine).small(),
                            .call_column = value(EntryShape::kCallColumn).small()});
    return number;
  }

  uint32_t name_number(uint64_t entry) {
    std::vector<uint64_t>& entries = tree_.named_entries_;
    uint64_t hash = hash_mix(entry, kSpread);
    uint32_t known = names_.find(hash, [&](uint32_t row) { return entries[row] == entry; });
    if (known == IdIndex::kNone) {
      known = static_cast<uint32_t>(entries.size());
      entries.push_back(entry);
      names_.add(hash, [&](uint32_t row) { return hash_mix(entries[row], kSpread); });
    }
    return known;
  }

  const DwarfUnit& unit_;
  const Abbreviations& abbreviations_;
  DwarfLimits& limits_;
  WantedAddresses wanted_;
  bool passes_unwanted_;
  VariableCounts* variables_;
  FunctionTree& tree_;
  std::vector<EntryShape> shapes_;  // by abbreviation; at most as many as the unit can have entries
  EntryShape other_shape_;          // for all other abbreviations
  uint64_t claims_ = 0;
  size_t unclaimed_ = 0;            // number of wanted addresses
  std::vector<Passed> passed_;      // skipped functions
  uint32_t first_hidden_ = 0;       // nodes from here on come from skipped functions
  IdIndex names_;                   // of tree_.named_entries_
  std::vector<Scope> open_;         // one for each level with children
  std::vector<OwnedRange> ranges_;  // of all nodes; with wanted addresses, of one node
};

FunctionTree FunctionTree::read(const DwarfUnit& unit,
                                const Abbreviations& abbreviations,
                                DwarfLimits& limits,
                                std::span<const uint64_t> wanted,
                                VariableCounts* variables) {
  FunctionTree tree;
  FunctionReader(unit, abbreviations, limits, wanted, variables, tree).run();
  return tree;
}

}  // namespace wick
