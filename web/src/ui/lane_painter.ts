// SPDX-License-Identifier: Apache-2.0
// Draws the rows of tracks: the activity of threads, groups, processes or CPUs as stacked areas; spans, counters, marks
// and losses. Draws on the screen and into saved pictures (brush.ts).
//
// All areas of a kind of row have one scale. It is in CPUs if the event is CPU time: then a line marks one CPU.

import type { CounterInfo, ProfileInfo, Timeline } from '../model/interface.ts';
import type { Brush } from './brush.ts';
import { GRID_ROW } from './grid.ts';
import { firstFrom, momentsOf, type MarkTrack, type SpanLevel, type SpanTrack } from './moments.ts';
import { mixedHex, palette, type Theme } from './palette.ts';
import { cutText, shortLabel, thousands, visible } from './text.ts';
import { drawActivity, drawLosses, drawTicks, SMALL_FONT, timeAt, xAt, type Box, type TimeScale } from './time_axis.ts';

export type LaneRow =
  | { kind: 'group'; id: number; of: 'process' | 'group'; lane: number; ids: number[]; label: string; weight: number }
  | { kind: 'lane'; id: number; lane: number; label: string; weight: number; level: number }
  | { kind: 'more'; label: string; weight: number }
  | { kind: 'spans'; track: SpanTrack; label: string; level: number }
  | { kind: 'counter'; counter: CounterInfo; label: string }
  | { kind: 'marks'; track: MarkTrack; label: string }
  | { kind: 'losses'; label: string };

export const LANE_HEIGHT = GRID_ROW - 3;
const NARROWEST_NAME = 36; // pixels
const PALER = 0.62; // of bands under marked activity

// The activity of a lane, by bucket; with several bands, the sums of the first, the first two ... of them.
export function stackedSums(timeline: Timeline, values: Float32Array, base: number): Float32Array[] {
  const { bands, buckets } = timeline,
    sums: Float32Array[] = [];
  let below: Float32Array | null = null;
  for (let band = 0; band < bands; band++) {
    const sum: Float32Array = values.slice((base * bands + band) * buckets, (base * bands + band + 1) * buckets);
    if (below) for (let i = 0; i < buckets; i++) sum[i] += below[i];
    sums.push(sum);
    below = sum;
  }
  return sums;
}

// The most of any lane with values, or of the sum of all lanes.
export function largestOf(timeline: Timeline, of: 'lanes' | 'sum'): number {
  const { values, sum, bands, buckets } = timeline,
    from = of === 'lanes' ? values : sum,
    rows = from.length / (bands * buckets);
  let largest = 0;
  for (let row = 0; row < rows; row++) {
    for (let i = 0; i < buckets; i++) {
      let whole = 0;
      for (let band = 0; band < bands; band++) whole += from[(row * bands + band) * buckets + i];
      largest = Math.max(largest, whole);
    }
  }
  return largest;
}

// How much of the height a value has: `full` is the value of the whole height, `one` that of one CPU (0: unknown).
export interface HeightScale {
  full: number;
  one: number;
}

// CPU time is drawn in whole CPUs.
export function heightScale(timeline: Timeline, largest: number, weightPerNs: number): HeightScale {
  if (weightPerNs === 0) return { full: largest, one: 0 };
  const one = ((timeline.to - timeline.from) / timeline.buckets) * weightPerNs,
    cpus = largest / one;
  // A little more than a whole number is an error of rounding.
  return { full: one * Math.max(1, Math.ceil(cpus - 0.02)), one };
}

// Stacked areas, marked activity over them, and the line of one CPU.
export function drawStack(
  brush: Brush,
  timeline: Timeline,
  row: number | 'sum',
  height: HeightScale,
  box: Box,
  colours: readonly string[],
  theme: Theme,
): void {
  const { buckets, hits, chosen } = timeline,
    { hit, focus, background, lineOfOne } = palette(theme),
    isMarked = hits !== null || chosen !== null;
  const sums = stackedSums(timeline, row === 'sum' ? timeline.sum : timeline.values, row === 'sum' ? 0 : row);
  for (let band = sums.length - 1; band >= 0; band--) {
    if (band > 0 && sums[band].every((value, i) => value === sums[band - 1][i])) continue;
    const colour = isMarked ? mixedHex(colours[band], background, PALER) : colours[band];
    drawActivity(brush, sums[band], 0, buckets, height.full, box, colour, band === sums.length - 1);
  }
  const marked = [
    [hits, hit],
    [chosen, focus],
  ] as const;
  for (const [activity, colour] of marked) {
    if (!activity) continue;
    const [values, offset] = row === 'sum' ? [activity.sum, 0] : [activity.values, row * buckets];
    drawActivity(brush, values, offset, buckets, height.full, box, colour, true);
  }
  if (height.one > 0 && height.full > height.one * 1.01) {
    brush.fillStyle = lineOfOne;
    brush.fillRect(box.left, Math.round(box.top + box.height * (1 - height.one / height.full)), box.width, 1);
  }
}

export class LanePainter {
  private readonly colours: ReturnType<typeof palette>;

  constructor(
    private readonly brush: Brush,
    private readonly scale: TimeScale,
    private readonly theme: Theme,
    private readonly info: ProfileInfo,
    private readonly bands: readonly string[],
  ) {
    this.colours = palette(theme);
  }

