// SPDX-License-Identifier: Apache-2.0
// The profile in words: its title and its facts, for the header of the page and of saved pictures.

import type { EventInfo, ProfileInfo } from '../model/interface.ts';
import { amount, listed, plural, thousands, visible } from './text.ts';

// What an event of time measures: time on CPUs, or of threads that may wait. In C++: name_of(Quantity).
export const timeName = ({ quantity }: EventInfo): string =>
  quantity === 'wall time' || quantity === 'off-CPU time' ? quantity : 'CPU time';

// Of the heights of tracks.
export const laneUnit = (event: EventInfo): string => (timeName(event) === 'CPU time' ? 'CPU' : 'thread');

// A thread that executes another program, and one that gets the number of an older one, can have their label, and so can
// their processes: "bash 7", "bash 7 (2)".
interface OwnLabels {
  threads: string[];
  processes: string[];
}
const knownLabels = new WeakMap<ProfileInfo, OwnLabels>();
function ownLabels(info: ProfileInfo): OwnLabels {
  let labels = knownLabels.get(info);
  if (!labels) {
    labels = {
      threads: numbered(info.threads, info.ownThreads),
      processes: numbered(info.processes, info.ownProcesses),
    };
    knownLabels.set(info, labels);
  }
  return labels;
}
export const threadLabels = (info: ProfileInfo): string[] => ownLabels(info).threads;
export const processLabels = (info: ProfileInfo): string[] => ownLabels(info).processes;

function numbered(rows: readonly { label: string }[], ownIds: number[]): string[] {
  const counts = new Map<string, number>(),
    own = new Set(ownIds);
  return rows.map(({ label }, id) => {
    if (!own.has(id)) return visible(label);
    const count = (counts.get(label) ?? 0) + 1;
    counts.set(label, count);
    return count === 1 ? visible(label) : `${visible(label)} (${count})`;
  });
}

// The user's title (--title), else the recorded command, else the file. `named` is the title that wick wrote.
export function profileTitle(profiles: readonly ProfileInfo[], named: string): string {
  const command = profiles[0].facts.find(({ key }) => key === 'command')?.value;
  if (named !== '' && named !== profiles.map(({ title }) => title).join(' against ')) return visible(named);
  return profiles.length > 1
    ? `${visible(profiles[0].title)} \u2192 ${visible(profiles[1].title)}`
    : visible(command || profiles[0].title);
}

// The distinct values of a fact.
function factsOf(profiles: readonly ProfileInfo[], wanted: string): string[] {
  const values = profiles.flatMap(({ facts }) => facts.filter(({ key }) => key === wanted).map(({ value }) => value));
  return [...new Set(values)].map(visible);
}

// "2026-11-18T10:00:21Z" as a person writes it.
const dateText = (text: string): string => text.replace('T', ' ').replace(/:\d\dZ$/, ' UTC');

// Files of costs do not say how many samples these are from.
export const isUncounted = ({ samples, rows }: ProfileInfo): boolean => samples === 0 && rows > 0;

// A trace has spans, and no samples.
function countOf(profiles: readonly ProfileInfo[]): string {
  const [{ samples, spans }] = profiles;
  if (profiles.length === 1 && samples === 0 && spans.begin.length > 0) return plural(spans.begin.length, 'span');
  if (profiles.some(isUncounted)) return '';
  return profiles.length > 1
    ? `${profiles.map((one) => thousands(one.samples)).join(' \u2192 ')} samples`
    : plural(samples, 'sample');
}

// "on alpha \u00b7 1.25 s \u00b7 600 samples \u00b7 2026-11-18 10:00 UTC \u00b7 only --focus work"
export function profileFacts(profiles: readonly ProfileInfo[]): string {
  const hosts = new Set(profiles.map((profile) => listed(profile.hosts.map(visible), 'hosts')).filter(Boolean)),
    isTimed = profiles.every(({ hasTime, duration }) => hasTime && duration > 0);
  return [
    hosts.size > 0 ? `on ${[...hosts].join(' \u2192 ')}` : '',
    isTimed ? profiles.map((one) => amount(one.duration, 'nanoseconds')).join(' \u2192 ') : '',
    countOf(profiles),
    factsOf(profiles, 'started').map(dateText).slice(0, 2).join(' \u2192 '),
    ...factsOf(profiles, 'filter').map((text) => `only ${text}`),
  ]
    .filter(Boolean)
    .join(' \u00b7 ');
}
