// SPDX-License-Identifier: Apache-2.0
// Draws a scene on a canvas: lines of pixels that are stretched to rows, labels, outlines.
//
// Each row of the screen is one line of pixels that the scene colours; one drawImage stretches them all. 50,000
// fillRect calls take 100 ms where there is no GPU; this takes the same few milliseconds for any number of boxes. Only
// labels and outlines are drawn with canvas calls.

import { palette, type Theme } from './palette.ts';
import type { Box, Look, Scene } from './scene.ts';
import type { NameForms } from './label_forms.ts';
import { labelOf, labelsOf } from './text.ts';

export interface View {
  left: number; // in the scene's units
  right: number;
  scroll: number; // scrolled beyond the root's edge, in pixels
  rootBelow: boolean; // row 0 at the bottom, as in flame graphs
}

export const ROW_HEIGHT = 19;
export const FONT_FAMILY = 'ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace';
const FONT = `12px ${FONT_FAMILY}`;
export const NARROWEST_LABEL = 28;

interface Label {
  node: number;
  row: number;
  from: number;
  until: number;
}

export class FlamePainter {
  private readonly context: CanvasRenderingContext2D;
  private readonly strip = document.createElement('canvas');
  private image: ImageData | null = null;
  private columnWidth = 0;
  private stripes: CanvasPattern | null = null;
  private readonly fitted = new WeakMap<NameForms, Map<number, string>>(); // by columns
  width = 0; // in CSS pixels
  height = 0;

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.context = canvas.getContext('2d', { alpha: false })!;
  }

  resize(width: number, height: number): void {
    const ratio = devicePixelRatio || 1;
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    this.image = null;
  }

  rowTop(row: number, view: View): number {
    return view.rootBelow ? this.height - (row + 1) * ROW_HEIGHT + view.scroll : row * ROW_HEIGHT - view.scroll;
  }

  rowAt(y: number, view: View): number {
    return Math.floor(((view.rootBelow ? this.height - y : y) + view.scroll) / ROW_HEIGHT);
  }

  xOf(value: number, view: View): number {
    return ((value - view.left) / (view.right - view.left)) * this.width;
  }

  valueAt(x: number, view: View): number {
    return view.left + (x / this.width) * (view.right - view.left);
  }

  draw(
    scene: Scene,
    look: Look,
    view: View,
    theme: Theme,
    hover: Box | null,
    focus: Box | null,
    focused: boolean,
  ): void {
    const context = this.context,
      colours = palette(theme),
      ratio = this.canvas.width / this.width;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = colours.background;
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    const first = Math.max(0, Math.floor(view.scroll / ROW_HEIGHT));
    const last = Math.min(scene.rows, Math.ceil((view.scroll + this.height) / ROW_HEIGHT));
    const labels = last > first ? this.drawRows(scene, look, view, first, last, ratio) : [];
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.drawLabels(labels, look, view, theme, ratio);
    if (hover) this.outline(hover, view, colours.outline, 1);
    if (focus) this.outline(focus, view, focused ? colours.focus : colours.outline, focused ? 2.5 : 1.5);
  }

  private drawRows(scene: Scene, look: Look, view: View, first: number, last: number, ratio: number): Label[] {
    const width = this.canvas.width,
      rows = last - first,
      labels: Label[] = [];
    if (!this.image || this.image.width !== width || this.image.height < rows) {
      this.strip.width = width;
      this.strip.height = Math.max(rows, Math.ceil(this.height / ROW_HEIGHT) + 1);
      this.image = new ImageData(width, this.strip.height);
    }
    const pixels = new Uint32Array(this.image.data.buffer);
    pixels.fill(0);
    scene.paint(
      {
        pixels,
        width,
        first,
        last,
        left: view.left,
        right: view.right,
        line: view.rootBelow ? (row) => last - 1 - row : (row) => row - first,
        narrowest: NARROWEST_LABEL * ratio,
        label: (node, row, from, until) => labels.push({ node, row, from, until }),
      },
      look,
    );
    this.strip.getContext('2d')!.putImageData(this.image, 0, 0, 0, 0, width, rows);
    const context = this.context,
      rowPixels = ROW_HEIGHT * ratio;
    const top = Math.round(this.rowTop(view.rootBelow ? last - 1 : first, view) * ratio);
    context.imageSmoothingEnabled = false;
    context.drawImage(this.strip, 0, 0, width, rows, 0, top, width, Math.round(rows * rowPixels));
    for (let i = 1; i <= rows; i++) context.fillRect(0, top + Math.round(i * rowPixels) - 1, width, 1);
    return labels;
  }

  private drawLabels(labels: Label[], look: Look, view: View, theme: Theme, ratio: number): void {
    const context = this.context,
      colours = palette(theme);
    context.font = FONT;
    context.textBaseline = 'middle';
    if (this.columnWidth === 0) this.columnWidth = context.measureText('mmmmmmmmmm').width / 10;
    context.fillStyle = colours.text;
    const texts = this.textsOf(labels, look, ratio);
    labels.forEach(({ node, row, from, until }, i) => {
      const left = from / ratio,
        right = until / ratio,
        top = this.rowTop(row, view);
      if (look.striped !== null && look.striped[node] === 1) this.stripe(left, right, top, theme);
      if (texts[i] === '') return;
      const isHit = look.hit !== null && look.hit[node] === 1;
      if (isHit) context.fillStyle = colours.hitText;
      context.fillText(texts[i], left + 4, top + ROW_HEIGHT / 2);
      if (isHit) context.fillStyle = colours.text;
    });
  }

  private textsOf(labels: Label[], look: Look, ratio: number): string[] {
    const rows = labels.map(({ node, from, until }) => ({
      forms: look.forms(node),
      columns: Math.floor(((until - from) / ratio - 7) / this.columnWidth),
    }));
    return labelsOf(rows, 'blank', (forms, columns) => this.fit(forms, columns));
  }

  private fit(forms: NameForms, columns: number): string {
    let known = this.fitted.get(forms);
    if (known === undefined) this.fitted.set(forms, (known = new Map()));
    let text = known.get(columns);
    if (text === undefined) known.set(columns, (text = labelOf(forms, columns)));
    return text;
  }

  private stripe(from: number, until: number, top: number, theme: Theme): void {
    const fillStyle = this.context.fillStyle;
    this.stripes ??= this.makeStripes(theme);
    if (this.stripes) this.context.fillStyle = this.stripes;
    this.context.fillRect(from, top, until - from - 1, ROW_HEIGHT - 1);
    this.context.fillStyle = fillStyle;
  }

  private makeStripes(theme: Theme): CanvasPattern | null {
    const tile = document.createElement('canvas');
    tile.width = tile.height = 7;
    const brush = tile.getContext('2d')!;
    brush.strokeStyle = theme === 'dark' ? 'rgba(255,255,255,.38)' : 'rgba(0,0,0,.26)';
    brush.beginPath();
    for (const offset of [-7, 0, 7]) {
      brush.moveTo(offset - 1, 8);
      brush.lineTo(offset + 8, -1);
    }
    brush.stroke();
    return this.context.createPattern(tile, 'repeat');
  }

  private outline(box: Box, view: View, colour: string, thickness: number): void {
    const from = Math.max(-4, this.xOf(box.start, view)),
      until = Math.min(this.width + 4, this.xOf(box.end, view));
    if (until < 0 || from > this.width) return;
    this.context.strokeStyle = colour;
    this.context.lineWidth = thickness;
    const inset = thickness / 2;
    this.context.strokeRect(
      from + inset,
      this.rowTop(box.row, view) + inset,
      Math.max(1, until - from - thickness - 1),
      ROW_HEIGHT - thickness - 1,
    );
  }

  resetTheme(): void {
    this.stripes = null;
  }
}
