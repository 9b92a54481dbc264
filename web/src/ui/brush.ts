// SPDX-License-Identifier: Apache-2.0
// The part of a canvas context that drawings over time use. A canvas has it, and so has SvgBrush
// (picture/svg_brush.ts): one function draws on the screen and into a saved picture.

export interface Brush {
  fillStyle: string | CanvasGradient | CanvasPattern;
  strokeStyle: string | CanvasGradient | CanvasPattern;
  lineWidth: number;
  font: string;
  textBaseline: CanvasTextBaseline;
  beginPath(): void;
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  fill(): void;
  stroke(): void;
  fillRect(x: number, y: number, width: number, height: number): void;
  fillText(text: string, x: number, y: number): void;
  measureText(text: string): { width: number };
}
