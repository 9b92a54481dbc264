// SPDX-License-Identifier: Apache-2.0
// The stacks of several threads or CPUs in the order of time, one lane below the other. Each lane begins with a row for
// its name, which the owner writes. A pinned lane has all rows of its stacks; of the others one row shows: that of the
// functions that ran, or on a CPU that of the threads.

import type { Chart } from '../model/interface.ts';
import { ChartScene, laneSteps, numberNodes, type Numbers } from './chart_scene.ts';
import type { Box, Direction, Lines, Look, Scene } from './scene.ts';

export interface SceneLane {
  id: number; // thread or CPU
  top: number; // the row of its name
  scene: ChartScene;
  isPinned: boolean;
}

// The same steps, with the node at one depth (or the leaf, whichever comes first) as the only frame.
function oneRow(chart: Chart, lane: number, depth: number): ChartScene {
  const steps = laneSteps(chart, lane),
    { parent, depth: depths } = chart,
    flat = flatOf(chart),
    shown = steps.node.map((leaf) => {
      let node = leaf;
      while (depths[node] > depth) node = parent[node];
      return node;
    });
  const isShown = shown.some((node) => node > 0);
  // Nodes are their own roots here, so every step is a frame of the first row.
  return new ChartScene(
    { ...steps, node: shown, maxDepth: isShown ? 1 : 0, parent: flat.parents, depth: flat.depths },
    flat.numbers,
  );
}

// Every node as a root.
interface Flat {
  parents: Int32Array;
  depths: Int32Array;
  numbers: Numbers;
}
const flats = new WeakMap<Chart, Flat>();
function flatOf(chart: Chart): Flat {
  let flat = flats.get(chart);
  if (!flat) {
    const parents = new Int32Array(chart.parent.length),
      depths = new Int32Array(parents.length).fill(1);
    parents[0] = -1;
    depths[0] = 0;
    flats.set(chart, (flat = { parents, depths, numbers: numberNodes(parents) }));
  }
  return flat;
}

export class LanesScene implements Scene {
  readonly rows: number;
  readonly extent: [number, number];
  readonly lanes: SceneLane[] = [];

  // Lane l of the chart is that of ids[l]. `depth` is that of the row of the lanes that are not pinned.
  constructor(
    chart: Chart,
    ids: readonly number[],
    pinned: readonly number[],
    depth: number,
    pinnedAre: 'first' | 'last' = 'first',
  ) {
    const numbers = numberNodes(chart.parent),
      order = [...ids.keys()].sort(
        (a, b) => (rank(pinned, ids[a]) - rank(pinned, ids[b])) * (pinnedAre === 'first' ? 1 : -1) || a - b,
      );
    let top = 0,
      from = Infinity,
      to = -Infinity;
    for (const lane of order) {
      const isPinned = pinned.includes(ids[lane]),
        scene = isPinned ? new ChartScene(laneSteps(chart, lane), numbers) : oneRow(chart, lane, depth);
      this.lanes.push({ id: ids[lane], top, scene, isPinned });
      top += 1 + Math.max(1, scene.rows);
      if (scene.rows === 0) continue;
      from = Math.min(from, scene.extent[0]);
      to = Math.max(to, scene.extent[1]);
    }
    this.rows = top;
    this.extent = to > from ? [from, to] : [0, 1];
  }

  // The last lane that begins at or above a row.
  private laneAt(row: number): number {
    let low = 0,
      high = this.lanes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.lanes[middle].top <= row) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  paint(lines: Lines, look: Look): void {
    for (let at = Math.max(0, this.laneAt(lines.first)); at < this.lanes.length; at++) {
      const { top, scene } = this.lanes[at],
        below = top + 1,
        first = Math.max(0, lines.first - below),
        last = Math.min(scene.rows, lines.last - below);
      if (top >= lines.last) return;
      if (last <= first) continue;
      const label: Lines['label'] = (node, row, from, until) => lines.label(node, row + below, from, until);
      scene.paint({ ...lines, first, last, line: (row) => lines.line(row + below), label }, look);
    }
  }

  boxAt(row: number, x: number): Box | null {
    const lane = this.lanes[this.laneAt(row)] as SceneLane | undefined;
    return lane ? shifted(lane.scene.boxAt(row - lane.top - 1, x), lane.top + 1) : null;
  }

  // Below the innermost frame of a lane, and above its outermost one, is the next lane.
  step(box: Box, direction: Direction): Box | null {
    const at = this.laneAt(box.row);
    if (at < 0) return null;
    const { scene, top } = this.lanes[at],
      own = scene.step({ ...box, row: box.row - top - 1 }, direction);
    if (own || direction === 'left' || direction === 'right') return shifted(own, top + 1);
    const by = direction === 'child' ? 1 : -1;
    for (let lane = at + by; lane >= 0 && lane < this.lanes.length; lane += by) {
      const next = this.lanes[lane],
        found = next.scene.boxAt(0, box.start) ?? next.scene.boxAt(0, (box.start + box.end) / 2);
      if (found) return shifted(found, next.top + 1);
    }
    return null;
  }

  laneOf(box: Box): SceneLane | undefined {
    return this.lanes[this.laneAt(box.row)];
  }

  boxOfNode(node: number): Box | null {
    for (const { scene, top, isPinned } of this.lanes) {
      const box = isPinned ? scene.boxOfNode(node) : null;
      if (box) return shifted(box, top + 1);
    }
    return null;
  }

  hasSteps(left: number, right: number): boolean {
    return this.lanes.some(({ scene }) => scene.rows > 0 && scene.hasSteps(left, right));
  }
}

const rank = (pinned: readonly number[], id: number): number => {
  const at = pinned.indexOf(id);
  return at < 0 ? pinned.length : at;
};

const shifted = (box: Box | null, rows: number): Box | null => box && { ...box, row: box.row + rows };
