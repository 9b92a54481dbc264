// SPDX-License-Identifier: Apache-2.0
// Compares the page's statistics with a table of the C++ side's values (src/experiment/statistics_table_test.cc writes
// it).
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { compareRuns, corrected, shareInterval, studentDeviate, studentTail, tailOf } from '../src/model/statistics.ts';
import { SOURCE, words } from './support.ts';

interface RunsCase {
  before: number[];
  after: number[];
  counts: boolean;
  change: (number | null)[]; // value, low, high as fractions of before
  probability: number | null;
}
const table = JSON.parse(readFileSync(`${SOURCE}/web/test/statistics.json`, 'utf8')) as {
  normal: number[][];
  student: number[][];
  deviates: number[][];
  shares: number[][];
  holm: number[][];
  runs: RunsCase[];
};

// The table has ten digits.
function near(actual: number, expected: number, what: string): void {
  assert.ok(Math.abs(actual - expected) <= 1e-8 * Math.abs(expected) + 1e-14, `${what}: ${actual}, not ${expected}`);
}

test('tails of the normal distribution and of Student\u2019s t', () => {
  for (const [errors, tail] of table.normal) near(tailOf(errors), tail, `normal ${errors}`);
  for (const [t, degrees, tail] of table.student) near(studentTail(t, degrees), tail, `t ${t} of ${degrees}`);
  for (const [chance, degrees, t] of table.deviates)
    near(studentDeviate(chance, degrees), t, `${chance} of ${degrees}`);
});

test('intervals of shares', () => {
  for (const [share, samples, low, high] of table.shares) {
    const interval = shareInterval(share, samples, words);
    near(interval.low, low, `low of ${share} of ${samples}`);
    near(interval.high, high, `high of ${share} of ${samples}`);
  }
});

test('the correction', () => {
  const [probabilities, expected] = table.holm;
  corrected(Float64Array.from(probabilities)).probabilities.forEach((value, i) => near(value, expected[i], `row ${i}`));
});

test('comparisons of runs', () => {
  for (const { before, after, counts, change, probability } of table.runs) {
    const what = `${before} and ${after}`;
    const result = compareRuns(before, after, counts, words)!;
    assert.equal(Number.isNaN(result.probability), probability === null, what);
    if (probability !== null) near(result.probability, probability, `chance of ${what}`);
    [result.ratio, result.low, result.high].forEach((ratio, i) => {
      const expected = change[i];
      if (expected !== null) near(ratio - 1, expected, `${['change', 'low', 'high'][i]} of ${what}`);
    });
  }
});
