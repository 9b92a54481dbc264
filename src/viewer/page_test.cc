// SPDX-License-Identifier: Apache-2.0
// The page and its data as bytes. web/test reads them with the page's own reader.
#include "viewer/page.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "profile/interpreted_testing.h"
#include "profile/stack_end_words.h"
#include "report/testing.h"
#include "tests/support/timed_profile.h"
#include "viewer/gzip.h"
#include "viewer/page_analyses.h"
#include "viewer/page_data.h"
#include "viewer/page_words.h"

namespace wick {
namespace {

Profile hostile_profile() {
  testing::TimedProfile timed;
  timed.builder.add_sample(timed.sample(5, {"</script><script>alert(1)</script>", "a\x1b[31m"}));
  timed.builder.add_sample(timed.sample(3, {"<!-- {{data}} -->", "\xe2\x80\xae rtl", "\xff"}));
  timed.builder.add_fact("command", "</script>");
  timed.builder.add_mark({.time_ns = 4, .name = timed.builder.string("\"}]</script>")});
  return timed.builder.finish();
}

std::string page_of(Profile profile) {
  std::vector<PageRun> runs;
  runs.push_back({.profile = std::move(profile), .title = "</title><b>", .notes = {"<i>"}});
  std::string page;
  Output out = Output::to_text(page);
  write_page("</title><script>x", pack_page(std::move(runs)).value(), out);
  EXPECT_TRUE(out.finish());
  return page;
}

std::string bytes_of(Profile profile) {
  std::vector<PageRun> runs;
  runs.push_back({.profile = std::move(profile), .title = "t", .notes = {}});
  return page_bytes(std::move(runs)).value();
}

// The header of a page's data, and its columns in their stored form.
struct PageReader {
  explicit PageReader(std::string data) : bytes(std::move(data)) {
    ByteReader reader(as_bytes(bytes).subspan(12));
    auto size = reader.number<uint32_t>();
    header = parse_json(std::string_view(bytes).substr(16, size)).value();
    first = (16 + size_t{size} + 7) / 8 * 8;
  }

  const Json* column(std::string_view name) const { return header.find("columns")->find(name); }

  template <typename Take>
  auto values(std::string_view name, std::string_view encoding, Take take) const {
    const Json* found = column(name);
    std::vector<decltype(take(std::declval<ByteReader&>()))> result;
    if (found == nullptr || found->text_at("encoding") != encoding) {
      ADD_FAILURE() << name << " is not " << encoding;
      return result;
    }
    auto offset = first + static_cast<size_t>(found->number_at("offset", 0));
    ByteReader reader(
        as_bytes(bytes).subspan(offset, static_cast<size_t>(found->number_at("bytes", 0))));
    while (!reader.at_end()) {
      result.push_back(take(reader));
    }
    return result;
  }
  std::vector<uint64_t> varints(std::string_view name) const {
    return values(name, "varint", [](ByteReader& reader) { return reader.varint(); });
  }
  std::vector<int64_t> deltas(std::string_view name) const {
    int64_t last = 0;
    return values(
        name, "delta", [&](ByteReader& reader) { return last += reader.signed_varint(); });
  }
  // 8 bytes for each row, signed or unsigned.
  std::vector<int64_t> words(std::string_view name) const {
    bool is_signed = column(name) != nullptr && column(name)->text_at("encoding") == "int64";
    return values(name, is_signed ? "int64" : "uint64", [](ByteReader& reader) {
      return reader.number<int64_t>();
    });
  }

