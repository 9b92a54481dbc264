// SPDX-License-Identifier: Apache-2.0
// A node's own time, as people understand it. In a tree that grows to callers the model's `self` is the cost of stacks
// that begin at the node; there, the first frame of a path is where the time was spent, and a caller has none of it.

import type { CallTree } from '../model/interface.ts';

const growsToCallers = (tree: CallTree): boolean => tree.cut !== null;
const isAllTogether = (tree: CallTree): boolean => tree.func[0] < 0; // else the root is the function of a sandwich

// null: the question makes no sense for this node.
export function selfTime(tree: CallTree, node: number): number | null {
  if (!growsToCallers(tree)) return tree.self[node];
  return isAllTogether(tree) && tree.depth[node] === 1 ? tree.total[node] : null;
}

export function selfTimes(tree: CallTree): Float64Array {
  return growsToCallers(tree) ? tree.total.map((_, node) => selfTime(tree, node) ?? 0) : tree.self;
}
