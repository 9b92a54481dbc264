// SPDX-License-Identifier: Apache-2.0
// Draws the rows of tracks: the activity of threads, groups, processes or CPUs as stacked areas; lines with bands and
// gaps, spans, marks and losses. Draws on the screen and into saved pictures (brush.ts).
//
// All areas of a kind of row have one scale, whose height is written in the first of them: a process can use more CPUs
// than a thread. It is in CPUs if the event is CPU time: then a line marks one CPU.

import type { ProfileInfo, ReportGaps, ReportLine, Timeline } from '../model/interface.ts';
import type { Brush } from './brush.ts';
import { GRID_ROW } from './grid.ts';
import { firstFrom, momentsOf, type MarkTrack, type SpanLevel, type SpanSource, type SpanTrack } from './moments.ts';
import { mixedHex, palette, type Theme } from './palette.ts';
import { cutText, shortLabel, valueText, visible } from './text.ts';
import {
  drawActivity,
  drawLosses,
  drawNote,
  drawTicks,
  SMALL_FONT,
  timeAt,
  xAt,
  type Box,
  type TimeScale,
} from './time_axis.ts';

export type LaneRow =
  | { kind: 'group'; id: number; of: 'process' | 'group'; lane: number; ids: number[]; label: string; weight: number }
  | { kind: 'lane'; id: number; lane: number; label: string; weight: number; level: number }
  | { kind: 'more'; label: string; weight: number | null; level: number } // weight: null for rows without a cost
  | SpansRow
  | { kind: 'series'; lines: ReportLine[]; gaps: ReportGaps; label: string; level: number }
  | { kind: 'marks'; track: MarkTrack; label: string }
  | { kind: 'losses'; label: string };

// The levels of a track from `first` to before `last`.
export interface SpansRow {
  kind: 'spans';
  track: SpanTrack;
  first: number;
  last: number;
  label: string;
  level: number;
  thread: string; // that they are of; empty: none
}

