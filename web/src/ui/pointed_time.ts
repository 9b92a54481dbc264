// SPDX-License-Identifier: Apache-2.0
// What happened at the time under the pointer: the sample with its stack, thread and CPU, a mark, a span, a counter's
// value. Hovering shows it; a click chooses the sample's frame for all views.

import type { ReportGaps, SampleAt, SampleOptions } from '../model/interface.ts';
import type { AppCore } from './app_core.ts';
import { inOneLine, showHovered, tooltip, type FrameFacts } from './frame_text.ts';
import type { LaneRow } from './lane_painter.ts';
import { firstFrom, momentsOf, type MarkTrack, type SpanTrack } from './moments.ts';
import { threadLabels } from './profile_words.ts';
import { status } from './status.ts';
import { amount, boundsText, shortLabel, thousands, valueText, visible } from './text.ts';
import { lossText, secondClockName } from './time_axis.ts';

const CALLERS = 6; // in the tooltip
const WIDTH = 70; // of a name there, in columns

export class PointedTime {
  private turn = 0;

  constructor(private readonly app: AppCore) {}

  leave(): void {
    this.turn++;
    tooltip.show(null, 0, 0);
    status.hover('');
  }

  // A finger leaves when it is lifted: what it pointed at stays.
  leftBy({ pointerType }: PointerEvent): void {
    if (pointerType !== 'touch') this.leave();
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
    app.select({ func, path: sample.path, inverted: false }, sample.time);
    app.change({ selected: func }, {}, true);
    status.announce(inOneLine(facts));
  }

  private facts(
    { row, path, thread, cpu, weight, time, labels }: SampleAt,
    { time: at, reach }: SampleOptions,
  ): FrameFacts {
    const { app } = this,
      { info } = app,
      rows: [string, string][] = [['at', app.clock(row < 0 ? at : time)]],
      marks = this.marksNear(at, reach),
      lost = lossText(info, at - reach, at + reach);
    if (row >= 0) {
      if (thread >= 0) rows.push(['thread', threadLabels(info)[thread] ?? '']);
      if (cpu >= 0) rows.push(['CPU', String(cpu)]);
      rows.push(['sample', app.amount(weight)]);
      for (const label of labels.slice(0, 4)) rows.push(['label', shortLabel(visible(label), 80)]);
    }
    if (marks) rows.push(['mark', marks]);
    if (lost) rows.push(['lost', lost]);
    addFrames(
      path
        .slice(0, -1)
        .reverse()
        .map((func) => app.shortName(func, WIDTH)),
      rows,
      'called by',
    );
    const name = row < 0 ? 'No sample here' : path.length === 0 ? '[empty stack]' : app.name(path[path.length - 1]);
    return { func: path[path.length - 1] ?? -1, name, rows };
  }

  private marksNear(time: number, reach: number): string {
    const { info } = this.app,
      names: string[] = [];
    for (const { at: markAt, times } of momentsOf(info).marks) {
      const at = firstFrom(times, time - reach);
      if (at < times.length && times[at] <= time + reach) names.push(shortLabel(visible(markAt(at).label), 60));
    }
    return names.slice(0, 3).join(', ');
  }

  // A row without samples or spans.
  moment(row: LaneRow, { time, reach }: { time: number; reach: number }, x: number, y: number): void {
    this.turn++;
    const { info } = this.app,
      rows: [string, string][] = [['at', this.app.clock(time)]];
    let name = row.label;
    if (row.kind === 'marks') name = this.markIn(row.track, time, reach, rows) ?? name;
    else if (row.kind === 'series') this.addValues(row, time, rows);
    else if (row.kind === 'losses') name = lossText(info, time - reach, time + reach) || name;
    showHovered({ func: -1, name, rows }, x, y);
  }

  private addValues({ lines, gaps }: LaneRow & { kind: 'series' }, time: number, rows: [string, string][]): void {
    const gap = gapAt(gaps, time);
    if (gap >= 0) rows.push(['no data', visible(gaps.reason[gap])]);
    for (const { time: times, value, unit, low, high, name } of lines) {
      const at = firstFrom(times, time, 0, true) - 1;
      if (gap >= 0 || at < 0 || Number.isNaN(value[at])) continue;
      const words = lines.length > 1 ? shortLabel(visible(name), 40) : 'value';
      rows.push([words, valueText(value[at], unit)]);
      if (low.length > 0 && !Number.isNaN(low[at])) rows.push(['between', boundsText(low[at], high[at], unit)]);
    }
  }

