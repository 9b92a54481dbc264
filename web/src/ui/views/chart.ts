// SPDX-License-Identifier: Apache-2.0
// The time-order chart: what one thread (or CPU) did, in time order from left to right.
//
// It shows one lane: the chosen one, else the busiest. The picture covers the whole recording and dims the time outside
// of the range; the visible part can become the new range.

import type { Chart, Timeline } from '../../model/interface.ts';
import type { AppCore } from '../app_core.ts';
import type { Brush } from '../brush.ts';
import { ChartScene } from '../chart_scene.ts';
import { coloured, plainSchemeOf, plainSchemes } from '../colouring.ts';
import { el, fill, oncePerFrame } from '../dom.ts';
import { FlamePanel, zoomKeys } from '../flame_panel.ts';
import { openFrameMenu } from '../frame_menu.ts';
import { inOneLine, plainFacts, showHovered, type FrameFacts } from '../frame_text.ts';
import { legendRow } from './flame.ts';
import {
  button,
  choice,
  labelled,
  nothingLeft,
  sameItems,
  saveButton,
  Segments,
  viewSection,
  type ViewPart,
} from '../part.ts';
import { pictureWidth, type Part, type Picture } from '../picture/document.ts';
import { joined } from '../picture/markup.ts';
import { SvgBrush } from '../picture/svg_brush.ts';
import { Question } from '../question.ts';
import { pathOf } from '../paths.ts';
import type { ColourBy, PageState } from '../page_state.ts';
import type { Theme } from '../palette.ts';
import type { Box } from '../scene.ts';
import { status } from '../status.ts';
import { clock, percent, visible } from '../text.ts';
import { drawAxis, drawMarks, drawOutside, sized, type TimeScale } from '../time_axis.ts';

const AXIS_HEIGHT = 22;

