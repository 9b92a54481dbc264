// SPDX-License-Identifier: Apache-2.0
// One plot as SVG: series with intervals, markers that can be reached by keys, a band, and marked positions.
//
// Series differ in colour and in the shape of their markers. A point that failed is a cross at the bottom; a point with
// a failed check has a ring around it. One marker is in the tab order; arrow keys move among all of them.
import { svg } from '../ui/svg.ts';
import { tickText } from './numbers.ts';
import { bandScale, makeScale, type Scale } from './scales.ts';

export interface ChartPoint {
  x: number; // a number, or the position of a name
  value: number | null; // null: no number, drawn as a cross
  low: number;
  high: number;
  runs: readonly number[];
  reference: string;
  trouble: string;
  text: string; // the description, for screen readers and the status line
}
export interface ChartSeries {
  name: string;
  slot: number; // colour
  shape?: number; // of the markers; the slot's by default
  dashed: boolean;
  points: ChartPoint[];
}
export interface ChartMark {
  x: number;
  low: number;
  high: number; // may be infinite
  text: string;
  kind: 'knee' | 'half' | 'cpus';
}
export interface ChartOptions {
  title: string;
  xTitle: string;
  yTitle: string;
  yUnit: string;
  names: string[] | null; // instead of numbers along x
  xs: number[]; // numbers along x that are marked
  logX: boolean;
  logY: boolean;
  xRange: [number, number];
  yRange: [number, number];
  band?: readonly (readonly [x: number, value: number, low: number, high: number])[];
  marks?: ChartMark[];
  selected: string;
  runs: boolean;
  chosen: (reference: string) => void;
  opened: (reference: string) => void;
  hovered: (text: string) => void;
}

const HEIGHT = 260; // minimum; wide plots are taller
const TALLEST = 380;
export const SLOTS = 8;

// Shapes by slot, around 0 0, of about the same area.
const SHAPES = [
  'M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z',
  'M-3.700 -3.700h7.400v7.400h-7.400z',
  'M0 -4.800L4.700 3.700H-4.700z',
  'M0 -5L5 0L0 5L-5 0z',
  'M0 4.800L4.700 -3.700H-4.700z',
  'M-1.500 -4.500h3v3h3v3h-3v3h-3v-3h-3v-3h3z',
  'M-4.500 -2.600L0 -5L4.500 -2.600V2.600L0 5L-4.500 2.600z',
  'M-5 -2.500h10v5h-10z',
];

export function markerShape(slot: number, hollow: boolean): SVGElement {
  return svg('path', { d: SHAPES[slot % SLOTS], class: hollow ? 'marker hollow' : 'marker' });
}

let clips = 0; // number of the last clip path

const round = (value: number): number => Math.round(value * 10) / 10;

class Chart {
  private readonly left: number;
  private readonly height: number;
  private readonly bottom: number;
  private readonly x: Scale;
  private readonly y: Scale;
  private readonly root: SVGSVGElement;

  constructor(
    private readonly series: ChartSeries[],
    private readonly options: ChartOptions,
    private readonly width: number,
  ) {
    this.height = Math.round(Math.min(TALLEST, Math.max(HEIGHT, width * 0.45)));
    this.bottom = this.height - 40;
    const labels = makeScale(...options.yRange, options.logY, this.bottom, 12).ticks.map((tick) =>
      tickText(tick, options.yUnit),
    );
    this.left = 14 + Math.max(24, ...labels.map((label) => label.length * 6.7));
    this.x = options.names
      ? bandScale(options.names.length, this.left, width - 10)
      : makeScale(...options.xRange, options.logX, this.left, width - 10);
    this.y = makeScale(...options.yRange, options.logY, this.bottom, 12);
    this.root = svg('svg', {
      class: 'chart',
      width,
      height: this.height,
      viewBox: `0 0 ${width} ${this.height}`,
      role: 'group',
      'aria-label': `${options.title}: ${options.yTitle} against ${options.xTitle}`,
      onkeydown: (event: KeyboardEvent) => this.pressed(event),
    });
  }

  draw(): SVGSVGElement {
    this.drawAxes();
    this.drawMarks();
    this.drawBand();
    this.series.forEach((series) => this.drawSeries(series));
    this.root.querySelector('.point.selected')?.setAttribute('tabindex', '0');
    if (!this.root.querySelector('.point[tabindex="0"]'))
      this.root.querySelector('.point')?.setAttribute('tabindex', '0');
    return this.root;
  }

