// SPDX-License-Identifier: Apache-2.0
// Tracks as rows of a table: processes or groups of threads with their threads, or CPUs, the busiest first; then spans,
// counters, marks, tracks of reports and losses (moment_rows.ts). Used below the strip of every view and as the Timeline
// view.
//
// Dragging over a row chooses a time range for all views, a click chooses the sample under the pointer, the box in a row
// adds its threads or CPUs to the filter; Enter or a double click filters by that row only.

import type { Timeline } from '../model/interface.ts';
import type { AppCore } from './app_core.ts';
import { ArrowLayer } from './arrow_layer.ts';
import type { Brush } from './brush.ts';
import { el } from './dom.ts';
import { tooltip } from './frame_text.ts';
import { Grid, type Column } from './grid.ts';
import type { NameForms } from './label_forms.ts';
import {
  heightScale,
  LANE_HEIGHT,
  LanePainter,
  largestOf,
  type HeightScale,
  type LaneRow as Row,
  type SpansRow,
} from './lane_painter.ts';
import { cpuRows, threadRows, type LaneAnswer } from './lane_rows.ts';
import { markUnit, momentRows } from './moment_rows.ts';
import { firstFrom } from './moments.ts';
import type { Theme } from './palette.ts';
import type { Lane } from './picture/lane_table.ts';
import { PointedTime } from './pointed_time.ts';
import { Question } from './question.ts';
import { status } from './status.ts';
import {
  clock,
  formsOfText,
  percent,
  plural,
  rangeText,
  rowLabels,
  shortLabel,
  thousands,
  valueText,
  visible,
} from './text.ts';
import { drawAxis, drawCursor, drawOutside, sized, timeAt, type TimeScale } from './time_axis.ts';
import { trackBands } from './track_bands.ts';

const BUCKETS = 400;
export const AXIS_HEIGHT = 22;
const NAME_MARGIN = 44; // around a name in its column: padding, sign, box
const UNIT_COLUMNS = 8; // of a unit below the percentages
const MOST_PICTURES = 200;
const COUNT_WIDTH = 34; // of the number of a group's threads
const LARGEST_OPEN_GROUP = 8; // larger groups of threads start closed
const LARGEST_ONLY_GROUP = 64; // there is nothing else to see

export interface LanesOptions {
  name: string; // for screen readers
  columns: Column[]; // 'name' and 'activity' among them
  withNumbers: boolean; // costs are those of the time range
  isShown: () => boolean;
}

const levelOf = (row: Row): number => ('level' in row ? row.level : 1);

// The value at the full height: "2 CPUs", "3.2 samples/s"; empty if nothing is drawn.
export function heightText(app: AppCore, { from, to, buckets }: Timeline, { full, one }: HeightScale): string {
  if (!(full > 0)) return '';
  if (one > 0) return plural(Math.round(full / one), app.laneUnit);
  const perSecond = (full / app.scale) * (1e9 / ((to - from) / buckets));
  return `${valueText(Number(perSecond.toPrecision(3)), app.unit)}/s`;
}

// Spans of several threads have one name: then their labels say the thread.
const formsOfRow = (row: Row): NameForms => formsOfText(row.label, row.kind === 'spans' ? row.thread : '');

export class Lanes {
  readonly grid: Grid;
  onAnswer: () => void = () => {};
  rows: Row[] = [];
  private firsts: { lane: Row | undefined; group: Row | undefined } = { lane: undefined, group: undefined };
  private answer: LaneAnswer | null = null;
  private readonly closed = new Set<number>();
  private readonly opened = new Set<number>();
  private heights: { lane: HeightScale; parent: HeightScale } = {
    lane: { full: 1, one: 0 },
    parent: { full: 1, one: 0 },
  };
  private bands: string[] = [];
  private label: (row: number) => string = () => ''; // of the rows that are drawn
  private readonly question: Question;
  private readonly axis = el('canvas', { class: 'axis' });
  private pictureWidth = 0; // of the rows that are drawn: asking the browser for each costs a layout
  private readonly pictures = new Map<Row, { canvas: HTMLCanvasElement; width: number }>(); // for scrolling
  private readonly ruler = el('canvas').getContext('2d')!;
  private readonly pointed: PointedTime;
  private readonly arrows: ArrowLayer;
  private ofReports: number[][] = []; // rows, by report and track
  private chosen: { ids: number[] | null; set: ReadonlySet<number> | null } = { ids: null, set: null };
  private drag: { from: number; x: number; isTouch: boolean } | null = null;

