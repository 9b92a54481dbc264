// SPDX-License-Identifier: Apache-2.0
// Pictures: which pixels boxes colour, where they are hit, and that the cost depends on pixels, not on boxes.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CallTree, Chart } from '../src/model/interface.ts';
import { formsOfText } from '../src/ui/label_forms.ts';
import { ChartScene, type LaneSteps } from '../src/ui/chart_scene.ts';
import { LanesScene } from '../src/ui/lanes_scene.ts';
import { nodeOf, pathHashes, pathOf } from '../src/ui/paths.ts';
import type { Lines, Look, Scene } from '../src/ui/scene.ts';
import { TreeScene } from '../src/ui/tree_scene.ts';

// A call tree from rows "depth func total", depth first; children begin at the left edge of their parent.
function tree(...rows: [number, number, number][]): CallTree {
  const size = rows.length,
    result = {
      size,
      parent: new Int32Array(size).fill(-1),
      end: new Int32Array(size),
      depth: new Int32Array(size),
      func: new Int32Array(size),
      left: new Float64Array(size),
      self: new Float64Array(size),
      total: new Float64Array(size),
      maxDepth: Math.max(...rows.map(([depth]) => depth)),
      amount: { weight: rows[0][2], samples: 1, effective: 1, lateShare: 0 },
      cut: null,
    };
  rows.forEach(([depth, func, total], n) => {
    Object.assign(result.depth, { [n]: depth });
    result.func[n] = func;
    result.total[n] = total;
    result.self[n] = total;
    let end = n + 1;
    while (end < size && rows[end][0] > depth) end++;
    result.end[n] = end;
    if (n === 0) return;
    let parent = n - 1;
    while (rows[parent][0] >= depth) parent--;
    result.parent[n] = parent;
    result.left[n] = result.left[parent];
    for (let child = parent + 1; child < n; child = result.end[child]) result.left[n] += result.total[child];
    result.self[parent] -= total;
  });
  return result;
}

const look = (nodes: number): Look => ({
  colour: Uint32Array.from({ length: 2 * nodes }, (_, i) => (i >> 1) + 1),
  hit: null,
  striped: null,
  name: String,
  forms: (node) => formsOfText(String(node)),
});

// The node of each pixel of the first rows, as letters; '.' for none.
function paint(
  scene: Scene,
  nodes: number,
  width: number,
  rows: number,
  left = scene.extent[0],
  right = scene.extent[1],
) {
  const pixels = new Uint32Array(width * rows),
    labels: string[] = [];
  const lines: Lines = {
    pixels,
    width,
    first: 0,
    last: Math.min(rows, scene.rows),
    left,
    right,
    line: (row) => row,
    narrowest: 5,
    label: (node, row, from, until) => labels.push(`${node}@${row}:${Math.round(from)}-${Math.round(until)}`),
  };
  scene.paint(lines, look(nodes));
  const text = Array.from({ length: rows }, (_, row) =>
    Array.from(pixels.subarray(row * width, (row + 1) * width), (pixel) =>
      pixel === 0 ? '.' : String.fromCharCode(96 + pixel),
    ).join(''),
  );
  return { text, labels };
}

