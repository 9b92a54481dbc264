// SPDX-License-Identifier: Apache-2.0
// The bands of activity over time: by module, by kind of code, or by the values of a label, with their colours.

import type { Bands } from '../model/interface.ts';
import type { AppCore } from './app_core.ts';
import { moduleLegend, slotOf, type LegendEntry } from './colouring.ts';
import { palette, type Theme } from './palette.ts';
import { threadLabels } from './profile_words.ts';
import { shortLabel, visible } from './text.ts';

export interface TrackBands {
  options: Bands;
  colours: string[]; // by band
  legend: BandEntry[];
}
export interface BandEntry extends LegendEntry {
  band: number;
}

const SLOTS = 8;
const LABEL = 'label:';

// "module", "mode", "thread", or "label:KEY", with words for them: what the profile has. Who ran is the first question
// about CPUs; lanes of threads answer it themselves.
export function bandChoices(app: AppCore): [string, string][] {
  const { info, state } = app;
  return [
    ...(state.lane === 'cpu' && info.ownThreads.length > 1 ? [['thread', 'thread'] as [string, string]] : []),
    ...(info.modules.length > 1 ? [['module', 'module'] as [string, string]] : []),
    ...(info.hasModes ? [['mode', 'kind'] as [string, string]] : []),
    ...info.labelKeys.map((key): [string, string] => [LABEL + key, `label ${shortLabel(visible(key), 40)}`]),
  ];
}

export function bandChoice(app: AppCore): string {
  const choices = bandChoices(app).map(([id]) => id),
    { bands } = app.state;
  return choices.includes(bands) ? bands : (choices[0] ?? '');
}

export function trackBands(app: AppCore, theme: Theme = app.theme): TrackBands {
  const { slots, other } = palette(theme),
    colours = [...slots, other],
    choice = bandChoice(app),
    { labels } = app;
  if (choice === 'thread') return byThread(app, colours);
  if (choice.startsWith(LABEL)) return byLabel(app, choice.slice(LABEL.length), colours);
  const slotOfFunc: (func: number) => number =
    choice === 'module'
      ? (func) => app.moduleSlots[labels.module[func]] ?? -1
      : choice === 'mode'
        ? (func) => slotOf(app.kindName(func))
        : () => 0;
  const bands = Uint8Array.from(labels.name, (_, func) => {
    const slot = slotOfFunc(func);
    return slot < 0 || slot >= SLOTS ? SLOTS : slot;
  });
  return { options: { count: SLOTS + 1, bands }, colours, legend: legendOf(app, choice, bands, colours) };
}

function legendOf(app: AppCore, choice: string, bands: Uint8Array, colours: string[]): BandEntry[] {
  if (choice === 'module') {
    return [
      ...moduleLegend(app).map(({ slot, text }) => ({ band: slot, colour: colours[slot], text })),
      { band: SLOTS, colour: colours[SLOTS], text: 'other' },
    ];
  }
  if (choice !== 'mode') return [];
  const kinds = new Map<string, number>();
  bands.forEach((band, func) => kinds.set(app.kindName(func) || 'unknown', band));
  return [...kinds]
    .filter(([kind]) => !['process', 'thread', 'library'].includes(kind))
    .map(([text, band]) => ({ band, colour: colours[band], text }));
}

// The first threads, which are the busiest; all others share a band.
function byThread(app: AppCore, colours: string[]): TrackBands {
  const { info } = app,
    own = app.rankedThreads.slice(0, SLOTS),
    threads = new Uint8Array(info.threads.length).fill(own.length);
  own.forEach((thread, band) => {
    threads[thread] = band;
  });
  return {
    options: { count: own.length + 1, threads },
    colours: [...colours.slice(0, own.length), colours[SLOTS]],
    legend: [
      ...own.map((thread, band) => ({
        band,
        colour: colours[band],
        text: shortLabel(threadLabels(info)[thread], 40),
      })),
      { band: own.length, colour: colours[SLOTS], text: 'other' },
    ],
  };
}

// The first values of the key; all others share a band.
function byLabel(app: AppCore, key: string, colours: string[]): TrackBands {
  const values = app.info.labels.filter((label) => label.key === key).map(({ value }) => value),
    own = values.slice(0, SLOTS),
    used = [...colours.slice(0, own.length), colours[SLOTS]];
  return {
    options: { count: own.length + 1, label: { key, values: own } },
    colours: used,
    legend: [
      ...own.map((value, band) => ({ band, colour: used[band], text: shortLabel(visible(value), 40) })),
      { band: own.length, colour: colours[SLOTS], text: 'other' },
    ],
  };
}
