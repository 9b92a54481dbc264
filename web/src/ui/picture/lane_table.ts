// SPDX-License-Identifier: Apache-2.0
// The timeline as SVG: a row for each lane, with its name, its numbers and what it did over time.

import type { Brush } from '../brush.ts';
import { cutText } from '../text_columns.ts';
import { palette } from '../palette.ts';
import { thousands } from '../text.ts';
import type { Part } from './document.ts';
import { element, escaped, joined, movedBy, text, type Markup } from './markup.ts';
import { estimatedWidth, SvgBrush } from './svg_brush.ts';

export interface Lane {
  name: string;
  indented: boolean; // a thread of the group above
  numbers: [cost: string, share: string];
  faded: boolean; // does not pass the filters
  title: string;
  paint: (brush: Brush, width: number) => void;
}

export interface LaneStyle {
  axis: (brush: Brush, width: number) => void;
  axisHeight: number;
  laneHeight: number;
}

const MOST_LANES = 500;
const FONT_SIZE = 12;
const NAME_WIDTH = 230;
const COST_END = 315; // right edges of the numbers
const SHARE_END = 370;
const ACTIVITY = 386; // left edge
const INDENT = 12;
const LINE_COLOUR = '#e4e0d8';

function drawn(paint: (brush: Brush, width: number) => void, width: number): Markup {
  const brush = new SvgBrush();
  paint(brush, width);
  return brush.markup;
}

function laneRow({ name, indented, numbers, faded, title, paint }: Lane, width: number, laneHeight: number): Markup {
  const left = indented ? INDENT : 0,
    columns = Math.floor((NAME_WIDTH - left) / estimatedWidth('m', FONT_SIZE)),
    baseline = laneHeight / 2 + 0.35 * FONT_SIZE;
  const cells = [COST_END, SHARE_END].flatMap((x, i) =>
    numbers[i] ? [text(x, baseline, cutText(numbers[i], 10), { 'text-anchor': 'end' })] : [],
  );
  return element(
    'g',
    faded ? { opacity: 0.38 } : {},
    element('title', {}, escaped(title)),
    text(left, baseline, cutText(name, columns)),
    ...cells,
    movedBy(ACTIVITY, 0, drawn(paint, width - ACTIVITY)),
  );
}

export function laneTable(lanes: readonly Lane[], width: number, { axis, axisHeight, laneHeight }: LaneStyle): Part {
  const shown = lanes.slice(0, MOST_LANES),
    pitch = laneHeight + 3,
    { faintText } = palette('light');
  const head = (x: number, words: string): Markup =>
    text(x, 15, words, { fill: faintText, 'text-anchor': x > 0 ? 'end' : undefined });
  return {
    height: axisHeight + shown.length * pitch,
    markup: joined([
      head(0, 'Lane'),
      head(COST_END, 'Cost'),
      head(SHARE_END, '%'),
      movedBy(ACTIVITY, 0, drawn(axis, width - ACTIVITY)),
      ...shown.map((lane, i) => {
        const line = element('path', { d: `M0 .5H${width}`, stroke: LINE_COLOUR });
        return movedBy(0, axisHeight + i * pitch, line, movedBy(0, 2, laneRow(lane, width, laneHeight)));
      }),
    ]),
    ...(lanes.length > shown.length
      ? { note: `The picture has the first ${shown.length} of ${thousands(lanes.length)} lanes.` }
      : {}),
  };
}
