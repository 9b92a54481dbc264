// SPDX-License-Identifier: Apache-2.0
// What a flame panel draws: boxes in rows, at a cost bounded by pixels and not by boxes.
//
// A scene colours whole lines of pixels, one line a row of the screen, and tells which boxes are wide enough to be
// labelled. Two scenes exist: the rows of a call tree (tree_scene.ts) and a thread's stacks in the order of time
// (chart_scene.ts).

export interface Box {
  node: number;
  row: number;
  start: number;
  end: number;
}

// What is asked for: rows [first, last) between left and right. pixels[line(row) * width + column] is one pixel.
export interface Lines {
  pixels: Uint32Array;
  width: number;
  first: number;
  last: number;
  left: number;
  right: number;
  line: (row: number) => number;
  narrowest: number; // pixels that a label needs
  label: (node: number, row: number, from: number, until: number) => void; // in pixels
}

// How nodes look; columns by node.
export interface Look {
  colour: Uint32Array; // for even rows, then for odd rows: colour[2 * node + (row & 1)]
  hit: Uint8Array | null; // the search found it
  striped: Uint8Array | null; // on one side of a comparison only
  name: (node: number) => string; // visible() has seen it
}

export type Direction = 'parent' | 'child' | 'left' | 'right';

export interface Scene {
  readonly rows: number;
  readonly extent: [number, number];
  paint(lines: Lines, look: Look): void;
  boxAt(row: number, x: number): Box | null;
  step(box: Box, direction: Direction): Box | null;
  boxOfNode(node: number): Box | null;
}
