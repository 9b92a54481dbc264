// SPDX-License-Identifier: Apache-2.0
// The strip below the tabs: activity over the whole recording. A range chosen here is a filter for every view.
//
// Mouse and touch: drag a range, drag the range to move it, drag its edges, double click for the whole.
// Keys: left and right move the range (or make one), with Shift they move its end, Escape removes it.

import type { Timeline } from '../model/interface.ts';
import type { AppCore } from './app_core.ts';
import { el, oncePerFrame } from './dom.ts';
import { palette } from './palette.ts';
import { Question } from './question.ts';
import { status } from './status.ts';
import { clock, shortLabel } from './text.ts';
import {
  drawActivity,
  drawAxis,
  drawLosses,
  drawMarks,
  lossText,
  sized,
  timeAt,
  xAt,
  type TimeScale,
} from './time_axis.ts';

const EDGE = 6; // how close to an edge a drag grabs it, in pixels
const LOSS_REACH = 3; // how close to a loss the pointer shows it, in pixels
const MARGIN = 16;
const LABEL_FONT = '10.5px system-ui, "DejaVu Sans", sans-serif';
type Grip = { kind: 'new' | 'left' | 'right' | 'move'; at: number; range: [number, number] };

export class Overview {
  readonly element: HTMLElement;
  private readonly canvas = el('canvas', {
    tabindex: '0',
    role: 'slider',
    'aria-label': 'Time range',
    'aria-valuemin': '0',
  });
  private activity: Timeline | null = null;
  private marked: Timeline | null = null; // of the selected function
  private readonly question = new Question();
  private grip: Grip | null = null;
  private draft: [number, number] | null = null;
  private readonly drawSoon = oncePerFrame(() => this.draw());
  // While the user drags a range, the views follow, one answer at a time.
  private readonly applySoon = oncePerFrame(() => {
    if (this.grip && this.draft) this.app.changeModel({ range: this.whole(this.draft) ? null : this.draft }, true);
  });

  constructor(private readonly app: AppCore) {
    this.element = el('div', { class: 'overview' }, this.canvas);
    this.element.hidden = !app.info.hasTime || app.info.duration <= 0;
    new ResizeObserver(() => this.draw()).observe(this.element);
    this.canvas.addEventListener('pointerdown', (event) => this.pressed(event));
    this.canvas.addEventListener('pointermove', (event) => this.moved(event));
    this.canvas.addEventListener('pointerup', () => this.released());
    this.canvas.addEventListener('pointercancel', () => this.released());
    this.canvas.addEventListener('dblclick', () => app.changeModel({ range: null }));
    this.canvas.addEventListener('keydown', (event) => this.key(event));
    this.canvas.addEventListener('focus', this.drawSoon);
    this.canvas.addEventListener('blur', this.drawSoon);
    app.onSelection(() => void this.markSelection());
    app.onTheme(this.drawSoon);
  }

  update(): void {
    const { info, state } = this.app;
    this.element.hidden = !info.hasTime || info.duration <= 0;
    if (this.element.hidden) return;
    if (this.question.isNew({ ...state.model, range: null })) void this.load();
    this.describe();
    this.drawSoon();
  }

  private async load(): Promise<void> {
    const { app } = this,
      { model } = app.state;
    const answer = await this.question.answer(
      app.ask('overview', 'timeline', () => app.engine.timeline(model, this.options())),
    );
    if (!answer) return;
    this.activity = answer;
    this.drawSoon();
    await this.markSelection();
  }

  private options(): { lanes: 'thread'; from: number; to: number; buckets: number } {
    return {
      lanes: 'thread',
      from: 0,
      to: this.app.info.duration,
      buckets: Math.max(50, Math.min(800, Math.floor(this.canvas.clientWidth / 3) || 400)),
    };
  }

  // Marks when the selected function ran.
  private async markSelection(): Promise<void> {
    const { app } = this,
      { selection } = app,
      { model } = app.state;
    if (this.element.hidden) return;
    if (!selection) {
      this.marked = null;
      return this.drawSoon();
    }
    const transforms = [
      ...model.transforms,
      { type: 'focus-function' as const, by: model.groupBy, func: selection.func },
    ];
    this.marked =
      (await app.ask('overview mark', 'timeline', () =>
        app.engine.timeline({ ...model, transforms }, this.options()),
      )) ?? this.marked;
    this.drawSoon();
  }

  private scale(): TimeScale {
    return {
      from: 0,
      to: Math.max(1, this.app.info.duration),
      left: MARGIN,
      width: Math.max(1, this.canvas.clientWidth - 2 * MARGIN),
    };
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
    if (this.activity) {
      const { sum, buckets } = this.activity;
      let largest = 0;
      for (const value of sum) largest = Math.max(largest, value);
      drawActivity(context, sum, 0, buckets, largest, box, colours.slots[0]);
      if (this.marked) drawActivity(context, this.marked.sum, 0, buckets, largest, box, colours.hit);
      if (this.marked) this.labelMarked(context);
      this.labelHeight(context, largest, width);
    }
    drawMarks(context, scale, 16, height - 16, app.info.marks, theme, false);
    drawLosses(context, scale, height - 5, 5, app.info, theme);
    const range = this.draft ?? app.state.model.range;
    if (range) {
      const a = xAt(scale, range[0]),
        b = Math.max(a + 1, xAt(scale, range[1]));
      context.fillStyle = theme === 'dark' ? 'rgba(10,11,13,.66)' : 'rgba(246,245,242,.76)';
      context.fillRect(0, 0, a, height);
      context.fillRect(b, 0, width - b, height);
      context.fillStyle = colours.focus;
      context.fillRect(a - 1, 0, 2, height);
      context.fillRect(b - 1, 0, 2, height);
      for (const x of [a, b]) {
        context.beginPath();
        context.roundRect(x - 4, height / 2 - 9, 8, 18, 3);
        context.fill();
      }
    }
  }