  std::string bytes;
  Json header;
  size_t first = 0;  // first byte of the columns
};

size_t count(std::string_view text, std::string_view part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST(Page, HostileTextStaysInside) {
  std::string page = page_of(hostile_profile());
  EXPECT_EQ(page.find("alert(1)"), std::string::npos);
  EXPECT_EQ(count(page, "<script"), 2U);  // one part, one script
  EXPECT_EQ(count(page, "</script>"), 2U);
  EXPECT_EQ(count(page, "</title>"), 1U);
  EXPECT_EQ(page.find("{{"), std::string::npos);
  EXPECT_NE(page.find("<title>&lt;/title&gt;&lt;script&gt;x"), std::string::npos);
}

TEST(Page, AllowsNoConnectionAndOneScript) {
  std::string page = page_of(hostile_profile());
  EXPECT_NE(page.find("default-src 'none'; script-src 'sha256-"), std::string::npos);
  EXPECT_NE(page.find("connect-src 'none'"), std::string::npos);
  EXPECT_EQ(count(page, "https://"), 0U);
  std::string served = served_page("x", 2);
  EXPECT_NE(served.find("connect-src 'self'"), std::string::npos);
  EXPECT_NE(served.find("data-src=\"part-1.gz\""), std::string::npos);
}

TEST(Page, OfASweepHoldsItsJson) {
  std::string page;
  Output out = Output::to_text(page);
  write_sweep_page("</title>", R"({"points":["\u003c/script\u003e {{title}}"]})", out);
  EXPECT_TRUE(out.finish());
  EXPECT_EQ(count(page, "<script"), 3U);
  EXPECT_EQ(count(page, "</title>"), 1U);
  EXPECT_NE(page.find("default-src 'none'; script-src 'sha256-"), std::string::npos);
  EXPECT_NE(page.find("connect-src 'none'"), std::string::npos);
  EXPECT_NE(page.find(R"(id="sweep">{"points":["\u003c/script)"), std::string::npos);
  EXPECT_NE(page.find(R"(id="words">{"stack_ends":[{"class":"unknown")"), std::string::npos);
  EXPECT_EQ(count(page, "https://"), 0U);
}

TEST(PageWords, AreThoseOfTheTables) {
  Json words = parse_json(words_text()).value();
  const std::vector<Json>& ends = words.find("stack_ends")->items;
  ASSERT_EQ(ends.size(), static_cast<size_t>(last_of(StackEnd{})) + 1);
  auto end = static_cast<size_t>(StackEnd::kTooDeep);
  EXPECT_EQ(ends[end].text_at("class"), "truncated");
  EXPECT_EQ(ends[end].text_at("advice"), stack_end_advice(StackEnd::kTooDeep));
}

TEST(PageData, TextHoldsNoControlsAndRowsAreSorted) {
  std::vector<PageRun> runs;
  runs.push_back({.profile = hostile_profile(), .title = "t", .notes = {}});
  std::string bytes = page_bytes(std::move(runs)).value();
  EXPECT_TRUE(bytes.starts_with("WICKPAGE"));
  EXPECT_NE(bytes.find("a\\x1b[31m"), std::string::npos);
  EXPECT_NE(bytes.find("\\u202e rtl"), std::string::npos);
  EXPECT_NE(bytes.find("\"start_ns\":3,\"duration_ns\":2"), std::string::npos);
}

TEST(PageData, HostileTimesStayOnTheScale) {
  testing::TimedProfile timed;
  timed.builder.add_sample(timed.sample(INT64_MIN + 2, {"first"}));
  timed.builder.add_sample(timed.sample(INT64_MAX, {"last"}));
  timed.builder.add_mark({.time_ns = INT64_MAX, .name = timed.builder.string("late")});
  std::vector<PageRun> runs;
  runs.push_back({.profile = timed.builder.finish(), .title = "t", .notes = {}});
  std::string bytes = page_bytes(std::move(runs)).value();
  EXPECT_NE(bytes.find(fmt::format("\"duration_ns\":{}", INT64_MAX / 4)), std::string::npos);
  PageReader page(bytes);
  EXPECT_EQ(page.words("mark.time_ns"), std::vector<int64_t>{INT64_MAX / 4});
}

TEST(PageData, ColumnsAreThoseOfTheSchema) {
  testing::TimedProfile timed;
  timed.builder.add_sample(timed.sample(5, {"main"}));
  PageReader page(bytes_of(timed.builder.finish()));
  const Json* frames = page.header.at("schema.frames");
  ASSERT_NE(frames, nullptr);
  EXPECT_EQ(frames->text_at("row"), "frame");
  EXPECT_EQ(frames->number_at("rows", 0), 1);
  EXPECT_EQ(frames->at("columns.function")->text_at("to"), "functions");
  EXPECT_EQ(frames->at("columns.function")->number_at("initial", 0), -1);
  EXPECT_EQ(frames->at("columns.mode.names.2")->text, "kernel");
  EXPECT_EQ(frames->at("columns.line")->text_at("kind"), "number");
  EXPECT_EQ(page.column("frame.line"), nullptr);  // all rows have the initial value
  EXPECT_NE(page.column("frame.function"), nullptr);
  EXPECT_EQ(page.header.at("schema.samples.columns.count")->number_at("initial", 0), 1);
  EXPECT_EQ(page.header.at("schema.samples.columns.cpu")->number_at("initial", 0), -1);
  EXPECT_EQ(page.header.at("schema.facts"), nullptr);
  EXPECT_EQ(page.header.at("schema.samples.columns.branches"), nullptr);
}

TEST(PageData, RowsAreInTheOrderOfTimeAndReferencesFollow) {
  testing::TimedProfile timed;
  timed.builder.add_sample(timed.sample(100, {"main"}));
  StringId name = timed.builder.string("work");
  SpanId outer = timed.builder.add_span({.begin_ns = 130, .end_ns = 190, .name = name});
  timed.builder.add_span({.begin_ns = 110, .end_ns = 120, .name = name, .parent = outer});
  timed.builder.add_mark({.time_ns = 105, .name = name});
  timed.builder.add_mark({.time_ns = kNoTime, .name = name});
  PageReader page(bytes_of(timed.builder.finish()));
  EXPECT_EQ(page.deltas("span.begin_ns"), (std::vector<int64_t>{10, 30}));
  EXPECT_EQ(page.varints("span.parent"), (std::vector<uint64_t>{2, 0}));  // row 1, and none
  EXPECT_EQ(page.deltas("mark.time_ns"), (std::vector<int64_t>{-1, 5}));
  EXPECT_EQ(page.column("mark.time_ns")->number_at("none", 0), -1);
}

TEST(PageData, RowsOfTwoRunsCountFromTheirOwnStart) {
  auto run = [](int64_t start_ns) {
    testing::TimedProfile timed;
    timed.builder.add_sample(timed.sample(start_ns + 7, {"main"}));
    timed.builder.add_sample(timed.sample(start_ns, {"main"}));
    LossId loss = timed.builder.add_loss({.reason = "ring full"});
    timed.builder.add_loss_moment({.loss = loss, .begin_ns = start_ns + 3, .count = 1});
    return PageRun{.profile = timed.builder.finish(), .title = "t", .notes = {}};
  };
  std::vector<PageRun> runs;
  runs.push_back(run(1000));
  runs.push_back(run(5000));
  PageReader page(page_bytes(std::move(runs)).value());
  EXPECT_EQ(page.deltas("sample.time_ns"), (std::vector<int64_t>{0, 7, 0, 7}));
  EXPECT_EQ(page.column("loss_moment.begin_ns")->number_at("value", 0), 3);
  EXPECT_EQ(page.header.at("runs.1.rows")->number_at("loss_moments", 0), 1);
  EXPECT_EQ(page.header.at("runs.1")->number_at("after_first_ns", 0), 4000);
  EXPECT_EQ(page.header.at("runs.1.losses.0")->number_at("count", 0), 1);
}

using Texts = std::vector<std::string>;

// Makes a page of runs, each with one process on each of its hosts.
Texts source_suffixes(const std::vector<Texts>& hosts_of_runs) {
  std::vector<PageRun> runs;
  for (const Texts& hosts : hosts_of_runs) {
    testing::TimedProfile timed;
    timed.builder.add_sample(timed.sample(1, {"main"}));
    for (const std::string& host : hosts) {
      SourceId source = timed.builder.source({.host = timed.builder.string(host)});
      timed.builder.process({.pid = 3, .name = timed.builder.string("burn"), .source = source});
    }
    runs.push_back({.profile = timed.builder.finish(), .title = "t", .notes = {}});
  }
  PageReader page(page_bytes(std::move(runs)).value());
  Texts result;
  for (const Json& suffix : page.header.find("source_suffixes")->items) {
    result.push_back(suffix.text);
  }
  return result;
}

TEST(PageData, NamesEndWithTheirHostWhereARunHasSeveral) {
  EXPECT_EQ(source_suffixes({{"alpha"}}), Texts{});
  EXPECT_EQ(source_suffixes({{"al\x1bp", "beta"}}), (Texts{" (al\\x1bp)", " (beta)"}));
  EXPECT_EQ(source_suffixes({{"alpha"}, {"beta"}}), Texts{});
  EXPECT_EQ(source_suffixes({{"alpha"}, {"alpha", "beta"}}), (Texts{" (alpha)", " (beta)"}));
  EXPECT_EQ(source_suffixes({{"alpha", std::string(1 << 20, 'x')}})[1].size(), 258U);
}

TEST(PageData, NumbersBeyondABrowsersAreStoredWhole) {
  testing::TimedProfile timed;
  LabelId label = timed.builder.label(
      {.key = timed.builder.string("n"), .number = INT64_MIN, .is_number = true});
  Sample sample = timed.sample(1, {"main"});
  sample.labels = timed.builder.label_set(std::array{label});
  timed.builder.add_sample(sample);
  timed.builder.add_loss({.reason = "all", .count = UINT64_MAX});
  PageReader page(bytes_of(timed.builder.finish()));
  EXPECT_EQ(page.words("label.number"), std::vector<int64_t>{INT64_MIN});
  EXPECT_EQ(page.words("loss.count"), std::vector<int64_t>{-1});
}

TEST(PageData, LabelsOfAMegabyteAndWithControlsAreText) {
  testing::TimedProfile timed;
  std::string_view with_nul("a\0b\x1b]", 5);
  LabelId labels[] = {
      timed.builder.label({.key = timed.builder.string(with_nul),
                           .text = timed.builder.string(std::string(1 << 20, 'x'))})};
  Sample sample = timed.sample(1, {"main"});
  sample.labels = timed.builder.label_set(labels);
  timed.builder.add_sample(sample);
  std::string bytes = bytes_of(timed.builder.finish());
  EXPECT_EQ(bytes.find("\x1b]"), std::string::npos);
  EXPECT_EQ(PageReader(bytes).header.at("schema.labels")->number_at("rows", 0), 1);
}

TEST(PageData, ReportsTravelWithTheEventTheyAreAbout) {
  testing::TimedProfile timed;
  timed.builder.add_sample(timed.sample(5, {"main"}));
  std::vector<PageRun> runs;
  runs.push_back({.profile = timed.builder.finish(), .title = "t", .notes = {}});
  const Profile& profile = runs[0].profile;
  const Event& event = profile.events[EventId(0)];
  Report report{.unit = std::string(profile.strings[event.unit]), .notes = {"a\x1b[31m note"}};
  Table table;
  table.columns.push_back({.name = "change", .kind = ColumnKind::kNumber, .numbers = {0.5}});
  table.columns.push_back({.name = "verdict"});
  table.columns[1].text.push_back("slower");
  report.sections.push_back({"rows", "", table});
  std::string name(profile.strings[event.name]);
  std::vector<PageReport> reports = {{"diff", name, report}, {"diff", "another event", report}};
  std::string bytes = page_bytes(std::move(runs), reports).value();
  EXPECT_NE(bytes.find(R"("reports":[{"name":"diff","event":0,"notes":["a\\x1b[31m note"],)"
                       R"("sections":[{"name":"rows","shape":"table","rows":1,"columns":[)"
                       R"({"name":"change","kind":"number","role":"detail"},)"
                       R"({"name":"verdict","kind":"text","role":"detail"}]}]}],)"
                       R"("report_texts":["slower"])"),
            std::string::npos);
  EXPECT_NE(bytes.find("report.0.rows.change"), std::string::npos);
  EXPECT_EQ(bytes.find("report.1."), std::string::npos);
}

TEST(PageData, TracksTravelAsTablesWithTheirRoles) {
  testing::TimedProfile timed;
  timed.builder.add_sample(timed.sample(5, {"main"}));
  std::vector<PageRun> runs;
  runs.push_back({.profile = timed.builder.finish(), .title = "t", .notes = {}});
  const Profile& profile = runs[0].profile;
  const Event& event = profile.events[EventId(0)];
  Report report = testing::report_of(testing::made_up_tracks());
  report.unit = profile.strings[event.unit];
  report.sections.push_back({"ipc", "IPC", testing::made_up_ipc()});
  std::vector<PageReport> reports = {
      {"tracks", std::string(profile.strings[event.name]), std::move(report)}};
  std::string bytes = page_bytes(std::move(runs), reports).value();
  for (std::string_view shape : {"tracks", "points", "spans", "marks", "gaps", "arrows"}) {
    EXPECT_NE(bytes.find(fmt::format(R"("shape":"{}")", shape)), std::string::npos) << shape;
  }
  EXPECT_NE(bytes.find(R"({"name":"value","kind":"interval","role":"value"})"), std::string::npos);
  EXPECT_NE(bytes.find("report.0.ipc_gaps.begin_ns"), std::string::npos);
  EXPECT_NE(bytes.find("the buffer overflowed"), std::string::npos);
}

TEST(PageData, PausesOfARecordingTravelAsGaps) {
  ProfileBuilder builder;
  builder.event(
      {.name = builder.string("tick"), .unit = builder.string("samples"), .interval_ns = 1000});
  for (int64_t tick : {0, 1, 2, 200, 201}) {
    builder.add_sample({.time_ns = 1000 * tick, .cpu = 0});
  }
  std::vector<PageRun> runs;
  runs.push_back({.profile = builder.finish(), .title = "t", .notes = {}});
  std::vector<PageReport> reports = reports_for_page(runs);
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports[0].event, "tick");
  const auto& series = std::get<Series>(reports[0].report.sections[0].body);
  ASSERT_EQ(series.gaps.size(), 1U);
  EXPECT_EQ(series.gaps[0].end_ns, 200'000);
}

TEST(PageData, SaysOnceThatFunctionsOfAnInterpreterAreMissing) {
  PageReader page(bytes_of(testing::interpreted_profile("main;@;sort 3\nmain;work 1\n")));
  const Json* cautions = page.header.find("cautions");
  ASSERT_NE(cautions, nullptr);
  ASSERT_EQ(cautions->items.size(), 1U);
  EXPECT_TRUE(cautions->items[0].text.contains("`wick record` adds them"));
}

TEST(PageData, APageOfNothing) {
  std::vector<PageRun> runs;
  runs.push_back({.profile = ProfileBuilder().finish(), .title = "", .notes = {}});
  EXPECT_TRUE(pack_page(std::move(runs)));
}

TEST(Gzip, Base64) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
}

}  // namespace
}  // namespace wick
