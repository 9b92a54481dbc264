// SPDX-License-Identifier: Apache-2.0
// The tracks above every view. The strip shows the activity of all threads; a range chosen in it is a filter for every
// view. Below are the tracks of processes, threads, spans, counters, marks and losses, which can be closed.
//
// Mouse and touch: drag a range, drag the range to move it, drag its edges, double click for the whole; a click without
// a range chooses the sample under the pointer. Keys: left and right move the range (or make one), with Shift they move
// its end, Enter shows only the range (a zoom), Escape removes the range, then the zoom.

import type { Timeline } from '../model/interface.ts';
import type { AppCore } from './app_core.ts';
import { el, fill, oncePerFrame } from './dom.ts';
import { tooltip } from './frame_text.ts';
import { drawStack, heightScale, largestOf, type HeightScale } from './lane_painter.ts';
import { heightText, Lanes } from './lanes.ts';
import { palette } from './palette.ts';
import { button, choice } from './part.ts';
import { PointedTime } from './pointed_time.ts';
import { Question } from './question.ts';
import { status } from './status.ts';
import { clock, plural, rangeText } from './text.ts';
import {
  drawAxis,
  drawCursor,
  drawLosses,
  drawMarks,
  drawNote,
  SMALL_FONT,
  sized,
  timeAt,
  xAt,
  type TimeScale,
} from './time_axis.ts';
import { bandChoice, bandChoices, trackBands, type TrackBands } from './track_bands.ts';

const EDGE = 6; // how close to an edge a drag grabs it, in pixels
const REACH = 3; // how close to a sample, mark or loss the pointer shows it, in pixels
const MARGIN = 16;
const ROOM_FOR_TRACKS = { width: 900, height: 760 }; // they start open in windows of this size
const LEGEND_ENTRIES = 8;
type Grip = { kind: 'new' | 'left' | 'right' | 'move'; at: number; range: [number, number] };

export class Overview {
  readonly element: HTMLElement;
  private readonly canvas = el('canvas', {
    tabindex: '0',
    role: 'slider',
    'aria-label': 'Time range',
    'aria-valuemin': '0',
  });
  private readonly head = el('div', { class: 'tracks-head' });
  private readonly lanes: Lanes;
  private readonly pointed: PointedTime;
  private activity: Timeline | null = null;
  private bands: TrackBands | null = null;
  private readonly question = new Question();
  private grip: Grip | null = null;
  private draft: [number, number] | null = null;
  private readonly drawSoon = oncePerFrame(() => this.draw());
  // While the user drags a range, the views follow, one answer at a time.
  private readonly applySoon = oncePerFrame(() => {
    if (this.grip && this.draft) this.app.chooseTime(this.whole(this.draft) ? null : this.draft, true);
  });

  constructor(private readonly app: AppCore) {
    this.pointed = new PointedTime(app);
    this.lanes = new Lanes(app, {
      name: 'Tracks',
      columns: [
        { id: 'name', title: '', width: 'minmax(90px, max(200px, 17vw))' },
        { id: 'activity', title: '', width: 'minmax(50%, 1fr)' },
      ],
      withNumbers: false,
      isShown: () => this.isOpen(),
    });
    this.lanes.onAnswer = () => {
      this.drawHead();
      this.drawSoon();
    };
    this.element = el(
      'section',
      { class: 'overview', 'aria-label': 'Tracks' },
      this.head,
      el('div', { class: 'strip' }, this.canvas),
      this.lanes.grid.element,
    );
    this.element.hidden = app.info.duration <= 0;
    app.onTimeColumn = this.drawSoon;
    new ResizeObserver(() => this.draw()).observe(this.element);
    this.canvas.addEventListener('pointerdown', (event) => this.pressed(event));
    this.canvas.addEventListener('pointermove', (event) => this.moved(event));
    this.canvas.addEventListener('pointerup', (event) => this.released(event));
    this.canvas.addEventListener('pointercancel', () => this.dropped());
    this.canvas.addEventListener('pointerleave', (event) => this.pointed.leftBy(event));
    this.canvas.addEventListener('dblclick', () => app.chooseTime(null));
    this.canvas.addEventListener('keydown', (event) => this.key(event));
    this.canvas.addEventListener('focus', this.drawSoon);
    this.canvas.addEventListener('blur', this.drawSoon);
    app.onSelection(() => this.update());
    app.onTheme(() => {
      this.bands = null;
      this.update();
    });
  }

  // The Timeline view has all tracks.
  private isOpen(): boolean {
    const { tracks, view } = this.app.state;
    if (view === 'timeline') return false;
    return tracks === ''
      ? innerWidth >= ROOM_FOR_TRACKS.width && innerHeight >= ROOM_FOR_TRACKS.height
      : tracks === 'open';
  }

