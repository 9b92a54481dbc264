// SPDX-License-Identifier: Apache-2.0
// The time-order chart: what threads (or CPUs) did, in time order from left to right.
//
// It shows all lanes, the pinned ones on top with their whole stacks, or one lane. On CPUs the outermost frames are the
// process and the thread. The picture covers the whole recording and dims the time outside
// of the range; the visible part can become the new range.

import type { Chart, Timeline } from '../../model/interface.ts';
import type { AppCore } from '../app_core.ts';
import type { Brush } from '../brush.ts';
import { ChartScene, laneSteps } from '../chart_scene.ts';
import { coloured, plainSchemeOf, plainSchemes, type Coloured } from '../colouring.ts';
import { el, fill, oncePerFrame } from '../dom.ts';
import { ROW_HEIGHT } from '../flame_painter.ts';
import { FlamePanel, zoomKeys } from '../flame_panel.ts';
import { openFrameMenu } from '../frame_menu.ts';
import { inOneLine, plainFacts, showHovered, type FrameFacts } from '../frame_text.ts';
import { LanesScene, type SceneLane } from '../lanes_scene.ts';
import { legendRow } from './flame.ts';
import {
  button,
  choice,
  labelled,
  LONGEST_LIST,
  nothingLeft,
  sameItems,
  saveButton,
  Segments,
  viewSection,
  type ViewPart,
} from '../part.ts';
import { caption, pictureWidth, type Part, type Picture } from '../picture/document.ts';
import { joined } from '../picture/markup.ts';
import { sceneRows } from '../picture/scene_rows.ts';
import { SvgBrush } from '../picture/svg_brush.ts';
import { Question } from '../question.ts';
import { pathOf } from '../paths.ts';
import type { ColourBy, PageState } from '../page_state.ts';
import { palette, type Theme } from '../palette.ts';
import { threadLabels } from '../profile_words.ts';
import type { Box } from '../scene.ts';
import { status } from '../status.ts';
import { formsOfText, type NameForms } from '../label_forms.ts';
import { clock, labelsOf, percent, plural, rangeText } from '../text.ts';
import {
  drawActivity,
  drawAxis,
  drawCursor,
  drawMarks,
  drawOutside,
  sized,
  timeAt,
  xAt,
  type TimeScale,
} from '../time_axis.ts';

const AXIS_HEIGHT = 22;
const MAP_HEIGHT = 18;
const MAP_BUCKETS = 400;
const MOST_LANES = 200;
const MOST_SAVED_LANES = 60;
const ROWS_OF_A_LANE = 2; // with closed stacks
const MOST_FOR_OTHERS = 0.6; // of the picture, beside open stacks
const ALL = -2; // PageState.chartLane
const THREAD_DEPTH = 2; // process, thread, functions
const LONGEST_NAME = 60; // of a lane, in columns
const LETTER_WIDTH = 7.6; // of most names
const NAME_MARGIN = 32; // around a name: padding, sign

export class ChartView implements ViewPart {
  readonly element: HTMLElement;
  private readonly panel: FlamePanel;
  private readonly lanes = el('span');
  private readonly colour: HTMLSelectElement;
  private readonly reset: HTMLButtonElement;
  private readonly axis = el('canvas', { class: 'axis', 'aria-hidden': 'true' });
  private readonly map = el('canvas', {
    class: 'minimap',
    hidden: true,
    title: 'The visible part of the whole; drag it',
  });
  private readonly names = el('div', { class: 'lane-names' });
  private readonly blank = el('p', { class: 'blank-note', hidden: true });
  private readonly note = el('span', { class: 'faint' });
  private readonly legend = el('div');
  private readonly body = el('div', { class: 'flame-body' });
  private readonly kind: Segments<'thread' | 'cpu'>;
  private ranked: Timeline | null = null;
  private chart: Chart | null = null;
  private scene: ChartScene | LanesScene | null = null;
  private lane = -1;
  private shown: number[] = []; // lanes of the chart
  private readonly question = new Question(() => this.element.isConnected);
  private readonly laneQuestion = new Question(() => this.element.isConnected);
  private firstPins: number[] = [];
  private lookKey: unknown[] = [];
  private named: { lanes: SceneLane[]; width: number; labels: Map<SceneLane, string> } | null = null;
  private readonly drawAxisSoon = oncePerFrame(() => this.drawAxis());

