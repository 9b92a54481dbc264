// SPDX-License-Identifier: Apache-2.0
// The timeline: a lane for each thread or CPU with its activity, the busiest first; threads whose names differ only in
// numbers are in one group. Below are intervals (off-CPU and others), counters, marks and losses. Marks of a thread and
// losses of a thread or CPU are also ticks in its lane.
//
// Dragging over a lane chooses a time range for all views; Enter or a double click on a lane filters by that lane.

import type { Timeline } from '../../model/interface.ts';
import type { AppCore } from '../app_core.ts';
import type { Brush } from '../brush.ts';
import { el, fill } from '../dom.ts';
import { Grid } from '../grid.ts';
import { LANE_HEIGHT, LanePainter, type LaneRow as Row } from '../lane_painter.ts';
import { nothingLeft, saveButton, Segments, viewSection, type ViewPart } from '../part.ts';
import { pictureWidth, type Picture } from '../picture/document.ts';
import { laneTable, type Lane } from '../picture/lane_table.ts';
import { Question } from '../question.ts';
import type { Theme } from '../palette.ts';
import { status } from '../status.ts';
import { clock, cutText, percent, plural, shortLabel, visible } from '../text.ts';
import { drawAxis, drawMarks, drawOutside, lossText, sized, timeAt, type TimeScale } from '../time_axis.ts';

const BUCKETS = 400;
const AXIS_HEIGHT = 22;
const LARGEST_OPEN_GROUP = 8; // larger groups of threads start closed

export class TimelineView implements ViewPart {
  readonly element: HTMLElement;
  private readonly grid: Grid;
  private readonly body = el('div', { class: 'flame-body' });
  private readonly kind: Segments<'thread' | 'cpu'>;
  private readonly about = el('span', { class: 'faint' });
  private readonly axis = el('canvas', { class: 'axis' });
  private timeline: Timeline | null = null;
  private rows: Row[] = [];
  private readonly closed = new Set<number>();
  private largest = 1;
  private readonly question = new Question(() => this.element.isConnected);
  private drag: { from: number; x: number } | null = null;

  constructor(private readonly app: AppCore) {
    this.kind = new Segments(
      'Lanes',
      [
        ['thread', 'By thread'],
        ['cpu', 'By CPU'],
      ],
      (lane) => app.change({ lane, chartLane: -2 }),
    );
    this.grid = new Grid({
      name: 'Timeline',
      role: 'treegrid',
      columns: [
        { id: 'name', title: 'Lane', width: 'minmax(80px, 230px)' },
        { id: 'weight', title: 'Cost', width: '84px', right: true, from: 560 },
        { id: 'share', title: '%', width: '58px', right: true },
        { id: 'activity', title: '', width: 'minmax(40%, 1fr)' },
      ],
      rows: () => this.rows.length,
      cell: (row, column) => this.cell(this.rows[row], column),
      rowAttributes: (row) => this.attributes(this.rows[row]),
      chosen: (row) => status.announce(this.describe(this.rows[row])),
      opened: (row) => this.open(this.rows[row]),
      key: (event, row) => this.key(event, row),
    });
    const body = this.grid.body;
    body.addEventListener('pointerdown', (event) => this.pressed(event));
    body.addEventListener('pointermove', (event) => this.moved(event));
    body.addEventListener('pointerup', (event) => this.released(event));
    body.addEventListener('pointercancel', () => {
      this.drag = null;
    });
    body.addEventListener('click', (event) => {
      const twisty = event.target instanceof Element ? event.target.closest('.twisty') : null;
      const row = this.rows[Number(twisty?.closest<HTMLElement>('.grid-row')?.dataset['row'])];
      if (row?.kind === 'group') this.setOpen(row.group, this.closed.has(row.group));
    });
    new ResizeObserver(() => this.drawAxis()).observe(this.grid.element);
    this.body.append(this.grid.element);
    this.element = viewSection(
      'Timeline',
      [this.kind.element, this.about, el('span', { class: 'grow' }), saveButton(app)],
      this.body,
    );
  }

  update(): void {
    const { state } = this.app;
    this.kind.show(state.lane);
    if (this.question.isNew({ ...state.model, threads: null, cpus: null }, state.lane)) void this.load();
    else this.refresh();
  }

