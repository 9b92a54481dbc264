// SPDX-License-Identifier: Apache-2.0
// A saved picture: heading, the parts of the view from top to bottom, legend and notes, as one SVG file.
//
// The file has the light theme, which suits documents. It contains no script, no style sheet, no image and no address
// other than the name of the SVG namespace, so that every program that shows SVG shows it.

import type { LegendEntry } from '../colouring.ts';
import { cutText, wrappedLines } from '../text_columns.ts';
import { palette } from '../palette.ts';
import { element, escaped, joined, movedBy, text, type Markup } from './markup.ts';
import { estimatedWidth } from './svg_brush.ts';

export interface Part {
  height: number;
  markup: Markup;
  note?: string; // what the part lacks
}

export interface Picture {
  name: string; // in the name of the file: "flame-graph"
  title: string;
  lines: string[]; // sentences about the picture
  width: number;
  parts: Part[];
  legend: LegendEntry[];
}

const MARGIN = 16;
const TITLE_SIZE = 16;
const FONT_SIZE = 12;
const LINE = 17;
const GAP = 8; // between parts
const SWATCH = 12;
const FONT_FAMILY = 'system-ui, "DejaVu Sans", sans-serif';
const NARROWEST = 1000;
const WIDEST = 2400;

// The width of a picture whose view has this width on the screen. A phone is too narrow for a document.
export const pictureWidth = (shown: number): number => Math.round(Math.max(NARROWEST, Math.min(WIDEST, shown)));

// How many columns of a font of this size fit.
const columnsIn = (width: number, fontSize: number): number => Math.floor(width / estimatedWidth('m', fontSize));

function wrapped(lines: readonly string[], width: number): Part {
  const { faintText } = palette('light'),
    rows = lines.flatMap((line) => wrappedLines(line, columnsIn(width, FONT_SIZE)));
  return {
    height: rows.length * LINE,
    markup: joined(rows.map((row, i) => text(0, i * LINE + FONT_SIZE, row, { fill: faintText }))),
  };
}

function titleLine(title: string, width: number): Part {
  return {
    height: 24,
    markup: text(0, TITLE_SIZE, cutText(title, columnsIn(width, TITLE_SIZE)), {
      'font-size': TITLE_SIZE,
      'font-weight': 'bold',
    }),
  };
}

// A line of text above or below a part.
export const caption = (words: string, width: number): Part => wrapped([words], width);

function legendPart(entries: readonly LegendEntry[], width: number): Part {
  const { faintText } = palette('light'),
    items: Markup[] = [];
  let x = 0,
    y = 0;
  for (const { colour, text: words, hatched } of entries) {
    const label = cutText(words, 48),
      taken = SWATCH + (label ? 5 + estimatedWidth(label, FONT_SIZE) + 12 : 3);
    if (x > 0 && x + taken > width) {
      x = 0;
      y += LINE + 2;
    }
    const area = { x, y, width: SWATCH, height: SWATCH, rx: 3 };
    items.push(element('rect', { ...area, fill: colour, stroke: '#000', 'stroke-opacity': 0.15 }));
    if (hatched) items.push(element('rect', { ...area, fill: 'url(#hatching)' }));
    if (label) items.push(text(x + SWATCH + 5, y + 10.5, label, { fill: faintText }));
    x += taken;
  }
  return { height: entries.length > 0 ? y + LINE : 0, markup: joined(items) };
}

// Stripes over a colour: a frame of only one side of a comparison.
const hatching = (): Markup =>
  element(
    'defs',
    {},
    element(
      'pattern',
      { id: 'hatching', width: 7, height: 7, patternUnits: 'userSpaceOnUse' },
      element('path', { d: 'M-1 1L1 -1M-1 8L8 -1M6 8L8 6', stroke: '#000', 'stroke-opacity': 0.26, fill: 'none' }),
    ),
  );

// `title` and `lines` describe the profile and its filters.
export function svgDocument(title: string, lines: readonly string[], picture: Picture): string {
  const { background, text: ink } = palette('light'),
    { width, parts, legend } = picture,
    notes = parts.flatMap(({ note }) => (note === undefined ? [] : [note]));
  const stacked = [
    titleLine(title, width),
    wrapped([picture.title, ...lines, ...picture.lines].filter(Boolean), width),
    ...parts,
    legendPart(legend, width),
    wrapped(notes, width),
  ].filter(({ height }) => height > 0);
  let y = MARGIN;
  const content = stacked.map(({ height, markup }, i) => {
    const part = movedBy(MARGIN, y, markup);
    y += height + (i === 0 ? 0 : GAP);
    return part;
  });
  const size = { width: width + 2 * MARGIN, height: y - GAP + MARGIN };
  const svg = element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      ...size,
      viewBox: `0 0 ${size.width} ${size.height}`,
      'font-family': FONT_FAMILY,
      'font-size': FONT_SIZE,
      fill: ink,
    },
    element('title', {}, escaped(`${title}: ${picture.title}`)),
    hatching(),
    element('rect', { width: '100%', height: '100%', fill: background }),
    ...content,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${svg}\n`;
}