  constructor(private readonly app: AppCore) {
    this.panel = new FlamePanel({
      name: 'Time-order chart. Arrow keys move between calls, Shift and arrows move in time and zoom.',
      theme: () => app.theme,
      chosen: (box) => this.chosen(box),
      hovered: (box, x, y) => showHovered(box ? this.facts(box) : null, x, y),
      menu: (_, x, y) =>
        openFrameMenu(app, x, y, [
          { label: 'Zoom to this call', key: 'Enter', run: () => this.panel.zoomByReader(this.panel.focus) },
          { label: 'Filter by the time of this call', run: () => this.filterToView(this.panel.focus) },
        ]),
      zoomedTo: () => {},
      moved: (left, right) => this.moved(left, right),
    });
    this.panel.element.append(this.names, this.blank);
    for (const type of ['pointerdown', 'pointermove'] as const)
      this.map.addEventListener(type, (event) => this.dragMap(event));
    this.panel.drawn = () => {
      this.dimOutside();
      this.placeNames();
      this.explainBlank();
      this.drawAxisSoon();
    };
    this.kind = new Segments(
      'Lane',
      [
        ['thread', 'Thread'],
        ['cpu', 'CPU'],
      ],
      (lane) => app.change({ lane, chartLane: ALL, pins: null, window: null }),
    );
    this.colour = choice('Colour by', plainSchemes(app), app.state.colour, (value) =>
      app.change({ colour: value as ColourBy }),
    );
    app.onSelection(() => {
      if (this.element.isConnected) this.panel.refresh();
    });
    this.reset = button('Reset zoom', () => this.panel.zoomOut());
    this.body.append(this.axis, this.map, this.panel.element);
    this.element = viewSection(
      'Time order',
      [
        app.info.cpus.length > 0 ? this.kind.element : '',
        this.lanes,
        labelled('Colour by', this.colour),
        this.note,
        el('span', { class: 'grow' }),
        button('Filter by the visible time', () => this.filterToView(null)),
        this.reset,
        saveButton(app),
      ],
      this.body,
      this.legend,
    );
  }

  readonly keys: Record<string, () => void> = {
    ...zoomKeys(() => this.panel),
    '[': () => this.nextLane(-1),
    ']': () => this.nextLane(1),
  };

  update(before: PageState | null): void {
    const { state } = this.app;
    this.kind.show(state.lane);
    this.colour.value = plainSchemeOf(this.app);
    if (!sameItems(before?.model.range ?? [], state.model.range ?? [])) this.panel.refresh();
    if (this.laneQuestion.isNew({ ...state.model, threads: null }, state.lane)) void this.loadLanes();
    else void this.load();
  }

  private async loadLanes(): Promise<void> {
    const { app } = this,
      { model, lane } = app.state;
    const allLanes = { ...model, threads: null, transforms: [] };
    const ranked = await this.laneQuestion.answer(
      app.ask('chart lanes', 'timeline', () =>
        app.engine.timeline(allLanes, {
          lanes: lane,
          only: [],
          from: 0,
          to: Math.max(1, app.info.duration),
          buckets: MAP_BUCKETS,
        }),
      ),
    );
    if (!ranked) return;
    this.ranked = ranked;
    await this.load();
  }

  // The chosen lane, else the busiest among the chosen threads, else the busiest.
  private currentLane(): number {
    const { chartLane, model } = this.app.state,
      lanes = this.ranked ? [...this.ranked.lanes] : [];
    if (chartLane >= -1 && lanes.includes(chartLane)) return chartLane;
    const isLeft = this.filter();
    // A new time range changes the ranks; the lane that the user sees stays.
    if (model.range && lanes.includes(this.lane) && isLeft(this.lane)) return this.lane;
    return lanes.find(isLeft) ?? lanes[0] ?? -1;
  }

  // Which lanes the filters leave.
  private filter(): (id: number) => boolean {
    const { model, lane } = this.app.state,
      ids = lane === 'thread' ? model.threads : model.cpus,
      chosen = ids && new Set(ids);
    return (id) => !chosen || chosen.has(id);
  }

  private laneName(id: number): string {
    if (id < 0) return '[unknown]';
    return this.app.state.lane === 'cpu' ? `CPU ${id}` : (threadLabels(this.app.info)[id] ?? String(id));
  }