  update(): void {
    const { app } = this,
      { info, state } = app;
    this.element.hidden = info.duration <= 0;
    if (this.element.hidden || !app.labels) return;
    const isOpen = this.isOpen();
    this.lanes.grid.element.hidden = !isOpen;
    const chosen = app.selection?.func ?? -1;
    this.bands ??= trackBands(app);
    if (
      this.question.isNew(
        { ...state.model, range: null },
        state.lane,
        app.shownTime,
        state.bands,
        state.search,
        state.ignoreCase,
        chosen,
      )
    )
      void this.load();
    if (isOpen) this.lanes.update();
    this.drawHead();
    this.describe();
    this.drawSoon();
  }

  private async load(): Promise<void> {
    const { app } = this,
      { model } = app.state,
      [from, to] = app.shownTime;
    if (app.state.lane === 'cpu') await app.rankThreads();
    const bands = trackBands(app),
      hits = app.searchResult && !app.searchResult.error ? app.searchResult.matches : undefined,
      buckets = Math.max(50, Math.min(800, Math.floor(this.canvas.clientWidth / 2) || 400));
    const answer = await this.question.answer(
      app.ask('overview', 'timeline', () =>
        app.engine.timeline(model, {
          lanes: 'thread',
          only: [],
          from,
          to,
          buckets,
          colours: bands.options,
          hits,
          chosen: app.selection?.func,
        }),
      ),
    );
    if (!answer) return;
    this.activity = answer;
    this.bands = bands;
    this.drawHead();
    this.drawSoon();
  }

  // ---- The line above the strip: open or close, zooms, colours ----

  private drawHead(): void {
    const { app } = this,
      { state, info } = app,
      isOpen = this.isOpen(),
      choices = bandChoices(app),
      focused = this.head.contains(document.activeElement) ? document.activeElement?.getAttribute('data-part') : null;
    const others = [
      info.ownThreads.length > 0 ? plural(info.ownThreads.length, 'thread') : '',
      info.spans.begin.length > 0 ? plural(info.spans.begin.length, 'span') : '',
      info.counters.length > 0 ? plural(info.counters.length, 'counter') : '',
      info.marks.time.length > 0 ? plural(info.marks.time.length, 'mark') : '',
    ].filter(Boolean);
    const canOpen = state.view !== 'timeline' && others.length > 0;
    fill(
      this.head,
      canOpen
        ? button(`${isOpen ? '\u25be' : '\u25b8'} Tracks`, () => app.change({ tracks: isOpen ? 'closed' : 'open' }), {
            class: 'button-link',
            'aria-expanded': String(isOpen),
            'data-part': 'open',
            title: isOpen ? 'Close the tracks' : `Open the tracks: ${others.join(', ')}`,
          })
        : null,
      canOpen && !isOpen ? el('span', { class: 'faint' }, others.join(', ')) : null,
      isOpen && this.lanes.scaleText() !== ''
        ? el(
            'span',
            { class: 'faint', title: 'The value at the full height of a row' },
            `Height: ${this.lanes.scaleText()}`,
          )
        : null,
      this.zooms(),
      this.canZoom()
        ? button('Zoom in', () => app.zoomIn(), {
            class: 'button-link',
            'data-part': 'zoom',
            title: 'Show only the chosen time in the tracks (z)',
          })
        : null,
      el('span', { class: 'grow' }),
      this.legend(),
      choices.length > 1
        ? el(
            'label',
            null,
            'Areas by',
            choice('Areas by', choices, bandChoice(app), (bands) => app.change({ bands })),
          )
        : null,
    );
    if (focused) this.head.querySelector<HTMLElement>(`[data-part="${focused}"]`)?.focus();
  }

  private canZoom(): boolean {
    const { range } = this.app.state.model,
      [from, to] = this.app.shownTime;
    return range !== null && range[0] < range[1] && (range[0] > from || range[1] < to);
  }

  private zooms(): HTMLElement | null {
    const { app } = this,
      { zooms } = app.state,
      { duration } = app.info;
    if (zooms.length === 0) return null;
    const crumb = (text: string, count: number): HTMLElement =>
      el(
        'li',
        null,
        el(
          'button',
          {
            type: 'button',
            'aria-current': count === zooms.length ? 'step' : undefined,
            onclick: () => app.zoomOutTo(count),
          },
          text,
        ),
      );
    return el(
      'nav',
      { 'aria-label': 'Zooms' },
      el(
        'ol',
        { class: 'crumbs' },
        crumb('Whole recording', 0),
        ...zooms.map(([from, to], i) => crumb(rangeText(from, to, duration, ' \u2013 '), i + 1)),
      ),
    );
  }

