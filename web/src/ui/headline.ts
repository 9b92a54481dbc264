// SPDX-License-Identifier: Apache-2.0
// Where the time went, in a sentence or two. Returns phrases and needs no page.
//
// There are three cases, by the share of the hottest function: one function dominates, a few functions do, or the time
// is spread out. In the last case the path says more than the leaves.

import type { Breakdown, CallTree, EventInfo, FunctionId, FunctionTable } from '../model/interface.ts';
import type { AppCore } from './app_core.ts';
import { timeName } from './profile_words.ts';
import { widestChild } from './tree_scene.ts';
import { plural, roundPercent, visible } from './text.ts';

export type Phrase = string | { strong: string } | { func: FunctionId; module: string }; // with its module if the name is ambiguous

const ONE_IS_MOST = 0.25;
const SPREAD_OUT = 0.1;

// What the weights measure, for a sentence.
export function subject(event: EventInfo): string {
  const { unit, name } = event;
  if (unit === 'nanoseconds') return `the ${timeName(event)}`;
  if (unit === 'samples') return 'the samples';
  if (unit === 'bytes') return 'the bytes';
  return `all ${name || unit}`;
}

// The deepest frame with at least half of the whole below it; node 0 if there is none.
export function commonPath(tree: CallTree): number {
  let node = 0;
  for (;;) {
    const child = widestChild(tree, node);
    if (child < 0 || tree.total[child] < tree.total[0] / 2) return node;
    node = child;
  }
}

export function headline(
  app: AppCore,
  functions: FunctionTable,
  tree: CallTree,
  threads: Breakdown | null,
): { lead: Phrase[]; rest: Phrase[] } {
  // Whether another of the three named functions has the same name.
  const named = [...functions.func.subarray(0, 3)].map((id) => app.labels.name[id]);
  const hasNamesake = (i: number): boolean => named.filter((name) => name === named[i]).length > 1;
  const whole = functions.amount.weight,
    share = (i: number): number => (functions.self[i] ?? 0) / whole,
    func = (i: number): Phrase => ({
      func: functions.func[i],
      module: hasNamesake(i) ? app.moduleName(app.moduleOf(functions.func[i])) : '',
    });
  const event = app.info.events[app.state.model.event],
    what = subject(event),
    went = event.unit === 'nanoseconds' ? 'was spent in' : 'occurred in',
    lead: Phrase[] = [],
    rest: Phrase[] = [];
  const strong = (value: number): Phrase => ({ strong: roundPercent(value) });
  const count = functions.func.length;
  if (functions.amount.samples === 1) {
    lead.push('There is one sample, in ', func(0), '.');
    rest.push('One sample shows a single point in time. Record more samples to see where the time goes.');
    return { lead, rest };
  }
  if (share(0) >= ONE_IS_MOST || count < 3) {
    lead.push(strong(share(0)), ` of ${what} ${went} `, func(0));
    if (count > 1 && share(1) >= 0.02) lead.push(', ', strong(share(1)), ' in ', func(1));
    if (count > 2 && share(2) >= 0.02) lead.push(' and ', strong(share(2)), ' in ', func(2));
    lead.push('.');
  } else if (share(0) >= SPREAD_OUT) {
    lead.push(
      strong(share(0) + share(1) + share(2)),
      ` of ${what} ${went} three functions: `,
      func(0),
      ', ',
      func(1),
      ' and ',
      func(2),
      '.',
    );
  } else {
    lead.push('No single function dominates: the hottest, ', func(0), ', took ', strong(share(0)), ` of ${what}.`);
  }
  const node = commonPath(tree),
    leaf = tree.func[node];
  if (node > 0 && leaf !== functions.func[0])
    rest.push(strong(totalOf(functions, leaf) / whole), ' ran through ', { func: leaf, module: '' }, '. ');
  if (threads && threads.key.length > 1) rest.push(...busiest(app, threads, whole));
  if (functions.selfLow.length > 0) {
    const [low, high] = [roundPercent(functions.selfLow[0]), roundPercent(functions.selfHigh[0])],
      between = low === high ? low : `between ${low} and ${high}`;
    rest.push(
      `With ${plural(functions.amount.samples, 'sample')}, the first share is ${between} (${app.words.confidence}).`,
    );
  }
  return { lead, rest };
}

// On all call paths, as in the table of functions; the tree has only one of them.
function totalOf(functions: FunctionTable, func: FunctionId): number {
  return functions.total[functions.func.indexOf(func)] ?? 0;
}

// "Of 9 threads, worker-# (8 threads) took 91 %."
function busiest(app: AppCore, { key, label, total }: Breakdown, whole: number): Phrase[] {
  const groups = new Map<number, { weight: number; threads: number; name: string }>();
  key.forEach((thread, i) => {
    const group = app.info.threads[thread]?.group ?? -1;
    const sum = groups.get(group) ?? { weight: 0, threads: 0, name: label[i] };
    groups.set(group, { weight: sum.weight + total[i], threads: sum.threads + 1, name: sum.name });
  });
  const [group, { weight, threads, name }] = [...groups].reduce((best, next) =>
    next[1].weight > best[1].weight ? next : best,
  );
  if (threads === key.length)
    return [
      `All ${plural(threads, 'thread')} have similar names; the busiest, `,
      { strong: visible(label[0]) },
      `, took ${roundPercent(total[0] / whole)}. `,
    ];
  const shownName = threads > 1 ? visible(app.info.threadGroups[group]?.label ?? name) : visible(name);
  return [
    `Of ${plural(key.length, 'thread')}, `,
    { strong: shownName },
    threads > 1 ? ` (${plural(threads, 'thread')})` : '',
    ` took ${roundPercent(weight / whole)}. `,
  ];
}