  private drawAxes(): void {
    const { options, left, bottom, width } = this,
      axes = svg('g', { class: 'axes', 'aria-hidden': 'true' });
    for (const tick of this.y.ticks) {
      const y = round(this.y.at(tick));
      axes.append(svg('path', { class: 'grid-line', d: `M${left} ${y}H${width - 10}` }));
      axes.append(svg('text', { x: left - 6, y: y + 4, 'text-anchor': 'end' }, tickText(tick, options.yUnit)));
    }
    axes.append(svg('path', { class: 'axis-line', d: `M${left} ${bottom}H${width - 10}` }));
    const ticks = options.names ? this.x.ticks : options.xs.length <= 24 ? options.xs : this.x.ticks;
    let free = -Infinity; // the position where the next label may begin
    for (const tick of ticks) {
      const label = options.names
          ? shorten(options.names[tick], (width - left) / options.names.length)
          : tickText(tick, ''),
        x = round(this.x.at(tick)),
        half = label.length * 3.4;
      axes.append(svg('path', { class: 'axis-line', d: `M${x} ${bottom}v4` }));
      if (x - half < free) continue;
      free = x + half + 6;
      axes.append(svg('text', { x, y: bottom + 17, 'text-anchor': 'middle' }, label));
    }
    axes.append(
      svg(
        'text',
        { class: 'axis-title', x: (left + width - 10) / 2, y: this.height - 6, 'text-anchor': 'middle' },
        shorten(options.xTitle, width - left),
      ),
    );
    this.root.append(axes);
  }

  private drawMarks(): void {
    const { options, bottom, width, left } = this,
      inside = (x: number): number => Math.min(width - 10, Math.max(left, x));
    (options.marks ?? []).forEach((mark, i) => {
      const from = inside(this.x.at(mark.low)),
        to = inside(Number.isFinite(mark.high) ? this.x.at(mark.high) : width),
        x = this.x.at(mark.x);
      const group = svg('g', { class: `mark ${mark.kind}` });
      if (to - from > 1)
        group.append(svg('rect', { x: round(from), y: 12, width: round(to - from), height: bottom - 12 }));
      if (x >= left && x <= width - 10) {
        const atRight = x > (left + width) / 2;
        group.append(svg('path', { d: `M${round(x)} 12V${bottom}` }));
        group.append(
          svg(
            'text',
            { x: round(x) + (atRight ? -5 : 5), y: 23 + 14 * i, 'text-anchor': atRight ? 'end' : 'start' },
            mark.text,
          ),
        );
      }
      this.root.append(group);
    });
  }

  private drawBand(): void {
    const band = (this.options.band ?? []).filter(([x]) => x >= this.options.xRange[0] && x <= this.options.xRange[1]);
    if (band.length < 2) return;
    // The clip path cuts off what is outside the plot. Values far outside are limited.
    const bounded = (value: number): number => round(Math.max(-4000, Math.min(4000, this.y.at(value))));
    const coordinates = ([x]: readonly [number, ...unknown[]], value: number): string =>
      `${round(this.x.at(x))} ${bounded(value)}`;
    const clip = `clip${++clips}`;
    const upper = band.map((one) => coordinates(one, one[3])),
      lower = band.map((one) => coordinates(one, one[2])).reverse();
    this.root.append(
      svg(
        'g',
        { class: 'fit', 'aria-hidden': 'true', 'clip-path': `url(#${clip})` },
        svg(
          'clipPath',
          { id: clip },
          svg('rect', { x: this.left, y: 4, width: this.width - this.left, height: this.bottom - 4 }),
        ),
        svg('path', { class: 'band', d: `M${[...upper, ...lower].join('L')}z` }),
        svg('path', { class: 'line', d: `M${band.map((one) => coordinates(one, one[1])).join('L')}` }),
      ),
    );
  }

  private drawSeries(series: ChartSeries): void {
    const known = series.points.filter(({ value }) => value !== null),
      group = svg('g', {
        class: `series s${series.slot % SLOTS}${series.dashed ? ' dashed' : ''}`,
        'data-series': series.name,
      });
    const coordinates = (point: ChartPoint): string => `${round(this.x.at(point.x))} ${round(this.y.at(point.value!))}`;
    if (known.length > 1 && !this.options.band)
      group.append(svg('path', { class: 'line', d: `M${known.map(coordinates).join('L')}` }));
    for (const point of series.points) group.append(this.marker(series, point));
    this.root.append(group);
  }

