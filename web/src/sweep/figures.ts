// SPDX-License-Identifier: Apache-2.0
// Plots side by side, as wide as the room allows, with one legend.
import { el } from '../ui/dom.ts';
import { button } from '../ui/part.ts';
import { svg } from '../ui/svg.ts';
import { markerShape, SLOTS, type ChartSeries } from './chart.ts';
import type { Core } from './core.ts';

export interface Figure {
  title: string;
  draw: (width: number) => SVGElement;
  below?: (HTMLElement | null)[];
}

const MIN_WIDTH = 330;
const MAX_WIDTH = 900;
const MAX_NAMED = 40;
const MAX_FIGURES = 24; // unless the user asks for all

export function figures(core: Core, list: Figure[], room: number): HTMLElement {
  const shown = core.state.all ? list : list.slice(0, MAX_FIGURES);
  const columns = Math.max(1, Math.min(list.length, Math.floor(room / MIN_WIDTH))),
    width = Math.min(MAX_WIDTH, (room - 12 * (columns - 1)) / columns - 26);
  return el(
    'div',
    { class: 'figures' },
    ...shown.map(({ title, draw, below }) => {
      const figure = el('figure', { class: 'card' }, title ? el('figcaption', null, title) : null);
      figure.append(draw(width));
      for (const part of below ?? []) if (part) figure.append(part);
      return figure;
    }),
    shown.length < list.length
      ? el(
          'p',
          { class: 'faint' },
          `${shown.length} of ${list.length} plots. `,
          button('Draw all', () => core.change({ all: true }), { 'data-control': 'all' }),
        )
      : null,
  );
}

export function legend(series: readonly ChartSeries[]): HTMLElement | null {
  const named = new Map<string, ChartSeries>();
  for (const one of series) if (one.name) named.set(one.name, one);
  if (named.size === 0) return null;
  return el(
    'ul',
    { class: 'series-legend', 'aria-label': 'Series' },
    ...[...named.values()].slice(0, MAX_NAMED).map((one) => {
      const key = svg('svg', {
        width: 26,
        height: 14,
        viewBox: '-13 -7 26 14',
        'aria-hidden': 'true',
        class: `s${one.slot % SLOTS}${one.dashed ? ' dashed' : ''}`,
      });
      key.append(svg('path', { class: 'line', d: 'M-12 0H12' }), markerShape(one.shape ?? one.slot, one.dashed));
      return el('li', null, key, one.name);
    }),
    named.size > MAX_NAMED
      ? el('li', { class: 'faint' }, `and ${named.size - MAX_NAMED} more; choose some of them above`)
      : null,
  );
}
