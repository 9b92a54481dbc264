#include "views/names.h"

#include <vector>

#include "base/utf8.h"

namespace wick {
namespace {

constexpr std::string_view kGap = "..";

size_t blanks(std::string_view text, size_t columns) {
  size_t taken = display_columns(text);
  return taken < columns ? columns - taken : 0;
}

}  // namespace

std::string cut_middle(std::string_view text, size_t columns) {
  if (display_columns(text) <= columns) {
    return std::string(text);
  }
  if (columns <= kGap.size() + 1) {
    return std::string(kGap.substr(0, columns));
  }
  size_t room = columns - kGap.size();
  size_t head_room = room / 2;
  std::vector<std::string_view> characters;
  for (Utf8Cursor cursor(text); !cursor.at_end();) {
    characters.push_back(cursor.next().bytes);
  }
  std::string head;
  size_t used = 0;
  for (std::string_view character : characters) {
    size_t width = display_columns(character);
    if (used + width > head_room) {
      break;
    }
    head += character;
    used += width;
  }
  size_t first = characters.size();
  while (first > 0 && used + display_columns(characters[first - 1]) <= room) {
    used += display_columns(characters[--first]);
  }
  std::string tail;
  for (; first < characters.size(); ++first) {
    tail += characters[first];
  }
  return head + std::string(kGap) + tail;
}

std::string pad_right(std::string_view text, size_t columns) {
  return std::string(text) + std::string(blanks(text, columns), ' ');
}

std::string pad_left(std::string_view text, size_t columns) {
  return std::string(blanks(text, columns), ' ') + std::string(text);
}

}  // namespace wick
