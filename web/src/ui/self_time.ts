// SPDX-License-Identifier: Apache-2.0
// The self time of a node for display. In a tree of callers, the model's `self` is the cost of stacks that begin at the
// node. There the first frame of a path spent the time, and its callers spent none of it.

import type { CallTree } from '../model/interface.ts';

const growsToCallers = (tree: CallTree): boolean => tree.cut !== null;
const isAllTogether = (tree: CallTree): boolean => tree.func[0] < 0; // false: the root is the function of a sandwich

// null: this node has no self time.
export function selfTime(tree: CallTree, node: number): number | null {
  if (!growsToCallers(tree)) return tree.self[node];
  return isAllTogether(tree) && tree.depth[node] === 1 ? tree.total[node] : null;
}

export function selfTimes(tree: CallTree): Float64Array {
  return growsToCallers(tree) ? tree.total.map((_, node) => selfTime(tree, node) ?? 0) : tree.self;
}
