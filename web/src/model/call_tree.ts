// SPDX-License-Identifier: Apache-2.0
// Call trees in drawing order: from call paths with costs to the columns of CallTree.
//
// The order by name does not depend on costs, so paths are numbered in that order; the order by weight sorts siblings
// again each time. Both use an explicit stack, never recursion.
import type { Amount, CallTree } from './interface.ts';
import { addIntoParents, childrenOf, depths, renumbered } from './paths.ts';
import type { Children, Paths } from './paths.ts';

// Call paths, with all data about them that filters do not change. Nodes are numbered in drawing order by name, depth
// first: neighbours in the tree are neighbours in memory, which halves the time of every pass over a large one.
export class Shape {
  readonly paths: Paths; // labels are rows of a grouping
  readonly ranks: Uint32Array; // of rows, by name
  readonly newIndex: Int32Array; // by node of the original paths: its number in these
  readonly depths: Int32Array; // by node
  readonly maxDepth: number;
  private children: Children | null = null;
  private outermost: Uint8Array | null = null;

  constructor(paths: Paths, ranks: Uint32Array) {
    const children = childrenOf(paths);
    const { start, list } = children;
    const key = (node: number): number => ranks[paths.label[node]];
    for (let node = 0; node < paths.size; ++node) sortRange(list, start[node], start[node + 1], key);
    const moved = renumbered(paths, depthFirst(paths.size, children));
    this.paths = moved.paths;
    this.newIndex = moved.newIndex;
    this.ranks = ranks;
    this.depths = depths(this.paths);
    this.maxDepth = this.depths.reduce((most, depth) => Math.max(most, depth), 0);
  }

  // Children lists, siblings by name.
  get byName(): Children {
    return (this.children ??= childrenOf(this.paths));
  }

  // 1 for nodes without an ancestor of the same label. A function's total counts these only, so recursion counts once.
  get outermostCalls(): Uint8Array {
    return (this.outermost ??= findOutermost(this.paths, this.ranks.length));
  }
}

// Sorts list[begin..end) by key. Most lists are short: insertion sort.
function sortRange(list: Int32Array, begin: number, end: number, key: (item: number) => number): void {
  if (end - begin < 2) return;
  if (end - begin > 24) {
    list.subarray(begin, end).sort((a, b) => key(a) - key(b));
    return;
  }
  for (let i = begin + 1; i < end; ++i) {
    const item = list[i];
    const own = key(item);
    let j = i;
    while (j > begin && key(list[j - 1]) > own) {
      list[j] = list[j - 1];
      --j;
    }
    list[j] = item;
  }
}

function depthFirst(size: number, children: Children): Int32Array {
  const { start, list } = children;
  const order = new Int32Array(size);
  const pending = new Int32Array(size);
  let waiting = 1; // node 0
  let count = 0;
  while (waiting > 0) {
    const node = pending[--waiting];
    order[count++] = node;
    for (let i = start[node + 1] - 1; i >= start[node]; --i) pending[waiting++] = list[i];
  }
  return order;
}

function findOutermost(paths: Paths, labels: number): Uint8Array {
  const flags = new Uint8Array(paths.size);
  const onPath = new Int32Array(labels);
  const open: number[] = []; // from the root to the previous node
  for (let node = 1; node < paths.size; ++node) {
    while (open.length > 0 && open[open.length - 1] !== paths.parent[node]) --onPath[paths.label[open.pop() as number]];
    flags[node] = onPath[paths.label[node]]++ === 0 ? 1 : 0;
    open.push(node);
  }
  return flags;
}

export function totalsOf(paths: Paths, selfs: Float64Array): Float64Array {
  const totals = selfs.slice();
  addIntoParents(paths, totals);
  return totals;
}

