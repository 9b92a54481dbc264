// SPDX-License-Identifier: Apache-2.0
// The rows of a scene as SVG: all of them, also those beyond the edge of the screen.
//
// The scene paints lines of pixels (scene.ts). Boxes that are wide enough to point at become a rectangle with a title
// and, if there is room, a label. All other pixels become runs of one colour, drawn as thick lines: one path per colour
// for the whole picture, so the size of the file depends on pixels, not on boxes.

import { FONT_FAMILY, NARROWEST_LABEL, ROW_HEIGHT } from '../flame_painter.ts';
import { palette } from '../palette.ts';
import type { Box, Look, Scene } from '../scene.ts';
import { labelsOf, thousands } from '../text.ts';
import type { Part } from './document.ts';
import { element, escaped, joined, text, type Markup } from './markup.ts';

export interface SceneWindow {
  left: number; // in the scene's units
  right: number;
  rootBelow: boolean;
  width: number; // in pixels
}

interface WideBox {
  node: number;
  row: number;
  from: number; // in pixels, as the scene rounds them
  until: number;
}

export const MOST_ROWS = 500;
const NARROWEST_TITLE = 8; // pixels
const FONT_SIZE = 12;
const COLUMN_WIDTH = 7.25; // of the widest of the usual fonts
const BOX_HEIGHT = ROW_HEIGHT - 1;

// A pixel of an ImageData as a colour of SVG.
export const hexOf = (pixel: number): string =>
  `#${[pixel & 255, (pixel >>> 8) & 255, (pixel >>> 16) & 255].map((value) => value.toString(16).padStart(2, '0')).join('')}`;

// The runs of equal colour in lines of `width` pixels, as path data by colour. Line i is drawn at height `y(i)`; pixels
// of value 0 are empty.
export function runPaths(pixels: Uint32Array, width: number, y: (line: number) => number): Map<number, string> {
  const paths = new Map<number, { data: string; line: number; x: number }>();
  for (let at = 0; at < pixels.length;) {
    const colour = pixels[at],
      line = Math.floor(at / width),
      end = (line + 1) * width,
      from = at - line * width;
    let until = at + 1;
    while (until < end && pixels[until] === colour) until++;
    const length = until - at;
    at = until;
    if (colour === 0) continue;
    let path = paths.get(colour);
    if (!path) paths.set(colour, (path = { data: '', line: -1, x: 0 }));
    path.data += path.line === line ? `m${from - path.x} 0h${length}` : `M${from} ${y(line)}h${length}`;
    path.line = line;
    path.x = from + length;
  }
  return new Map([...paths].map(([colour, { data }]) => [colour, data]));
}

// Rows up to the last one with a box in this part of the scene.
function usedRows(pixels: Uint32Array, width: number): number {
  let last = pixels.length;
  while (last > 0 && pixels[last - 1] === 0) last--;
  return Math.ceil(last / width);
}

// By box; empty if there is no room.
function labelsOfBoxes(look: Look, boxes: WideBox[]): Map<WideBox, string> {
  const roomy = boxes.filter(({ from, until }) => until - from >= NARROWEST_LABEL),
    labels = labelsOf(
      roomy.map(({ node, from, until }) => ({
        forms: look.forms(node),
        columns: Math.floor((until - from - 7) / COLUMN_WIDTH),
      })),
      'blank',
    );
  return new Map(roomy.map((box, i) => [box, labels[i]]));
}

function labelMarkup(look: Look, { node, from }: WideBox, y: number, label: string): Markup {
  const isHit = look.hit !== null && look.hit[node] === 1;
  return text(from + 4, y + ROW_HEIGHT / 2 + 0.35 * FONT_SIZE, label, {
    fill: isHit ? palette('light').hitText : undefined,
  });
}

function boxMarkup(look: Look, box: WideBox, y: number, title: string, label: string): Markup {
  const { node, row, from, until } = box,
    area = { x: from, y, width: until - from, height: BOX_HEIGHT };
  return element(
    'g',
    {},
    element('title', {}, escaped(title)),
    element('rect', { ...area, fill: hexOf(look.colour[2 * node + (row & 1)]) }),
    ...(look.striped?.[node] === 1 ? [element('rect', { ...area, fill: 'url(#hatching)' })] : []),
    ...(label === '' ? [] : [labelMarkup(look, box, y, label)]),
  );
}

// `describe` returns the title of a box.
export function sceneRows(scene: Scene, look: Look, window: SceneWindow, describe: (box: Box) => string): Part {
  const { left, right, width, rootBelow } = window,
    rows = Math.min(scene.rows, MOST_ROWS),
    pixels = new Uint32Array(width * rows),
    boxes: WideBox[] = [];
  scene.paint(
    {
      pixels,
      width,
      first: 0,
      last: rows,
      left,
      right,
      line: (row) => row,
      narrowest: NARROWEST_TITLE,
      label: (node, row, from, until) => {
        const end = Math.round(until);
        boxes.push({ node, row, from: Math.round(from), until: end < width ? end - 1 : end });
      },
    },
    look,
  );
  const used = usedRows(pixels, width),
    labels = labelsOfBoxes(look, boxes),
    top = (row: number): number => (rootBelow ? used - 1 - row : row) * ROW_HEIGHT;
  const wide = boxes.map((box) => {
    pixels.fill(0, box.row * width + box.from, box.row * width + box.until);
    const middle = left + ((box.from + box.until) / 2 / width) * (right - left),
      known = scene.boxAt(box.row, middle);
    const title = known?.node === box.node ? describe(known) : look.name(box.node);
    return boxMarkup(look, box, top(box.row), title, labels.get(box) ?? '');
  });
  const runs = [...runPaths(pixels, width, (row) => top(row) + BOX_HEIGHT / 2)].map(([colour, d]) =>
    element('path', { stroke: hexOf(colour), d }),
  );
  return {
    height: used * ROW_HEIGHT,
    markup: joined([
      element('g', { 'stroke-width': BOX_HEIGHT }, joined(runs)),
      element('g', { 'font-family': FONT_FAMILY, 'font-size': FONT_SIZE }, joined(wide)),
    ]),
    ...(scene.rows > rows
      ? { note: `The picture has the first ${rows} of ${thousands(scene.rows)} rows of frames.` }
      : {}),
  };
}
