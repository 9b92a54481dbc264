// SPDX-License-Identifier: Apache-2.0
// The evidence for changes: from the report of `wick diff`, or computed by the page if filters are set.
//
// The page uses wick's method for samples without times: they count as independent, with Holm's correction. wick also
// accounts for bursts, so its verdicts are more careful.
import type { Amount, Judgement } from './interface.ts';
import type { AnalysisReport, ReportColumn } from './profile.ts';
import { corrected, tailOf } from './statistics.ts';
import type { Words } from './words.ts';

// One measure of both runs, by row; `before` is scaled to the weight of `after` when normalised.
export interface Measured {
  before: Float64Array;
  after: Float64Array;
  samplesBefore: Float64Array;
  samplesAfter: Float64Array;
}

// The difference in standard errors: of two shares when normalised, else of two sums of samples.
function errorsOf(
  measured: Measured,
  row: number,
  amounts: [Amount, Amount],
  normalised: boolean,
  leastSamples: number,
): number {
  const [n1, n2] = [amounts[0].effective, amounts[1].effective];
  const [count1, count2] = [measured.samplesBefore[row], measured.samplesAfter[row]];
  const [before, after] = [measured.before[row], measured.after[row]];
  if (n1 <= 0 || n2 <= 0 || count1 + count2 < leastSamples) return NaN;
  if (before === after) return 0;
  if (normalised) {
    const p1 = before / amounts[1].weight;
    const p2 = after / amounts[1].weight;
    const pooled = (p1 * n1 + p2 * n2) / (n1 + n2);
    const error = Math.sqrt(pooled * (1 - pooled) * (1 / n1 + 1 / n2));
    return error > 0 ? (p2 - p1) / error : NaN;
  }
  const variance = (count1 > 0 ? (before * before) / count1 : 0) + (count2 > 0 ? (after * after) / count2 : 0);
  return variance > 0 ? (after - before) / Math.sqrt(variance) : NaN;
}

const nothing = (rows: number): Float64Array => new Float64Array(rows).fill(NaN);

// Evidence first, then by the size of the change, as `wick diff` lists them.
function ranked(verdict: Int8Array, change: (row: number) => number): Int32Array {
  const order = Array.from(verdict.keys()).sort(
    (a, b) => Math.abs(verdict[b]) - Math.abs(verdict[a]) || Math.abs(change(b)) - Math.abs(change(a)),
  );
  const rank = new Int32Array(order.length);
  order.forEach((row, position) => (rank[row] = position));
  return rank;
}

export function judgeInPage(
  measured: Measured,
  amounts: [Amount, Amount],
  normalised: boolean,
  { level, least_samples: leastSamples }: Words,
): Judgement {
  const rows = measured.before.length;
  const { probabilities, compared } = corrected(
    measured.before.map((_, row) => tailOf(errorsOf(measured, row, amounts, normalised, leastSamples))),
  );
  const change = (row: number): number => measured.after[row] - measured.before[row];
  const verdict = Int8Array.from(probabilities, (chance, row) => (chance < level ? Math.sign(change(row)) : 0));
  const judged =
    compared === 0
      ? 'Nothing was compared: there are too few samples, or the input does not contain their number.'
      : `${compared === 1 ? 'One row' : compared + ' rows'} with ${leastSamples} samples or more ${compared === 1 ? 'was' : 'were'} compared; family-wise error rate at most ${100 * level} % (Holm).`;
  return {
    byWick: false,
    chance: probabilities,
    verdict,
    low: nothing(rows),
    high: nothing(rows),
    detectable: nothing(rows),
    rank: ranked(verdict, change),
    whole: NaN,
    notes: [
      judged,
      'Filters, transforms or groups are set, so these verdicts are computed in the page, which treats samples as independent. ' +
        'wick diff with the same filters also accounts for bursts.',
    ],
  };
}

// By function: its row in the report, -1 if it has none.
function rowsIn(report: AnalysisReport, names: string[]): Int32Array {
  const rowOfName = new Map(report.sections['rows']['name'].text.map((text, row) => [text, row]));
  return Int32Array.from(names, (text) => rowOfName.get(text) ?? -1);
}
const picked = (column: Float64Array, rows: Int32Array, missing: number): Float64Array =>
  Float64Array.from(rows, (at) => (at < 0 ? missing : (column[at] ?? missing)));

// The typical values of these functions and of a whole run, in the report's unit; null if each side is one run, whose
// values the page computes.
export function typicalValues(
  report: AnalysisReport,
  names: string[],
): { before: Float64Array; after: Float64Array; costBefore: number; costAfter: number } | null {
  const { before, after } = report.sections['rows'];
  const cost = report.sections['cost'];
  if (before === undefined || after === undefined || cost === undefined) return null;
  const rows = rowsIn(report, names);
  return {
    before: picked(before.number, rows, 0),
    after: picked(after.number, rows, 0),
    costBefore: cost['before'].number[0],
    costAfter: cost['after'].number[0],
  };
}

// wick's verdicts on the functions with these names.
export function judgementOf(report: AnalysisReport, names: string[], { verdicts }: Words): Judgement {
  const verdictOf = (text: string, change: number): number => (text === verdicts.none ? 0 : Math.sign(change));
  const { change, probability, detectable, verdict, name } = report.sections['rows'] as Record<string, ReportColumn>;
  const reportRows = rowsIn(report, names);
  const pick = (column: Float64Array): Float64Array => picked(column, reportRows, NaN);
  const whole = report.sections['whole'];
  return {
    byWick: true,
    chance: pick(probability.number),
    low: pick(change.low),
    high: pick(change.high),
    detectable: pick(detectable.number),
    verdict: Int8Array.from(reportRows, (at) => (at < 0 ? 0 : verdictOf(verdict.text[at], change.number[at]))),
    rank: Int32Array.from(reportRows, (at) => (at < 0 ? name.text.length : at)),
    whole: whole === undefined ? NaN : verdictOf(whole['verdict'].text[0], whole['change'].number[0]),
    notes: report.notes,
  };
}
