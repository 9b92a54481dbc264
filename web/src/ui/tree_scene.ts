// SPDX-License-Identifier: Apache-2.0
// The rows of a call tree. Nodes are in depth-first order, left to right (model/interface.ts), so sorting them by depth
// is one counting pass that preserves the order in each row. Boxes of a row do not overlap.

import type { CallTree } from '../model/interface.ts';
import type { Box, Direction, Lines, Look, Scene } from './scene.ts';

export class TreeScene implements Scene {
  readonly rows: number;
  readonly extent: [number, number];
  private readonly rowBegin: Uint32Array; // first box of each row, and the number of boxes as the last entry
  private readonly node: Uint32Array;
  private readonly start: Float64Array;
  private readonly end: Float64Array;
  private readonly boxOf: Uint32Array; // by node

  constructor(readonly tree: CallTree) {
    const size = tree.size;
    this.rows = size > 0 ? tree.maxDepth + 1 : 0;
    this.extent = [0, size > 0 ? tree.total[0] : 1];
    this.rowBegin = new Uint32Array(this.rows + 1);
    this.node = new Uint32Array(size);
    this.start = new Float64Array(size);
    this.end = new Float64Array(size);
    this.boxOf = new Uint32Array(size);
    for (let n = 0; n < size; n++) this.rowBegin[tree.depth[n] + 1]++;
    for (let row = 0; row < this.rows; row++) this.rowBegin[row + 1] += this.rowBegin[row];
    const next = this.rowBegin.slice();
    for (let n = 0; n < size; n++) {
      const box = next[tree.depth[n]]++;
      this.node[box] = n;
      this.boxOf[n] = box;
      this.start[box] = tree.left[n];
      this.end[box] = tree.left[n] + tree.total[n];
    }
  }

  // The first box of [from, to) that ends after x; `to` if there is none. Doubles its steps first: usually the box is
  // near.
  private firstEndingAfter(x: number, from: number, to: number): number {
    const end = this.end;
    let step = 1,
      low = from,
      high = from;
    while (high < to && end[high] <= x) {
      low = high + 1;
      high += step;
      step *= 2;
    }
    if (high > to) high = to;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (end[middle] <= x) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  paint(lines: Lines, look: Look): void {
    for (let row = lines.first; row < Math.min(lines.last, this.rows); row++) {
      this.paintRow(lines, look.colour, row);
      this.labelRow(lines, row);
    }
  }

  // Skips all boxes before the next pixel's edge that are too narrow for a pixel.
  private paintRow({ pixels, width, left, right, line }: Lines, colour: Uint32Array, row: number): void {
    const { start, end, node } = this,
      scale = width / (right - left),
      origin = line(row) * width,
      odd = row & 1;
    const to = this.rowBegin[row + 1];
    let box = this.firstEndingAfter(left, this.rowBegin[row], to);
    while (box < to && start[box] < right) {
      const from = (start[box] - left) * scale;
      const a = Math.max(0, Math.round(from)),
        edge = Math.round((end[box] - left) * scale),
        b = Math.min(width, edge);
      const shade = colour[2 * node[box] + odd];
      if (b > a) {
        pixels.fill(shade, origin + a, origin + (b - a >= 4 && edge <= width ? b - 1 : b));
        box++;
        continue;
      }
      const pixel = Math.max(0, Math.floor(from));
      if (pixel < width && pixels[origin + pixel] === 0) pixels[origin + pixel] = shade;
      box = this.firstEndingAfter(left + (pixel + 1) / scale, box + 1, to);
    }
  }

  private labelRow({ width, left, right, narrowest, label }: Lines, row: number): void {
    const { start, end, node } = this,
      scale = width / (right - left),
      room = narrowest / scale;
    const to = this.rowBegin[row + 1];
    let box = this.firstEndingAfter(left, this.rowBegin[row], to);
    while (box < to && start[box] < right) {
      if (end[box] - start[box] >= room) {
        label(node[box], row, Math.max(0, (start[box] - left) * scale), Math.min(width, (end[box] - left) * scale));
        box++;
      } else {
        // The next box with enough room for a label ends at least that far after this one.
        const next = this.firstEndingAfter(start[box] + room, box, to);
        box = next > box ? next : box + 1;
      }
    }
  }

  private asBox(box: number, row: number): Box {
    return { node: this.node[box], row, start: this.start[box], end: this.end[box] };
  }

  boxAt(row: number, x: number): Box | null {
    if (row < 0 || row >= this.rows) return null;
    const to = this.rowBegin[row + 1],
      box = this.firstEndingAfter(x, this.rowBegin[row], to);
    return box < to && this.start[box] <= x ? this.asBox(box, row) : null;
  }

  boxOfNode(node: number): Box | null {
    return node >= 0 && node < this.tree.size ? this.asBox(this.boxOf[node], this.tree.depth[node]) : null;
  }

  step(from: Box, direction: Direction): Box | null {
    const { tree } = this,
      node = from.node;
    if (direction === 'parent') return this.boxOfNode(tree.parent[node]);
    if (direction === 'child') return this.boxOfNode(widestChild(tree, node));
    const box = this.boxOf[node] + (direction === 'left' ? -1 : 1);
    return box >= this.rowBegin[from.row] && box < this.rowBegin[from.row + 1] ? this.asBox(box, from.row) : null;
  }
}

export function widestChild(tree: CallTree, node: number): number {
  let widest = -1;
  for (let child = node + 1; child < tree.end[node]; child = tree.end[child]) {
    if (widest < 0 || tree.total[child] > tree.total[widest]) widest = child;
  }
  return widest;
}