  private legend(): HTMLElement {
    const { app, bands } = this,
      colours = palette(app.theme),
      entries = (bands?.legend ?? []).filter(({ band }) => this.isDrawn(band)).slice(0, LEGEND_ENTRIES);
    const marked = [
      ...(app.selection ? [{ colour: colours.focus, text: app.shortName(app.selection.func, 30) }] : []),
      ...(app.searchResult && !app.searchResult.error ? [{ colour: colours.hit, text: 'search hits' }] : []),
    ];
    return el(
      'div',
      // It has one line; entries without room are in its title.
      {
        class: 'legend',
        'aria-label': 'Legend of the tracks',
        title: [...marked, ...entries].map(({ text }) => text).join(', '),
      },
      ...[...marked, ...entries].map(({ colour, text }) =>
        el(
          'span',
          { class: 'key' },
          el('span', { class: 'swatch', style: `background-color:${colour}` }),
          el('span', { class: 'text' }, text),
        ),
      ),
    );
  }

  private isDrawn(band: number): boolean {
    const { activity } = this;
    if (!activity || activity.bands <= band) return true;
    const { sum, buckets } = activity;
    return sum.subarray(band * buckets, (band + 1) * buckets).some((value) => value > 0);
  }

  // ---- The strip ----

  // On the axis of the tracks, or of the view.
  private scale(): TimeScale {
    const [from, to] = this.app.shownTime,
      whole = this.canvas.clientWidth,
      head = this.isOpen() ? this.lanes.grid.headCell('activity') : this.app.timeColumn(),
      left = head
        ? Math.max(MARGIN, head.getBoundingClientRect().left - this.canvas.getBoundingClientRect().left)
        : MARGIN,
      width = head && head.clientWidth > 0 ? head.clientWidth : whole - left - MARGIN;
    return { from, to, left, width: Math.max(1, width) };
  }

  private draw(): void {
    const width = this.canvas.clientWidth,
      height = this.canvas.clientHeight;
    if (width === 0 || this.element.hidden) return;
    const { app } = this,
      context = sized(this.canvas, width, height),
      theme = app.theme,
      colours = palette(theme),
      scale = this.scale();
    drawAxis(context, scale, height, app.info, theme);
    const box = { left: scale.left, top: 17, width: scale.width, height: height - 18 };
    const { activity, bands } = this,
      perNs = app.unit === 'nanoseconds' ? app.scale : 0,
      full = activity && heightScale(activity, largestOf(activity, 'sum'), perNs);
    if (activity && full && bands) drawStack(context, activity, 'sum', full, box, bands.colours, theme);
    // The tracks have rows of their own for marks.
    if (!this.isOpen()) drawMarks(context, scale, 15, 8, app.info, theme);
    drawLosses(context, scale, height - 5, 5, app.info, theme);
    drawCursor(context, scale, height, app.chosenTime, theme);
    const range = this.draft ?? app.state.model.range;
    if (range && !(range[0] <= scale.from && range[1] >= scale.to)) {
      const a = xAt(scale, Math.max(scale.from, range[0])),
        b = Math.max(a + 1, xAt(scale, Math.min(scale.to, range[1])));
      context.fillStyle = theme === 'dark' ? 'rgba(10,11,13,.66)' : 'rgba(246,245,242,.76)';
      // The axis stays readable.
      context.fillRect(scale.left, box.top, a - scale.left, height - box.top);
      context.fillRect(b, box.top, scale.left + scale.width - b, height - box.top);
      context.fillStyle = colours.focus;
      context.fillRect(a - 1, 0, 2, height);
      context.fillRect(b - 1, 0, 2, height);
      for (const x of [a, b]) {
        context.beginPath();
        context.roundRect(x - 4, height / 2 - 9, 8, 18, 3);
        context.fill();
      }
    }
    if (full) this.labelHeight(context, full, box);
  }

  // The value at the full height, and one CPU, left of the area or in it.
  private labelHeight(
    context: CanvasRenderingContext2D,
    height: HeightScale,
    box: { left: number; top: number; width: number; height: number },
  ): void {
    const { app, activity } = this,
      { full, one } = height,
      text = activity ? heightText(app, activity, height) : '';
    if (text === '') return;
    const isOutside = box.left > 100;
    context.font = SMALL_FONT;
    const width = context.measureText(text).width,
      x = isOutside ? box.left - width - 6 : box.left + 4;
    drawNote(context, text, x, box.top - 1, app.theme);
    const y = box.top + box.height * (1 - one / full);
    if (one > 0 && full > one * 1.01 && y > box.top + 16) {
      const x1 = isOutside ? box.left - context.measureText('1').width - 6 : box.left + 4;
      drawNote(context, '1', x1, Math.min(y - 6, box.top + box.height - 12), app.theme);
    }
  }

