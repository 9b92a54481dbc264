// SPDX-License-Identifier: Apache-2.0
// A picture of boxes with navigation by mouse, touch and keyboard, around FlamePainter.
//
//     wheel up/down      scroll rows          drag            move
//     wheel sideways     move                 pinch, Ctrl+wheel, + and -   zoom
//     click              choose               double click, Enter          zoom to a box
//     arrows             parent, child, neighbours        0   all
//
// The panel knows boxes only; its owner knows what they mean (PanelOwner).

import { el, oncePerFrame, reducedMotion } from './dom.ts';
import { FlamePainter, ROW_HEIGHT, type View } from './flame_painter.ts';
import type { Theme } from './palette.ts';
import type { Part } from './picture/document.ts';
import { sceneRows } from './picture/scene_rows.ts';
import { onPrinting } from './theme.ts';
import type { Box, Direction, Look, Scene } from './scene.ts';

export interface PanelOwner {
  name: string; // for screen readers
  theme: () => Theme;
  chosen: (box: Box | null) => void;
  hovered: (box: Box | null, x: number, y: number) => void;
  menu: (box: Box, x: number, y: number) => void;
  zoomedTo: (box: Box | null) => void; // the user zoomed to a box, or to the whole (null)
  moved: (left: number, right: number) => void; // a movement has ended
}

export const zoomKeys = (panel: () => FlamePanel): Record<string, () => void> => ({
  '+': () => panel().zoomBy(0.7),
  '-': () => panel().zoomBy(1 / 0.7),
  '0': () => panel().zoomOut(),
});

const LONG_PRESS_MS = 500;
const ANIMATION_MS = 140;
const DEEPEST_ZOOM = 1e-9; // of the whole

export class FlamePanel {
  readonly canvas = el('canvas', { class: 'flame', tabindex: '0', role: 'application' });
  readonly element = el('div', { class: 'flame-panel' }, this.canvas);
  readonly view: View = { left: 0, right: 1, scroll: 0, rootBelow: false };
  focus: Box | null = null;
  private readonly painter = new FlamePainter(this.canvas);
  private scene: Scene | null = null;
  private look: Look | null = null;
  private extent: [number, number] = [0, 1];
  private hover: Box | null = null;
  private readonly pointers = new Map<number, PointerEvent>();
  drawn: () => void = () => {};
  scrolls = true; // false: the wheel scrolls the page instead
  private moved = false;
  private pressTimer: ReturnType<typeof setTimeout> | undefined;
  private animation = 0;
  private readonly redrawSoon = oncePerFrame(() => this.draw());

  constructor(private readonly owner: PanelOwner) {
    this.canvas.classList.add('waiting'); // invisible until there is a scene
    this.canvas.setAttribute('aria-label', owner.name);
    this.canvas.setAttribute('aria-roledescription', 'flame graph');
    new ResizeObserver(() => this.resize()).observe(this.element);
    onPrinting(() => this.draw());
    this.listen();
  }

  // Shows another scene: the same part of it if `keepView`, else all of it.
  show(scene: Scene, look: Look, options: { keepView?: boolean; rootBelow: boolean }): void {
    this.scene = scene;
    this.look = look;
    this.extent = scene.extent[1] > scene.extent[0] ? scene.extent : [scene.extent[0], scene.extent[0] + 1];
    this.view.rootBelow = options.rootBelow;
    this.canvas.classList.remove('waiting');
    this.hover = null;
    this.focus = null;
    if (!options.keepView) {
      [this.view.left, this.view.right] = this.extent;
      this.view.scroll = 0;
    }
    this.clampView();
    this.redrawSoon();
  }

  recolour(look: Look): void {
    this.look = look;
    this.refresh();
  }

  setFocus(box: Box | null, reveal = true): void {
    this.focus = box;
    if (box && reveal) this.reveal(box);
    this.redrawSoon();
  }

  zoomToBox(box: Box | null, animate = true): void {
    if (box) this.zoomTo(box.start, box.end, animate);
  }

