// SPDX-License-Identifier: Apache-2.0
// Iterates over the tags of an XML or HTML text. Skips comments, declarations, CDATA and the
// content of scripts and styles. All views borrow from the text and are still escaped. An
// unfinished tag at the end of the text is not returned.
#pragma once

#include <string>
#include <string_view>

namespace wick::flamegraph_svg {

struct Tag {
  std::string_view name;        // "rect"; "/g" closes
  std::string_view attributes;  // x="1" y="2"
  std::string_view text_before;
};

class Markup {
 public:
  explicit Markup(std::string_view text) : rest_(text) {}

  // False at the end.
  bool next(Tag& tag);
  // Whether the text ended inside a tag, comment or script.
  bool broke_off() const { return broke_off_; }
  size_t remaining() const { return rest_.size(); }

 private:
  bool skip_past(std::string_view end);
  bool skip_declaration();
  bool skip_contents_of(std::string_view element);

  std::string_view rest_;
  bool broke_off_ = false;
};

// Calls use(name, raw value) for each attribute.
template <typename Use>
void for_each_attribute(std::string_view attributes, Use use) {
  while (true) {
    size_t equals = attributes.find('=');
    if (equals == std::string_view::npos) {
      return;
    }
    std::string_view name = attributes.substr(0, equals);
    size_t begin = name.find_last_not_of(" \t\r\n");
    name = name.substr(0, begin == std::string_view::npos ? 0 : begin + 1);
    size_t blank = name.find_last_of(" \t\r\n");
    name.remove_prefix(blank == std::string_view::npos ? 0 : blank + 1);
    attributes.remove_prefix(equals + 1);
    size_t quote = attributes.find_first_not_of(" \t\r\n");
    if (quote == std::string_view::npos ||
        (attributes[quote] != '"' && attributes[quote] != '\'')) {
      continue;  // no value: not XML, continue with the next
    }
    size_t end = attributes.find(attributes[quote], quote + 1);
    if (end == std::string_view::npos) {
      return;
    }
    use(name, attributes.substr(quote + 1, end - quote - 1));
    attributes.remove_prefix(end + 1);
  }
}

// Replaces &lt; &amp; &#39; &#x27; by their characters. Unknown entities stay.
std::string unescaped(std::string_view text);

}  // namespace wick::flamegraph_svg
