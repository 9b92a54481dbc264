// SPDX-License-Identifier: Apache-2.0
// Nodes by their call paths: a path is valid in a new tree, a node number is not.

import type { CallTree, FunctionId } from '../model/interface.ts';

export function pathOf(tree: { parent: Int32Array; func: Int32Array }, node: number): FunctionId[] {
  const path: FunctionId[] = [];
  for (let n = node; n > 0; n = tree.parent[n]) path.push(tree.func[n]);
  return path.reverse();
}

// The node of the longest prefix of the path that exists; node 0 if there is none.
export function nodeOf(tree: CallTree, path: readonly FunctionId[]): { node: number; whole: boolean } {
  let node = 0;
  for (const func of path) {
    let child = node + 1;
    while (child < tree.end[node] && tree.func[child] !== func) child = tree.end[child];
    if (child >= tree.end[node]) return { node, whole: false };
    node = child;
  }
  return { node, whole: true };
}

// A number for each node that depends on its path only, so opened rows stay open in a new tree.
export function pathHashes(tree: CallTree): Float64Array {
  const hashes = new Float64Array(tree.size);
  for (let n = 1; n < tree.size; n++) {
    const above = hashes[tree.parent[n]],
      low = above % 4294967296;
    const mixedLow = Math.imul(low ^ Math.imul(tree.func[n] + 1, 0x9e3779b1), 0x85ebca6b) >>> 0;
    const mixedHigh = Math.imul((above / 4294967296) ^ (tree.func[n] + 0x7f4a7c15), 0xc2b2ae35) & 0x1fffff;
    hashes[n] = mixedHigh * 4294967296 + ((mixedLow ^ (mixedLow >>> 15)) % 4294967296);
    if (hashes[n] < 0) hashes[n] += 9007199254740992;
  }
  return hashes;
}