export class ChartView implements ViewPart {
  readonly element: HTMLElement;
  private readonly panel: FlamePanel;
  private readonly lanes = el('span');
  private readonly colour: HTMLSelectElement;
  private readonly reset: HTMLButtonElement;
  private readonly axis = el('canvas', { class: 'axis', 'aria-hidden': 'true' });
  private readonly note = el('span', { class: 'faint' });
  private readonly legend = el('div');
  private readonly body = el('div', { class: 'flame-body' });
  private readonly kind: Segments<'thread' | 'cpu'>;
  private ranked: Timeline | null = null;
  private chart: Chart | null = null;
  private lane = -1;
  private readonly question = new Question(() => this.element.isConnected);
  private readonly laneQuestion = new Question(() => this.element.isConnected);
  private lookKey: unknown[] = [];
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
    this.panel.drawn = () => {
      this.dimOutside();
      this.drawAxisSoon();
    };
    this.kind = new Segments(
      'Lane',
      [
        ['thread', 'Thread'],
        ['cpu', 'CPU'],
      ],
      (lane) => app.change({ lane, chartLane: -2, window: null }),
    );
    this.colour = choice('Colour by', plainSchemes(app), app.state.colour, (value) =>
      app.change({ colour: value as ColourBy }),
    );
    this.reset = button('Reset zoom', () => this.panel.zoomOut());
    this.body.append(this.axis, this.panel.element);
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
        app.engine.timeline(allLanes, { lanes: lane, from: 0, to: Math.max(1, app.info.duration), buckets: 1 }),
      ),
    );
    if (!ranked) return;
    this.ranked = ranked;
    await this.load();
  }

  // The chosen lane, else the busiest among the chosen threads, else the busiest.
  private currentLane(): number {
    const { chartLane, model, lane } = this.app.state,
      lanes = this.ranked ? [...this.ranked.lanes] : [];
    if (chartLane >= -1 && lanes.includes(chartLane)) return chartLane;
    const chosen = lane === 'thread' ? model.threads : model.cpus;
    // A new time range changes the ranks; the lane that the user sees stays.
    if (model.range && lanes.includes(this.lane) && (!chosen || chosen.includes(this.lane))) return this.lane;
    return lanes.find((id) => !chosen || chosen.includes(id)) ?? lanes[0] ?? -1;
  }

  private laneName(id: number): string {
    if (id < 0) return '[unknown]';
    return this.app.state.lane === 'cpu' ? `CPU ${id}` : visible(this.app.info.threads[id]?.label ?? String(id));
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
        [...ranked.lanes].map(
          (id, i) =>
            [String(id), `${this.laneName(id)} \u2013 ${percent(whole > 0 ? ranked.weight[i] / whole : 0)}`] as const,
        ),
        String(this.lane),
        (value) => app.change({ chartLane: Number(value), window: null }),
      ),
    );
  }

  private nextLane(direction: 1 | -1): void {
    const lanes = this.ranked ? [...this.ranked.lanes] : [];
    if (lanes.length === 0) return;
    const next = lanes[(lanes.indexOf(this.lane) + direction + lanes.length) % lanes.length];
    this.app.change({ chartLane: next, window: null });
    status.announce(`${this.laneName(next)}`);
  }

  private async load(): Promise<void> {
    const { app } = this,
      { state } = app;
    this.lane = this.currentLane();
    this.drawLanes();
    if (!this.question.isNew({ ...state.model, range: null }, state.lane, this.lane)) return this.show(true);
    // The lane is the thread; a filter to other threads would leave it empty.
    const model = state.lane === 'thread' ? { ...state.model, threads: null } : state.model;
    const chart = await this.question.answer(
      app.ask('chart', 'chart', () => app.engine.chart(model, { lane: state.lane, id: this.lane })),
    );
    if (!chart) return;
    this.chart = chart;
    if (chart.begin.length === 0) {
      this.chart = null;
      return fill(this.body, nothingLeft(app));
    }
    if (!this.panel.element.isConnected) fill(this.body, this.axis, this.panel.element);
    this.note.textContent = chart.byTime ? '' : 'This profile has no times: samples are in the order of the file.';
    this.show(false);
    if (state.window) this.panel.zoomTo(state.window[0], state.window[1], false);
  }

  private show(keepView: boolean): void {
    const { app, chart } = this;
    if (!chart || (keepView && sameItems(this.lookKey, app.lookKey()))) return;
    this.lookKey = app.lookKey();
    const scheme = coloured(app, chart, app.theme, plainSchemeOf(app));
    if (keepView) this.panel.recolour(scheme.look);
    else this.panel.show(new ChartScene(chart), scheme.look, { rootBelow: false });
    fill(this.legend, legendRow(app, scheme.legend));
    this.reset.disabled = !this.panel.isZoomed();
    this.drawAxisSoon();
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
    context.restore();
  }

  private drawAxis(): void {
    const width = this.axis.clientWidth;
    if (width === 0 || !this.chart) return;
    const context = sized(this.axis, width, AXIS_HEIGHT);
    if (this.chart.byTime) this.paintAxis(context, width, this.app.theme);
  }

  private paintAxis(brush: Brush, width: number, theme: Theme): void {
    const scale = this.scale(width);
    drawAxis(brush, scale, AXIS_HEIGHT, this.app.info, theme);
    drawMarks(brush, scale, 8, AXIS_HEIGHT - 8, this.app.info, theme);
  }

  private scale(width: number): TimeScale {
    const { left, right } = this.panel.view;
    return { from: left, to: right, left: 0, width };
  }

  savedPicture(): Picture | null {
    const { app, chart, panel } = this;
    if (!chart) return null;
    const { look, legend } = coloured(app, chart, 'light', plainSchemeOf(app)),
      width = pictureWidth(panel.canvas.clientWidth),
      rows = panel.rows(look, width, (box) => inOneLine(this.facts(box)));
    const title = `Time order of ${this.laneName(this.lane)}`;
    return rows && { name: 'time-order', title, lines: [], width, parts: this.underAxis(rows, width), legend };
  }

  private underAxis(rows: Part, width: number): Part[] {
    if (!this.chart?.byTime) return [rows];
    const axis = new SvgBrush(),
      shade = new SvgBrush();
    this.paintAxis(axis, width, 'light');
    drawOutside(shade, this.scale(width), rows.height, this.app.state.model.range, 'light');
    return [
      { height: AXIS_HEIGHT, markup: axis.markup },
      { ...rows, markup: joined([rows.markup, shade.markup]) },
    ];
  }

  private facts(box: Box): FrameFacts {
    const { app } = this,
      span = box.end - box.start,
      byTime = this.chart!.byTime;
    const rows: [string, string][] = byTime
      ? [
          ['from', clock(box.start, app.info.duration)],
          ['for', clock(span, span)],
        ]
      : [['weight', app.amount(span)]];
    return plainFacts(app, this.chart!.func[box.node], rows);
  }

  private chosen(box: Box | null): void {
    const { app, chart } = this;
    if (!box || !chart) return app.select(null);
    app.select({ func: chart.func[box.node], path: pathOf(chart, box.node), inverted: false });
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

  // There are too many calls for a list: the next hit is the next matching call to the right.
  step(direction: 1 | -1): void {
    const { chart, app } = this;
    if (!chart || !app.searchResult) return;
    const inside = new Uint8Array(chart.func.length);
    for (let n = 1; n < chart.func.length; n++)
      inside[n] = inside[chart.parent[n]] === 1 || app.isHit(chart.func[n]) ? 1 : 0;
    const from = this.panel.focus
        ? direction > 0
          ? this.panel.focus.end
          : this.panel.focus.start
        : this.panel.view.left,
      steps = chart.begin.length;
    let at = 0;
    while (at < steps && (direction > 0 ? chart.begin[at] < from : chart.end[at] <= from)) at++;
    if (direction < 0) at--;
    for (let i = 0; i < steps; i++) {
      const step = (at + direction * i + 2 * steps) % steps;
      if (inside[chart.node[step]] !== 1) continue;
      let node = chart.node[step];
      for (let n = node; n > 0; n = chart.parent[n]) if (app.isHit(chart.func[n])) node = n;
      const box = this.panel.boxAt(chart.depth[node] - 1, (chart.begin[step] + chart.end[step]) / 2);
      return this.panel.chooseAndReveal(box);
    }
  }

  theme(): void {
    this.show(true);
  }

  focus(): void {
    this.panel.canvas.focus({ preventScroll: true });
  }
}