  // The number of busy CPUs at the full height, if known.
  private labelHeight(context: CanvasRenderingContext2D, largest: number, width: number): void {
    const { app, activity } = this;
    if (app.unit !== 'nanoseconds' || !activity) return;
    const busy = largest / app.scale / ((activity.to - activity.from) / activity.buckets);
    const text = `at most ${busy.toFixed(1)} CPUs busy`;
    context.font = LABEL_FONT;
    this.label(context, text, width - MARGIN - context.measureText(text).width - 4, palette(app.theme).faintText);
  }

  private labelMarked(context: CanvasRenderingContext2D): void {
    const { app } = this;
    if (!app.selection) return;
    context.font = LABEL_FONT;
    this.label(
      context,
      `where ${shortLabel(app.name(app.selection.func), 40)} ran`,
      MARGIN + 4,
      palette(app.theme).hit,
    );
  }

  private label(context: CanvasRenderingContext2D, text: string, x: number, colour: string): void {
    context.textBaseline = 'top';
    context.fillStyle = palette(this.app.theme).background;
    context.globalAlpha = 0.85;
    context.fillRect(x - 4, 18, context.measureText(text).width + 8, 15);
    context.globalAlpha = 1;
    context.fillStyle = colour;
    context.fillText(text, x, 20);
  }

  private describe(): void {
    const { info, state } = this.app,
      [from, to] = state.model.range ?? [0, info.duration];
    this.canvas.setAttribute('aria-valuemax', String(Math.round(info.duration / 1e6)));
    this.canvas.setAttribute('aria-valuenow', String(Math.round(from / 1e6)));
    this.canvas.setAttribute(
      'aria-valuetext',
      state.model.range ? `${clock(from, info.duration)} to ${clock(to, info.duration)}` : 'the whole recording',
    );
  }

  private gripAt(x: number): Grip {
    const scale = this.scale(),
      at = timeAt(scale, x),
      { range } = this.app.state.model;
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

  private moved(event: PointerEvent): void {
    const scale = this.scale();
    if (!this.grip) {
      const { kind } = this.gripAt(event.offsetX);
      this.canvas.style.cursor = kind === 'new' ? 'crosshair' : kind === 'move' ? 'grab' : 'ew-resize';
      const lost = lossText(
        this.app.info,
        timeAt(scale, event.offsetX - LOSS_REACH),
        timeAt(scale, event.offsetX + LOSS_REACH),
      );
      status.hover(`${clock(timeAt(scale, event.offsetX), scale.to)}${lost ? ` \u00b7 ${lost}` : ''}`);
      this.canvas.title = lost;
      return;
    }
    const at = timeAt(scale, event.offsetX),
      { kind, range } = this.grip,
      by = at - this.grip.at;
    if (kind === 'new' && !this.draft && Math.abs(xAt(scale, at) - xAt(scale, this.grip.at)) < 3) return;
    const sorted = (a: number, b: number): [number, number] => (a <= b ? [a, b] : [b, a]);
    if (kind === 'move') {
      const shift = Math.max(-range[0], Math.min(scale.to - range[1], by));
      this.draft = [range[0] + shift, range[1] + shift];
    } else {
      this.draft =
        kind === 'new' ? sorted(this.grip.at, at) : kind === 'left' ? sorted(at, range[1]) : sorted(range[0], at);
    }
    this.draft = [Math.round(this.draft[0]), Math.round(this.draft[1])];
    status.hover(
      `${clock(this.draft[0], scale.to)} to ${clock(this.draft[1], scale.to)}: ${clock(this.draft[1] - this.draft[0], this.draft[1] - this.draft[0])}`,
    );
    this.drawSoon();
    this.applySoon();
  }

  private whole(range: [number, number]): boolean {
    return range[0] <= 0 && range[1] >= this.app.info.duration;
  }

  private released(): void {
    const { grip, draft } = this;
    this.grip = this.draft = null;
    if (draft) this.app.changeModel({ range: this.whole(draft) ? null : draft });
    else if (grip?.kind === 'new' && this.app.state.model.range) this.app.changeModel({ range: null });
    this.drawSoon();
  }

  private key(event: KeyboardEvent): void {
    const { info, state } = this.app,
      whole = info.duration,
      step = whole / 50;
    if (event.key === 'Escape' && state.model.range) {
      this.app.changeModel({ range: null });
    } else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
      const by = event.key === 'ArrowLeft' ? -step : step,
        [from, to] = state.model.range ?? (by > 0 ? [0, whole / 4] : [whole * 0.75, whole]);
      const moved: [number, number] = !state.model.range
        ? [from, to]
        : event.shiftKey
          ? [from, Math.max(from + step / 2, to + by)]
          : [from + by, to + by];
      const shift = Math.max(0, -moved[0]) - Math.max(0, moved[1] - whole);
      this.app.changeModel({
        range: [
          Math.max(0, Math.round(moved[0] + shift)),
          Math.min(whole, Math.round(moved[1] + (event.shiftKey ? Math.min(0, shift) : shift))),
        ],
      });
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    this.describe();
    status.announce(this.canvas.getAttribute('aria-valuetext') ?? '');
  }

  focus(): void {
    this.canvas.focus();
  }
}
