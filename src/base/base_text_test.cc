// SPDX-License-Identifier: Apache-2.0
// Text from untrusted files: UTF-8, escaping, spelling.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/command_text.h"
#include "base/escape.h"
#include "base/spelling.h"
#include "base/utf8.h"

namespace wick {
namespace {

TEST(Utf8, ReportsInvalidBytesOneByOne) {
  std::string text = "a\xC3\xA9\xFF\xE2\x82z";
  std::string seen;
  for (Utf8Cursor cursor(text); !cursor.at_end();) {
    Utf8Char c = cursor.next();
    seen += c.valid ? std::string(c.bytes) : fmt::format("<{:02x}>", c.code);
  }
  EXPECT_EQ(seen, "a\xC3\xA9<ff><e2><82>z");
}

TEST(Utf8, RefusesOverlongFormsAndSurrogates) {
  for (std::string_view bad : {"\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80"}) {
    EXPECT_FALSE(Utf8Cursor(bad).next().valid);
  }
}

TEST(Utf8, WritesWhatItReads) {
  for (uint32_t code : {0x41U, 0xE9U, 0x20ACU, 0x1F525U}) {
    std::string text;
    append_utf8(text, code);
    Utf8Char c = Utf8Cursor(text).next();
    EXPECT_TRUE(c.valid);
    EXPECT_EQ(c.code, code);
    EXPECT_EQ(c.bytes, text);
  }
}

TEST(Utf8, CountsTerminalColumns) {
  EXPECT_EQ(display_columns("abc"), 3U);
  EXPECT_EQ(display_columns("e\xCC\x81"), 1U);     // e and a combining accent
  EXPECT_EQ(display_columns("\xE6\xBC\xA2"), 2U);  // a wide character
}

TEST(Escape, TerminalTextIsInert) {
  EXPECT_EQ(terminal_text("plain \xC3\xA9"), "plain \xC3\xA9");
  EXPECT_EQ(terminal_text("\x1b[31mred\x07"), "\\x1b[31mred\\x07");
  EXPECT_EQ(terminal_text("a\nb\xFF"), "a\\x0ab\\xff");
  EXPECT_EQ(terminal_lines("a\x1b\n\nb\xFF"), "a\\x1b\n\nb\\xff");
  EXPECT_EQ(terminal_text("\xE2\x80\xAE"
                          "abc"),
            "\\u202eabc");  // right-to-left override
  EXPECT_EQ(terminal_text("\xC2\x9B"
                          "31m"),
            "\\x9b31m");  // the C1 form of ESC [
}

// Two names that differ only in these look alike, and tags can carry a hidden text.
TEST(Escape, CharactersWithoutWidthAreVisible) {
  EXPECT_EQ(terminal_text("a\xE2\x80\x8B"
                          "b\xE2\x81\xA0\xC2\xAD"),
            "a\\u200bb\\u2060\\u00ad");
  EXPECT_EQ(terminal_text("x\xF3\xA0\x81\x81"), "x\\ue0041");
  EXPECT_EQ(terminal_text("\xEF\xB8\x8F"), "\\ufe0f");
  EXPECT_EQ(json_text("\xF3\xA0\x81\x81"), "\\udb40\\udc41") << "two codes of 16 bits";
  EXPECT_EQ(terminal_text("\xE6\xBC\xA2 \xF0\x9F\x8E\x89"), "\xE6\xBC\xA2 \xF0\x9F\x8E\x89");
}

TEST(Escape, LongTextsOfTheUserAreShortInMessages) {
  EXPECT_EQ(short_terminal_text("short"), "short");
  EXPECT_EQ(short_terminal_text(std::string(100, 'x')), std::string(60, 'x') + "...");
}

TEST(Escape, JsonTextIsValidAndSafeInsideAPage) {
  EXPECT_EQ(json_text("say \"hi\"\\"), "say \\\"hi\\\"\\\\");
  EXPECT_EQ(json_text("</script>"), "\\u003c/script\\u003e");
  EXPECT_EQ(json_text("\x01\xFF"), "\\u0001\xEF\xBF\xBD");
}

TEST(Escape, XmlTextNeverOpensMarkup) {
  EXPECT_EQ(xml_text("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
  EXPECT_EQ(xml_text(std::string_view("a\0b", 3)),
            "a\xEF\xBF\xBD"
            "b");
}

TEST(Escape, CsvFieldsAreQuotedAndNoFormulas) {
  EXPECT_EQ(csv_field("plain"), "plain");
  EXPECT_EQ(csv_field("a,\"b\""), "\"a,\"\"b\"\"\"");
  EXPECT_EQ(csv_field("=SUM(A1)"), "\"'=SUM(A1)\"");
}

TEST(Spelling, FindsTheNearestWord) {
  std::vector<std::string> words = {"report", "tree", "sandwich", "flame"};
  EXPECT_EQ(nearest_spelling("reprot", words), "report");
  EXPECT_EQ(nearest_spelling("flam", words), "flame");
  EXPECT_EQ(nearest_spelling("xyzzy", words), "");
  EXPECT_EQ(nearest_spelling("", words), "");
}

TEST(CommandText, ShellsReadItBack) {
  std::vector<std::string> words = {"a", "b c", "", "it's", "$x"};
  EXPECT_EQ(command_text({"a", "b c"}), "a b c");
  EXPECT_EQ(shell_text(words), "a 'b c' '' 'it'\\''s' '$x'");
  EXPECT_EQ(shell_text({}), "");
}

}  // namespace
}  // namespace wick