  private drawLanes(): void {
    const { app, ranked } = this;
    if (!ranked) return;
    let whole = 0;
    for (const weight of ranked.weight) whole += weight;
    fill(
      this.lanes,
      choice(
        'Lane',
        [
          ...(ranked.lanes.length > 1 ? [[String(ALL), `all ${this.laneWords(ranked.lanes.length)}`] as const] : []),
          ...this.listed(ranked).map(
            (i) =>
              [
                String(ranked.lanes[i]),
                `${this.laneName(ranked.lanes[i])} \u2013 ${percent(whole > 0 ? ranked.weight[i] / whole : 0)}`,
              ] as const,
          ),
        ],
        String(this.showsAll ? ALL : this.lane),
        (value) => app.change({ chartLane: Number(value) }),
      ),
    );
  }

  // The positions of the busiest lanes and of the current one: browsers are slow with lists of 100,000.
  private listed({ lanes }: Timeline): number[] {
    const current = lanes.indexOf(this.lane),
      all = [...lanes.keys()].slice(0, LONGEST_LIST);
    return current >= LONGEST_LIST ? [...all, current] : all;
  }

  private laneWords(count: number): string {
    return plural(count, this.app.state.lane === 'cpu' ? 'CPU' : 'thread');
  }

  private get showsAll(): boolean {
    return this.app.state.chartLane === ALL && this.shown.length > 1;
  }

  // All lanes that the filters leave, the busiest first, or the chosen one.
  private lanesToShow(): number[] {
    if (this.app.state.chartLane !== ALL || !this.ranked || !this.app.info.hasTime) return [this.lane];
    const left = [...this.ranked.lanes].filter(this.filter());
    return left.length > 0 ? left.slice(0, MOST_LANES) : [this.lane];
  }

  private get pins(): number[] {
    return this.app.state.pins ?? this.firstPins;
  }

  // The stacks of the busiest lane are open at first, unless there are many lanes: the busiest are on top then.
  private hasRoomForStacks(): boolean {
    const rows = this.panel.canvas.clientHeight / ROW_HEIGHT;
    return ROWS_OF_A_LANE * (this.shown.length - 1) <= MOST_FOR_OTHERS * rows;
  }

  private togglePin(id: number): void {
    const { pins } = this;
    this.app.change({ pins: pins.includes(id) ? pins.filter((pin) => pin !== id) : [...pins, id] });
  }

  private nextLane(direction: 1 | -1): void {
    const lanes = this.ranked ? [...this.ranked.lanes] : [];
    if (lanes.length === 0) return;
    const next = lanes[(lanes.indexOf(this.lane) + direction + lanes.length) % lanes.length];
    this.app.change({ chartLane: next });
    status.announce(`${this.laneName(next)}`);
  }

  private async load(): Promise<void> {
    const { app } = this,
      { state } = app;
    this.lane = this.currentLane();
    this.shown = this.lanesToShow();
    this.drawLanes();
    if (!this.question.isNew({ ...state.model, range: null }, state.lane, this.shown)) return this.show(true);
    // The lane is the thread; a filter to other threads would leave it empty. On CPUs the stacks say who ran.
    const model =
      state.lane === 'thread'
        ? { ...state.model, threads: null }
        : { ...state.model, levels: app.info.hasThreads ? ('thread' as const) : state.model.levels };
    const chart = await this.question.answer(
      app.ask('chart', 'chart', () => app.engine.chart(model, { lane: state.lane, ids: this.shown })),
    );
    if (!chart) return;
    this.chart = chart;
    this.scene = null;
    if (chart.begin.length === 0) {
      this.chart = null;
      return fill(this.body, nothingLeft(app));
    }
    if (!this.panel.element.isConnected) fill(this.body, this.axis, this.map, this.panel.element);
    this.firstPins = this.hasRoomForStacks() ? [this.lane] : [];
    this.note.classList.toggle('hint', chart.byTime);
    const rest = (this.ranked?.lanes.length ?? 0) - this.shown.length;
    this.note.textContent = !chart.byTime
      ? 'This profile has no times: samples are in the order of the file.'
      : this.showsAll
        ? `Click a name to open or close its stacks.${rest > 0 && this.shown.length === MOST_LANES ? ` The busiest ${MOST_LANES} are shown.` : ''}`
        : '';
    const keepsTime = this.panel.isZoomed() && !state.window;
    this.show(keepsTime);
    if (state.window) this.panel.zoomTo(state.window[0], state.window[1], false);
  }

