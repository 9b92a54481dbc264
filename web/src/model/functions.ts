// SPDX-License-Identifier: Apache-2.0
// The function table: self and total of each, with the interval of their shares.
import type { Shape } from './call_tree.ts';
import { totalsOf } from './call_tree.ts';
import type { FunctionTable } from './interface.ts';
import type { Grouping } from './labels.ts';
import type { Costs } from './select.ts';
import { shareInterval } from './statistics.ts';
import type { Interval } from './statistics.ts';
import { isTimer, type Words } from './words.ts';

export interface CountedCosts extends Costs {
  count: Float64Array; // by node, as `weight`
}

export interface FunctionCosts {
  self: Float64Array; // by label
  total: Float64Array;
  selfSamples: Float64Array;
  totalSamples: Float64Array;
}

export function functionCosts(shape: Shape, grouping: Grouping, costs: CountedCosts): FunctionCosts {
  const { paths } = shape;
  const weights = totalsOf(paths, costs.weight);
  const counts = totalsOf(paths, costs.count);
  const outermost = shape.outermostCalls;
  const size = grouping.size;
  const result: FunctionCosts = {
    self: new Float64Array(size),
    total: new Float64Array(size),
    selfSamples: new Float64Array(size),
    totalSamples: new Float64Array(size),
  };
  for (let node = 1; node < paths.size; ++node) {
    const func = paths.label[node];
    result.self[func] += costs.weight[node];
    result.selfSamples[func] += costs.count[node];
    if (outermost[node] !== 0) {
      result.total[func] += weights[node];
      result.totalSamples[func] += counts[node];
    }
  }
  result.self[grouping.empty] = result.total[grouping.empty] = costs.weight[0];
  result.selfSamples[grouping.empty] = result.totalSamples[grouping.empty] = costs.count[0];
  return result;
}

// The share of the samples that end in late functions; 0 if the event is not a timer, or if it is too small to matter.
export function lateShareOf({ paths }: Shape, grouping: Grouping, costs: Costs, event: string, words: Words): number {
  if (!isTimer(words, event) || costs.amount.weight <= 0) return 0;
  let sum = 0;
  for (let node = 1; node < paths.size; ++node) {
    if (grouping.labels.late[paths.label[node]] !== 0) sum += costs.weight[node];
  }
  const share = sum / costs.amount.weight;
  return share >= words.late.least_share ? share : 0;
}

export function functionTable(shape: Shape, grouping: Grouping, costs: CountedCosts, words: Words): FunctionTable {
  const all = functionCosts(shape, grouping, costs);
  const rows: number[] = [];
  for (let func = 0; func < grouping.size; ++func) {
    if (all.total[func] > 0 || all.totalSamples[func] > 0) rows.push(func);
  }
  const { ranks } = grouping;
  rows.sort((a, b) => all.self[b] - all.self[a] || all.total[b] - all.total[a] || ranks[a] - ranks[b]);
  const func = Int32Array.from(rows);
  const pick = (column: Float64Array): Float64Array => Float64Array.from(func, (row) => column[row]);
  const { amount } = costs;
  const bounds = (column: Float64Array, end: keyof Interval): Float64Array =>
    amount.effective <= 0 || amount.weight === 0
      ? new Float64Array(0)
      : column.map((weight) => shareInterval(weight / amount.weight, amount.effective, words)[end]);
  const self = pick(all.self);
  const total = pick(all.total);
  return {
    func,
    self,
    total,
    selfSamples: pick(all.selfSamples),
    totalSamples: pick(all.totalSamples),
    selfLow: bounds(self, 'low'),
    selfHigh: bounds(self, 'high'),
    totalLow: bounds(total, 'low'),
    totalHigh: bounds(total, 'high'),
    late: Uint8Array.from(func, (label, row) =>
      Number(amount.lateShare > 0 && self[row] > 0 && grouping.labels.late[label]),
    ),
    amount,
  };
}
