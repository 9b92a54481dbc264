// SPDX-License-Identifier: Apache-2.0
// Statistics for what the user chooses in the page: a time range, a filter, any two points of a sweep. The C++ side
// computes everything that is known when it writes the page.
//
// This is the one implementation in TypeScript. It follows src/base/statistics.h and src/experiment/run_change.h;
// web/test/statistics.test.ts compares it with a table of their values. docs/statistics.md has the methods.
import type { Words } from './words.ts';

export interface Interval {
  low: number;
  high: number;
}

// Wilson's interval of a share.
export function shareInterval(share: number, samples: number, { deviate: z }: Words): Interval {
  if (samples <= 0) return { low: 0, high: 1 };
  const z2 = z * z;
  const centre = (share + z2 / (2 * samples)) / (1 + z2 / samples);
  const variance = (share * (1 - share)) / samples + z2 / (4 * samples * samples);
  const half = (z * Math.sqrt(Math.max(0, variance))) / (1 + z2 / samples);
  return { low: share <= 0 ? 0 : Math.max(0, centre - half), high: share >= 1 ? 1 : Math.min(1, centre + half) };
}

// The two-sided tail probability of a normal distribution beyond this many standard errors.
export function tailOf(errors: number): number {
  const x = Math.abs(errors) / Math.SQRT2;
  const density = Math.exp(-x * x) / Math.sqrt(Math.PI);
  if (x < 2) {
    let term = x;
    let sum = x;
    for (let n = 1; term > sum * 1e-17; ++n) {
      term *= (2 * x * x) / (2 * n + 1);
      sum += term;
    }
    return Math.max(0, 1 - 2 * density * sum);
  }
  let fraction = x; // continued fraction, from its end to its start
  for (let n = 80; n > 0; --n) fraction = x + n / 2 / fraction;
  return density / fraction;
}

// Holm's correction. If results below a level count as evidence, the probability of any false evidence is at most that
// level. NaN means not compared, and is unchanged.
export function corrected(probabilities: Float64Array): { probabilities: Float64Array; compared: number } {
  const rows = Array.from(probabilities.keys()).filter((row) => !Number.isNaN(probabilities[row]));
  rows.sort((a, b) => probabilities[a] - probabilities[b]);
  const result = new Float64Array(probabilities.length).fill(NaN);
  let largest = 0;
  rows.forEach((row, rank) => {
    largest = Math.max(largest, Math.min(1, probabilities[row] * (rows.length - rank)));
    result[row] = largest;
  });
  return { probabilities: result, compared: rows.length };
}

function logGamma(x: number): number {
  // Stirling's series, after a shift of the argument to where it is exact.
  let shift = 0;
  for (; x < 12; ++x) shift -= Math.log(x);
  const z = 1 / (x * x);
  return (
    shift +
    (x - 0.5) * Math.log(x) -
    x +
    0.5 * Math.log(2 * Math.PI) +
    (1 / 12 - z * (1 / 360 - z * (1 / 1260 - z / 1680))) / x
  );
}

// I_x(a, b): Lentz's continued fraction, on the side where it converges.
function incompleteBeta(a: number, b: number, x: number): number {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(b, a, 1 - x);
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) / a;
  let c = 1,
    d = 1 / (1 - ((a + b) * x) / (a + 1)),
    fraction = d;
  for (let m = 1; m < 300; ++m) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / (1 + even * d);
    c = 1 + even / c;
    fraction *= c * d;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / (1 + odd * d);
    c = 1 + odd / c;
    fraction *= c * d;
    if (Math.abs(c * d - 1) < 1e-14) break;
  }
  return front * fraction;
}

// The two-sided tail probability of Student's t.
export const studentTail = (t: number, degrees: number): number =>
  incompleteBeta(degrees / 2, 0.5, degrees / (degrees + t * t));

export function studentDeviate(probability: number, degrees: number): number {
  let low = 0,
    high = 2;
  while (studentTail(high, degrees) > probability) high *= 2;
  for (let i = 0; i < 100; ++i) {
    const middle = (low + high) / 2;
    if (studentTail(middle, degrees) > probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
function variance(values: readonly number[]): number {
  const centre = mean(values);
  return values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1);
}

export interface Change {
  before: number; // means of the runs that the ratio is from, geometric if logarithms are compared
  after: number;
  ratio: number; // after over before
  low: number; // NaN: no interval, because a count did not change
  high: number;
  probability: number; // NaN: the spread is unknown
}

export const areCounts = (values: readonly number[]): boolean =>
  values.every((value) => value >= 0 && Number.isInteger(value));

// The ratio of two sets of runs: of logarithms if all values are above 0, because runs vary in proportion, else of
// means (infinite if it was 0 before). Counts vary by at least one random event. The rules are those of
// src/experiment/run_change.h.
export function compareRuns(
  before: readonly number[],
  after: readonly number[],
  counts: boolean,
  { level }: Words,
): Change | null {
  if (before.length === 0 || after.length === 0) return null;
  const both = [...before, ...after],
    byRatio = both.every((value) => value > 0),
    whole = Math.abs(mean(before)),
    of = byRatio ? Math.log : (value: number): number => value;
  const ratio = (change: number): number => {
    if (byRatio) return Math.exp(change);
    if (change === 0) return 1;
    const by = 1 + change / whole; // infinite if whole is 0
    return both.every((value) => value >= 0) ? Math.max(by, 0) : by;
  };
  const first = before.map(of),
    second = after.map(of),
    change = mean(second) - mean(first);
  const typical = (values: readonly number[]): number =>
    values.every((value) => value === values[0]) ? values[0] : byRatio ? Math.exp(mean(values.map(of))) : mean(values);
  const numbers = { before: typical(before), after: typical(after), ratio: ratio(change) };
  if (first.length + second.length < 3) return { ...numbers, low: 0, high: Infinity, probability: NaN };
  const noise = (values: readonly number[]): number =>
    counts ? Math.min(1, mean(values)) / (byRatio ? mean(values) ** 2 : 1) : 0;
  // A side with one run uses the spread of the other side.
  const spread = (mine: number[], other: number[], least: number): [number, number] => {
    const from = mine.length > 1 ? mine : other;
    return [Math.max(variance(from), least) / mine.length, from.length - 1];
  };
  const [v1, d1] = spread(first, second, noise(before)),
    [v2, d2] = spread(second, first, noise(after)),
    error = Math.sqrt(v1 + v2);
  if (!(error > 0)) return { ...numbers, low: ratio(change), high: ratio(change), probability: change === 0 ? 1 : 0 };
  const single = first.length === 1 || second.length === 1;
  const degrees = single ? Math.min(d1, d2) : (v1 + v2) ** 2 / ((v1 * v1) / d1 + (v2 * v2) / d2);
  const half = studentDeviate(level, degrees) * error;
  const unchanged = counts && change === 0;
  return {
    ...numbers,
    low: unchanged ? NaN : ratio(change - half),
    high: unchanged ? NaN : ratio(change + half),
    probability: studentTail(change / error, degrees),
  };
}