  private show(keepView: boolean): void {
    const { app, chart } = this,
      key = [...app.lookKey(), this.showsAll, ...this.pins];
    if (!chart || (keepView && this.scene && sameItems(this.lookKey, key))) return;
    const isNew = !this.scene || !sameItems(this.lookKey.slice(app.lookKey().length), key.slice(app.lookKey().length));
    this.lookKey = key;
    const { look, legend } = this.colours(chart, app.theme);
    if (keepView && !isNew) this.panel.recolour(look);
    else {
      this.scene = this.showsAll ? this.lanesScene(chart) : new ChartScene(laneSteps(chart, 0));
      this.panel.show(this.scene, look, { rootBelow: false, keepView });
    }
    fill(this.legend, legendRow(app, legend));
    this.reset.disabled = !this.panel.isZoomed();
    this.drawAxisSoon();
  }

  // The row says what is a thread: its box has room for the name only.
  private colours(chart: Chart, theme: Theme): Coloured {
    const { app } = this,
      { look, legend } = coloured(app, chart, theme, plainSchemeOf(app)),
      isThread = (node: number): boolean => app.kindName(chart.func[node]) === 'thread',
      known = new Map<number, NameForms>(),
      name = (node: number): string => (isThread(node) ? look.name(node).replace(/^thread /, '') : look.name(node)),
      formsOfThread = (node: number): NameForms => {
        let forms = known.get(node);
        if (forms === undefined) known.set(node, (forms = formsOfText(name(node))));
        return forms;
      },
      forms = (node: number): NameForms => (isThread(node) ? formsOfThread(node) : look.forms(node));
    return { look: { ...look, name, forms }, legend };
  }

  // The overview of all lanes comes first if the stacks of the busiest one would hide it.
  private lanesScene(chart: Chart): LanesScene {
    const depth = this.app.state.lane === 'cpu' ? THREAD_DEPTH : Infinity,
      scene = new LanesScene(chart, this.shown, this.pins, depth),
      isHidden = this.app.state.pins === null && scene.rows * ROW_HEIGHT > this.panel.canvas.clientHeight;
    return isHidden ? new LanesScene(chart, this.shown, this.pins, depth, 'last') : scene;
  }

  // ---- Names of lanes, the note on a blank picture, and the minimap ----

  private placeNames(): void {
    const { scroll } = this.panel.view,
      height = this.panel.canvas.clientHeight,
      lanes = this.scene instanceof LanesScene ? this.scene.lanes : [],
      visibleLanes = lanes.filter(({ top }) => (top + 1) * ROW_HEIGHT > scroll && top * ROW_HEIGHT < scroll + height);
    const focused = this.names.contains(document.activeElement)
      ? document.activeElement?.getAttribute('data-lane')
      : null;
    const labels = this.laneLabels(lanes, this.panel.canvas.clientWidth);
    fill(
      this.names,
      ...visibleLanes.map((lane) => this.nameOf(lane, labels.get(lane) ?? '', lane.top * ROW_HEIGHT - scroll)),
    );
    if (focused) this.names.querySelector<HTMLElement>(`[data-lane="${focused}"]`)?.focus();
  }

  // Of all lanes, so that a name does not change while the picture is scrolled.
  private laneLabels(lanes: SceneLane[], width: number): Map<SceneLane, string> {
    const known = this.named;
    if (known && known.lanes === lanes && known.width === width) return known.labels;
    const columns = Math.max(8, Math.min(LONGEST_NAME, Math.floor((width - NAME_MARGIN) / LETTER_WIDTH))),
      texts = labelsOf(
        lanes.map(({ id }) => ({ forms: formsOfText(this.laneName(id)), columns })),
        'numbered',
      ),
      labels = new Map(lanes.map((lane, i) => [lane, texts[i]]));
    this.named = { lanes, width, labels };
    return labels;
  }

  private nameOf({ id, isPinned }: SceneLane, label: string, top: number): HTMLElement {
    const name = this.laneName(id);
    return el(
      'button',
      {
        type: 'button',
        'data-lane': String(id),
        style: `top:${top}px`,
        'aria-expanded': String(isPinned),
        title: `${name}: ${isPinned ? 'close its stacks' : 'open its stacks, at the top'}`,
        onclick: () => this.togglePin(id),
      },
      `${isPinned ? '\u25be' : '\u25b8'} ${label}`,
    );
  }

  private explainBlank(): void {
    const { scene, chart } = this,
      { left, right } = this.panel.view;
    this.blank.hidden = !scene || !chart?.byTime || scene.hasSteps(left, right);
    if (this.blank.hidden || !scene) return;
    const { duration } = this.app.info,
      who = this.showsAll ? 'These lanes have no' : `${this.laneName(this.lane)} has no`;
    this.blank.textContent = `${who} samples from ${rangeText(left, right, duration, ' to ')}: nothing ran, or nothing was recorded. Press 0 to see all.`;
  }