  private describe(): void {
    const { info, state } = this.app,
      [from, to] = state.model.range ?? [0, info.duration];
    this.canvas.setAttribute('aria-valuemax', String(Math.round(info.duration / 1e6)));
    this.canvas.setAttribute('aria-valuenow', String(Math.round(from / 1e6)));
    this.canvas.setAttribute(
      'aria-valuetext',
      state.model.range ? rangeText(from, to, info.duration, ' to ') : 'the whole recording',
    );
  }

  // ---- Mouse, touch, keys ----

  // The chosen range, if it is a part of the time that is shown.
  private get brushed(): [number, number] | null {
    const { range } = this.app.state.model;
    return range && !this.whole(range) ? range : null;
  }

  private gripAt(x: number): Grip {
    const scale = this.scale(),
      at = timeAt(scale, x),
      range = this.brushed;
    if (!range) return { kind: 'new', at, range: [at, at] };
    const a = xAt(scale, range[0]),
      b = xAt(scale, range[1]);
    const kind = Math.abs(x - a) <= EDGE ? 'left' : Math.abs(x - b) <= EDGE ? 'right' : x > a && x < b ? 'move' : 'new';
    return { kind, at, range: kind === 'new' ? [at, at] : [...range] };
  }

  private pressed(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.grip = this.gripAt(event.offsetX);
  }

  private point(event: PointerEvent, choose: boolean): void {
    const scale = this.scale(),
      time = timeAt(scale, event.offsetX),
      reach = timeAt(scale, event.offsetX + REACH) - time || (scale.to - scale.from) / scale.width;
    void this.pointed.sample({ time, reach, lanes: 'thread', ids: null }, event.clientX, event.clientY, choose);
  }

  private moved(event: PointerEvent): void {
    const scale = this.scale();
    if (!this.grip) {
      const { kind } = this.gripAt(event.offsetX);
      this.canvas.style.cursor = kind === 'new' ? 'crosshair' : kind === 'move' ? 'grab' : 'ew-resize';
      return this.point(event, false);
    }
    const at = timeAt(scale, event.offsetX),
      { kind, range } = this.grip,
      by = at - this.grip.at;
    if (!this.draft && Math.abs(xAt(scale, at) - xAt(scale, this.grip.at)) < 3) return;
    const sorted = (a: number, b: number): [number, number] => (a <= b ? [a, b] : [b, a]);
    if (kind === 'move') {
      const shift = Math.max(scale.from - range[0], Math.min(scale.to - range[1], by));
      this.draft = [range[0] + shift, range[1] + shift];
    } else {
      this.draft =
        kind === 'new' ? sorted(this.grip.at, at) : kind === 'left' ? sorted(at, range[1]) : sorted(range[0], at);
    }
    this.draft = [Math.round(this.draft[0]), Math.round(this.draft[1])];
    tooltip.show(null, 0, 0);
    const [first, last] = this.draft;
    status.hover(`${rangeText(first, last, scale.to, ' to ')}: ${clock(last - first, last - first)}`);
    this.drawSoon();
    this.applySoon();
  }

  private whole(range: [number, number]): boolean {
    const [from, to] = this.app.shownTime;
    return range[0] <= from && range[1] >= to;
  }

  private dropped(): void {
    this.grip = this.draft = null;
    this.drawSoon();
  }

  private released(event: PointerEvent): void {
    const { grip, draft } = this;
    this.dropped();
    if (draft) this.app.chooseTime(this.whole(draft) ? null : draft);
    else if (grip?.kind === 'new' && this.brushed) this.app.chooseTime(null);
    else if (grip) this.point(event, true);
  }

  private key(event: KeyboardEvent): void {
    const { app } = this,
      [least, most] = app.shownTime,
      range = this.brushed;
    if (event.key === 'Escape' && range) app.chooseTime(null);
    else if (event.key === 'Escape' && app.state.zooms.length > 0) app.zoomOutTo(app.state.zooms.length - 1);
    else if (event.key === 'Enter' && range) app.zoomIn();
    else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
      const step = (most - least) / 50,
        by = event.key === 'ArrowLeft' ? -step : step,
        quarter = (most - least) / 4;
      app.chooseTime(
        !range
          ? by > 0
            ? [least, Math.round(least + quarter)]
            : [Math.round(most - quarter), most]
          : this.shifted(range, by, event.shiftKey),
      );
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    this.describe();
    status.announce(this.canvas.getAttribute('aria-valuetext') ?? '');
  }

  // The range moved by a time, or only its end; within the time that is shown.
  private shifted([from, to]: [number, number], by: number, onlyEnd: boolean): [number, number] {
    const [least, most] = this.app.shownTime;
    if (onlyEnd) return [from, Math.round(Math.min(most, Math.max(from + Math.abs(by) / 2, to + by)))];
    const shift = Math.max(least - from, Math.min(most - to, by));
    return [Math.round(from + shift), Math.round(to + shift)];
  }

  focus(): void {
    this.canvas.focus();
  }
}
