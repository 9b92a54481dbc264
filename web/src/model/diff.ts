// SPDX-License-Identifier: Apache-2.0
// Compares two runs over the union of their call paths (both use the same ids).
//
// Widths nest: the width of a box is its self cost (the larger of the two runs, or that of one run) plus the widths of
// its children. If normalised, the run before is scaled to the weight of the run after. A side with several runs has the
// cost of one run: their mean.
import { callerTree } from './callers.ts';
import { orderTree, totalsOf } from './call_tree.ts';
import type { Shape } from './call_tree.ts';
import { functionCosts } from './functions.ts';
import type { CountedCosts, FunctionCosts } from './functions.ts';
import type { Amount, CallTree, DiffOptions, DiffTable, DiffTree, Judgement } from './interface.ts';
import { judgeInPage, judgementOf, typicalValues } from './judgement.ts';
import type { Grouping } from './labels.ts';
import type { AnalysisReport } from './profile.ts';
import type { Costs } from './select.ts';
import type { Words } from './words.ts';

export interface Pair<T extends Costs = Costs> {
  before: T;
  after: T;
}

export function scaleOf(pair: Pair, normalised: boolean): number {
  const { before, after } = pair;
  return normalised && before.amount.weight > 0 && after.amount.weight > 0
    ? after.amount.weight / before.amount.weight
    : 1;
}
// The cost of one run, of the sum of several.
export function costsOfRun<T extends Costs>(costs: T, runs: number): T {
  if (runs === 1) return costs;
  return { ...costs, weight: scaled(costs.weight, 1 / runs), amount: scaledAmount(costs.amount, 1 / runs) };
}
const scaled = (values: Float64Array, factor: number): Float64Array =>
  factor === 1 ? values : values.map((value) => value * factor);
const scaledAmount = (amount: Amount, factor: number): Amount => ({ ...amount, weight: amount.weight * factor });

function widths(before: Float64Array, after: Float64Array, width: DiffOptions['width']): Float64Array {
  if (width === 'before') return before;
  if (width === 'after') return after;
  return before.map((value, node) => Math.max(value, after[node]));
}

export function diffTree(shape: Shape, pair: Pair, options: DiffOptions): DiffTree {
  const { paths } = shape;
  const factor = scaleOf(pair, options.normalised);
  const before = scaled(pair.before.weight, factor);
  const after = pair.after.weight;
  const selfs = widths(before, after, options.width);
  const amountBefore = scaledAmount(pair.before.amount, factor);
  const amountAfter = pair.after.amount;
  const amount: Amount = { weight: 0, samples: amountBefore.samples + amountAfter.samples, effective: 0, lateShare: 0 };
  for (const weight of selfs) amount.weight += weight;
  const ends = { amountBefore, amountAfter };
  if (options.inverted) return { ...invertedDiff(shape, before, after, selfs, amount, options), ...ends };
  const totalsBefore = totalsOf(paths, before);
  const totalsAfter = totalsOf(paths, after);
  const { tree, nodes } = orderTree(shape, selfs, totalsOf(paths, selfs), amount, options.order);
  const pick = (column: Float64Array): Float64Array => Float64Array.from(nodes, (node) => column[node]);
  return {
    ...tree,
    selfBefore: pick(before),
    selfAfter: pick(after),
    totalBefore: pick(totalsBefore),
    totalAfter: pick(totalsAfter),
    ...ends,
  };
}