  private marker(series: ChartSeries, point: ChartPoint): SVGElement {
    const { options } = this,
      x = round(this.x.at(point.x)),
      y = point.value === null ? this.bottom : round(this.y.at(point.value));
    const marker = svg('g', {
      class: `point${point.reference === options.selected ? ' selected' : ''}${point.trouble ? ' trouble' : ''}`,
      tabindex: '-1',
      role: 'button',
      'aria-label': point.text,
      'data-reference': point.reference,
      transform: `translate(${x} ${y})`,
      onclick: () => options.chosen(point.reference),
      ondblclick: () => options.opened(point.reference),
      onmouseenter: () => options.hovered(point.text),
      onmouseleave: () => options.hovered(''),
      onfocus: () => options.hovered(point.text),
    });
    marker.append(svg('circle', { class: 'reach', r: 11 }));
    if (point.value === null) {
      marker.append(svg('path', { class: 'cross', d: 'M-4 -12L4 -4M4 -12L-4 -4' }));
      return marker;
    }
    if (options.runs)
      for (const run of point.runs)
        marker.append(svg('circle', { class: 'run', cx: 0, cy: round(this.y.at(run)) - y, r: 1.8 }));
    // An end outside the plot has no bar across it.
    const end = Number.isFinite(point.high) ? this.y.at(point.high) : -1,
      top = round(Math.max(4, end)) - y,
      foot = round(Math.min(this.bottom + 8, this.y.at(point.low))) - y;
    if (foot - top > 1)
      marker.append(
        svg('path', { class: 'interval', d: `M0 ${top}V${foot}${end < 4 ? '' : `M-3 ${top}h6`}M-3 ${foot}h6` }),
      );
    marker.append(markerShape(series.shape ?? series.slot, series.dashed));
    if (point.trouble) marker.append(svg('circle', { class: 'ring', r: 8.5 }));
    return marker;
  }

  // Left and right along a series, up and down to the neighbour above or below.
  private pressed(event: KeyboardEvent): void {
    const at = (event.target as Element).closest('.point');
    if (!at) return;
    const reference = at.getAttribute('data-reference') ?? '';
    if (event.key === 'Enter' || event.key === ' ') this.options.chosen(reference);
    else if (event.key === 'o') this.options.opened(reference);
    else {
      const next = this.neighbour(at, event.key);
      if (!next) return;
      at.setAttribute('tabindex', '-1');
      next.setAttribute('tabindex', '0');
      next.focus();
    }
    event.preventDefault();
    event.stopPropagation();
  }

  private neighbour(at: Element, key: string): SVGElement | null {
    const along = { ArrowLeft: -1, ArrowRight: 1 }[key],
      between = { ArrowUp: -1, ArrowDown: 1 }[key];
    const line = [...at.parentElement!.querySelectorAll<SVGElement>('.point')],
      position = line.indexOf(at as SVGElement);
    if (along) return line[position + along] ?? null;
    if (!between) return null;
    const lines = [...this.root.querySelectorAll('.series')],
      next = lines[lines.indexOf(at.parentElement!) + between]?.querySelectorAll<SVGElement>('.point');
    return next ? next[Math.min(position, next.length - 1)] : null;
  }
}

function shorten(text: string, pixels: number): string {
  const columns = Math.max(3, Math.floor(pixels / 6.7));
  return text.length <= columns ? text : `${text.slice(0, columns - 1)}\u2026`;
}

export function drawChart(series: ChartSeries[], options: ChartOptions, width: number): SVGSVGElement {
  return new Chart(series, options, Math.max(220, Math.floor(width))).draw();
}

// The range of these numbers.
export function rangeOf(values: Iterable<number>, zero: boolean, log: boolean): [number, number] {
  let low = Infinity,
    high = -Infinity;
  for (const value of values) {
    if (!Number.isFinite(value) || (log && value <= 0)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low > high) return [log ? 1 : 0, log ? 10 : 1];
  if (zero && !log) return [Math.min(0, low), Math.max(0, high)];
  return [low, high];
}
