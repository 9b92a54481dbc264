// SPDX-License-Identifier: Apache-2.0
// What a flame panel draws: boxes in rows. The cost depends on the number of pixels, not of boxes.
//
// A scene colours whole lines of pixels, one per row of boxes, and reports the boxes that are wide enough for a label.
// There are two scenes: the rows of a call tree (tree_scene.ts) and a thread's stacks in time order (chart_scene.ts).

import type { NameForms } from './label_forms.ts';

export interface Box {
  node: number;
  row: number;
  start: number;
  end: number;
}

// The part to draw: rows [first, last) between left and right. pixels[line(row) * width + column] is one pixel.
export interface Lines {
  pixels: Uint32Array;
  width: number;
  first: number;
  last: number;
  left: number;
  right: number;
  line: (row: number) => number;
  narrowest: number; // minimal width of a label in pixels
  label: (node: number, row: number, from: number, until: number) => void; // in pixels
}

// How nodes look; columns by node.
export interface Look {
  colour: Uint32Array; // for even rows, then for odd rows: colour[2 * node + (row & 1)]
  hit: Uint8Array | null; // 1: a hit of the search
  striped: Uint8Array | null; // 1: only on one side of a comparison
  name: (node: number) => string; // already passed through visible()
  forms: (node: number) => NameForms;
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