  private async load(): Promise<void> {
    const { app } = this,
      { model, lane } = app.state;
    const allLanes = { ...model, threads: null, cpus: null };
    const timeline = await this.question.answer(
      app.ask('timeline', 'timeline', () =>
        app.engine.timeline(allLanes, { lanes: lane, from: 0, to: Math.max(1, app.info.duration), buckets: BUCKETS }),
      ),
    );
    if (!timeline) return;
    if (!this.timeline) this.closeLargeGroups();
    this.timeline = timeline;
    if (timeline.lanes.length === 0) return fill(this.body, nothingLeft(app));
    if (!this.grid.element.isConnected) fill(this.body, this.grid.element);
    this.largest = 0;
    for (const value of timeline.values) this.largest = Math.max(this.largest, value);
    this.refresh();
    if (this.grid.selected < 0) this.grid.select(0, false);
  }

  private closeLargeGroups(): void {
    this.app.info.threadGroups.forEach(({ threads }, group) => {
      if (threads.length > LARGEST_OPEN_GROUP) this.closed.add(group);
    });
  }

  private refresh(): void {
    if (!this.timeline) return;
    this.rows = this.listRows(this.timeline);
    this.about.textContent = `${plural(this.timeline.lanes.length, this.app.state.lane === 'cpu' ? 'CPU' : 'thread')}, busiest first.${this.app.state.model.range ? ' Cost and share are those of the time range.' : ''} Drag to select a time range; double-click a lane to filter by it.`;
    this.grid.refresh();
    this.drawAxis();
  }

  private listRows(timeline: Timeline): Row[] {
    const { info, state } = this.app,
      rows: Row[] = [];
    if (state.lane === 'cpu') {
      timeline.lanes.forEach((cpu, lane) =>
        rows.push({
          kind: 'lane',
          lane,
          label: cpu < 0 ? '[unknown]' : `CPU ${cpu}`,
          weight: timeline.weight[lane],
          level: 1,
        }),
      );
    } else {
      this.addThreads(timeline, rows);
    }
    info.spans.names.forEach((name, i) => rows.push({ kind: 'spans', name: i, label: visible(name) }));
    for (const counter of info.counters) rows.push({ kind: 'counter', counter, label: visible(counter.label) });
    if (info.marks.length > 0) rows.push({ kind: 'marks', label: plural(info.marks.length, 'mark') });
    const moments = info.lossMoments.begin.length;
    if (moments > 0) rows.push({ kind: 'losses', label: plural(moments, 'loss', 'losses') });
    return rows;
  }

  // Groups by cost; threads of a group are in the order of the answer, which is also by cost.
  private addThreads(timeline: Timeline, rows: Row[]): void {
    const { info } = this.app,
      groups = new Map<number, number[]>();
    timeline.lanes.forEach((thread, lane) => {
      const group = thread < 0 ? -1 : info.threads[thread].group,
        lanes = groups.get(group);
      if (lanes) lanes.push(lane);
      else groups.set(group, [lane]);
    });
    const weigh = (lanes: number[]): number => lanes.reduce((sum, lane) => sum + timeline.weight[lane], 0);
    const ranked = [...groups]
      .map(([group, lanes]) => ({ group, lanes, weight: weigh(lanes) }))
      .sort((a, b) => b.weight - a.weight);
    for (const { group, lanes, weight } of ranked) {
      if (lanes.length > 1)
        rows.push({
          kind: 'group',
          group,
          label: visible(info.threadGroups[group]?.label ?? '[unknown]'),
          lanes,
          weight,
        });
      if (lanes.length > 1 && this.closed.has(group)) continue;
      for (const lane of lanes) {
        const thread = timeline.lanes[lane];
        rows.push({
          kind: 'lane',
          lane,
          label: thread < 0 ? '[unknown]' : visible(info.threads[thread].label),
          weight: timeline.weight[lane],
          level: lanes.length > 1 ? 2 : 1,
        });
      }
    }
  }

  private share(weight: number): number {
    let whole = 0;
    for (const value of this.timeline!.weight) whole += value;
    return whole > 0 ? weight / whole : 0;
  }

