// How many stacks are complete, cut or broken, where and why: the table of `wick quality` (src/analyze/quality).
import type { Quality, State } from './interface.ts';
import type { Profile } from './profile.ts';
import type { RowRange } from './select.ts';

interface EndingKind {
  class: 'complete' | 'truncated' | 'broken' | 'unknown';
  fix: string;
}
const UNKNOWN: EndingKind = { class: 'unknown', fix: 'record with call graphs: perf record -g, or --call-graph dwarf' };
// By the name of an ending, which is the reason.
const ENDINGS = new Map<string, EndingKind>([
  ['complete', { class: 'complete', fix: '' }],
  [
    'the copied stack is too short',
    {
      class: 'truncated',
      fix:
        'copy more of the stack (dwarf,65528); `wick record` as root, with BPF, copies 254 KB, and the stack ' +
        'that a signal handler interrupted',
    },
  ],
  [
    'deeper than the recorder follows',
    {
      class: 'truncated',
      fix: 'let the kernel follow more frames: sysctl kernel.perf_event_max_stack=1024',
    },
  ],
  [
    'an address outside every mapping',
    {
      class: 'broken',
      fix: 'start the program with the recorder, so that all mappings are known',
    },
  ],
  [
    'code without unwind information',
    {
      class: 'broken',
      fix: 'build this code with -fasynchronous-unwind-tables or frame pointers; Java: -XX:+PreserveFramePointer',
    },
  ],
  [
    'the file with the unwind information is missing',
    {
      class: 'broken',
      fix: 'give the directory that has the recorded files: --symfs DIR',
    },
  ],
  [
    'an unwind rule reads outside the stack',
    {
      class: 'broken',
      fix: 'report a bug: the unwind information of this module seems wrong',
    },
  ],
  [
    'an unwind rule leads nowhere',
    {
      class: 'broken',
      fix: 'report a bug: the unwind information of this module seems wrong',
    },
  ],
  [
    'no user stack was recorded',
    {
      class: 'broken',
      fix: 'record user call chains too; a program has none during exec and exit',
    },
  ],
  [
    'the frame-pointer chain is broken',
    {
      class: 'broken',
      fix: 'record with --call-graph dwarf, or build with -fno-omit-frame-pointer',
    },
  ],
]);

function outermostFrames(profile: Profile): Int32Array {
  const { parent, frame } = profile.stacks;
  const outermost = new Int32Array(parent.length).fill(-1);
  for (let stack = 1; stack < parent.length; ++stack) {
    outermost[stack] = parent[stack] === 0 ? frame[stack] : outermost[parent[stack]];
  }
  return outermost;
}

type Module = Quality['modules'][number];

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
  const { stack, count, ending } = profile.samples;
  const { frames, stacks } = profile;
  const outermost = outermostFrames(profile);
  const { names, ofFrame } = moduleNames(profile);
  const none = frames.module.length;
  const { endings } = profile.names;
  const stitched = profile.names.found.indexOf('stitched');
  const samples = new Float64Array(endings.length * names.length); // by ending and module
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
  };
  for (let row = rows.begin; row < rows.end; ++row) {
    if (nodeOfRow[row] < 0) continue;
    const frame = outermost[stack[row]];
    const kind = ending[row] < endings.length ? ending[row] : 0;
    samples[kind * names.length + ofFrame[frame < 0 ? none : frame]] += count[row];
    if (frame >= 0 && frames.found[frame] === stitched) result.stitched += count[row];
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
  const reasons: (Quality['reasons'][number] & { ending: number })[] = [];
  samples.forEach((found, i) => {
    if (found === 0) return;
    const kind = Math.floor(i / names.length);
    const { class: name, fix } = ENDINGS.get(endings[kind]) ?? UNKNOWN;
    const module = modules[i % names.length];
    result[name] += found;
    module.samples += found;
    module[name] += found;
    if (name !== 'complete')
      reasons.push({ module: module.module, samples: found, reason: endings[kind], fix, ending: kind });
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
    .sort((a, b) => b.samples - a.samples || a.ending - b.ending || byName(a, b))
    .map(({ module, samples: found, reason, fix }) => ({ module, samples: found, reason, fix }));
  result.unnamed = names
    .map((module, i) => ({ module, samples: unnamed[i] }))
    .filter((entry) => entry.samples > 0)
    .sort((a, b) => b.samples - a.samples || byName(a, b));
  return result;
}