describe('the rows of a call tree', () => {
  const small = tree([0, -1, 20], [1, 0, 12], [2, 1, 6], [2, 2, 4], [1, 3, 6]);

  it('colour their pixels, with a gap where there is room for one', () => {
    assert.deepEqual(paint(new TreeScene(small), 5, 20, 4).text, [
      'aaaaaaaaaaaaaaaaaaa.',
      'bbbbbbbbbbb.eeeee...',
      'ccccc.ddd...........',
      '....................',
    ]);
  });

  it('can be zoomed', () => {
    assert.deepEqual(paint(new TreeScene(small), 5, 12, 3, 6, 12).text, [
      'aaaaaaaaaaaa',
      'bbbbbbbbbbb.',
      'ddddddd.....',
    ]);
  });

  it('are labelled where there is room', () => {
    assert.deepEqual(paint(new TreeScene(small), 5, 20, 3).labels, ['0@0:0-20', '1@1:0-12', '4@1:12-18', '2@2:0-6']);
  });

  it('are hit where they are drawn', () => {
    const scene = new TreeScene(small);
    assert.deepEqual(scene.boxAt(2, 7), { node: 3, row: 2, start: 6, end: 10 });
    assert.equal(scene.boxAt(2, 11), null);
    assert.equal(scene.boxAt(9, 1), null);
    const box = scene.boxOfNode(1)!;
    assert.deepEqual(
      (['parent', 'child', 'left', 'right'] as const).map((direction) => scene.step(box, direction)?.node),
      [0, 2, undefined, 4],
    );
  });

  it('narrower than a pixel are one pixel for all of them', () => {
    const rows: [number, number, number][] = [[0, -1, 1000]];
    for (let i = 0; i < 1000; i++) rows.push([1, i, 1]);
    const { text } = paint(new TreeScene(tree(...rows)), 1001, 10, 2);
    assert.doesNotMatch(text[1], /\./);
  });

  it('have paths that find them again', () => {
    assert.deepEqual(pathOf(small, 3), [0, 2]);
    assert.deepEqual(nodeOf(small, [0, 2]), { node: 3, whole: true });
    assert.deepEqual(nodeOf(small, [0, 9]), { node: 1, whole: false });
    assert.equal(new Set(pathHashes(small)).size, 5);
    const other = tree([0, -1, 10], [1, 3, 4], [1, 0, 6], [2, 2, 4]);
    assert.equal(pathHashes(other)[3], pathHashes(small)[3]);
    assert.notEqual(pathHashes(other)[1], pathHashes(small)[1]);
  });
});

describe('stacks in the order of time', () => {
  // all > a > b, all > c: steps b, a, (gap), c
  const chart: LaneSteps = {
    begin: Float64Array.from([0, 5, 14]),
    end: Float64Array.from([5, 8, 20]),
    node: Int32Array.from([2, 1, 3]),
    parent: Int32Array.from([-1, 0, 1, 0]),
    depth: Int32Array.from([0, 1, 2, 1]),
    maxDepth: 2,
  };

  it('are boxes where neighbours share a call', () => {
    assert.deepEqual(paint(new ChartScene(chart), 4, 20, 2).text, ['bbbbbbb.......ddddd.', 'cccc................']);
    assert.deepEqual(paint(new ChartScene(chart), 4, 20, 2).labels, ['1@0:0-8', '3@0:14-20', '2@1:0-5']);
  });

  it('are hit as whole calls', () => {
    const scene = new ChartScene(chart);
    assert.deepEqual(scene.boxAt(0, 6), { node: 1, row: 0, start: 0, end: 8 });
    assert.deepEqual(scene.boxAt(1, 2), { node: 2, row: 1, start: 0, end: 5 });
    assert.equal(scene.boxAt(0, 10), null);
    const box = scene.boxAt(0, 6)!;
    assert.deepEqual(
      (['parent', 'child', 'left', 'right'] as const).map((direction) => scene.step(box, direction)?.node),
      [undefined, 2, undefined, 3],
    );
  });

  it('show gaps only where they can be seen', () => {
    const steps = 1000,
      thin: LaneSteps = {
        ...chart,
        begin: Float64Array.from({ length: steps }, (_, i) => 2 * i),
        end: Float64Array.from({ length: steps }, (_, i) => 2 * i + 1),
        node: new Int32Array(steps).fill(1),
      };
    assert.equal(paint(new ChartScene(thin), 4, 50, 1).text[0].replace(/b+/, 'b'), 'b.');
    assert.match(paint(new ChartScene(thin), 4, 40, 1, 0, 10).text[0], /^b+\.+b/);
  });

  it('do not flicker when they are moved by whole pixels', () => {
    const steps = 5000,
      mixed: LaneSteps = {
        ...chart,
        begin: Float64Array.from({ length: steps }, (_, i) => i),
        end: Float64Array.from({ length: steps }, (_, i) => i + 1),
        node: Int32Array.from({ length: steps }, (_, i) => 1 + ((i * 7919) % 3)),
      };
    const scene = new ChartScene(mixed),
      a = paint(scene, 4, 100, 2, 0, 1000).text,
      b = paint(scene, 4, 100, 2, 50, 1050).text;
    // The last pixel before an edge may be a gap.
    const same = [...a[0].slice(5)].filter((pixel, i) => pixel === b[0][i]).length;
    assert.ok(same >= 93, `${same} of 95`);
  });

  it('take time by pixels: a million steps, fifty deep', () => {
    const nodes = 200_000,
      steps = 1_000_000,
      parent = new Int32Array(nodes).fill(-1),
      depth = new Int32Array(nodes);
    for (let n = 1; n < nodes; n++) {
      parent[n] = n % 50 === 1 ? 0 : n - 1;
      depth[n] = depth[parent[n]] + 1;
    }
    const worst: LaneSteps = {
      begin: Float64Array.from({ length: steps }, (_, i) => i),
      end: Float64Array.from({ length: steps }, (_, i) => i + 1),
      node: Int32Array.from({ length: steps }, (_, i) => ((i * 7919) % (nodes - 1)) + 1),
      parent,
      depth,
      maxDepth: 50,
    };
    const scene = new ChartScene(worst),
      pixels = new Uint32Array(1920 * 50),
      style = look(nodes);
    const draw = (left: number, right: number) =>
      scene.paint(
        { pixels, width: 1920, first: 0, last: 50, left, right, line: (row) => row, narrowest: 28, label: () => {} },
        style,
      );
    draw(0, steps);
    const times: number[] = [];
    for (let i = 0; i < 20; i++) {
      const began = performance.now();
      draw(i * 1000, steps - i * 1000);
      times.push(performance.now() - began);
    }
    // At 50 frames per second, a frame has 20 ms. The fastest run has the least disturbance.
    assert.ok(Math.min(...times) < 15, `${Math.min(...times)} ms`);
  });
});