  zoomTo(left: number, right: number, animate = true): void {
    cancelAnimationFrame(this.animation);
    const from = { ...this.view },
      began = performance.now();
    if (!animate || reducedMotion()) {
      this.setView(left, right);
      this.owner.moved(left, right);
      return;
    }
    const step = (now: number) => {
      const t = Math.min(1, Math.max(0, (now - began) / ANIMATION_MS)),
        eased = t * (2 - t);
      this.setView(from.left + (left - from.left) * eased, from.right + (right - from.right) * eased);
      if (t < 1) this.animation = requestAnimationFrame(step);
      else this.owner.moved(left, right);
    };
    this.animation = requestAnimationFrame(step);
  }

  zoomBy(factor: number, around?: number): void {
    const { left, right } = this.view,
      centre = around ?? (left + right) / 2;
    this.setView(centre - (centre - left) * factor, centre + (right - centre) * factor);
    this.owner.moved(this.view.left, this.view.right);
  }

  panBy(share: number): void {
    const by = (this.view.right - this.view.left) * share;
    this.setView(this.view.left + by, this.view.right + by);
    this.owner.moved(this.view.left, this.view.right);
  }

  scrollBy(pixels: number): void {
    this.view.scroll += pixels;
    this.clampView();
    this.redrawSoon();
  }

  zoomByReader(box: Box | null): void {
    if (!box) return;
    this.zoomToBox(box);
    this.owner.zoomedTo(box);
  }

  zoomOut(): void {
    this.zoomTo(this.extent[0], this.extent[1]);
    this.owner.zoomedTo(null);
  }

  isZoomed(): boolean {
    return this.view.right - this.view.left < (this.extent[1] - this.extent[0]) * 0.999999;
  }

  setView(left: number, right: number): void {
    this.view.left = left;
    this.view.right = right;
    this.clampView();
    this.redrawSoon();
  }

  refresh(): void {
    this.painter.resetTheme();
    this.redrawSoon();
  }

  boxAt(row: number, x: number): Box | null {
    return this.scene?.boxAt(row, x) ?? null;
  }

  draw(): void {
    if (!this.scene || !this.look || this.painter.width <= 1) return;
    this.painter.draw(
      this.scene,
      this.look,
      this.view,
      this.owner.theme(),
      this.hover,
      this.focus,
      document.activeElement === this.canvas,
    );
    this.drawn();
  }

  // All rows of the visible part, for a saved picture; null if nothing is shown.
  rows(look: Look, width: number, describe: (box: Box) => string): Part | null {
    if (!this.scene || !this.element.isConnected) return null;
    return sceneRows(this.scene, look, { ...this.view, width }, describe);
  }

  private resize(): void {
    const bounds = this.element.getBoundingClientRect();
    if (bounds.width === 0 || bounds.height === 0) return;
    this.painter.resize(bounds.width, bounds.height);
    this.clampView();
    this.draw();
  }

  private clampView(): void {
    const view = this.view,
      whole = this.extent[1] - this.extent[0];
    const size = Math.min(whole, Math.max(view.right - view.left, whole * DEEPEST_ZOOM));
    const left = Math.min(Math.max(view.left, this.extent[0]), this.extent[1] - size);
    view.left = left;
    view.right = left + size;
    const content = this.scene ? this.scene.rows * ROW_HEIGHT : 0;
    view.scroll = Math.max(0, Math.min(view.scroll, content - this.painter.height));
  }

  private reveal(box: Box): void {
    const view = this.view;
    if (box.end <= view.left || box.start >= view.right) {
      const size = view.right - view.left,
        centre = (box.start + box.end) / 2;
      view.left = centre - size / 2;
      view.right = centre + size / 2;
    }
    const top = box.row * ROW_HEIGHT;
    if (top < view.scroll) view.scroll = top;
    if (top + ROW_HEIGHT > view.scroll + this.painter.height) view.scroll = top + ROW_HEIGHT - this.painter.height;
    this.clampView();
  }