  private drawMap(): void {
    const { ranked, map } = this,
      isShown = this.panel.isZoomed() && this.chart?.byTime === true;
    map.hidden = !isShown;
    const width = map.clientWidth;
    if (!isShown || !ranked || width === 0) return;
    const { theme } = this.app,
      context = sized(map, width, MAP_HEIGHT),
      scale = this.mapScale(width),
      box = { left: 0, top: 2, width, height: MAP_HEIGHT - 3 },
      { left, right } = this.panel.view;
    let largest = 0;
    for (const value of ranked.sum) largest = Math.max(largest, value);
    drawActivity(context, ranked.sum, 0, ranked.buckets, largest, box, palette(theme).slots[1]);
    drawOutside(context, scale, MAP_HEIGHT, [left, right], theme);
    context.strokeStyle = palette(theme).focus;
    context.strokeRect(
      xAt(scale, left) + 0.5,
      0.5,
      Math.max(3, xAt(scale, right) - xAt(scale, left)) - 1,
      MAP_HEIGHT - 1,
    );
  }

  private mapScale(width: number): TimeScale {
    return { from: 0, to: Math.max(1, this.app.info.duration), left: 0, width };
  }

  // The visible part goes where the pointer is.
  private dragMap(event: PointerEvent): void {
    if (event.type === 'pointerdown') this.map.setPointerCapture(event.pointerId);
    if (!(event.buttons & 1)) return;
    const { left, right } = this.panel.view,
      at = timeAt(this.mapScale(this.map.clientWidth), event.offsetX),
      half = (right - left) / 2;
    this.panel.setView(at - half, at + half);
    this.moved(this.panel.view.left, this.panel.view.right);
  }

  // The picture shows the whole recording; numbers elsewhere are for the range.
  private dimOutside(): void {
    const { canvas } = this.panel,
      context = canvas.getContext('2d'),
      { clientWidth: width, clientHeight: height } = canvas;
    if (!context || !this.chart?.byTime || width === 0) return;
    context.save();
    context.setTransform(canvas.width / width, 0, 0, canvas.height / height, 0, 0);
    const scale = this.scale(width);
    drawOutside(context, scale, height, this.app.state.model.range, this.app.theme);
    drawCursor(context, scale, height, this.app.chosenTime, this.app.theme);
    context.restore();
  }

  private drawAxis(): void {
    const width = this.axis.clientWidth;
    this.drawMap();
    if (width === 0 || !this.chart) return;
    const context = sized(this.axis, width, AXIS_HEIGHT);
    if (this.chart.byTime) this.paintAxis(context, width, this.app.theme);
  }

  private paintAxis(brush: Brush, width: number, theme: Theme): void {
    const scale = this.scale(width);
    drawAxis(brush, scale, AXIS_HEIGHT, this.app.info, theme);
    drawMarks(brush, scale, 8, AXIS_HEIGHT - 8, this.app.info, theme);
    drawCursor(brush, scale, AXIS_HEIGHT, this.app.chosenTime, theme);
  }

  private scale(width: number): TimeScale {
    const { left, right } = this.panel.view;
    return { from: left, to: right, left: 0, width };
  }

  savedPicture(): Picture | null {
    const { chart, panel, scene } = this;
    if (!chart || !scene || !panel.element.isConnected) return null;
    const { look, legend } = this.colours(chart, 'light'),
      width = pictureWidth(panel.canvas.clientWidth),
      rowsOf = (own: ChartScene): Part =>
        sceneRows(own, look, { ...panel.view, width }, (box) => inOneLine(this.facts(box)));
    const lanes = scene instanceof LanesScene ? scene.lanes.filter((lane) => lane.scene.rows > 0) : [],
      parts =
        scene instanceof ChartScene
          ? [rowsOf(scene)]
          : lanes
              .slice(0, MOST_SAVED_LANES)
              .flatMap((lane) => [caption(this.laneName(lane.id), width), rowsOf(lane.scene)]);
    if (lanes.length > MOST_SAVED_LANES)
      parts.push(caption(`The picture has the first ${MOST_SAVED_LANES} of ${this.laneWords(lanes.length)}.`, width));
    const title = `Time order of ${this.showsAll ? this.laneWords(lanes.length) : this.laneName(this.lane)}`;
    return { name: 'time-order', title, lines: [], width, parts: this.underAxis(parts, width), legend };
  }