describe('lanes in the order of time', () => {
  // all > a > b, all > c. Lane 7: steps b, a, (gap), c. Lane 9: c. Lane 8: nothing.
  const chart: Chart = {
    begin: Float64Array.from([0, 5, 14, 2]),
    end: Float64Array.from([5, 8, 20, 12]),
    node: Int32Array.from([2, 1, 3, 3]),
    first: Int32Array.from([0, 3, 4, 4]),
    maxDepth: Int32Array.from([2, 1, 0]),
    parent: Int32Array.from([-1, 0, 1, 0]),
    depth: Int32Array.from([0, 1, 2, 1]),
    func: Int32Array.from([-1, 0, 1, 2]),
    byTime: true,
  };
  const scene = (pinned: number[], depth = Infinity): LanesScene => new LanesScene(chart, [7, 9, 8], pinned, depth);

  it('have a row for the name, and their stacks or one row', () => {
    assert.deepEqual(paint(scene([7]), 4, 20, 7).text, [
      '....................',
      'bbbbbbb.......ddddd.',
      'cccc................',
      '....................',
      '..ddddddddd.........',
      '....................',
      '....................',
    ]);
    assert.equal(scene([]).rows, 6);
    assert.deepEqual(paint(scene([]), 4, 20, 2).text, ['....................', 'cccc.bbb......ddddd.']);
    assert.deepEqual(paint(scene([], 1), 4, 20, 2).text[1], 'bbbbbbb.......ddddd.', 'the row of a depth');
    assert.deepEqual(
      scene([8, 9]).lanes.map(({ id, top }) => [id, top]),
      [
        [8, 0],
        [9, 2],
        [7, 4],
      ],
    );
    assert.deepEqual(
      new LanesScene(chart, [7, 9, 8], [7], 1, 'last').lanes.map(({ id }) => id),
      [9, 8, 7],
    );
  });

  it('are hit and walked across lanes', () => {
    const lanes = scene([7]);
    assert.equal(lanes.boxAt(0, 3), null, 'the name');
    assert.deepEqual(lanes.boxAt(2, 3), { node: 2, row: 2, start: 0, end: 5 });
    assert.deepEqual(lanes.boxAt(4, 3), { node: 3, row: 4, start: 2, end: 12 });
    assert.deepEqual(lanes.step(lanes.boxAt(2, 3)!, 'child'), { node: 3, row: 4, start: 2, end: 12 });
    assert.equal(lanes.step(lanes.boxAt(4, 3)!, 'parent')?.row, 1);
    assert.equal(lanes.step(lanes.boxAt(4, 3)!, 'right'), null);
    assert.equal(lanes.hasSteps(12.5, 13), false);
    assert.equal(lanes.hasSteps(10, 11), true);
    assert.equal(lanes.laneOf(lanes.boxAt(4, 3)!)?.id, 9);
  });
});
