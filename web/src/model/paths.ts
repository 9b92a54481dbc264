// SPDX-License-Identifier: Apache-2.0
// A tree of call paths as two columns, parent and label, grown by interning. Node 0 is the root; a parent precedes
// its children, so one pass from the last node to the first adds children into parents.

export interface Paths {
  size: number;
  parent: Int32Array; // -1 for the root
  label: Int32Array; // -1 for the root
}

const grown = (old: Int32Array, size: number): Int32Array => {
  const larger = new Int32Array(size);
  larger.set(old);
  return larger;
};

// Interns (parent, label). Open addressing over node numbers. The node after the parent is checked first, because
// stacks arrive frame by frame.
export class PathBuilder {
  private parent: Int32Array;
  private label: Int32Array;
  private table: Int32Array;
  private mask: number;
  private count = 1;

  constructor(expected: number) {
    let slots = 1024;
    while (slots < expected * 2) slots *= 2;
    this.parent = new Int32Array(Math.max(expected, 16) + 1);
    this.label = new Int32Array(Math.max(expected, 16) + 1);
    this.parent[0] = -1;
    this.label[0] = -1;
    this.table = new Int32Array(slots);
    this.mask = slots - 1;
  }

  private static hash(parent: number, label: number): number {
    let h = Math.imul(parent, 0x9e3779b1) ^ Math.imul(label + 0x7f4a7c15, 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
    return h ^ (h >>> 13);
  }

  child(parent: number, label: number): number {
    const next = parent + 1;
    if (next < this.count && this.parent[next] === parent && this.label[next] === label) return next;
    let slot = PathBuilder.hash(parent, label) & this.mask;
    for (let node = this.table[slot]; node !== 0; node = this.table[slot]) {
      if (this.parent[node] === parent && this.label[node] === label) return node;
      slot = (slot + 1) & this.mask;
    }
    const node = this.count++;
    if (node >= this.parent.length) {
      this.parent = grown(this.parent, node * 2);
      this.label = grown(this.label, node * 2);
    }
    this.parent[node] = parent;
    this.label[node] = label;
    this.table[slot] = node;
    if (this.count * 2 > this.mask) this.rehash();
    return node;
  }

  private rehash(): void {
    this.table = new Int32Array((this.mask + 1) * 2);
    this.mask = this.table.length - 1;
    for (let node = 1; node < this.count; ++node) {
      let slot = PathBuilder.hash(this.parent[node], this.label[node]) & this.mask;
      while (this.table[slot] !== 0) slot = (slot + 1) & this.mask;
      this.table[slot] = node;
    }
  }

  get size(): number {
    return this.count;
  }

  finish(): Paths {
    return {
      size: this.count,
      parent: this.parent.slice(0, this.count),
      label: this.label.slice(0, this.count),
    };
  }
}

export function depths(paths: Paths): Int32Array {
  const depth = new Int32Array(paths.size);
  for (let node = 1; node < paths.size; ++node) depth[node] = depth[paths.parent[node]] + 1;
  return depth;
}

// Adds each node's value into its parent's, last node first.
export function addIntoParents(paths: Paths, values: Float64Array): void {
  const { parent } = paths;
  for (let node = paths.size - 1; node > 0; --node) values[parent[node]] += values[node];
}

// The same tree with its nodes numbered in this order (parents first); `newIndex` is by old number.
export function renumbered(paths: Paths, order: Int32Array): { paths: Paths; newIndex: Int32Array } {
  const newIndex = new Int32Array(paths.size);
  for (let i = 0; i < order.length; ++i) newIndex[order[i]] = i;
  const parent = new Int32Array(paths.size);
  const label = new Int32Array(paths.size);
  parent[0] = label[0] = -1;
  for (let i = 1; i < order.length; ++i) {
    parent[i] = newIndex[paths.parent[order[i]]];
    label[i] = paths.label[order[i]];
  }
  return { paths: { size: paths.size, parent, label }, newIndex };
}

// The children of n are list[start[n]] .. list[start[n + 1] - 1], in the order of node numbers.
export interface Children {
  start: Int32Array;
  list: Int32Array;
}
export function childrenOf(paths: Paths): Children {
  const { size, parent } = paths;
  const start = new Int32Array(size + 1);
  for (let node = 1; node < size; ++node) ++start[parent[node] + 1];
  for (let node = 0; node < size; ++node) start[node + 1] += start[node];
  const next = start.slice(0, size);
  const list = new Int32Array(Math.max(size - 1, 0));
  for (let node = 1; node < size; ++node) list[next[parent[node]]++] = node;
  return { start, list };
}
