// SPDX-License-Identifier: Apache-2.0
// Draws the rows of the timeline: activity of a thread, a CPU or a group of threads, intervals, counters, marks and
// losses. Draws on the screen and into saved pictures (brush.ts).

import type { CounterInfo, ProfileInfo, Timeline } from '../model/interface.ts';
import type { Brush } from './brush.ts';
import { GRID_ROW } from './grid.ts';
import { palette, type Theme } from './palette.ts';
import { thousands } from './text.ts';
import { drawActivity, drawLosses, drawMarks, xAt, type TimeScale } from './time_axis.ts';

export type LaneRow =
  | { kind: 'group'; group: number; label: string; lanes: number[]; weight: number }
  | { kind: 'lane'; lane: number; label: string; weight: number; level: number }
  | { kind: 'spans'; name: number; label: string }
  | { kind: 'counter'; counter: CounterInfo; label: string }
  | { kind: 'marks'; label: string }
  | { kind: 'losses'; label: string };

export const LANE_HEIGHT = GRID_ROW - 3;

export class LanePainter {
  private readonly colours: ReturnType<typeof palette>;

  constructor(
    private readonly brush: Brush,
    private readonly scale: TimeScale,
    private readonly theme: Theme,
    private readonly info: ProfileInfo,
    private readonly lanes: 'thread' | 'cpu',
  ) {
    this.colours = palette(theme);
  }

  // `largest` is the activity that fills the height of a lane.
  paint(row: LaneRow, timeline: Timeline, largest: number): void {
    const { brush, scale, info, theme } = this,
      { slots } = this.colours,
      { values, buckets } = timeline;
    switch (row.kind) {
      case 'lane':
        this.drawValues(values, row.lane * buckets, buckets, largest, slots[this.lanes === 'cpu' ? 1 : 0]);
        return this.drawTicks(timeline.lanes[row.lane]);
      case 'group': {
        const sum = new Float32Array(buckets);
        for (const lane of row.lanes) for (let i = 0; i < buckets; i++) sum[i] += values[lane * buckets + i];
        const most = sum.reduce((a, b) => Math.max(a, b), 0);
        return this.drawValues(sum, 0, buckets, most, slots[3]);
      }
      case 'counter':
        return this.drawCounter(row.counter);
      case 'spans':
        return this.drawSpans(null, row.name);
      case 'marks':
        return drawMarks(brush, scale, 0, LANE_HEIGHT, info.marks, theme, true);
      case 'losses':
        return drawLosses(brush, scale, 2, LANE_HEIGHT - 3, info, theme);
    }
  }

  private drawValues(values: ArrayLike<number>, offset: number, count: number, largest: number, colour: string): void {
    const box = { left: 0, top: 1, width: this.scale.width, height: LANE_HEIGHT - 1 };
    drawActivity(this.brush, values, offset, count, largest, box, colour);
  }

  // The intervals, marks and losses of one thread or CPU.
  private drawTicks(id: number): void {
    const { brush, scale, info, theme } = this,
      byThread = this.lanes === 'thread',
      { thread, cpu } = info.lossMoments;
    if (byThread) this.drawSpans(id);
    if (id < 0) return;
    const marks = info.marks.filter((mark) => (byThread ? mark.thread : mark.cpu) === id);
    drawMarks(brush, scale, 0, LANE_HEIGHT, marks, theme, false);
    drawLosses(brush, scale, 0, 4, info, theme, (row) => (byThread ? thread : cpu)[row] === id);
  }

  // Intervals as a strip at the bottom of a thread's lane, or in a lane of their own; at most one rectangle per pixel.
  private drawSpans(thread: number | null, name = -1): void {
    const { brush, scale } = this,
      { slots } = this.colours,
      { spans } = this.info;
    brush.fillStyle = name >= 0 ? slots[(name + 4) % 8] : slots[1];
    let painted = -1;
    for (let i = 0; i < spans.begin.length; i++) {
      if ((thread !== null && spans.thread[i] !== thread) || (name >= 0 && spans.name[i] !== name)) continue;
      const from = Math.floor(xAt(scale, spans.begin[i])),
        end = Number.isNaN(spans.end[i]) ? spans.begin[i] : spans.end[i],
        until = Math.max(from + 1, Math.ceil(xAt(scale, end)));
      if (!(until > painted)) continue; // also if the time is unknown
      brush.fillRect(
        Math.max(from, painted),
        thread === null ? 4 : LANE_HEIGHT - 4,
        until - Math.max(from, painted),
        thread === null ? LANE_HEIGHT - 8 : 4,
      );
      painted = until;
    }
  }

  private drawCounter({ time, value }: CounterInfo): void {
    const { brush, scale, colours } = this;
    let low = 0,
      high = 0;
    for (const v of value) {
      low = Math.min(low, v);
      high = Math.max(high, v);
    }
    const y = (v: number): number => LANE_HEIGHT - 2 - (high > low ? (v - low) / (high - low) : 0) * (LANE_HEIGHT - 5);
    brush.strokeStyle = colours.focus;
    brush.beginPath();
    let lastX = -1;
    for (let i = 0; i < time.length; i++) {
      const x = xAt(scale, time[i]);
      if (i > 0 && i + 1 < time.length && x - lastX < 0.5) continue;
      lastX = x;
      if (i === 0) brush.moveTo(x, y(value[i]));
      else brush.lineTo(x, y(value[i]));
    }
    brush.stroke();
    brush.fillStyle = colours.faintText;
    brush.font = '10px system-ui, "DejaVu Sans", sans-serif';
    brush.fillText(high >= 1000 ? thousands(high) : String(Number(high.toPrecision(4))), 3, 10);
  }
}
