// SPDX-License-Identifier: Apache-2.0
// Trees that grow from functions to their callers: the inverted tree and the upper half of the sandwich.
//
// They are built by splitting, not by interning. All starting points are in one array; those on the same path form a
// segment, and a segment is split by caller. Segments far narrower than a pixel are not split further (`cut`), so a
// million stacks of any depth cost a few passes.
import type { Amount, CallTree } from './interface.ts';
import { endsOf } from './call_tree.ts';
import type { Paths } from './paths.ts';

export interface Starts {
  node: Int32Array; // the next frame; 0: none
  weight: Float64Array;
}

export interface CallerOptions {
  order: 'weight' | 'name';
  minTotal: number; // lighter segments are not split
  within: number[]; // segments on this path are always split
}

// Growing columns of the tree.
class Rows {
  parent = new Int32Array(1024);
  depth = new Int32Array(1024);
  func = new Int32Array(1024);
  left = new Float64Array(1024);
  self = new Float64Array(1024);
  total = new Float64Array(1024);
  cut = new Uint8Array(1024);
  size = 0;

  add(parent: number, depth: number, func: number, left: number, total: number): number {
    if (this.size === this.parent.length) this.grow();
    const row = this.size++;
    this.parent[row] = parent;
    this.depth[row] = depth;
    this.func[row] = func;
    this.left[row] = left;
    this.total[row] = total;
    return row;
  }

  private grow(): void {
    const size = this.size * 2;
    const copied = <T extends Int32Array | Float64Array | Uint8Array>(old: T, fresh: T): T => {
      fresh.set(old);
      return fresh;
    };
    this.parent = copied(this.parent, new Int32Array(size));
    this.depth = copied(this.depth, new Int32Array(size));
    this.func = copied(this.func, new Int32Array(size));
    this.left = copied(this.left, new Float64Array(size));
    this.self = copied(this.self, new Float64Array(size));
    this.total = copied(this.total, new Float64Array(size));
    this.cut = copied(this.cut, new Uint8Array(size));
  }
}

// Starting points on one path, which are not yet a row of the tree.
interface Segment {
  begin: number;
  end: number;
  parent: number;
  func: number;
  total: number;
  left: number;
  onPath: boolean; // on the path `within`
}

export function callerTree(
  paths: Paths,
  starts: Starts,
  ranks: Uint32Array,
  amount: Amount,
  options: CallerOptions,
): CallTree {
  const count = starts.node.length;
  const at = starts.node.slice(); // by starting point: its current frame
  let items = new Int32Array(count);
  for (let i = 0; i < count; ++i) items[i] = i;
  const scratch = new Int32Array(count);
  const sums = new Float64Array(ranks.length);
  const sizes = new Int32Array(ranks.length);
  const nextSlot = new Int32Array(ranks.length);
  const rows = new Rows();
  let maxDepth = 0;
  let total = 0;
  for (let i = 0; i < count; ++i) total += starts.weight[i];
  const pending: Segment[] = [{ begin: 0, end: count, parent: -1, func: -1, total, left: 0, onPath: true }];
  while (pending.length > 0) {
    const segment = pending.pop() as Segment;
    const depth = segment.parent < 0 ? 0 : rows.depth[segment.parent] + 1;
    const row = rows.add(segment.parent, depth, segment.func, segment.left, segment.total);
    if (depth > maxDepth) maxDepth = depth;
    const isFirst = segment.parent < 0;
    // The callers, and the weight of the stacks that begin here.
    const callers: number[] = [];
    let ended = 0;
    for (let i = segment.begin; i < segment.end; ++i) {
      const item = items[i];
      const node = isFirst ? at[item] : (at[item] = paths.parent[at[item]]);
      if (node <= 0) {
        ended += starts.weight[item];
        continue;
      }
      const func = paths.label[node];
      if (sizes[func]++ === 0) callers.push(func);
      sums[func] += starts.weight[item];
    }
    rows.self[row] = ended;
    const split = isFirst || segment.onPath || segment.total >= options.minTotal;
    if (callers.length > 0 && split) {
      callers.sort((a, b) =>
        options.order === 'weight' && sums[b] !== sums[a] ? sums[b] - sums[a] : ranks[a] - ranks[b],
      );
      let slot = segment.begin;
      for (const func of callers) {
        nextSlot[func] = slot;
        slot += sizes[func];
      }
      distribute(paths, at, items, scratch, segment, nextSlot);
      let left = segment.left;
      const first = pending.length;
      let begin = segment.begin;
      for (const func of callers) {
        const end = begin + sizes[func];
        const onPath = segment.onPath && depth < options.within.length && options.within[depth] === func;
        if (sums[func] > 0) pending.push({ begin, end, parent: row, func, total: sums[func], left, onPath });
        left += sums[func];
        begin = end;
      }
      reverseFrom(pending, first);
    } else if (callers.length > 0) {
      rows.cut[row] = 1;
    }
    for (const func of callers) {
      sums[func] = 0;
      sizes[func] = 0;
    }
  }
  items = new Int32Array(0);
  const { size } = rows;
  const parent = rows.parent.slice(0, size);
  return {
    size,
    parent,
    end: endsOf(parent),
    depth: rows.depth.slice(0, size),
    func: rows.func.slice(0, size),
    left: rows.left.slice(0, size),
    self: rows.self.slice(0, size),
    total: rows.total.slice(0, size),
    maxDepth,
    amount,
    cut: rows.cut.slice(0, size),
  };
}

// Items of the segment in the order of their functions; those without a next frame go to its end.
function distribute(
  paths: Paths,
  at: Int32Array,
  items: Int32Array,
  scratch: Int32Array,
  segment: Segment,
  nextSlot: Int32Array,
): void {
  let last = segment.end;
  for (let i = segment.begin; i < segment.end; ++i) {
    const node = at[items[i]];
    if (node <= 0) scratch[--last] = items[i];
    else scratch[nextSlot[paths.label[node]]++] = items[i];
  }
  items.set(scratch.subarray(segment.begin, segment.end), segment.begin);
}

function reverseFrom(list: Segment[], first: number): void {
  for (let a = first, b = list.length - 1; a < b; ++a, --b) {
    const saved = list[a];
    list[a] = list[b];
    list[b] = saved;
  }
}
