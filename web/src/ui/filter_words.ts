// SPDX-License-Identifier: Apache-2.0
// The filters in words: for the chips above the views, and for the heading of a saved picture.

import type { Levels, State } from '../model/interface.ts';
import type { AppCore } from './app_core.ts';
import { transformTitle } from './commands.ts';
import { processLabels, threadLabels } from './profile_words.ts';
import { listed, percent, rangeText, shortLabel, visible } from './text.ts';

// State.levels, for the list of groupings.
export const levelWords: Record<Exclude<Levels, 'none'>, string> = {
  process: 'process, function',
  thread: 'thread, function',
};

export interface ActiveFilter {
  text: string;
  without: Partial<State>; // the change that removes it
}

// A pattern as the user typed it: search_box.ts wraps patterns that ignore case.
const plainPattern = (pattern: string): string => shortLabel(visible(pattern.replace(/^\(\?i\)/, '')), 40);

// The filters that have a chip. Lists of choices show the others.
export function activeFilters(app: AppCore): ActiveFilter[] {
  const { model } = app.state,
    { duration } = app.info,
    result: ActiveFilter[] = [];
  if (model.range) {
    const [from, to] = model.range;
    result.push({ text: rangeText(from, to, duration, ' \u2013 '), without: { range: null } });
  }
  for (const module of model.hiddenModules)
    result.push({
      text: `hide module ${app.moduleName(module)}`,
      without: { hiddenModules: model.hiddenModules.filter((id) => id !== module) },
    });
  for (const module of model.modules ?? []) {
    const rest = model.modules!.filter((id) => id !== module);
    result.push({
      text: `only with module ${app.moduleName(module)}`,
      without: { modules: rest.length > 0 ? rest : null },
    });
  }
  for (const label of model.labels)
    result.push({
      text: `label ${shortLabel(visible(label.key), 40)}=${plainPattern(label.pattern)}`,
      without: { labels: model.labels.filter((one) => one !== label) },
    });
  for (const kind of ['focus', 'ignore'] as const)
    for (const pattern of model[kind])
      result.push({
        text: `${kind === 'focus' ? 'only with' : 'without'} ${plainPattern(pattern)}`,
        without: { [kind]: model[kind].filter((one) => one !== pattern) },
      });
  return result;
}

// "process: server", "mode: kernel": what the lists of choices restrict.
function choices(app: AppCore): string[] {
  const { model, view } = app.state,
    { info } = app,
    { profiles } = app.engine.loaded,
    words: string[] = [];
  const named = (what: string, many: string, names: string[] | undefined): void => {
    if (names)
      words.push(
        `${what}: ${listed(
          names.map((name) => shortLabel(visible(name), 60)),
          many,
        )}`,
      );
  };
  if (profiles.length > 1 && view !== 'diff') named('profile', '', [info.title]);
  if (info.events.length > 1) named('event', '', [app.eventName]);
  named(
    'process',
    'processes',
    model.processes?.map((id) => processLabels(info)[id] ?? String(id)),
  );
  named(
    'thread',
    'threads',
    model.threads?.map((id) => threadLabels(info)[id] ?? String(id)),
  );
  named('CPU', 'CPUs', model.cpus?.map(String));
  if (model.mode) words.push(`mode: ${model.mode}`);
  if (model.stacks !== 'mixed') words.push(`stacks: ${model.stacks}`);
  if (model.levels !== 'none') words.push(`by ${levelWords[model.levels]}`);
  if (model.groupBy !== 'function') words.push(`by ${model.groupBy}`);
  return words;
}

// All that restricts or transforms the samples, and the search, one phrase each.
export function filterWords(app: AppCore): string[] {
  const { model, search } = app.state,
    result = app.searchResult;
  return [
    ...choices(app),
    ...activeFilters(app).map(({ text }) => text),
    ...model.transforms.map((transform) => transformTitle(app, transform)),
    ...(result && !result.error ? [`search: ${plainPattern(search)} (${percent(result.share)})`] : []),
  ];
}
