// SPDX-License-Identifier: Apache-2.0
// What happened at the time under the pointer: the sample with its stack, thread and CPU, a mark, a span, a counter's
// value. Hovering shows it; a click chooses the sample's frame for all views.

import type { SampleAt, SampleOptions } from '../model/interface.ts';
import type { AppCore } from './app_core.ts';
import { inOneLine, showHovered, tooltip, type FrameFacts } from './frame_text.ts';
import type { LaneRow } from './lane_painter.ts';
import { firstFrom, momentsOf } from './moments.ts';
import { status } from './status.ts';
import { amount, clock, shortLabel, thousands, visible } from './text.ts';
import { lossText } from './time_axis.ts';

const CALLERS = 6; // in the tooltip

export class PointedTime {
  private turn = 0;

  constructor(private readonly app: AppCore) {}

  leave(): void {
    this.turn++;
    tooltip.show(null, 0, 0);
    status.hover('');
  }

  async sample(options: SampleOptions, x: number, y: number, choose: boolean): Promise<void> {
    const { app } = this,
      { model } = app.state,
      turn = ++this.turn;
    // The lane is the thread; a filter to other threads would leave it empty.
    const all = { ...model, threads: null, cpus: null, range: null };
    const sample = await app.ask('pointed', 'sampleAt', () => app.engine.sampleAt(all, options));
    if (!sample || turn !== this.turn) return;
    const facts = this.facts(sample, options);
    showHovered(facts, x, y);
    if (!choose || sample.row < 0 || sample.path.length === 0) return;
    const func = sample.path[sample.path.length - 1];
    app.select({ func, path: sample.path, inverted: false });
    app.change({ selected: func }, {}, true);
    status.announce(inOneLine(facts));
  }

  private facts(
    { row, path, thread, cpu, weight, time, labels }: SampleAt,
    { time: at, reach }: SampleOptions,
  ): FrameFacts {
    const { app } = this,
      { info } = app,
      [, to] = app.shownTime,
      rows: [string, string][] = [['at', clock(row < 0 ? at : time, to)]],
      marks = this.marksNear(at, reach),
      lost = lossText(info, at - reach, at + reach);
    if (row >= 0) {
      if (thread >= 0) rows.push(['thread', visible(info.threads[thread]?.label ?? '')]);
      if (cpu >= 0) rows.push(['CPU', String(cpu)]);
      rows.push(['sample', app.amount(weight)]);
      for (const label of labels.slice(0, 4)) rows.push(['label', shortLabel(visible(label), 80)]);
    }
    if (marks) rows.push(['mark', marks]);
    if (lost) rows.push(['lost', lost]);
    const callers = path.slice(0, -1).reverse();
    callers.slice(0, CALLERS).forEach((func, i) => rows.push([i === 0 ? 'called by' : '', app.shortName(func, 70)]));
    if (callers.length > CALLERS) rows.push(['', `and ${thousands(callers.length - CALLERS)} more`]);
    const name = row < 0 ? 'No sample here' : path.length === 0 ? '[empty stack]' : app.name(path[path.length - 1]);
    return { func: path[path.length - 1] ?? -1, name, rows };
  }

  private marksNear(time: number, reach: number): string {
    const { info } = this.app,
      names: string[] = [];
    for (const { rows, times } of momentsOf(info).marks) {
      const at = firstFrom(times, time - reach);
      if (at < times.length && times[at] <= time + reach)
        names.push(shortLabel(visible(info.marks[rows[at]].label), 60));
    }
    return names.slice(0, 3).join(', ');
  }

  // A row without samples.
  moment(row: LaneRow, time: number, reach: number, x: number, y: number): void {
    this.turn++;
    const { info } = this.app,
      [, to] = this.app.shownTime,
      rows: [string, string][] = [['at', clock(time, to)]];
    let name = row.label;
    if (row.kind === 'marks') name = this.markIn(row.track, time, reach, rows) ?? name;
    else if (row.kind === 'spans') {
      const found = row.track.levels.flatMap(({ rows: spans, begin, end }) => {
        const at = firstFrom(end, time - reach);
        return at < spans.length && begin[at] <= time + reach ? [spans[at]] : [];
      });
      found.forEach((span, i) => {
        const { spans, threads } = info,
          long = spans.end[span] - spans.begin[span];
        const words =
          shortLabel(visible(spans.names[spans.name[span]] ?? ''), 80) || visible(spans.kinds[spans.kind[span]] ?? '');
        if (i === 0) name = words;
        else rows.push(['and', words]);
        rows.push(['from', clock(spans.begin[span], to)]);
        if (long >= 0) rows.push(['for', amount(long, 'nanoseconds')]);
        if (spans.thread[span] >= 0) rows.push(['thread', visible(threads[spans.thread[span]]?.label ?? '')]);
      });
    } else if (row.kind === 'counter') {
      const { time: times, value, unit, low, high } = row.counter,
        at = firstFrom(times, time, 0, true) - 1;
      if (at >= 0) rows.push(['value', `${thousandsOrSo(value[at])} ${visible(unit)}`]);
      if (at >= 0 && !Number.isNaN(low[at]))
        rows.push(['between', `${thousandsOrSo(low[at])} and ${thousandsOrSo(high[at])}`]);
    } else if (row.kind === 'losses') name = lossText(info, time - reach, time + reach) || name;
    showHovered({ func: -1, name, rows }, x, y);
  }

  private markIn(
    { rows: marks, times }: { rows: Int32Array; times: Float64Array },
    time: number,
    reach: number,
    rows: [string, string][],
  ): string | null {
    const at = firstFrom(times, time - reach),
      { info } = this.app;
    if (at >= times.length || times[at] > time + reach) return null;
    const { label, value, thread } = info.marks[marks[at]];
    rows[0] = ['at', clock(times[at], this.app.shownTime[1])];
    if (value !== null) rows.push(['value', thousandsOrSo(value)]);
    if (thread >= 0) rows.push(['thread', visible(info.threads[thread]?.label ?? '')]);
    const more = firstFrom(times, time + reach, at, true) - at - 1;
    if (more > 0) rows.push(['and', `${thousands(more)} more ${more === 1 ? 'mark' : 'marks'} here`]);
    return visible(label);
  }
}

const thousandsOrSo = (value: number): string =>
  Math.abs(value) >= 1000 ? thousands(value) : String(Number(value.toPrecision(5)));
