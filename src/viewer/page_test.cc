// The page and its data as bytes; web/test reads them back with the page's own reader.
#include "viewer/page.h"

#include <gtest/gtest.h>

#include "tests/support/timed_profile.h"
#include "viewer/gzip.h"
#include "viewer/page_data.h"

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
  EXPECT_EQ(count(page, "<script"), 2U);
  EXPECT_EQ(count(page, "</title>"), 1U);
  EXPECT_NE(page.find("default-src 'none'; script-src 'sha256-"), std::string::npos);
  EXPECT_NE(page.find("connect-src 'none'"), std::string::npos);
  EXPECT_NE(page.find(R"(id="sweep">{"points":["\u003c/script)"), std::string::npos);
  EXPECT_EQ(count(page, "https://"), 0U);
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
  std::string end = fmt::format("{}", INT64_MAX / 4);
  EXPECT_NE(bytes.find("\"duration_ns\":" + end), std::string::npos);
  EXPECT_NE(bytes.find("\"time\":" + end), std::string::npos);
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
                       R"("sections":[{"name":"rows","rows":1,"columns":[)"
                       R"({"name":"change","kind":"number"},{"name":"verdict","kind":"text"}]}]}],)"
                       R"("report_texts":["slower"])"),
            std::string::npos);
  EXPECT_NE(bytes.find("report.0.rows.change"), std::string::npos);
  EXPECT_EQ(bytes.find("report.1."), std::string::npos);
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
