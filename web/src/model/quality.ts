// SPDX-License-Identifier: Apache-2.0
// How many stacks are complete, truncated or broken, where and why: the table of `wick quality` (src/analyze/quality).
import type { Quality, State } from './interface.ts';
import type { Profile } from './profile.ts';
import type { RowRange } from './select.ts';

function outermostFrames(profile: Profile): Int32Array {
  const { parent, frame } = profile.stacks;
  const outermost = new Int32Array(parent.length).fill(-1);
  for (let stack = 1; stack < parent.length; ++stack) {
    outermost[stack] = parent[stack] === 0 ? frame[stack] : outermost[parent[stack]];
  }
  return outermost;
}

type Module = Quality['modules'][number];

// The key of advice that fits this profile; an empty module is any module.
export const adviceKey = (module: string, stackEnd: number): string => `${stackEnd} ${module}`;

// By origin: the samples whose stack has such a frame.
function originRows(profile: Profile, rows: RowRange, nodeOfRow: Int32Array): Quality['origins'] {
  const { frames, stacks, names, words, samples } = profile;
  const inStack = new Uint32Array(stacks.parent.length);
  for (let stack = 1; stack < inStack.length; ++stack)
    inStack[stack] = inStack[stacks.parent[stack]] | (1 << frames.origin[stacks.frame[stack]]);
  const counts = new Float64Array(words.origin_meanings.length);
  for (let row = rows.begin; row < rows.end; ++row) {
    if (nodeOfRow[row] < 0) continue;
    const origins = inStack[samples.stack[row]];
    for (let origin = 0; origin < counts.length; ++origin)
      if ((origins >>> origin) & 1) counts[origin] += samples.count[row];
  }
  return words.origin_meanings
    .map((meaning, origin) => ({ samples: counts[origin], origin: names.origins[origin], meaning }))
    .filter(({ samples: number, meaning }) => number > 0 && meaning !== '');
}

// By state: the samples in which an interpreter ran.
function interpreterRows(profile: Profile, rows: RowRange, nodeOfRow: Int32Array): Quality['interpreters'] {
  const { frames, stacks, words, samples, names } = profile;
  const { marks, evaluator, evaluator_mark: evaluatorMark, states, state_of: stateOf } = words.interpreted;
  const inStack = new Uint8Array(stacks.parent.length);
  for (let stack = 1; stack < inStack.length; ++stack) {
    const frame = stacks.frame[stack];
    const own = marks[frames.origin[frame]] || ((frames.flags[frame] & evaluator) !== 0 ? evaluatorMark : 0);
    inStack[stack] = inStack[stacks.parent[stack]] | own;
  }
  const isComplete = names.stackEnds.map((_, end) => (words.stack_ends[end]?.class === 'complete' ? 1 : 0));
  const counts = new Float64Array(states.length);
  for (let row = rows.begin; row < rows.end; ++row)
    if (nodeOfRow[row] >= 0)
      counts[stateOf[inStack[samples.stack[row]]][isComplete[samples.stackEnd[row]]]] += samples.count[row];
  return states
    .map(({ name, reason, advice }, state) => ({ samples: counts[state], state: name, reason, advice }))
    .filter(({ samples: number }, state) => state > 0 && number > 0);
}

// Small numbers for module names, by frame; frame -1 (no frame) is the last entry.
function moduleNames(profile: Profile): { names: string[]; ofFrame: Int32Array } {
  const { frames, modules } = profile;
  const names: string[] = ['[unknown]'];
  const known = new Map<string, number>([
    ['[unknown]', 0],
    ['', 0],
  ]);
  const ofModule = modules.name.map((name) => {
    let id = known.get(name);
    if (id === undefined) {
      known.set(name, (id = names.length));
      names.push(name);
    }
    return id;
  });
  const ofFrame = new Int32Array(frames.module.length + 1);
  for (let frame = 0; frame < frames.module.length; ++frame)
    if (frames.module[frame] >= 0) ofFrame[frame] = ofModule[frames.module[frame]];
  return { names, ofFrame };
}

export function quality(profile: Profile, state: State, rows: RowRange, nodeOfRow: Int32Array): Quality {
  const { stack, count, stackEnd } = profile.samples;
  const { frames, stacks } = profile;
  const outermost = outermostFrames(profile);
  const { names, ofFrame } = moduleNames(profile);
  const none = frames.module.length;
  const { stackEnds: endNames } = profile.names;
  const { stack_ends: stackEnds, stitched: stitchedName } = profile.words;
  const stitched = profile.names.origins.indexOf(stitchedName);
  const samples = new Float64Array(endNames.length * names.length); // by end of the stack and module
  const unnamed = new Float64Array(names.length);
  const result: Quality = {
    complete: 0,
    truncated: 0,
    broken: 0,
    unknown: 0,
    lost: 0,
    stitched: 0,
    modules: [],
    reasons: [],
    unnamed: [],
    origins: originRows(profile, rows, nodeOfRow),
    interpreters: interpreterRows(profile, rows, nodeOfRow),
  };
  for (let row = rows.begin; row < rows.end; ++row) {
    if (nodeOfRow[row] < 0) continue;
    const frame = outermost[stack[row]];
    const kind = stackEnd[row] < endNames.length ? stackEnd[row] : 0;
    samples[kind * names.length + ofFrame[frame < 0 ? none : frame]] += count[row];
    if (frame >= 0 && frames.origin[frame] === stitched) result.stitched += count[row];
    const leaf = stacks.frame[stack[row]];
    if (stack[row] > 0 && frames.func[leaf] < 0) unnamed[ofFrame[leaf]] += count[row];
  }
  const modules: Module[] = names.map((module) => ({
    module,
    samples: 0,
    complete: 0,
    truncated: 0,
    broken: 0,
    unknown: 0,
  }));
  const reasons: (Quality['reasons'][number] & { stackEnd: number })[] = [];
  samples.forEach((number, i) => {
    if (number === 0) return;
    const kind = Math.floor(i / names.length);
    const { class: name, advice } = stackEnds[kind];
    const module = modules[i % names.length];
    const fix = profile.advice.get(adviceKey(module.module, kind)) ?? profile.advice.get(adviceKey('', kind)) ?? advice;
    result[name] += number;
    module.samples += number;
    module[name] += number;
    if (name !== 'complete')
      reasons.push({ module: module.module, samples: number, reason: endNames[kind], fix, stackEnd: kind });
  });
  for (const loss of profile.runs[state.profile].info.losses) {
    if (loss.dataLoss && loss.what === 'samples') result.lost += loss.count;
  }
  const byName = (a: { module: string }, b: { module: string }): number =>
    a.module < b.module ? -1 : a.module > b.module ? 1 : 0;
  result.modules = modules
    .filter((module) => module.samples > 0)
    .sort((a, b) => b.truncated + b.broken - a.truncated - a.broken || b.samples - a.samples || byName(a, b));
  result.reasons = reasons
    .sort((a, b) => b.samples - a.samples || a.stackEnd - b.stackEnd || byName(a, b))
    .map(({ module, samples: number, reason, fix }) => ({ module, samples: number, reason, fix }));
  result.unnamed = names
    .map((module, i) => ({ module, samples: unnamed[i] }))
    .filter((entry) => entry.samples > 0)
    .sort((a, b) => b.samples - a.samples || byName(a, b));
  return result;
}
