// SPDX-License-Identifier: Apache-2.0
// Collects drawings as SVG elements instead of drawing them on a canvas (brush.ts).
//
// Text has no metrics without a page: its width is an estimate, and baselines are set by the size of the font.

import type { Brush } from '../brush.ts';
import { columnsOf } from '../text_columns.ts';
import { element, joined, short, text, type Markup } from './markup.ts';

type Point = [x: number, y: number];

// The width of a column in the fonts of the page, in sizes of the font.
const COLUMN = 0.6;
export const estimatedWidth = (words: string, fontSize: number): number => columnsOf(words) * COLUMN * fontSize;

const BASELINES: Partial<Record<CanvasTextBaseline, number>> = { top: 0.86, middle: 0.35 };

// SVG 1.1 has no colours with opacity: "rgba(1,2,3,.5)" becomes two attributes.
function paint(name: 'fill' | 'stroke', style: Brush['fillStyle']): Record<string, string> {
  const parts = /^rgba\((\d+, ?\d+, ?\d+), ?([\d.]+)\)$/.exec(String(style));
  return parts ? { [name]: `rgb(${parts[1]})`, [`${name}-opacity`]: parts[2] } : { [name]: String(style) };
}

interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

const rectData = ({ x, y, width, height }: Rect): string =>
  `M${short(x)} ${short(y)}h${short(width)}v${short(height)}h${short(-width)}z`;

// Whether b is on a horizontal or vertical line from a to c.
const isBetween = (a: Point, b: Point, c: Point): boolean =>
  [0, 1].some((axis) => {
    const other = 1 - axis;
    return a[axis] === b[axis] && b[axis] === c[axis] && (b[other] - a[other]) * (c[other] - b[other]) >= 0;
  });

export class SvgBrush implements Brush {
  fillStyle: Brush['fillStyle'] = '#000';
  strokeStyle: Brush['strokeStyle'] = '#000';
  lineWidth = 1;
  font = '10px sans-serif';
  textBaseline: CanvasTextBaseline = 'alphabetic';
  private readonly parts: Markup[] = [];
  private lines: Point[][] = [];
  private rects: Rect[] = []; // of one colour, not yet among the parts
  private rectStyle: Brush['fillStyle'] = '';

  get markup(): Markup {
    this.flushRects();
    return joined(this.parts);
  }

  private add(part: Markup): void {
    this.flushRects();
    this.parts.push(part);
  }

  // A lane can have a rectangle for each pixel: those of one colour become one path.
  private flushRects(): void {
    const { rects } = this,
      fill = paint('fill', this.rectStyle);
    this.rects = [];
    if (rects.length === 1) this.parts.push(element('rect', { ...rects[0], ...fill }));
    else if (rects.length > 1) this.parts.push(element('path', { d: rects.map(rectData).join(''), ...fill }));
  }

  beginPath(): void {
    this.lines = [];
  }

  moveTo(x: number, y: number): void {
    this.lines.push([[Number(short(x)), Number(short(y))]]);
  }

  lineTo(x: number, y: number): void {
    if (this.lines.length === 0) return this.moveTo(x, y);
    const line = this.lines[this.lines.length - 1],
      next: Point = [Number(short(x)), Number(short(y))],
      last = line.length - 1;
    if (last > 0 && isBetween(line[last - 1], line[last], next)) line[last] = next;
    else line.push(next);
  }

  private pathData(): string {
    return this.lines
      .map((line) =>
        line
          .map(([x, y], i) => {
            if (i === 0) return `M${x} ${y}`;
            return line[i - 1][1] === y ? `H${x}` : line[i - 1][0] === x ? `V${y}` : `L${x} ${y}`;
          })
          .join(''),
      )
      .join('');
  }

  fill(): void {
    this.add(element('path', { d: this.pathData(), ...paint('fill', this.fillStyle) }));
  }

  stroke(): void {
    this.add(
      element('path', {
        d: this.pathData(),
        fill: 'none',
        'stroke-width': this.lineWidth,
        ...paint('stroke', this.strokeStyle),
      }),
    );
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    if (!(width > 0 && height > 0)) return;
    if (this.fillStyle !== this.rectStyle) this.flushRects();
    this.rectStyle = this.fillStyle;
    const last = this.rects[this.rects.length - 1] as Rect | undefined;
    if (last && last.x + last.width === x && last.y === y && last.height === height) last.width += width;
    else this.rects.push({ x, y, width, height });
  }

  private fontSize(): number {
    return parseFloat(this.font);
  }

  fillText(words: string, x: number, y: number): void {
    const size = this.fontSize(),
      below = (BASELINES[this.textBaseline] ?? 0) * size;
    this.add(text(x, y + below, words, { 'font-size': size, ...paint('fill', this.fillStyle) }));
  }

  measureText(words: string): { width: number } {
    return { width: estimatedWidth(words, this.fontSize()) };
  }
}