  private boxUnder(event: { clientX: number; clientY: number }): Box | null {
    if (!this.scene) return null;
    const bounds = this.canvas.getBoundingClientRect();
    const row = this.painter.rowAt(event.clientY - bounds.top, this.view);
    const x = event.clientX - bounds.left;
    // A box narrower than a pixel is hard to hit: also try a pixel to each side.
    for (const offset of [0, 0.5, -0.5, 1, -1]) {
      const box = this.scene.boxAt(row, this.painter.valueAt(x + offset, this.view));
      if (box) return box;
    }
    return null;
  }

  private listen(): void {
    const canvas = this.canvas;
    canvas.addEventListener('pointerdown', (event) => this.pressed(event));
    canvas.addEventListener('pointermove', (event) => this.pointerMoved(event));
    canvas.addEventListener('pointerup', (event) => this.released(event));
    canvas.addEventListener('pointercancel', (event) => this.removePointer(event));
    canvas.addEventListener('pointerleave', (event) => {
      if (this.pointers.size > 0 || event.pointerType === 'touch') return;
      this.hover = null;
      this.owner.hovered(null, 0, 0);
      this.redrawSoon();
    });
    canvas.addEventListener('dblclick', (event) => this.zoomByReader(this.boxUnder(event)));
    canvas.addEventListener('contextmenu', (event) => {
      event.preventDefault();
      this.openMenu(this.boxUnder(event), event.clientX, event.clientY);
    });
    canvas.addEventListener('wheel', (event) => this.wheeled(event), { passive: false });
    canvas.addEventListener('focus', () => this.redrawSoon());
    canvas.addEventListener('blur', () => this.redrawSoon());
    canvas.addEventListener('keydown', (event) => this.key(event));
  }

  private openMenu(box: Box | null, x: number, y: number): void {
    if (!box) return;
    this.choose(box);
    this.owner.menu(box, x, y);
  }

  choose(box: Box | null): void {
    this.focus = box;
    this.owner.chosen(box);
    this.redrawSoon();
  }

