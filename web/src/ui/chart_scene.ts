// SPDX-License-Identifier: Apache-2.0
// A thread's stacks in time order. A million steps are ordinary, and nearly all are narrower than a pixel, so there is
// no work per step: each column of pixels looks up the step at its middle and draws the frames of that stack; adjacent
// columns with the same node are one box. The cost is columns x depth, for any length.
//
// The grid of columns is fixed in time, not in the window, so a picture does not flicker when it moves.

import type { Chart } from '../model/interface.ts';
import type { Box, Direction, Lines, Look, Scene } from './scene.ts';

const NARROWEST_GAP = 2; // pixels

// The steps of one lane, and the tree of all lanes.
export interface LaneSteps {
  begin: Float64Array;
  end: Float64Array;
  node: Int32Array;
  maxDepth: number;
  parent: Int32Array;
  depth: Int32Array;
}

export function laneSteps(chart: Chart, lane: number): LaneSteps {
  const { begin, end, node, first, maxDepth, parent, depth } = chart,
    [from, to] = [first[lane], first[lane + 1]];
  return {
    begin: begin.subarray(from, to),
    end: end.subarray(from, to),
    node: node.subarray(from, to),
    maxDepth: maxDepth[lane],
    parent,
    depth,
  };
}

// Depth-first numbers of nodes: descendants of n have enter[n] <= enter < leave[n].
export interface Numbers {
  enter: Int32Array;
  leave: Int32Array;
}

// Sizes from the last node to the first, then numbers from the first to the last: parents precede children.
export function numberNodes(parent: Int32Array): Numbers {
  const size = parent.length,
    enter = new Int32Array(size),
    leave = new Int32Array(size),
    below = new Int32Array(size).fill(1),
    next = new Int32Array(size);
  for (let n = size - 1; n > 0; n--) below[parent[n]] += below[n];
  for (let n = 0; n < size; n++) {
    if (n > 0) {
      enter[n] = next[parent[n]];
      next[parent[n]] += below[n];
    }
    next[n] = enter[n] + 1;
    leave[n] = enter[n] + below[n];
  }
  return { enter, leave };
}

export class ChartScene implements Scene {
  readonly rows: number;
  readonly extent: [number, number];
  private nodes = new Int32Array(0); // by pixel of the last picture: node, 0 for none

  constructor(
    readonly chart: LaneSteps,
    private readonly numbers: Numbers = numberNodes(chart.parent),
  ) {
    const steps = chart.begin.length;
    this.rows = steps > 0 ? chart.maxDepth : 0;
    this.extent = steps > 0 ? [chart.begin[0], chart.end[steps - 1]] : [0, 1];
  }

  private isIn(node: number, ancestor: number): boolean {
    const { enter, leave } = this.numbers;
    return enter[node] >= enter[ancestor] && enter[node] < leave[ancestor];
  }

  hasSteps(left: number, right: number): boolean {
    const step = this.stepAt(left);
    return step < this.chart.begin.length && this.chart.begin[step] < right;
  }