  // The spans at a time, from the pointed level outwards. A click chooses the stack of the first one, if it has one.
  span(
    track: SpanTrack,
    { time, reach }: { time: number; reach: number },
    level: number,
    x: number,
    y: number,
    choose: boolean,
  ): void {
    const at = (wanted: number): number | null => {
      const { rows: spans, begin, end } = track.levels[wanted];
      const index = firstFrom(end, time - reach);
      return index < spans.length && begin[index] <= time + reach ? spans[index] : null;
    };
    const levels = [...track.levels.keys()],
      around = levels.slice(0, level + 1).reverse(),
      // What is pointed at comes first, then what is around it; if there is nothing, what is inside.
      found = around.flatMap((wanted) => at(wanted) ?? []),
      inside = levels.slice(level + 1).flatMap((wanted) => at(wanted) ?? []),
      gap = gapAt(track.gaps, time),
      rows: [string, string][] = [];
    if (found.length === 0) found.push(...inside.slice(0, 1));
    if (found.length === 0) rows.push(['at', this.app.clock(time)]);
    if (found.length === 0 && gap >= 0) rows.push(['no data', visible(track.gaps.reason[gap])]);
    found.forEach((span, i) => this.addSpan(track, span, i === 0, rows));
    const name = found.length > 0 ? this.spanName(track, found[0]) : track.label;
    void this.showStack(track, found[0] ?? -1, { func: -1, name, rows }, { time, x, y, choose });
  }

  private spanName({ source }: SpanTrack, span: number): string {
    const name = shortLabel(visible(source.names[source.name[span]] ?? ''), 80),
      state = source.state(span);
    return name || (state !== 'work' ? state : visible(source.kinds[source.kind[span]] ?? ''));
  }

  private addSpan(track: SpanTrack, span: number, isFirst: boolean, rows: [string, string][]): void {
    const { source } = track,
      { info } = this.app,
      long = source.end[span] - source.begin[span];
    if (!isFirst) rows.push(['in', this.spanName(track, span)]);
    rows.push(['from', this.app.clock(source.begin[span])]);
    if (long >= 0) rows.push(['for', amount(long, 'nanoseconds')]);
    if (!isFirst) return;
    if (source.state(span) !== 'work') rows.push(['state', source.state(span)]);
    if (track.framesOf !== null) return;
    const { spans } = info,
      labels = threadLabels(info);
    if (spans.thread[span] >= 0) rows.push(['thread', labels[spans.thread[span]] ?? '']);
    if (spans.waker[span] >= 0) rows.push(['woken by', labels[spans.waker[span]] ?? '']);
  }

  // Stacks of the profile are asked for; those of a report are here.
  private async showStack(
    { framesOf }: SpanTrack,
    span: number,
    facts: FrameFacts,
    { time, x, y, choose }: { time: number; x: number; y: number; choose: boolean },
  ): Promise<void> {
    const { app } = this,
      turn = ++this.turn,
      stack = framesOf === null && span >= 0 ? app.info.spans.stack[span] : 0;
    if (framesOf !== null && span >= 0)
      addFrames(
        framesOf(span).map((name) => shortLabel(visible(name), WIDTH)),
        facts.rows,
        'stack',
      );
    showHovered(facts, x, y);
    if (stack <= 0) return;
    const { model } = app.state,
      answer = await app.ask('pointed', 'stackPath', () => app.engine.stackPath(model, stack));
    if (!answer || turn !== this.turn || answer.path.length === 0) return;
    addFrames(
      [...answer.path].reverse().map((func) => app.shortName(func, WIDTH)),
      facts.rows,
      'stack',
    );
    showHovered(facts, x, y);
    if (!choose) return;
    const func = answer.path[answer.path.length - 1];
    app.select({ func, path: answer.path, inverted: false }, time);
    app.change({ selected: func }, {}, true);
    status.announce(inOneLine(facts));
  }

  private markIn(
    { at: markAt, times }: MarkTrack,
    time: number,
    reach: number,
    rows: [string, string][],
  ): string | null {
    const at = firstFrom(times, time - reach),
      { info } = this.app;
    if (at >= times.length || times[at] > time + reach) return null;
    const { label, value, thread, unit } = markAt(at);
    rows[0] = ['at', this.app.clock(times[at])];
    // The values of the profile's marks are on its second clock, whose name is their unit.
    if (value !== null && unit) rows.push(['value', valueText(value, unit)]);
    else if (value !== null) rows.push([secondClockName(info), valueText(value, '')]);
    if (thread >= 0) rows.push(['thread', threadLabels(info)[thread] ?? '']);
    const more = firstFrom(times, time + reach, at, true) - at - 1;
    if (more > 0) rows.push(['and', `${thousands(more)} more ${more === 1 ? 'mark' : 'marks'} here`]);
    return visible(label);
  }
}

// The first frames of a stack, innermost first, with short names.
function addFrames(names: string[], rows: [string, string][], words: string): void {
  names.slice(0, CALLERS).forEach((name, i) => rows.push([i === 0 ? words : '', name]));
  if (names.length > CALLERS) rows.push(['', `and ${thousands(names.length - CALLERS)} more`]);
}

// The gap around a time; -1 if there is none.
const gapAt = ({ begin, end }: ReportGaps, time: number): number =>
  begin.findIndex((from, gap) => from <= time && time <= end[gap]);