  constructor(
    private readonly app: AppCore,
    private readonly options: LanesOptions,
  ) {
    this.question = new Question(options.isShown);
    this.pointed = new PointedTime(app);
    this.grid = new Grid({
      name: options.name,
      role: 'treegrid',
      columns: options.columns,
      rows: () => this.rows.length,
      cell: (row, column) =>
        column === 'name' ? this.nameCell(this.rows[row], this.label(row)) : this.cell(this.rows[row], column),
      drawing: (first, last, width) => {
        this.pictureWidth = width('activity');
        this.chooseLabels(first, last, width('name'));
      },
      rowAttributes: (row) => this.attributes(this.rows[row]),
      chosen: (row) => status.announce(this.describe(this.rows[row])),
      opened: (row) => this.only(this.rows[row]),
      key: (event, row) => this.key(event, row),
    });
    const body = this.grid.body;
    body.addEventListener('pointerdown', (event) => this.pressed(event));
    body.addEventListener('pointermove', (event) => this.moved(event));
    body.addEventListener('pointerup', (event) => this.released(event));
    body.addEventListener('pointercancel', () => {
      this.drag = null;
    });
    body.addEventListener('pointerleave', (event) => this.pointed.leftBy(event));
    body.addEventListener('click', (event) => {
      const twisty = event.target instanceof Element ? event.target.closest('.twisty') : null;
      const row = this.rows[Number(twisty?.closest<HTMLElement>('.grid-row')?.dataset['row'])];
      if (row?.kind === 'group') this.setOpen(row, !this.isOpen(row));
    });
    new ResizeObserver(() => this.drawAxis()).observe(this.grid.element);
    this.arrows = new ArrowLayer(app, this.grid, options.isShown, (width) => this.scale(width));
    app.onSelection(() => {
      if (options.isShown()) this.update();
    });
  }

  // No sample is left. A profile without samples can have marks, spans and counters.
  get isEmpty(): boolean {
    return this.answer !== null && this.laneCount === 0 && (this.app.info.hasTime || this.rows.length === 0);
  }

  get laneCount(): number {
    return this.answer?.lanes.lanes.length ?? 0;
  }

  private get parentKind(): 'process' | 'group' {
    return this.app.info.ownProcesses.length > 1 ? 'process' : 'group';
  }

  update(): void {
    const { app } = this,
      { state } = app;
    const model = { ...state.model, threads: null, cpus: null, ...(this.options.withNumbers ? {} : { range: null }) };
    const chosen = app.selection?.func ?? -1;
    if (this.question.isNew(model, state.lane, app.shownTime, state.bands, state.search, state.ignoreCase, chosen))
      void this.load(model);
    else this.refresh();
  }

  private async load(model: AppCore['state']['model']): Promise<void> {
    const { app, options } = this,
      { lane } = app.state,
      [from, to] = app.shownTime;
    if (lane === 'cpu') await app.rankThreads();
    const bands = trackBands(app),
      hits = app.searchResult && !app.searchResult.error ? app.searchResult.matches : undefined;
    const wanted = { from, to, buckets: BUCKETS, colours: bands.options, hits, chosen: app.selection?.func };
    const ask = (part: string, lanes: 'thread' | 'cpu' | 'process' | 'group'): Promise<Timeline | null> =>
      app.ask(`${options.name} ${part}`, 'timeline', () => app.engine.timeline(model, { ...wanted, lanes }));
    const answer = await this.question.answer(
      (async (): Promise<LaneAnswer | null> => {
        const lanes = await ask('lanes', lane),
          parents = lane === 'thread' ? await ask('parents', this.parentKind) : null;
        return lanes && (lane === 'cpu' || parents) ? { lanes, parents } : null;
      })(),
    );
    if (!answer) return;
    this.answer = answer;
    this.bands = bands.colours;
    const perNs = app.unit === 'nanoseconds' ? app.scale : 0;
    this.heights = {
      lane: heightScale(answer.lanes, largestOf(answer.lanes, 'lanes'), perNs),
      parent: answer.parents
        ? heightScale(answer.parents, largestOf(answer.parents, 'lanes'), perNs)
        : this.heights.parent,
    };
    this.refresh();
    if (this.grid.selected < 0 && this.options.withNumbers) this.grid.select(0, false);
    this.onAnswer();
  }

