// SPDX-License-Identifier: Apache-2.0
// What size.test measures: functions and data of a namespace, a table of virtual functions and an exception.
namespace demo {

struct Table {
  virtual ~Table() = default;
  virtual int at(int i) const { return i < 4 ? values[i] : throw i; }
  int values[4] = {1, 2, 3, 4};
};

int sum(const Table& table, int end) {
  return end == 0 ? 0 : sum(table, end - 1) + table.at(end - 1);
}

}  // namespace demo

int main(int argc, char** /*argv*/) {
  demo::Table* table = new demo::Table;
  return demo::sum(*table, argc);
}