  private pressed(event: PointerEvent): void {
    if (event.button !== 0) return;
    cancelAnimationFrame(this.animation);
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, event);
    this.moved = false;
    clearTimeout(this.pressTimer);
    if (event.pointerType !== 'mouse' && this.pointers.size === 1) {
      this.pressTimer = setTimeout(() => {
        if (!this.moved) this.openMenu(this.boxUnder(event), event.clientX, event.clientY);
        this.pointers.clear();
      }, LONG_PRESS_MS);
    }
  }

  private pointerMoved(event: PointerEvent): void {
    const before = this.pointers.get(event.pointerId);
    if (!before) {
      const box = this.boxUnder(event);
      if (box?.node !== this.hover?.node || box?.start !== this.hover?.start) this.redrawSoon();
      this.hover = box;
      this.owner.hovered(box, event.clientX, event.clientY);
      return;
    }
    const first = [...this.pointers.values()];
    const dx = event.clientX - before.clientX,
      dy = event.clientY - before.clientY;
    if (!this.moved && Math.hypot(dx, dy) < 4) return;
    this.moved = true;
    this.hover = null;
    this.owner.hovered(null, 0, 0);
    const size = this.view.right - this.view.left;
    if (first.length === 1) {
      const by = (-dx / this.painter.width) * size;
      this.setView(this.view.left + by, this.view.right + by);
      this.scrollBy(this.view.rootBelow ? dy : -dy);
    } else if (first.length === 2) {
      const other = first.find((pointer) => pointer.pointerId !== event.pointerId)!;
      const distanceBefore = Math.abs(before.clientX - other.clientX),
        distance = Math.abs(event.clientX - other.clientX);
      if (distanceBefore > 8 && distance > 8) {
        const bounds = this.canvas.getBoundingClientRect();
        const centre = this.painter.valueAt((event.clientX + other.clientX) / 2 - bounds.left, this.view);
        const factor = distanceBefore / distance;
        this.setView(centre - (centre - this.view.left) * factor, centre + (this.view.right - centre) * factor);
      }
    }
    this.pointers.set(event.pointerId, event);
  }

  private released(event: PointerEvent): void {
    clearTimeout(this.pressTimer);
    if (!this.pointers.has(event.pointerId)) return;
    this.pointers.delete(event.pointerId);
    if (this.moved) this.owner.moved(this.view.left, this.view.right);
    else this.tapped(this.boxUnder(event), event);
  }

  // A finger does not hover: a tap shows what hovering shows, until the next tap or movement.
  private tapped(box: Box | null, event: PointerEvent): void {
    this.choose(box);
    if (event.pointerType !== 'mouse') this.owner.hovered(box, event.clientX, event.clientY);
  }

  private removePointer(event: PointerEvent): void {
    clearTimeout(this.pressTimer);
    this.pointers.delete(event.pointerId);
  }

  private wheeled(event: WheelEvent): void {
    if (!this.scrolls && !event.ctrlKey) return;
    event.preventDefault();
    cancelAnimationFrame(this.animation);
    const bounds = this.canvas.getBoundingClientRect();
    if (event.ctrlKey || event.metaKey) {
      this.zoomBy(Math.exp(event.deltaY * 0.004), this.painter.valueAt(event.clientX - bounds.left, this.view));
      return;
    }
    const sideways = event.shiftKey ? event.deltaY : event.deltaX;
    if (sideways !== 0) this.panBy(sideways / this.painter.width);
    if (!event.shiftKey && event.deltaY !== 0) this.scrollBy(this.view.rootBelow ? -event.deltaY : event.deltaY);
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.scene) return;
    const action = this.keys[event.shiftKey && event.key.startsWith('Arrow') ? `Shift+${event.key}` : event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }

  private readonly keys: Record<string, () => void> = {
    ArrowUp: () => this.step(this.view.rootBelow ? 'child' : 'parent'),
    ArrowDown: () => this.step(this.view.rootBelow ? 'parent' : 'child'),
    ArrowLeft: () => this.step('left'),
    ArrowRight: () => this.step('right'),
    Home: () => this.chooseAndReveal(this.outermostAt(this.focusCentre() ?? this.extent[0])),
    Enter: () => this.zoomByReader(this.focus),
    'Shift+ArrowLeft': () => this.panBy(-0.2),
    'Shift+ArrowRight': () => this.panBy(0.2),
    'Shift+ArrowUp': () => this.zoomBy(0.7, this.focusCentre()),
    'Shift+ArrowDown': () => this.zoomBy(1 / 0.7, this.focusCentre()),
    PageDown: () => this.scrollBy(this.painter.height * 0.8),
    PageUp: () => this.scrollBy(-this.painter.height * 0.8),
    '+': () => this.zoomBy(0.7, this.focusCentre()),
    '=': () => this.zoomBy(0.7, this.focusCentre()),
    '-': () => this.zoomBy(1 / 0.7, this.focusCentre()),
    '0': () => this.zoomOut(),
  };

  private focusCentre(): number | undefined {
    if (!this.focus) return undefined;
    return Math.min(this.view.right, Math.max(this.view.left, (this.focus.start + this.focus.end) / 2));
  }

  private step(direction: Direction): void {
    if (!this.scene) return;
    this.chooseAndReveal(this.focus ? this.scene.step(this.focus, direction) : this.firstInView());
  }

  // The first row may have the name of a lane instead of boxes.
  private outermostAt(x: number): Box | null {
    return this.scene!.boxAt(0, x) ?? this.scene!.boxAt(1, x);
  }

  private firstInView(): Box | null {
    const { left, right } = this.view;
    for (let i = 0; i < 16; i++) {
      const box = this.outermostAt(left + ((right - left) * ((i * 7 + 8) % 16)) / 16);
      if (box) return box;
    }
    return null;
  }

  chooseAndReveal(box: Box | null): void {
    if (!box) return;
    this.reveal(box);
    this.choose(box);
  }
}