  private isOpen({ id, ids }: { id: number; ids: number[] }): boolean {
    if (this.opened.has(id)) return true;
    const isOnly = this.answer?.parents?.lanes.length === 1;
    return !this.closed.has(id) && ids.length <= (isOnly ? LARGEST_ONLY_GROUP : LARGEST_OPEN_GROUP);
  }

  private refresh(): void {
    if (!this.answer) return;
    this.pictures.clear();
    this.rows = this.listRows(this.answer);
    const first = (kind: Row['kind']): Row | undefined => this.rows.find((row) => row.kind === kind);
    this.firsts = { lane: first('lane'), group: first('group') };
    this.grid.refresh();
    this.drawAxis();
    this.placeArrows();
  }

  // Where arrows begin and end. A thread of a closed group has the group's row.
  private placeArrows(): void {
    const ofThread = new Map<number, number>();
    this.rows.forEach((row, at) => {
      if (row.kind === 'lane' && this.app.state.lane === 'thread') ofThread.set(row.id, at);
      else if (row.kind === 'group' && !this.isOpen(row)) for (const id of row.ids) ofThread.set(id, at);
    });
    this.arrows.place({ ofThread, ofReports: this.ofReports });
  }

  // The value at the full height of a row of activity; empty for other rows.
  private heightOf(kind: Row['kind']): string {
    const { answer, heights, app } = this;
    if (kind === 'lane' && answer) return heightText(app, answer.lanes, heights.lane);
    return kind === 'group' && answer?.parents ? heightText(app, answer.parents, heights.parent) : '';
  }

  // The first row of activity of a kind, where its scale is written.
  private firstOf(kind: Row['kind']): Row | undefined {
    return kind === 'lane' || kind === 'group' ? this.firsts[kind] : undefined;
  }

  // The value at the full height of rows, by their kind: "1 CPU, of groups 2 CPUs".
  scaleText(): string {
    const [lane, group] = (['lane', 'group'] as const).map((kind) => (this.firstOf(kind) ? this.heightOf(kind) : ''));
    if (lane === '' || group === '' || lane === group) return lane || group;
    return `${lane}, of ${this.parentKind === 'process' ? 'processes' : 'groups'} ${group}`;
  }

  private listRows(answer: LaneAnswer): Row[] {
    const { info, state } = this.app,
      { withNumbers } = this.options,
      isOpen = (group: { id: number; ids: number[] }): boolean => this.isOpen(group),
      rows =
        state.lane === 'cpu'
          ? cpuRows(answer.lanes)
          : threadRows(info, answer, { parents: this.parentKind, withNumbers, isOpen }),
      { rows: others, ofReports } = momentRows(info, withNumbers);
    this.ofReports = ofReports.map((tracks) => tracks.map((at) => rows.length + at));
    return [...rows, ...others];
  }

  private share(weight: number): number {
    let whole = 0;
    for (const value of this.answer!.lanes.weight) whole += value;
    return whole > 0 ? weight / whole : 0;
  }

  private idsOf(row: Row | undefined): number[] {
    return row?.kind === 'group' ? row.ids : row?.kind === 'lane' ? [row.id] : [];
  }

  private get chosenIds(): number[] | null {
    const { model, lane } = this.app.state;
    return lane === 'cpu' ? model.cpus : model.threads;
  }

  // A group can have 100,000 threads.
  private get chosenSet(): ReadonlySet<number> | null {
    const ids = this.chosenIds;
    if (this.chosen.ids !== ids) this.chosen = { ids, set: ids && new Set(ids) };
    return this.chosen.set;
  }

  private isChosen(row: Row): boolean {
    const chosen = this.chosenSet,
      ids = this.idsOf(row);
    return !chosen || ids.length === 0 || ids.some((id) => chosen.has(id));
  }

  private areAllChosen(ids: number[]): boolean {
    const chosen = this.chosenSet;
    return chosen !== null && ids.every((id) => chosen.has(id));
  }

  private attributes(row: Row): Record<string, string | undefined> {
    return {
      'aria-level': String(levelOf(row)),
      'aria-expanded': row.kind === 'group' ? String(this.isOpen(row)) : undefined,
      class: this.isChosen(row) ? undefined : 'off',
      'aria-label': this.describe(row),
    };
  }

