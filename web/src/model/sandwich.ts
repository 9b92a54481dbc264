// SPDX-License-Identifier: Apache-2.0
// The callers and callees of one function (src/analyze/sandwich). Only its outermost calls count, so recursion counts
// once; its recursive calls are among its callees.
import { orderTree, Shape, totalsOf } from './call_tree.ts';
import { callerTree } from './callers.ts';
import type { FunctionId, Sandwich, TreeOptions } from './interface.ts';
import { PathBuilder } from './paths.ts';
import type { Costs } from './select.ts';

export function sandwich(shape: Shape, costs: Costs, func: FunctionId, options: TreeOptions): Sandwich {
  const { paths } = shape;
  const totals = totalsOf(paths, costs.weight);
  const builder = new PathBuilder(1024);
  const below = new Int32Array(paths.size).fill(-1); // by node: its node among the callees
  const starts: number[] = [];
  const calleeSelfs: number[] = [0];
  let self = 0;
  let total = 0;
  for (let node = 1; node < paths.size; ++node) {
    const above = below[paths.parent[node]];
    const isFunction = paths.label[node] === func;
    if (above < 0 && !isFunction) continue;
    if (above < 0) {
      below[node] = 0;
      total += totals[node];
      if (totals[node] > 0) starts.push(node);
    } else {
      if (totals[node] <= 0) continue;
      below[node] = builder.child(above, paths.label[node]);
    }
    while (calleeSelfs.length < builder.size) calleeSelfs.push(0);
    calleeSelfs[below[node]] += costs.weight[node];
    if (isFunction) self += costs.weight[node];
  }
  const { amount } = costs; // shares are of the whole, as in `wick sandwich`
  const callees = new Shape(builder.finish(), shape.ranks);
  const calleeWeights = new Float64Array(callees.paths.size);
  calleeSelfs.forEach((weight, node) => {
    calleeWeights[callees.newIndex[node]] = weight;
  });
  const calleeTree = orderTree(
    callees,
    calleeWeights,
    totalsOf(callees.paths, calleeWeights),
    amount,
    options.order,
  ).tree;
  const callers = callerTree(
    paths,
    {
      node: Int32Array.from(starts, (node) => paths.parent[node]),
      weight: Float64Array.from(starts, (node) => totals[node]),
    },
    shape.ranks,
    amount,
    { order: options.order, minTotal: options.minTotal ?? total / 4000, within: options.within ?? [] },
  );
  callers.func[0] = func;
  calleeTree.func[0] = func;
  return { func, self, total, amount, callers, callees: calleeTree };
}