export const LANE_HEIGHT = GRID_ROW - 3;
const NARROWEST_NAME = 36; // pixels
const HATCH = 6;
const MOST_IN_A_PIXEL = 50; // points or spans that are looked at
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
  if (height.one > 0) {
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
      case 'series':
        return this.drawSeries(row.lines, row.gaps);
      case 'spans':
        return this.drawSpanTrack(row);
      case 'marks':
        return this.drawMarkTrack(row.track);
      case 'losses':
        return drawLosses(this.brush, this.scale, 2, LANE_HEIGHT - 3, this.info, this.theme);
    }
  }

  // The value at the full height of a series. Last: it stays readable where the time outside of a range is dimmed.
  seriesNote(row: LaneRow): void {
    if (row.kind !== 'series' || row.lines.length === 0) return;
    const { high } = rangeOf(row.lines);
    this.scaleNote(valueText(high, shortLabel(row.lines[0].unit, 20)));
  }

  scaleNote(text: string): void {
    drawNote(this.brush, text, this.scale.left + 4, 0, this.theme);
  }

  // The intervals, marks and losses of one thread or CPU.
  private ticks(by: 'thread' | 'cpu', id: number): void {
    const { brush, scale, info, theme } = this,
      moments = momentsOf(info),
      { thread, cpu } = info.lossMoments;
    drawTicks(brush, scale, 0, 6, moments.marksOf(by, id), theme);
    drawLosses(brush, scale, 0, 4, info, theme, (row) => (by === 'thread' ? thread : cpu)[row] === id);
  }

  private drawMarkTrack({ at: markAt, times }: MarkTrack): void {
    const { brush, scale } = this;
    let free = -Infinity;
    brush.font = SMALL_FONT;
    brush.textBaseline = 'top';
    drawTicks(brush, scale, 2, LANE_HEIGHT - 3, times, this.theme, (at, x) => {
      if (x < free) return;
      // The name has the room before the next mark.
      const next = at + 1 < times.length ? Math.max(x + 1, xAt(scale, times[at + 1])) : scale.left + scale.width,
        name = visible(markAt(at).label),
        fits = brush.measureText(name).width <= next - x - 5;
      if (!fits && next - x < NARROWEST_NAME) return;
      const text = fits ? name : cutText(name, Math.floor((next - x - 5) / 6.4)),
        width = brush.measureText(text).width;
      brush.fillStyle = this.colours.text;
      brush.fillText(text, x + 3, 5);
      free = x + width + 8;
    });
  }

  private drawSpanTrack({ track, first, last }: SpansRow): void {
    const { colours } = this,
      { levels, source, gaps } = track,
      height = (LANE_HEIGHT - 4) / (last - first),
      colourOf = (row: number): string => {
        const state = source.state(row);
        return state === 'work' ? colours.slots[(source.name[row] + 4) % colours.slots.length] : colours.states[state];
      };
    this.drawGaps(gaps);
    for (let i = first; i < last; i++)
      this.drawLevel(levels[i], source, 2 + (i - first) * height, Math.max(1, height - 1), colourOf, height > 11);
  }

  // Hatched: there are no data, which is not the same as nothing.
  private drawGaps({ begin, end }: ReportGaps): void {
    const { brush, scale, colours } = this,
      right = scale.left + scale.width;
    brush.strokeStyle = colours.lineOfOne;
    brush.lineWidth = 1;
    let painted = scale.left;
    begin.forEach((at, gap) => {
      if (end[gap] < scale.from || at > scale.to) return;
      const from = Math.max(painted, xAt(scale, at)),
        until = Math.min(right, Math.max(from + 1, xAt(scale, end[gap])));
      if (until <= from) return;
      brush.fillStyle = colours.gap;
      brush.fillRect(from, 1, until - from, LANE_HEIGHT - 2);
      brush.beginPath();
      for (let x = from - (from % HATCH) - LANE_HEIGHT; x < until; x += HATCH) {
        const low = Math.max(x, from),
          high = Math.min(x + LANE_HEIGHT, until);
        if (high <= low) continue;
        brush.moveTo(low, LANE_HEIGHT - (low - x));
        brush.lineTo(high, LANE_HEIGHT - (high - x));
      }
      brush.stroke();
      painted = until;
    });
  }

  private drawLevel(
    { rows, begin, end }: SpanLevel,
    source: SpanSource,
    top: number,
    height: number,
    colourOf: (row: number) => string,
    named = false,
  ): void {
    const { brush, scale } = this;
    for (let i = firstFrom(end, scale.from); i < rows.length && begin[i] <= scale.to;) {
      const from = Math.max(scale.left, xAt(scale, begin[i])),
        until = Math.min(scale.left + scale.width, Math.max(from + 1, xAt(scale, end[i])));
      const next = until > from + 1.5 ? i + 1 : Math.max(i + 1, firstFrom(end, timeAt(scale, from + 1), i, true)),
        colour = colourOf(rows[i]),
        last = Math.min(next, i + MOST_IN_A_PIXEL);
      let isOne = true;
      for (let j = i + 1; j < last && isOne; j++) isOne = colourOf(rows[j]) === colour;
      // The first of many would stand for all.
      brush.fillStyle = isOne ? colour : this.colours.other;
      brush.fillRect(from, top, until - from, height);
      if (named && until - from >= NARROWEST_NAME) {
        brush.font = SMALL_FONT;
        brush.textBaseline = 'top';
        brush.fillStyle = this.colours.text;
        const name = visible(source.names[source.name[rows[i]]] ?? ''),
          room = until - from - 6,
          columns = Math.floor(room / 6.4),
          text = shortLabel(name, columns),
          { width } = brush.measureText(text);
        // Of wide letters there is room for fewer.
        const fitted = width <= room ? text : shortLabel(name, Math.floor((columns * room) / width));
        brush.fillText(fitted, from + 3, top + height / 2 - 6);
      }
      i = next;
    }
  }

  // A value holds to the next one. Lines share a scale; bands are below them.
  private drawSeries(lines: ReportLine[], gaps: ReportGaps): void {
    const { brush, scale, colours } = this,
      columns = lines.map((line) => knownColumns(line, scale)),
      { low, high } = rangeOf(lines),
      y = (v: number): number => LANE_HEIGHT - 2 - (high > low ? (v - low) / (high - low) : 0) * (LANE_HEIGHT - 5);
    columns.forEach(({ low: lows, high: highs }, i) => {
      if (lines[i].low.length === 0) return;
      brush.fillStyle = colours.band;
      forEachRun(lows, (first, last) => {
        brush.beginPath();
        brush.moveTo(scale.left + first, y(lows[first]));
        for (let x = first; x < last; x++) {
          brush.lineTo(scale.left + x, y(highs[x]));
          brush.lineTo(scale.left + x + 1, y(highs[x]));
        }
        for (let x = last - 1; x >= first; x--) {
          brush.lineTo(scale.left + x + 1, y(lows[x]));
          brush.lineTo(scale.left + x, y(lows[x]));
        }
        brush.fill();
      });
    });
    columns.forEach(({ value }, i) => {
      brush.strokeStyle = i === 0 ? colours.focus : colours.lines[(i - 1) % colours.lines.length];
      brush.lineWidth = 1;
      forEachRun(value, (first, last) => {
        brush.beginPath();
        brush.moveTo(scale.left + first, y(value[first]));
        for (let x = first; x < last; x++) {
          if (x > first && value[x] !== value[x - 1]) brush.lineTo(scale.left + x, y(value[x]));
          if (x + 1 === last || value[x + 1] !== value[x]) brush.lineTo(scale.left + x + 1, y(value[x]));
        }
        brush.stroke();
      });
    });
    this.drawGaps(gaps);
  }
}