  describe(row: Row): string {
    switch (row.kind) {
      case 'lane':
      case 'group': {
        const count = row.kind === 'group' ? `, ${plural(row.ids.length, 'thread')}` : '';
        return `${row.label}${count}: ${this.app.amount(row.weight)}, ${percent(this.share(row.weight))}${this.lifetime(row)}`;
      }
      case 'series': {
        const gaps = row.gaps.begin.length > 0 ? `, ${plural(row.gaps.begin.length, 'time')} without data` : '';
        return `${row.label}: ${plural(row.lines[0]?.time.length ?? 0, 'point')}${this.unitOf(row)}${gaps}`;
      }
      case 'spans':
        return `${row.label}${row.thread === '' ? '' : ` of ${row.thread}`}: ${plural(row.track.count, 'span')}`;
      case 'marks':
        return `${row.label}: ${plural(row.track.times.length, 'mark')}${this.unitOf(row)}`;
      default:
        return row.label;
    }
  }

  // When the thread of a lane began and ended, if known and within the recording.
  private lifetime(row: Row): string {
    const { info, state } = this.app;
    if (row.kind !== 'lane' || state.lane === 'cpu' || row.id < 0) return '';
    const { begin, end } = info.threads[row.id];
    return `${begin >= 0 ? `, begins at ${clock(begin, info.duration)}` : ''}${end <= info.duration ? `, ends at ${clock(end, info.duration)}` : ''}`;
  }

  // Cost and percentage of a lane; the unit of a counter.
  private numbers(row: Row): [cost: string, share: string] {
    if (row.kind === 'lane' || row.kind === 'group' || (row.kind === 'more' && row.weight !== null))
      return [this.app.cell(row.weight ?? 0), (100 * this.share(row.weight ?? 0)).toFixed(1)];
    return ['', this.unitOf(row, UNIT_COLUMNS).slice(2)];
  }

  // ", bytes": the unit of a line's or a mark's values.
  private unitOf(row: Row, columns = 20): string {
    const unit =
      row.kind === 'series'
        ? (row.lines[0]?.unit ?? '')
        : row.kind === 'marks'
          ? markUnit(row.track, this.app.info)
          : '';
    return unit ? `, ${shortLabel(visible(unit), columns)}` : '';
  }

  private cell(row: Row, column: string): Node | string {
    if (column === 'activity') return this.picture(row);
    if (column === 'weight') return this.numbers(row)[0];
    return this.numbers(row)[1];
  }

  private chooseLabels(first: number, last: number, width: number): void {
    const room = (row: Row): number =>
      width - 12 * (levelOf(row) - 1) - NAME_MARGIN - (row.kind === 'group' ? COUNT_WIDTH : 0);
    this.label = rowLabels(
      first,
      last,
      (row) => formsOfRow(this.rows[row]),
      (row) => (width > 0 ? Math.max(60, room(this.rows[row])) : 0),
      (row, label) => this.widthOf(this.rows[row], label),
    );
  }

  private widthOf(row: Row, label: string): number {
    this.ruler.font = `${row.kind === 'group' ? 'bold ' : ''}${getComputedStyle(this.grid.body).font}`;
    return this.ruler.measureText(label).width;
  }

  private nameCell(row: Row, label: string): HTMLElement {
    const indent = 12 * (levelOf(row) - 1);
    return el(
      'div',
      {
        class: 'tree-name',
        title: row.kind === 'spans' ? this.describe(row) : row.label,
        style: indent > 0 ? `padding-left:${indent}px` : undefined,
      },
      row.kind === 'group'
        ? el('span', { class: 'twisty' }, this.isOpen(row) ? '\u25be' : '\u25b8')
        : el('span', { class: 'twisty' }),
      this.box(row),
      row.kind === 'group' ? el('b', null, label) : el('span', null, label),
      row.kind === 'group' ? el('span', { class: 'tag' }, thousands(row.ids.length)) : null,
    );
  }

  // Adds the threads or CPUs of a row to the filter, or removes them.
  private box(row: Row): HTMLElement | null {
    const ids = this.idsOf(row).filter((id) => id >= 0);
    if (ids.length === 0 || this.laneCount < 2) return null;
    const isOn = this.areAllChosen(ids);
    return el('input', {
      type: 'checkbox',
      class: 'choose',
      tabindex: '-1',
      checked: isOn,
      'aria-label': `Choose ${row.label}`,
      title: isOn ? 'Remove from the filter' : 'Add to the filter',
      // Before the click selects the row, which draws all rows again.
      onclick: (event: Event) => {
        event.stopPropagation();
        this.choose(ids, isOn);
      },
      ondblclick: (event: Event) => event.stopPropagation(),
    });
  }

