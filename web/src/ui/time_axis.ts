// SPDX-License-Identifier: Apache-2.0
// Drawing over time: ticks, the second clock, marks, moments of loss, and a lane's activity. Used by the overview and
// the timeline.

import type { ProfileInfo, SecondClock } from '../model/interface.ts';
import type { Brush } from './brush.ts';
import { firstFrom, momentsOf } from './moments.ts';
import { palette, type Theme } from './palette.ts';
import { cutText, plural, shortLabel, thousands, tickText, visible } from './text.ts';

export interface TimeScale {
  from: number;
  to: number;
  left: number; // pixels
  width: number;
}

export interface Box {
  left: number; // pixels
  top: number;
  width: number;
  height: number;
}

export const SMALL_FONT = '11px system-ui, "DejaVu Sans", sans-serif';

export const xAt = (scale: TimeScale, time: number): number =>
  scale.left + ((time - scale.from) / (scale.to - scale.from)) * scale.width;
export const timeAt = (scale: TimeScale, x: number): number =>
  Math.max(scale.from, Math.min(scale.to, scale.from + ((x - scale.left) / scale.width) * (scale.to - scale.from)));

// Ticks at round times, about every 110 pixels.
export function ticks(scale: TimeScale): { at: number[]; step: number } {
  const span = scale.to - scale.from,
    wanted = span / Math.max(2, scale.width / 110),
    power = 10 ** Math.floor(Math.log10(wanted));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= wanted) ?? wanted,
    result: number[] = [];
  for (let t = Math.ceil(scale.from / step) * step; t <= scale.to && result.length < 100; t += step) result.push(t);
  return { at: result, step };
}

// The second clock at a time; null outside of its range.
export function secondClockAt(second: SecondClock, time: number): number | null {
  const { time: times, value } = second;
  if (times.length === 0 || time < times[0] || time > times[times.length - 1]) return null;
  let low = 0,
    high = times.length - 1;
  while (low + 1 < high) {
    const middle = (low + high) >>> 1;
    if (times[middle] <= time) low = middle;
    else high = middle;
  }
  const share = times[high] > times[low] ? (time - times[low]) / (times[high] - times[low]) : 0;
  return value[low] + (value[high] - value[low]) * share;
}

// What the second clock shows: the words that the names of its marks have in common, without their numbers.
const clockNames = new WeakMap<ProfileInfo, string>();
export function secondClockName(info: ProfileInfo): string {
  let name = clockNames.get(info);
  if (name === undefined) {
    const names = new Set<string>(),
      { value, name: ids, names: texts } = info.marks;
    for (let row = 0; row < value.length && names.size < 2; row++)
      if (!Number.isNaN(value[row])) names.add(texts[ids[row]].replace(/[-+]?\d[\d.,:e+]*/g, ' '));
    const words = names.size === 1 ? [...names][0].replace(/[^\p{L}\p{N}]+/gu, ' ').trim() : '';
    clockNames.set(info, (name = words ? cutText(visible(words), 20) : 'second clock'));
  }
  return name;
}

// A time since 1970 has ten digits before the point, and all of them matter.
const compact = (value: number): string =>
  Math.abs(value) >= 1e5 && Math.abs(value) < 1e12
    ? String(Number(value.toFixed(2)))
    : Math.abs(value) >= 1e12 || (value !== 0 && Math.abs(value) < 1e-2)
      ? value.toExponential(2)
      : String(Number(value.toPrecision(5)));

export function drawAxis(context: Brush, scale: TimeScale, height: number, info: ProfileInfo, theme: Theme): void {
  const colours = palette(theme);
  context.font = SMALL_FONT;
  context.textBaseline = 'top';
  context.strokeStyle = theme === 'dark' ? '#33373e' : '#e4e0d8';
  context.lineWidth = 1;
  const { at, step } = ticks(scale),
    clockName = secondClockName(info);
  let isNamed = false;
  for (const tick of at) {
    const x = Math.round(xAt(scale, tick)) + 0.5;
    context.beginPath();
    context.moveTo(x, 0);
    context.lineTo(x, height);
    context.stroke();
    let text = tickText(tick, step, Math.max(Math.abs(scale.from), Math.abs(scale.to)));
    const second = info.secondClock && secondClockAt(info.secondClock, tick);
    // The first one says what it is.
    if (second !== null && second !== undefined) {
      text += ` \u00b7 ${isNamed ? '' : `${clockName} `}${compact(second)}`;
      isNamed = true;
    }
    context.fillStyle = colours.faintText;
    if (x + 4 + context.measureText(text).width < scale.left + scale.width) context.fillText(text, x + 4, 2);
  }
}

// A tick for each time, at most one per pixel; calls `at` for each tick. The times increase.
export function drawTicks(
  brush: Brush,
  scale: TimeScale,
  top: number,
  height: number,
  times: Float64Array,
  theme: Theme,
  at: (index: number, x: number) => void = () => {},
): void {
  for (let i = firstFrom(times, scale.from); i < times.length && times[i] <= scale.to;) {
    const x = Math.round(xAt(scale, times[i]));
    brush.fillStyle = palette(theme).focus;
    brush.fillRect(x, top, 1, height);
    at(i, x);
    i = Math.max(i + 1, firstFrom(times, timeAt(scale, x + 0.5), i));
  }
}

// The ticks of all marks.
export function drawMarks(
  brush: Brush,
  scale: TimeScale,
  top: number,
  height: number,
  info: ProfileInfo,
  theme: Theme,
): void {
  for (const { times } of momentsOf(info).marks) drawTicks(brush, scale, top, height, times, theme);
}