  private get box(): Box {
    return { left: this.scale.left, top: 1, width: this.scale.width, height: LANE_HEIGHT - 1 };
  }

  // The lane of a thread or CPU, or of a group or process; `id` is that of a thread or CPU.
  activity(timeline: Timeline, lane: number, height: HeightScale, by: 'thread' | 'cpu' | null, id: number): void {
    const detail = timeline.detail[lane];
    if (detail >= 0) drawStack(this.brush, timeline, detail, height, this.box, this.bands, this.theme);
    if (by !== null && id >= 0) this.ticks(by, id);
  }

  other(row: LaneRow): void {
    switch (row.kind) {
      case 'counter':
        return this.drawCounter(row.counter);
      case 'spans':
        return this.drawSpanTrack(row.track);
      case 'marks':
        return this.drawMarkTrack(row.track);
      case 'losses':
        return drawLosses(this.brush, this.scale, 2, LANE_HEIGHT - 3, this.info, this.theme);
    }
  }

  // The intervals, marks and losses of one thread or CPU.
  private ticks(by: 'thread' | 'cpu', id: number): void {
    const { brush, scale, info, theme } = this,
      moments = momentsOf(info),
      { thread, cpu } = info.lossMoments;
    drawTicks(brush, scale, 0, 6, moments.marksOf(by, id), theme);
    drawLosses(brush, scale, 0, 4, info, theme, (row) => (by === 'thread' ? thread : cpu)[row] === id);
  }

  private drawMarkTrack({ rows, times }: MarkTrack): void {
    const { brush, info, scale } = this;
    let free = -Infinity;
    brush.font = SMALL_FONT;
    brush.textBaseline = 'top';
    drawTicks(brush, scale, 2, LANE_HEIGHT - 3, times, this.theme, (at, x) => {
      if (x < free) return;
      // The name has the room before the next mark.
      const next = at + 1 < times.length ? Math.max(x + 1, xAt(scale, times[at + 1])) : scale.left + scale.width,
        name = visible(info.marks[rows[at]].label),
        fits = brush.measureText(name).width <= next - x - 5;
      if (!fits && next - x < NARROWEST_NAME) return;
      const text = fits ? name : cutText(name, Math.floor((next - x - 5) / 6.4)),
        width = brush.measureText(text).width;
      brush.fillStyle = this.colours.text;
      brush.fillText(text, x + 3, 5);
      free = x + width + 8;
    });
  }

  private drawSpanTrack({ levels }: SpanTrack): void {
    const { info, colours } = this,
      height = (LANE_HEIGHT - 4) / levels.length,
      colourOf = (row: number): string => colours.slots[(info.spans.name[row] + 4) % colours.slots.length];
    levels.forEach((level, i) => this.drawLevel(level, 2 + i * height, height - 1, colourOf, height > 11));
  }

  private drawLevel(
    { rows, begin, end }: SpanLevel,
    top: number,
    height: number,
    colourOf: (row: number) => string,
    named = false,
  ): void {
    const { brush, scale, info } = this;
    for (let i = firstFrom(end, scale.from); i < rows.length && begin[i] <= scale.to;) {
      const from = Math.max(scale.left, xAt(scale, begin[i])),
        until = Math.min(scale.left + scale.width, Math.max(from + 1, xAt(scale, end[i])));
      brush.fillStyle = colourOf(rows[i]);
      brush.fillRect(from, top, until - from, height);
      if (named && until - from >= NARROWEST_NAME) {
        brush.font = SMALL_FONT;
        brush.textBaseline = 'top';
        brush.fillStyle = this.colours.text;
        const text = shortLabel(
          visible(info.spans.names[info.spans.name[rows[i]]] ?? ''),
          Math.floor((until - from - 6) / 6.4),
        );
        brush.fillText(text, from + 3, top + height / 2 - 6);
      }
      i = until > from + 1.5 ? i + 1 : Math.max(i + 1, firstFrom(end, timeAt(scale, from + 1), i, true));
    }
  }

  private drawCounter({ time, value, unit }: CounterInfo): void {
    const { brush, scale, colours } = this;
    let low = 0,
      high = 0;
    for (const v of value) {
      low = Math.min(low, v);
      high = Math.max(high, v);
    }
    const y = (v: number): number => LANE_HEIGHT - 2 - (high > low ? (v - low) / (high - low) : 0) * (LANE_HEIGHT - 5);
    brush.strokeStyle = colours.focus;
    brush.lineWidth = 1;
    brush.beginPath();
    let lastX = -1;
    const first = Math.max(0, firstFrom(time, scale.from) - 1);
    for (let i = first; i < time.length; i++) {
      const x = xAt(scale, time[i]);
      if (i > first && i + 1 < time.length && x - lastX < 0.5) continue;
      lastX = x;
      if (i === first) brush.moveTo(x, y(value[i]));
      else brush.lineTo(x, y(value[i]));
      if (time[i] > scale.to) break;
    }
    brush.stroke();
    brush.fillStyle = colours.faintText;
    brush.font = SMALL_FONT;
    brush.textBaseline = 'top';
    const most = high >= 1000 ? thousands(high) : String(Number(high.toPrecision(4)));
    brush.fillText(`${most} ${shortLabel(visible(unit), 20)}`, scale.left + 3, 1);
  }
}