  private choose(ids: number[], isOn: boolean): void {
    const changed = new Set(ids),
      others = (this.chosenIds ?? []).filter((id) => !changed.has(id)),
      next = isOn ? others : [...others, ...ids];
    this.filterBy(next.length > 0 ? next : null);
  }

  private filterBy(ids: number[] | null): void {
    this.app.changeModel(this.app.state.lane === 'cpu' ? { cpus: ids } : { threads: ids });
  }

  // Filters by this row; a second call removes the filter.
  private only(row: Row): void {
    const ids = this.idsOf(row).filter((id) => id >= 0);
    if (ids.length > 0) this.filterBy(this.chosenIds?.join() === ids.join() ? null : ids);
  }

  activityWidth(): number {
    return this.grid.columnWidth('activity');
  }

  private scale(width: number): TimeScale {
    const [from, to] = this.app.shownTime;
    return { from, to, left: 0, width };
  }

  private picture(row: Row): HTMLElement {
    const { pictureWidth: width } = this,
      known = this.pictures.get(row);
    if (known?.width === width) return known.canvas;
    const canvas = el('canvas', { class: 'lane' }),
      context = sized(canvas, width, LANE_HEIGHT);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${LANE_HEIGHT}px`;
    this.paint(context, row, width, this.app.theme);
    if (this.pictures.size >= MOST_PICTURES) this.pictures.clear();
    this.pictures.set(row, { canvas, width });
    return canvas;
  }

  private paint(brush: Brush, row: Row, width: number, theme: Theme): void {
    const { app, answer, heights } = this,
      { info, state } = app,
      bands = theme === app.theme ? this.bands : trackBands(app, theme).colours;
    if (!answer || width <= 0) return;
    const painter = new LanePainter(brush, this.scale(width), theme, info, bands);
    if (row.kind === 'lane') painter.activity(answer.lanes, row.lane, heights.lane, state.lane, row.id);
    else if (row.kind === 'group') painter.activity(answer.parents!, row.lane, heights.parent, null, -1);
    else painter.other(row);
    drawOutside(brush, this.scale(width), LANE_HEIGHT, state.model.range, theme);
    painter.seriesNote(row);
    if (this.firstOf(row.kind) === row) painter.scaleNote(this.heightOf(row.kind));
    drawCursor(brush, this.scale(width), LANE_HEIGHT, app.chosenTime, theme);
  }

  private drawAxis(): void {
    const head = this.grid.headCell('activity'),
      width = this.activityWidth();
    this.app.onTimeColumn();
    if (!this.options.withNumbers || !head || width <= 0 || !this.answer) return;
    if (this.axis.parentElement !== head) head.append(this.axis);
    this.axis.style.width = `${width}px`;
    this.paintAxis(sized(this.axis, width, AXIS_HEIGHT), width, this.app.theme);
  }

  paintAxis(context: Brush, width: number, theme: Theme): void {
    drawAxis(context, this.scale(width), AXIS_HEIGHT, this.app.info, theme);
  }

  savedLanes(): Lane[] {
    return this.rows.map((row) => ({
      name: row.kind === 'group' ? `${row.label} (${row.ids.length})` : row.label,
      indented: levelOf(row) > 1,
      numbers: this.numbers(row),
      faded: !this.isChosen(row),
      title: this.describe(row),
      paint: (brush: Brush, width: number) => this.paint(brush, row, width, 'light'),
    }));
  }

  // The row, and the time if the pointer is over its picture.
  private under(event: PointerEvent): { row: Row; time: number; reach: number; level: number } | null {
    const canvas = this.grid.body.querySelector('canvas.lane')?.getBoundingClientRect(),
      at = event.target instanceof Element ? event.target.closest<HTMLElement>('.grid-row') : null,
      row = this.rows[Number(at?.dataset['row'] ?? -1)];
    if (!canvas || !row || event.clientX < canvas.left - 2) return null;
    const scale = this.scale(canvas.width),
      y = (event.clientY - (at?.getBoundingClientRect().top ?? 0)) / LANE_HEIGHT,
      level = row.kind === 'spans' ? row.first + Math.floor(y * (row.last - row.first)) : 0;
    return {
      row,
      level: row.kind === 'spans' ? Math.max(row.first, Math.min(row.last - 1, level)) : 0,
      time: timeAt(scale, event.clientX - canvas.left),
      reach: (3 * (scale.to - scale.from)) / Math.max(1, canvas.width),
    };
  }

  private timeUnder(event: PointerEvent): number | null {
    const canvas = this.grid.body.querySelector('canvas.lane')?.getBoundingClientRect();
    return canvas && event.clientX >= canvas.left - 2
      ? timeAt(this.scale(canvas.width), event.clientX - canvas.left)
      : null;
  }

  private pressed(event: PointerEvent): void {
    if (event.button !== 0) return;
    const from = this.timeUnder(event);
    if (from !== null) this.drag = { from, x: event.clientX, isTouch: event.pointerType === 'touch' };
  }

  private dragged(event: PointerEvent): [number, number] | null {
    const to = this.timeUnder(event);
    if (!this.drag || this.drag.isTouch || to === null || Math.abs(event.clientX - this.drag.x) < 4) return null;
    return [Math.round(Math.min(this.drag.from, to)), Math.round(Math.max(this.drag.from, to))];
  }

  private moved(event: PointerEvent): void {
    const range = this.dragged(event),
      [, to] = this.app.shownTime;
    if (range) {
      tooltip.show(null, 0, 0);
      return status.hover(rangeText(range[0], range[1], to, ' to '));
    }
    const at = this.under(event);
    if (!at) return this.pointed.leave();
    this.show(at, event, false);
  }

  private show(
    { row, time, reach, level }: { row: Row; time: number; reach: number; level: number },
    event: PointerEvent,
    choose: boolean,
  ): void {
    const { lane } = this.app.state;
    if (row.kind === 'spans' && choose) this.chooseSpan(row, time, reach, level);
    if (row.kind === 'lane' || row.kind === 'group')
      void this.pointed.sample(
        { time, reach, lanes: lane, ids: this.idsOf(row) },
        event.clientX,
        event.clientY,
        choose,
      );
    else if (row.kind === 'spans')
      this.pointed.span(row.track, { time, reach }, level, event.clientX, event.clientY, choose);
    else this.pointed.moment(row, { time, reach }, event.clientX, event.clientY);
  }

  private chooseSpan({ track }: SpansRow, time: number, reach: number, level: number): void {
    const { rows, begin, end } = track.levels[level],
      at = firstFrom(end, time - reach);
    this.arrows.choose(track.framesOf === null && at < rows.length && begin[at] <= time + reach ? rows[at] : -1);
  }

  private released(event: PointerEvent): void {
    const range = this.dragged(event),
      wasPressed = this.drag !== null,
      at = this.under(event);
    this.drag = null;
    if (range) this.app.chooseTime(range);
    else if (wasPressed && at) this.show(at, event, true);
  }

  private key(event: KeyboardEvent, at: number): boolean {
    const row = this.rows[at];
    if (event.key === ' ' && row) {
      const ids = this.idsOf(row).filter((id) => id >= 0);
      if (ids.length > 0) this.choose(ids, this.areAllChosen(ids));
      return true;
    }
    if (row?.kind !== 'group' || (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight')) return false;
    this.setOpen(row, event.key === 'ArrowRight');
    return true;
  }

  private setOpen({ id }: { id: number }, open: boolean): void {
    (open ? this.opened : this.closed).add(id);
    (open ? this.closed : this.opened).delete(id);
    this.refresh();
  }

  // To the next row in which the search's hits ran.
  step(direction: 1 | -1): void {
    const { answer, rows } = this;
    if (!answer) return;
    const isHit = (row: Row): boolean => {
      const timeline = row.kind === 'group' ? answer.parents : row.kind === 'lane' ? answer.lanes : null,
        detail = row.kind === 'group' || row.kind === 'lane' ? (timeline?.detail[row.lane] ?? -1) : -1;
      return (
        detail >= 0 &&
        (timeline?.hits?.values.subarray(detail * BUCKETS, (detail + 1) * BUCKETS).some((value) => value > 0) ?? false)
      );
    };
    for (let i = 1; i <= rows.length; i++) {
      const at = (this.grid.selected + direction * i + 2 * rows.length) % rows.length;
      if (isHit(rows[at])) return this.grid.select(at);
    }
  }
}