// The losses within a range of time; losses without a time are in none.
function lossesIn({ lossMoments }: ProfileInfo, from: number, to: number): number[] {
  const { begin, end } = lossMoments,
    inRange: number[] = [];
  begin.forEach((at, row) => {
    const first = Number.isNaN(at) ? end[row] : at,
      last = Number.isNaN(end[row]) ? at : end[row];
    if (Math.max(first, last) >= from && Math.min(first, last) <= to) inRange.push(row);
  });
  return inRange;
}

// Ticks for losses, as wide as their duration; at most one rectangle per pixel. `chosen` selects the losses.
export function drawLosses(
  context: Brush,
  scale: TimeScale,
  top: number,
  height: number,
  info: ProfileInfo,
  theme: Theme,
  chosen: (row: number) => boolean = () => true,
): void {
  const { begin, end } = info.lossMoments;
  context.fillStyle = palette(theme).lost;
  let painted = -Infinity;
  for (const row of lossesIn(info, scale.from, scale.to)) {
    if (!chosen(row)) continue;
    const at = Number.isNaN(begin[row]) ? end[row] : begin[row],
      from = Math.max(painted, Math.round(xAt(scale, Math.max(scale.from, at)))),
      until = Math.max(
        Math.round(xAt(scale, Math.max(scale.from, at))) + 2,
        Math.round(xAt(scale, Math.min(scale.to, end[row] || at))),
      );
    if (until <= from) continue;
    context.fillRect(from, top, until - from, height);
    painted = until;
  }
}

// The loss around a time: "12 samples lost on CPU 2 (host): ring full"; empty if there is none.
export function lossText(info: ProfileInfo, from: number, to: number): string {
  const { loss, losses, cpu, source, count } = info.lossMoments,
    rows = lossesIn(info, from, to);
  if (rows.length === 0) return '';
  const { reason, what } = losses[loss[rows[0]]] ?? { reason: '', what: '' },
    same = rows.filter((row) => loss[row] === loss[rows[0]]),
    lost = same.reduce((sum, row) => sum + count[row], 0),
    isSame = (column: Int32Array): boolean => same.every((row) => column[row] === column[same[0]]),
    machine = isSame(source) ? (info.sources[source[same[0]]]?.suffix ?? '') : '',
    where = isSame(source) && isSame(cpu) && cpu[same[0]] >= 0 ? ` on CPU ${cpu[same[0]]}` : '',
    others =
      rows.length > same.length ? `, and ${plural(rows.length - same.length, 'other loss', 'other losses')}` : '';
  return `${lost > 0 ? thousands(lost) : 'some'} ${visible(what)} lost${where}${visible(machine)}: ${shortLabel(visible(reason), 100)}${others}`;
}

// A small text over a drawing, on a ground of its own.
export function drawNote(brush: Brush, text: string, x: number, y: number, theme: Theme): void {
  const { background, faintText } = palette(theme);
  brush.font = SMALL_FONT;
  brush.textBaseline = 'top';
  brush.fillStyle = background;
  brush.fillRect(x - 3, y, brush.measureText(text).width + 6, 13);
  brush.fillStyle = faintText;
  brush.fillText(text, x, y + 1);
}

// Activity as an area; `largest` is the value that fills the height.
export function drawActivity(
  context: Brush,
  values: ArrayLike<number>,
  offset: number,
  count: number,
  largest: number,
  box: Box,
  colour: string,
  showsSmall = true,
): void {
  if (!(largest > 0) || count === 0) return;
  context.fillStyle = colour;
  context.beginPath();
  context.moveTo(box.left, box.top + box.height);
  const step = box.width / count;
  for (let i = 0; i < count; i++) {
    const value = values[offset + i];
    let height = Math.min(1, value / largest) * box.height;
    if (showsSmall && value > 0 && height < 1) height = 1; // small values stay visible
    context.lineTo(box.left + i * step, box.top + box.height - height);
    context.lineTo(box.left + (i + 1) * step, box.top + box.height - height);
  }
  context.lineTo(box.left + box.width, box.top + box.height);
  context.fill();
}

// A canvas with the right number of pixels, ready to draw in CSS pixels.
export function sized(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const ratio = devicePixelRatio || 1,
    w = Math.max(1, Math.round(width * ratio)),
    h = Math.max(1, Math.round(height * ratio));
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
  }
  const context = canvas.getContext('2d')!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

// A line at the chosen time.
export function drawCursor(
  brush: Pick<Brush, 'fillStyle' | 'fillRect'>,
  scale: TimeScale,
  height: number,
  time: number | null,
  theme: Theme,
): void {
  if (time === null || time < scale.from || time > scale.to) return;
  brush.fillStyle = palette(theme).text;
  brush.fillRect(Math.round(xAt(scale, time)), 0, 1, height);
}

// Dims the time outside of the chosen range.
export function drawOutside(
  context: Brush,
  scale: TimeScale,
  height: number,
  range: readonly [number, number] | null,
  theme: Theme,
): void {
  if (!range) return;
  const from = Math.max(0, Math.min(scale.width, xAt(scale, range[0]))),
    to = Math.max(0, Math.min(scale.width, xAt(scale, range[1])));
  context.fillStyle = theme === 'dark' ? 'rgba(10,11,13,.62)' : 'rgba(246,245,242,.74)';
  context.fillRect(scale.left, 0, from, height);
  context.fillRect(scale.left + to, 0, scale.width - to, height);
}
