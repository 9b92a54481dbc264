// SPDX-License-Identifier: Apache-2.0
// The call tree as SVG: the open rows of the table, with their numbers, indented by depth.

import { FONT_FAMILY } from '../flame_painter.ts';
import type { NameForms } from '../label_forms.ts';
import { palette } from '../palette.ts';
import { cutText, labelsOf, thousands } from '../text.ts';
import type { Part } from './document.ts';
import { element, escaped, joined, movedBy, text, type Markup } from './markup.ts';
import { estimatedWidth } from './svg_brush.ts';

export interface TreeRow {
  numbers: [total: string, totalShare: string, self: string, selfShare: string];
  share: number; // of the whole, for the bar
  indent: number; // in pixels
  sign: string; // whether there are rows below
  forms: NameForms;
  module: string;
  isHit: boolean;
  title: string;
}

const MOST_ROWS = 500;
const ROW = 20;
const FONT_SIZE = 12;
const NUMBER_ENDS = [80, 150, 235, 295]; // right edges
const HEADS = ['Total', 'Total %', 'Self', 'Self %'];
const BAR = { left: 90, width: 62 }; // under the share of the total
const NAME_LEFT = 312;
const SIGN_WIDTH = 14;
const MODULE_WIDTH = 180;

const atEnd = { 'text-anchor': 'end' };

const nameColumns = (row: TreeRow, width: number): number =>
  Math.max(
    8,
    Math.floor((width - MODULE_WIDTH - NAME_LEFT - row.indent - SIGN_WIDTH - 12) / estimatedWidth('m', FONT_SIZE)),
  );

function treeRow(row: TreeRow, name: string, width: number): Markup {
  const { slots, hit, hitText, faintText, text: ink } = palette('light'),
    baseline = ROW / 2 + 0.35 * FONT_SIZE,
    left = NAME_LEFT + row.indent + SIGN_WIDTH,
    moduleLeft = width - MODULE_WIDTH,
    column = estimatedWidth('m', FONT_SIZE);
  const bar = { x: BAR.left, y: 2, width: BAR.width * row.share, height: ROW - 4, fill: slots[0] };
  return joined([
    element('title', {}, escaped(row.title)),
    element('rect', bar),
    ...row.numbers.flatMap((number, i) => (number ? [text(NUMBER_ENDS[i], baseline, number, atEnd)] : [])),
    ...(row.sign ? [text(left - SIGN_WIDTH, baseline, row.sign, { fill: faintText })] : []),
    ...(row.isHit
      ? [element('rect', { x: left - 3, y: 1, width: estimatedWidth(name, FONT_SIZE) + 9, height: ROW - 2, fill: hit })]
      : []),
    text(left, baseline, name, { 'font-family': FONT_FAMILY, fill: row.isHit ? hitText : ink }),
    text(moduleLeft, baseline, cutText(row.module, Math.floor(MODULE_WIDTH / column)), { fill: faintText }),
  ]);
}

export function treeTable(rows: readonly TreeRow[], width: number): Part {
  const shown = rows.slice(0, MOST_ROWS),
    names = labelsOf(
      shown.map((row) => ({ forms: row.forms, columns: nameColumns(row, width) })),
      'numbered',
    ),
    { faintText: fill } = palette('light');
  return {
    height: (shown.length + 1) * ROW,
    markup: joined([
      ...HEADS.map((head, i) => text(NUMBER_ENDS[i], FONT_SIZE, head, { fill, ...atEnd })),
      text(NAME_LEFT + SIGN_WIDTH, FONT_SIZE, 'Function', { fill }),
      ...shown.map((row, i) => movedBy(0, (i + 1) * ROW, treeRow(row, names[i], width))),
    ]),
    ...(rows.length > shown.length
      ? { note: `The picture has the first ${shown.length} of ${thousands(rows.length)} open rows.` }
      : {}),
  };
}