  private underAxis(parts: Part[], width: number): Part[] {
    if (!this.chart?.byTime) return parts;
    const axis = new SvgBrush();
    this.paintAxis(axis, width, 'light');
    return [{ height: AXIS_HEIGHT, markup: axis.markup }, ...parts.map((part) => this.dimmed(part, width))];
  }

  private dimmed(part: Part, width: number): Part {
    const shade = new SvgBrush();
    drawOutside(shade, this.scale(width), part.height, this.app.state.model.range, 'light');
    return { ...part, markup: joined([part.markup, shade.markup]) };
  }

  private facts(box: Box): FrameFacts {
    const { app } = this,
      span = box.end - box.start,
      byTime = this.chart!.byTime,
      { left, right } = this.panel.view;
    const rows: [string, string][] = byTime
      ? [
          ['from', clock(box.start, right - left, app.info.duration)],
          ['for', clock(span, span)],
        ]
      : [['weight', app.amount(span)]];
    return plainFacts(app, this.chart!.func[box.node], rows);
  }

  private chosen(box: Box | null): void {
    const { app, chart } = this;
    if (!box || !chart) return app.select(null);
    // Other views have no processes and threads as roots, unless they are levels there.
    const isRoot = (func: number): boolean => ['process', 'thread'].includes(app.kindName(func)),
      path = pathOf(chart, box.node).filter((func) => app.state.model.levels !== 'none' || !isRoot(func));
    app.select({ func: chart.func[box.node], path, inverted: false }, chart.byTime ? (box.start + box.end) / 2 : null);
    status.announce(inOneLine(this.facts(box)));
  }

  private moved(left: number, right: number): void {
    const zoomed = this.panel.isZoomed();
    this.reset.disabled = !zoomed;
    if (this.chart?.byTime) this.app.note({ window: zoomed ? [left, right] : null });
    this.drawAxisSoon();
  }

  private filterToView(box: Box | null): void {
    const { left, right } = this.panel.view;
    if (this.chart?.byTime)
      this.app.changeModel({
        range: box ? [Math.floor(box.start), Math.ceil(box.end)] : [Math.floor(left), Math.ceil(right)],
      });
  }

  // There are too many calls for a list: the next hit is the next matching call to the right, in the lane of the chosen
  // frame, else in the first one. After the last hit of a lane comes the first one of the next lane.
  step(direction: 1 | -1): void {
    const { chart, app, scene } = this;
    if (!chart || !scene || !app.searchResult) return;
    const inside = new Uint8Array(chart.func.length);
    for (let n = 1; n < chart.func.length; n++)
      inside[n] = inside[chart.parent[n]] === 1 || app.isHit(chart.func[n]) ? 1 : 0;
    const { focus } = this.panel,
      lanes: (SceneLane | null)[] = scene instanceof LanesScene ? scene.lanes : [null],
      current = scene instanceof LanesScene && focus ? scene.laneOf(focus) : null,
      start = Math.max(0, current ? lanes.indexOf(current) : 0),
      from = focus ? (direction > 0 ? focus.end : focus.start) : this.panel.view.left;
    // All lanes, and at last the part of the first one before the start.
    for (let i = 0; i <= lanes.length; i++) {
      const lane = lanes[(start + direction * i + 2 * lanes.length) % lanes.length],
        found = this.hitIn(lane, inside, direction, i === 0 ? from : direction > 0 ? -Infinity : Infinity);
      if (found) return this.panel.chooseAndReveal(found);
    }
  }

  // The first hit of a lane from a time on, or the last one before it.
  private hitIn(lane: SceneLane | null, inside: Uint8Array, direction: 1 | -1, from: number): Box | null {
    const { chart, app } = this,
      { begin, end, node: nodes } = lane ? lane.scene.chart : laneSteps(chart!, 0);
    let at = 0;
    while (at < begin.length && (direction > 0 ? begin[at] < from : end[at] <= from)) at++;
    if (direction < 0) at--;
    for (; at >= 0 && at < begin.length; at += direction) {
      if (inside[nodes[at]] !== 1) continue;
      let node = nodes[at];
      for (let n = node; n > 0; n = chart!.parent[n]) if (app.isHit(chart!.func[n])) node = n;
      const row = lane === null ? chart!.depth[node] - 1 : lane.top + (lane.isPinned ? chart!.depth[node] : 1);
      return this.panel.boxAt(row, (begin[at] + end[at]) / 2);
    }
    return null;
  }

  theme(): void {
    this.show(true);
  }

  focus(): void {
    this.panel.canvas.focus({ preventScroll: true });
  }
}