// Builds the inverted tree of the widths, then adds the costs of both runs along it.
function invertedDiff(
  shape: Shape,
  before: Float64Array,
  after: Float64Array,
  selfs: Float64Array,
  amount: Amount,
  options: DiffOptions,
): Omit<DiffTree, 'amountBefore' | 'amountAfter'> {
  const { paths } = shape;
  const starts: number[] = [];
  for (let node = 1; node < paths.size; ++node) if (selfs[node] > 0) starts.push(node);
  const tree = callerTree(
    paths,
    { node: Int32Array.from(starts), weight: Float64Array.from(starts, (node) => selfs[node]) },
    shape.ranks,
    amount,
    { order: options.order, minTotal: amount.weight / 4000, within: [] },
  );
  const along = (values: Float64Array): { self: Float64Array; total: Float64Array } => {
    const total = new Float64Array(tree.size);
    const self = new Float64Array(tree.size);
    const find = childFinder(tree);
    for (const start of starts) {
      const weight = values[start];
      if (weight === 0) continue;
      let row = 0;
      total[0] += weight;
      let at = start;
      while (at > 0) {
        const child = find(row, paths.label[at]);
        if (child < 0) break;
        row = child;
        total[row] += weight;
        at = paths.parent[at];
      }
      if (at <= 0) self[row] += weight;
    }
    return { self, total };
  };
  const one = along(before);
  const two = along(after);
  return { ...tree, selfBefore: one.self, selfAfter: two.self, totalBefore: one.total, totalAfter: two.total };
}

function childFinder(tree: CallTree): (row: number, func: number) => number {
  const known = new Map<number, number>();
  let span = 1;
  for (let row = 1; row < tree.size; ++row) span = Math.max(span, tree.func[row] + 1);
  for (let row = 1; row < tree.size; ++row) known.set(tree.parent[row] * span + tree.func[row], row);
  return (row, func) => (func < span ? (known.get(row * span + func) ?? -1) : -1);
}

// `reports` returns the report of `wick diff` by self or by total, if the page has one. `scale` is the weight of one unit
// of its numbers.
export function diffTable(
  shape: Shape,
  grouping: Grouping,
  pair: Pair<CountedCosts>,
  options: DiffOptions,
  words: Words,
  scale: number,
  reports: (measure: 'self' | 'total') => AnalysisReport | undefined,
): DiffTable {
  const factor = scaleOf(pair, options.normalised);
  const costs: [FunctionCosts, FunctionCosts] = [
    functionCosts(shape, grouping, pair.before),
    functionCosts(shape, grouping, pair.after),
  ];
  const selfBefore = scaled(costs[0].self, factor);
  const totalBefore = scaled(costs[0].total, factor);
  const selfAfter = costs[1].self;
  const totalAfter = costs[1].total;
  const rows: number[] = [];
  for (let func = 0; func < grouping.size; ++func) if (totalBefore[func] > 0 || totalAfter[func] > 0) rows.push(func);
  const change = (func: number): number => Math.abs(selfAfter[func] - selfBefore[func]);
  rows.sort((a, b) => change(b) - change(a) || grouping.ranks[a] - grouping.ranks[b]);
  const func = Int32Array.from(rows);
  const pick = (column: Float64Array): Float64Array => Float64Array.from(func, (row) => column[row]);
  const table = {
    func,
    selfBefore: pick(selfBefore),
    selfAfter: pick(selfAfter),
    totalBefore: pick(totalBefore),
    totalAfter: pick(totalAfter),
  };
  let [costBefore, costAfter] = [pair.before.amount.weight, pair.after.amount.weight];
  const names = Array.from(func, (row) => grouping.labels.name[row]);
  const judge = (measure: 'self' | 'total'): Judgement => {
    const report = reports(measure);
    if (report !== undefined) {
      const values = typicalValues(report, names);
      if (values !== null) {
        const unit = options.normalised ? pair.after.amount.weight : scale;
        table[`${measure}Before`] = scaled(values.before, unit);
        table[`${measure}After`] = scaled(values.after, unit);
        [costBefore, costAfter] = [values.costBefore * scale, values.costAfter * scale];
      }
      return judgementOf(report, names, words);
    }
    const measured = {
      before: table[`${measure}Before`],
      after: table[`${measure}After`],
      samplesBefore: pick(costs[0][`${measure}Samples`]),
      samplesAfter: pick(costs[1][`${measure}Samples`]),
    };
    return judgeInPage(measured, [pair.before.amount, pair.after.amount], options.normalised, words);
  };
  const judgements = { self: judge('self'), total: judge('total') };
  return {
    ...table,
    ...judgements,
    amountBefore: scaledAmount(pair.before.amount, factor),
    amountAfter: pair.after.amount,
    costBefore,
    costAfter,
  };
}