  private isChosen(row: Row): boolean {
    const { model, lane } = this.app.state,
      chosen = lane === 'cpu' ? model.cpus : model.threads;
    if (!chosen || (row.kind !== 'lane' && row.kind !== 'group')) return true;
    const lanes = row.kind === 'lane' ? [row.lane] : row.lanes;
    return lanes.some((i) => chosen.includes(this.timeline!.lanes[i]));
  }

  private attributes(row: Row): Record<string, string | undefined> {
    return {
      'aria-level': row.kind === 'lane' ? String(row.level) : '1',
      'aria-expanded': row.kind === 'group' ? String(!this.closed.has(row.group)) : undefined,
      class: this.isChosen(row) ? undefined : 'off',
      'aria-label': this.describe(row),
    };
  }

  private describe(row: Row): string {
    if (row.kind === 'lane' || row.kind === 'group') {
      const count = row.kind === 'group' ? `, ${plural(row.lanes.length, 'thread')}` : '';
      return `${row.label}${count}: ${this.app.amount(row.weight)}, ${percent(this.share(row.weight))}${this.lifetime(row)}`;
    }
    if (row.kind === 'counter')
      return `${row.label}: ${plural(row.counter.time.length, 'point')}, ${visible(row.counter.unit)}`;
    return row.label;
  }

  // When the thread of a lane began and ended, if known and within the recording.
  private lifetime(row: Row): string {
    const { info, state } = this.app,
      id = row.kind === 'lane' && state.lane === 'thread' ? this.timeline!.lanes[row.lane] : -1;
    if (id < 0) return '';
    const { begin, end } = info.threads[id];
    return `${begin >= 0 ? `, begins at ${clock(begin, info.duration)}` : ''}${end <= info.duration ? `, ends at ${clock(end, info.duration)}` : ''}`;
  }

  // Cost and percentage of a lane; the unit of a counter.
  private numbers(row: Row): [cost: string, share: string] {
    if (row.kind === 'lane' || row.kind === 'group')
      return [this.app.cell(row.weight), (100 * this.share(row.weight)).toFixed(1)];
    return ['', row.kind === 'counter' ? visible(row.counter.unit) : ''];
  }

  private cell(row: Row, column: string): Node | string {
    if (column === 'activity') return this.picture(row);
    if (column === 'weight') return this.numbers(row)[0];
    if (column === 'share') return this.numbers(row)[1];
    if (row.kind === 'group') {
      return el(
        'div',
        { class: 'tree-name' },
        el('span', { class: 'twisty' }, this.closed.has(row.group) ? '\u25b8' : '\u25be'),
        el('b', null, row.label),
        el('span', { class: 'tag' }, String(row.lanes.length)),
      );
    }
    return el(
      'div',
      {
        class: 'tree-name',
        style: `padding-left:${row.kind === 'lane' && row.level === 2 ? 30 : 18}px`,
        title: row.label,
      },
      row.kind === 'spans' ? shortLabel(row.label, 40) : cutText(row.label, 40),
    );
  }

  private activityWidth(): number {
    return this.grid.columnWidth('activity');
  }

  private scale(width: number): TimeScale {
    return { from: 0, to: Math.max(1, this.app.info.duration), left: 0, width };
  }

  private picture(row: Row): HTMLElement {
    const canvas = el('canvas', { class: 'lane' }),
      width = this.activityWidth(),
      height = LANE_HEIGHT,
      context = sized(canvas, width, height);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    this.paint(context, row, width, this.app.theme);
    return canvas;
  }

  private paint(brush: Brush, row: Row, width: number, theme: Theme): void {
    const { info, state } = this.app;
    new LanePainter(brush, this.scale(width), theme, info, state.lane).paint(row, this.timeline!, this.largest);
    drawOutside(brush, this.scale(width), LANE_HEIGHT, state.model.range, theme);
  }

  private drawAxis(): void {
    const head = this.grid.headCell('activity'),
      width = this.activityWidth();
    if (!head || width <= 0 || !this.timeline) return;
    if (this.axis.parentElement !== head) head.append(this.axis);
    this.axis.style.width = `${width}px`;
    const context = sized(this.axis, width, AXIS_HEIGHT);
    this.paintAxis(context, width, this.app.theme);
  }

