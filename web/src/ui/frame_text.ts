// SPDX-License-Identifier: Apache-2.0
// A frame in words: for the status line, screen readers and the tooltip.

import type { CallTree, FunctionId } from '../model/interface.ts';
import type { AppCore } from './app_core.ts';
import { ranBefore } from '../model/words.ts';
import { el } from './dom.ts';
import { isLateNode } from './late_marks.ts';
import { selfTime } from './self_time.ts';
import { status } from './status.ts';
import { percent, shortLabel } from './text.ts';

export interface FrameFacts {
  func: FunctionId;
  name: string;
  rows: [string, string][];
}

function origin(app: AppCore, func: FunctionId): [string, string][] {
  const rows: [string, string][] = [],
    module = app.moduleName(app.moduleOf(func)),
    file = app.fileOf(func),
    kind = app.kindName(func);
  if (module) rows.push(['module', module]);
  if (kind && !['user', 'process', 'thread'].includes(kind)) rows.push(['kind', kind]);
  if (file) rows.push(['source', app.labels.line[func] > 0 ? `${file}:${app.labels.line[func]}` : file]);
  return rows;
}

export function treeFacts(app: AppCore, tree: CallTree, node: number): FrameFacts {
  const whole = tree.amount.weight || 1,
    share = (weight: number): string => `${app.amount(weight)} (${percent(weight / whole)})`;
  const func = tree.func[node],
    own = selfTime(tree, node);
  const ran = isLateNode(app.labels, tree, node) ? ranBefore(app.words, app.name(func)) : undefined;
  return {
    func,
    name: app.name(func),
    rows: [
      ['total', share(tree.total[node])],
      ...(own === null ? [] : [['self', share(own)] as [string, string]]),
      ...(ran === undefined ? [] : [[app.words.late.mark, `the time of ${ran}`] as [string, string]]),
      ...origin(app, func),
    ],
  };
}

export function plainFacts(app: AppCore, func: FunctionId, rows: [string, string][]): FrameFacts {
  return { func, name: app.name(func), rows: [...rows, ...origin(app, func)] };
}

export const inOneLine = (facts: FrameFacts): string =>
  [shortLabel(facts.name, 160), ...facts.rows.map(([key, value]) => `${key} ${value}`)].join(', ');

class Tooltip {
  private made: HTMLElement | null = null;

  private get element(): HTMLElement {
    if (!this.made)
      document.body.append((this.made = el('div', { class: 'tip', hidden: true, 'aria-hidden': 'true' })));
    return this.made;
  }

  show(facts: FrameFacts | null, x: number, y: number): void {
    if (!facts) {
      this.element.hidden = true;
      return;
    }
    this.element.replaceChildren(
      el('div', { class: 'name' }, facts.name),
      el('dl', null, ...facts.rows.flatMap(([key, value]) => [el('dt', null, key), el('dd', null, value)])),
    );
    this.element.hidden = false;
    const { width, height } = this.element.getBoundingClientRect();
    const left = x + 16 + width > innerWidth - 8 ? Math.max(8, x - 12 - width) : x + 16;
    const top = y + 18 + height > innerHeight - 8 ? Math.max(8, y - 12 - height) : y + 18;
    this.element.style.left = `${left}px`;
    this.element.style.top = `${top}px`;
  }
}

export const tooltip = new Tooltip();

// Describes the frame under the pointer, in a tooltip and in the status line.
export function showHovered(facts: FrameFacts | null, x: number, y: number): void {
  tooltip.show(facts, x, y);
  status.hover(facts ? inOneLine(facts) : '');
}