// The smallest and the largest value of all lines and their bounds; 0 is included.
const ranges = new WeakMap<ReportLine, { low: number; high: number }>();
function rangeOf(lines: ReportLine[]): { low: number; high: number } {
  let low = 0,
    high = 0;
  for (const line of lines) {
    let own = ranges.get(line);
    if (!own) {
      own = { low: 0, high: 0 };
      for (const values of [line.value, line.low, line.high]) {
        for (const value of values) {
          if (value < own.low) own.low = value;
          if (value > own.high) own.high = value;
        }
      }
      ranges.set(line, own);
    }
    low = Math.min(low, own.low);
    high = Math.max(high, own.high);
  }
  return { low, high };
}

interface LineColumns {
  value: Float64Array; // by pixel; NaN: unknown
  low: Float64Array;
  high: Float64Array;
}

// Of many points in a pixel only some are looked at: the cost depends on the width.
export function lineColumns({ time, value, low, high }: ReportLine, scale: TimeScale): LineColumns {
  const width = Math.max(1, Math.round(scale.width)),
    columns = [0, 1, 2].map(() => new Float64Array(width).fill(NaN)),
    hasBand = low.length > 0;
  let next = firstFrom(time, scale.from, 0, true);
  for (let x = 0; x < width && time.length > 0; x++) {
    // The value before the pixel holds in it, unless the next one begins with it.
    const isNew = time[next] <= timeAt(scale, scale.left + x),
      first = isNew ? next : Math.max(0, next - 1),
      until = timeAt(scale, scale.left + x + 1);
    // The end of the drawing belongs to its last pixel.
    next = firstFrom(time, until, next, x + 1 === width);
    if (next === 0) continue;
    const step = Math.max(1, Math.ceil((next - first) / MOST_IN_A_PIXEL));
    for (let i = first; i < next; i += step) {
      const at = Math.min(i, next - 1);
      if (Number.isNaN(value[at])) continue;
      columns[0][x] = value[at];
      const [l, h] = hasBand && !Number.isNaN(low[at]) ? [low[at], high[at]] : [value[at], value[at]];
      columns[1][x] = Number.isNaN(columns[1][x]) ? l : Math.min(columns[1][x], l);
      columns[2][x] = Number.isNaN(columns[2][x]) ? h : Math.max(columns[2][x], h);
    }
    // What holds at the end of the pixel is drawn, or that nothing is known there.
    columns[0][x] = value[next - 1];
  }
  return { value: columns[0], low: columns[1], high: columns[2] };
}

// Those of the last drawing: rows are drawn again while they are scrolled.
const drawn = new WeakMap<ReportLine, { key: string; columns: LineColumns }>();
function knownColumns(line: ReportLine, scale: TimeScale): LineColumns {
  const key = [scale.from, scale.to, scale.left, scale.width].join(),
    known = drawn.get(line);
  if (known?.key === key) return known.columns;
  const columns = lineColumns(line, scale);
  drawn.set(line, { key, columns });
  return columns;
}

function forEachRun(values: Float64Array, use: (first: number, last: number) => void): void {
  for (let first = 0; first < values.length; first++) {
    if (Number.isNaN(values[first])) continue;
    let last = first;
    while (last < values.length && !Number.isNaN(values[last])) last++;
    use(first, last);
    first = last;
  }
}