  private paintAxis(context: Brush, width: number, theme: Theme): void {
    drawAxis(context, this.scale(width), AXIS_HEIGHT, this.app.info, theme);
    drawMarks(context, this.scale(width), 14, 8, this.app.info.marks, theme, false);
  }

  // All rows that are open, with the columns of the table.
  savedPicture(): Picture | null {
    const { app, timeline } = this;
    if (!timeline || !this.grid.element.isConnected) return null;
    const width = pictureWidth(this.grid.element.clientWidth);
    return {
      name: 'timeline',
      title: `Timeline by ${app.state.lane === 'cpu' ? 'CPU' : 'thread'}`,
      lines: [],
      width,
      parts: [
        laneTable(
          this.rows.map((row) => this.savedLane(row)),
          width,
          {
            axis: (brush, axisWidth) => this.paintAxis(brush, axisWidth, 'light'),
            axisHeight: AXIS_HEIGHT,
            laneHeight: LANE_HEIGHT,
          },
        ),
      ],
      legend: [],
    };
  }

  private savedLane(row: Row): Lane {
    const [weight, share] = this.numbers(row),
      count = row.kind === 'group' ? ` (${row.lanes.length})` : '';
    return {
      name: `${row.label}${count}`,
      indented: row.kind === 'lane' && row.level === 2,
      numbers: [weight, share],
      faded: !this.isChosen(row),
      title: this.describe(row),
      paint: (brush, width) => this.paint(brush, row, width, 'light'),
    };
  }

  private timeUnder(event: PointerEvent): number | null {
    const canvas = this.grid.body.querySelector('canvas.lane')?.getBoundingClientRect();
    return canvas && event.clientX >= canvas.left - 2
      ? timeAt(this.scale(canvas.width), event.clientX - canvas.left)
      : null;
  }

  private pressed(event: PointerEvent): void {
    if (event.button !== 0 || event.pointerType === 'touch') return;
    const from = this.timeUnder(event);
    if (from !== null) this.drag = { from, x: event.clientX };
  }

  private dragged(event: PointerEvent): [number, number] | null {
    const to = this.timeUnder(event);
    if (!this.drag || to === null || Math.abs(event.clientX - this.drag.x) < 4) return null;
    return [Math.round(Math.min(this.drag.from, to)), Math.round(Math.max(this.drag.from, to))];
  }

  private moved(event: PointerEvent): void {
    const time = this.timeUnder(event),
      range = this.dragged(event),
      whole = this.app.info.duration;
    if (range) status.hover(`${clock(range[0], whole)} to ${clock(range[1], whole)}`);
    else if (time !== null) {
      const near = (3 * whole) / Math.max(1, this.activityWidth()),
        lost = lossText(this.app.info, time - near, time + near);
      status.hover(`${clock(time, whole)}${lost ? ` \u00b7 ${lost}` : ''}`);
    }
  }

  private released(event: PointerEvent): void {
    const range = this.dragged(event);
    this.drag = null;
    if (range) this.app.changeModel({ range });
  }

  // Filters by this lane; a second call removes the filter.
  private open(row: Row): void {
    const { app } = this,
      { model, lane } = app.state;
    if (row.kind !== 'lane' && row.kind !== 'group') return;
    const ids = (row.kind === 'lane' ? [row.lane] : row.lanes)
      .map((i) => this.timeline!.lanes[i])
      .filter((id) => id >= 0);
    const now = lane === 'cpu' ? model.cpus : model.threads,
      same = now?.join() === ids.join();
    app.changeModel(lane === 'cpu' ? { cpus: same ? null : ids } : { threads: same ? null : ids });
  }

  private key(event: KeyboardEvent, at: number): boolean {
    const row = this.rows[at];
    if (row?.kind !== 'group' || (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight')) return false;
    this.setOpen(row.group, event.key === 'ArrowRight');
    return true;
  }

  private setOpen(group: number, open: boolean): void {
    if (open) this.closed.delete(group);
    else this.closed.add(group);
    this.refresh();
  }

  theme(): void {
    this.refresh();
  }

  focus(): void {
    this.grid.body.focus();
  }
}
