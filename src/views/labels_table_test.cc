// SPDX-License-Identifier: Apache-2.0
// The page and the script of pictures choose among the forms of names themselves, because their
// boxes change their widths. This test writes a table of the forms, as ladders, and of the labels
// that the C++ side chooses; web/test/labels.test.ts compares the page with it. If a rule changes,
// the table changes, and the page must follow.
#include <gtest/gtest.h>

#include "base/json_writer.h"
#include "report/label_ladder.h"
#include "tests/support/golden.h"
#include "tests/support/names.h"
#include "views/labels.h"

namespace wick {
namespace {

// Some of each language, neighbours among them, and names that are easily mistaken.
std::vector<std::string> table_names() {
  std::vector<std::string> names = {"std::vector<int>::push_back(int const&)",
                                    "std::vector<char>::push_back(char)",
                                    "std::vector<char>::push_back(char) const",
                                    "app::serve",
                                    "app::serve::{{closure}}",
                                    "/usr/lib/libc.so.6+0x175040",
                                    "libavcodec.so.59+0x175041",
                                    "\xE6\xBC\xA2\xE5\xAD\x97::gr\xC3\xB6\xC3\x9F"
                                    "e(int)",
                                    "..::..",
                                    "x<y",
                                    "[unknown]"};
  for (std::string_view language : testing::kLanguages) {
    std::vector<std::string> of_language = testing::names_of(language);
    for (size_t i = 0; i + 1 < of_language.size(); i += 24) {
      names.insert(names.end(), {of_language[i], of_language[i + 1]});
    }
  }
  return names;
}

void write_texts(JsonWriter& json, std::string_view key, std::span<const std::string> texts) {
  json.key(key);
  json.begin_array();
  for (const std::string& text : texts) {
    json.value(std::string_view(text));
  }
  json.end_array();
}

void write_name(JsonWriter& json, const std::string& name) {
  LabelForms label = label_forms(name);
  label.forms.erase(std::unique(label.forms.begin(), label.forms.end()), label.forms.end());
  json.newline();
  json.begin_object();
  json.field("name", std::string_view(name));
  json.field("ladder", std::string_view(label_ladder(name, label)));
  write_texts(json, "forms", label.forms);
  json.field("end_matters", label.end_matters);
  json.end_object();
}

// Row i has columns + 7 * i mod 13 columns.
void write_labels(JsonWriter& json,
                  const std::vector<std::string>& names,
                  size_t columns,
                  Alike alike) {
  std::vector<LabelRow> rows;
  for (size_t i = 0; i < names.size(); ++i) {
    rows.push_back({names[i], columns + 7 * i % 13});
  }
  json.newline();
  json.begin_object();
  json.field("columns", uint64_t{columns});
  json.field("alike", alike == Alike::kBlank ? "blank" : "numbered");
  write_texts(json, "labels", labels_of(rows, alike));
  json.end_object();
}

TEST(LabelsTable, IsWhatThePageIsHeldAgainst) {
  std::vector<std::string> names = table_names();
  std::string text;
  Output out = Output::to_text(text);
  JsonWriter json(out);
  json.begin_object();
  json.key("names");
  json.begin_array();
  for (const std::string& name : names) {
    write_name(json, name);
  }
  json.end_array();
  json.key("labels");
  json.begin_array();
  for (size_t columns : {3U, 8U, 14U, 25U, 60U}) {
    write_labels(json, names, columns, Alike::kBlank);
    write_labels(json, names, columns, Alike::kNumbered);
  }
  json.end_array();
  json.end_object();
  ASSERT_TRUE(out.finish());
  testing::expect_golden("web/test/labels.json", text + "\n");
}

}  // namespace
}  // namespace wick
