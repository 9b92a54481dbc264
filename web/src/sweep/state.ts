// SPDX-License-Identifier: Apache-2.0
// The state of the page, all of it in the URL's fragment (ui/fragment.ts). The theme is not: the browser stores it.
import { flag, integer, integers, oneOf, readFields, text, wordsOf, writeFields, type Field } from '../ui/fragment.ts';
import type { Metric, Sweep } from './data.ts';

export interface SweepState {
  view: string;
  metric: number;
  axis: number; // the x axis
  colour: number; // an axis, or -1: all other axes together
  split: number; // small multiples by this axis, or -1
  logX: 'auto' | 'yes' | 'no';
  logY: boolean;
  zero: boolean; // the metric's axis begins at 0
  runs: boolean; // every run is drawn
  ownScales: boolean; // small multiples each have their own
  all: boolean; // all small multiples are drawn, however many
  filter: number[]; // one value per axis, -1 for all
  across: number; // the heat map's other axis
  show: 'this' | 'other' | 'change'; // of a comparison, in the heat map
  fit: number; // the metric and axis of the scaling view
  rank: 'cost' | 'scaling';
  point: string;
  before: string; // the two points compared
  after: string;
}

// A throughput if there is one. A part of other metrics only if there is nothing else.
function firstMetric(metrics: readonly Metric[]): number {
  const shown = (wanted: (metric: Metric) => boolean): number =>
    metrics.findIndex((metric) => !metric.hidden && wanted(metric));
  const throughput = shown(({ better }) => better === 'more');
  return Math.max(0, throughput >= 0 ? throughput : shown(() => true));
}

export function startState(sweep: Sweep): SweepState {
  const { axes, metrics } = sweep.plan;
  const counts = axes.map(({ values }) => values.length);
  // The numeric axis with the most values: most likely the one to scale along.
  const numeric = axes.map(({ numeric: is }, i) => (is ? counts[i] : 0)),
    axis = Math.max(0, numeric.indexOf(Math.max(0, ...numeric)));
  const others = axes.map((_, i) => i).filter((i) => i !== axis && counts[i] > 1);
  return {
    view: 'overview',
    metric: firstMetric(metrics),
    axis,
    colour: others[0] ?? -1,
    split: others[1] ?? -1,
    logX: 'auto',
    logY: false,
    zero: true,
    runs: false,
    ownScales: false,
    all: false,
    filter: axes.map(() => -1),
    across: others[0] ?? -1,
    show: 'this',
    fit: 0,
    rank: 'cost',
    point: '',
    before: '',
    after: '',
  };
}

const FIELDS: { [K in keyof SweepState]: [string, Field<SweepState[K]>] } = {
  view: ['view', text],
  metric: ['metric', integer],
  axis: ['axis', integer],
  colour: ['colour', integer],
  split: ['split', integer],
  logX: ['logx', oneOf('auto', 'yes', 'no')],
  logY: ['logy', flag],
  zero: ['zero', flag],
  runs: ['runs', flag],
  ownScales: ['scales', flag],
  all: ['all', flag],
  filter: ['only', integers],
  across: ['across', integer],
  show: ['show', oneOf('this', 'other', 'change')],
  fit: ['fit', integer],
  rank: ['rank', oneOf('cost', 'scaling')],
  point: ['point', text],
  before: ['before', text],
  after: ['after', text],
};

export function toFragment(state: SweepState, sweep: Sweep): string {
  const out: string[] = [];
  writeFields<SweepState>(FIELDS, state, startState(sweep), out);
  return out.join('&');
}

// A link may be from another sweep: positions that do not exist are ignored.
export function fromFragment(fragment: string, sweep: Sweep): SweepState {
  const state = startState(sweep),
    start = startState(sweep),
    { axes, metrics } = sweep.plan;
  readFields<SweepState>(FIELDS, wordsOf(fragment), state);
  const within = (
    key: 'metric' | 'axis' | 'colour' | 'split' | 'across' | 'fit',
    least: number,
    size: number,
  ): void => {
    if (state[key] < least || state[key] >= size) state[key] = start[key];
  };
  within('metric', 0, metrics.length);
  within('axis', 0, axes.length);
  within('colour', -1, axes.length);
  within('split', -1, axes.length);
  within('across', -1, axes.length);
  within('fit', 0, Math.max(1, sweep.fits.length));
  state.filter = axes.map(({ values }, i) =>
    state.filter[i] >= 0 && state.filter[i] < values.length ? state.filter[i] : -1,
  );
  if (state.show !== 'this' && !sweep.other) state.show = 'this';
  return state;
}