  // The step that covers t, or the first one after it.
  private stepAt(t: number): number {
    const { end } = this.chart;
    let low = 0,
      high = end.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (end[middle] <= t) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // Rows of the chart are depths from 1: node 0 is the whole.
  paint(lines: Lines, look: Look): void {
    const { width, first, last, left, right } = lines,
      rows = last - first,
      { begin, end, node, parent, depth } = this.chart;
    if (this.nodes.length < width * rows) this.nodes = new Int32Array(width * rows);
    const nodes = this.nodes.fill(0),
      scale = width / (right - left),
      grid = Math.floor(left * scale);
    let step = this.stepAt((grid + 0.5) / scale);
    for (let column = 0; column < width && step < end.length;) {
      const t = (grid + column + 0.5) / scale;
      if (end[step] <= t) {
        step = end[step + 1] > t ? step + 1 : this.stepAt(t);
        continue;
      }
      // A gap that is too narrow to be seen is not drawn: the next step begins early.
      if (begin[step] > t && (step === 0 || (begin[step] - end[step - 1]) * scale > NARROWEST_GAP)) {
        column = Math.max(column + 1, Math.ceil(begin[step] * scale - grid - 0.5));
        continue;
      }
      const until = Math.min(width, Math.max(column + 1, Math.ceil(end[step] * scale - grid - 0.5)));
      let at = node[step],
        row = depth[at] - 1;
      for (; row >= last; row--) at = parent[at];
      if (until === column + 1) {
        for (; row >= first; row--, at = parent[at]) nodes[(row - first) * width + column] = at;
      } else {
        for (; row >= first; row--, at = parent[at])
          nodes.fill(at, (row - first) * width + column, (row - first) * width + until);
      }
      column = until;
    }
    for (let row = first; row < last; row++) this.paintRow(lines, look, row);
  }

  private paintRow({ pixels, width, first, line, narrowest, label }: Lines, look: Look, row: number): void {
    const from = (row - first) * width,
      to = from + width,
      nodes = this.nodes,
      shift = line(row) * width - from,
      odd = row & 1;
    for (let at = from; at < to;) {
      const node = nodes[at];
      let until = at + 1;
      while (until < to && nodes[until] === node) until++;
      if (node > 0) {
        const wide = until - at;
        const shade = look.colour[2 * node + odd];
        if (wide === 1) pixels[at + shift] = shade;
        else pixels.fill(shade, at + shift, until + shift - (wide >= 4 ? 1 : 0));
        if (wide >= narrowest) label(node, row, at - from, until - from);
      }
      at = until;
    }
  }

  private ancestorAt(node: number, row: number): number {
    let at = node;
    for (let depth = this.chart.depth[node]; depth > row + 1; depth--) at = this.chart.parent[at];
    return this.chart.depth[at] === row + 1 ? at : -1;
  }

  // The whole call around a step: adjacent steps below one node, without a gap.
  private around(step: number, node: number, row: number): Box {
    const { begin, end, node: nodes } = this.chart;
    let first = step,
      last = step;
    while (first > 0 && end[first - 1] === begin[first] && this.isIn(nodes[first - 1], node)) first--;
    while (last + 1 < end.length && begin[last + 1] === end[last] && this.isIn(nodes[last + 1], node)) last++;
    return { node, row, start: begin[first], end: end[last] };
  }

  boxAt(row: number, x: number): Box | null {
    const step = this.stepAt(x);
    if (row < 0 || step >= this.chart.end.length || this.chart.begin[step] > x) return null;
    const node = this.ancestorAt(this.chart.node[step], row);
    return node > 0 ? this.around(step, node, row) : null;
  }

  boxOfNode(node: number): Box | null {
    const { node: nodes, depth } = this.chart;
    for (let step = 0; step < nodes.length; step++) {
      if (this.isIn(nodes[step], node)) return this.around(step, node, depth[node] - 1);
    }
    return null;
  }

  step(box: Box, direction: Direction): Box | null {
    const { begin, end, node: nodes } = this.chart;
    if (direction === 'parent') return this.boxAt(box.row - 1, box.start);
    if (direction === 'child') {
      for (let step = this.stepAt(box.start); step < end.length && begin[step] < box.end; step++) {
        const child = this.ancestorAt(nodes[step], box.row + 1);
        if (child > 0) return this.around(step, child, box.row + 1);
      }
      return null;
    }
    const by = direction === 'left' ? -1 : 1;
    let step = direction === 'left' ? this.stepAt(box.start) - 1 : this.stepAt(box.end);
    for (; step >= 0 && step < end.length; step += by) {
      const node = this.ancestorAt(nodes[step], box.row);
      if (node > 0) return this.around(step, node, box.row);
    }
    return null;
  }
}
