// The page of a sweep begins here: its data stand in the page as JSON.
import { el, fill } from '../ui/dom.ts';
import { visible } from '../ui/text.ts';

interface Sweep {
  plan: { name: string; axes: { name: string }[]; metrics: { name: string }[] };
  points: { axes: Record<string, unknown>; metrics: Record<string, { median: number }> }[];
}

const { plan, points } = JSON.parse(document.getElementById('sweep')!.textContent!) as Sweep;
const cell = (value: unknown): HTMLElement => el('td', null, visible(String(value ?? '')));
fill(
  document.getElementById('app')!,
  el('h1', null, visible(plan.name)),
  el(
    'table',
    null,
    el('tr', null, ...[...plan.axes, ...plan.metrics].map(({ name }) => el('th', null, visible(name)))),
    ...points.map((point) =>
      el(
        'tr',
        null,
        ...plan.axes.map(({ name }) => cell(point.axes[name])),
        ...plan.metrics.map(({ name }) => cell(point.metrics[name]?.median)),
      ),
    ),
  ),
);