// Siblings with weight, heaviest first, equal ones by name.
function heaviestFirst(shape: Shape, totals: Float64Array): Children {
  const { start, list } = shape.byName;
  const sorted = list.slice();
  for (let node = 0; node < shape.paths.size; ++node) {
    const begin = start[node];
    const end = start[node + 1];
    if (end - begin < 2 || totals[node] === 0) continue;
    if (end - begin <= 24) {
      for (let i = begin + 1; i < end; ++i) {
        const item = sorted[i];
        const own = totals[item];
        let j = i;
        while (j > begin && totals[sorted[j - 1]] < own) {
          sorted[j] = sorted[j - 1];
          --j;
        }
        sorted[j] = item;
      }
    } else {
      sorted.subarray(begin, end).sort((a, b) => totals[b] - totals[a]); // stable: ties stay by name
    }
  }
  return { start, list: sorted };
}

export interface Ordered {
  tree: CallTree;
  nodes: Int32Array; // by row of the tree: its node of the shape
}

// The tree of the nodes with a weight. `totals` must be the sums of `selfs`.
export function orderTree(
  shape: Shape,
  selfs: Float64Array,
  totals: Float64Array,
  amount: Amount,
  order: 'weight' | 'name',
): Ordered {
  const { paths } = shape;
  let size = 1;
  for (let node = 1; node < paths.size; ++node) size += totals[node] > 0 ? 1 : 0;
  const nodes = new Int32Array(size);
  if (order === 'name') {
    let count = 1;
    for (let node = 1; node < paths.size; ++node) if (totals[node] > 0) nodes[count++] = node;
  } else {
    fillHeaviestFirst(shape, totals, nodes);
  }
  return { tree: layOutNodes(shape, nodes, selfs, totals, amount), nodes };
}

function fillHeaviestFirst(shape: Shape, totals: Float64Array, nodes: Int32Array): void {
  const { start, list } = heaviestFirst(shape, totals);
  const pending = new Int32Array(nodes.length);
  let waiting = 1; // node 0
  let count = 0;
  while (waiting > 0) {
    const node = pending[--waiting];
    nodes[count++] = node;
    for (let i = start[node + 1] - 1; i >= start[node]; --i) if (totals[list[i]] > 0) pending[waiting++] = list[i];
  }
}

// Columns of a tree whose nodes are in drawing order: children follow each other from the parent's left edge. Open
// rows are stored by depth, so every column is written from start to end.
function layOutNodes(
  shape: Shape,
  nodes: Int32Array,
  selfs: Float64Array,
  totals: Float64Array,
  amount: Amount,
): CallTree {
  const { paths, depths } = shape;
  const size = nodes.length;
  const parent = new Int32Array(size);
  const end = new Int32Array(size);
  const depth = new Int32Array(size);
  const func = new Int32Array(size);
  const left = new Float64Array(size);
  const self = new Float64Array(size);
  const total = new Float64Array(size);
  const rowAt = new Int32Array(shape.maxDepth + 2); // by depth: the open row
  const leftAt = new Float64Array(shape.maxDepth + 2); // by depth: where the next row begins
  let open = 0;
  let maxDepth = 0;
  parent[0] = -1;
  func[0] = -1;
  self[0] = selfs[0];
  total[0] = totals[0];
  for (let row = 1; row < size; ++row) {
    const node = nodes[row];
    const level = depths[node];
    while (open >= level) end[rowAt[open--]] = row;
    open = level;
    if (level > maxDepth) maxDepth = level;
    rowAt[level] = row;
    parent[row] = rowAt[level - 1];
    depth[row] = level;
    func[row] = paths.label[node];
    self[row] = selfs[node];
    const weight = totals[node];
    total[row] = weight;
    const edge = leftAt[level];
    left[row] = edge;
    leftAt[level] = edge + weight;
    leftAt[level + 1] = edge;
  }
  while (open >= 0) end[rowAt[open--]] = size;
  return { size, parent, end, depth, func, left, self, total, maxDepth, amount, cut: null };
}

// The row after the last descendant, for rows in depth-first order.
export function endsOf(parent: Int32Array): Int32Array {
  const end = new Int32Array(parent.length);
  for (let row = parent.length - 1; row >= 0; --row) {
    if (end[row] === 0) end[row] = row + 1;
    const above = parent[row];
    if (above >= 0 && end[above] === 0) end[above] = end[row];
  }
  return end;
}
