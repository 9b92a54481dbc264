// How many stacks are complete, cut or broken, where and why: the table of `wick quality` (src/analyze/quality).
import type { Quality, State } from './interface.ts';
import { FOUND_STITCHED } from './profile.ts';
import type { Profile } from './profile.ts';
import type { RowRange } from './select.ts';

// By the number of an ending (src/profile/ids.h).
const ENDINGS: { class: 'complete' | 'truncated' | 'broken' | 'unknown'; reason: string; fix: string }[] = [
  { class: 'unknown', reason: 'not told', fix: 'record with call graphs: perf record -g, or --call-graph dwarf' },
  { class: 'complete', reason: 'complete', fix: '' },
  { class: 'truncated', reason: 'the copied stack is too short', fix: 'copy more of the stack: perf record --call-graph dwarf,65528' },
  { class: 'truncated', reason: 'deeper than the recorder follows', fix: 'let the kernel follow more: sysctl kernel.perf_event_max_stack=1024' },
  { class: 'broken', reason: 'an address outside of every mapping', fix: 'start recording before the program, so that all mappings are known' },
  { class: 'broken', reason: 'code without unwind information', fix: 'build this code with -fasynchronous-unwind-tables or frame pointers' },
  { class: 'broken', reason: 'the file with the unwind information is not here', fix: 'give the directory with the recorded files: --symfs DIR' },
  { class: 'broken', reason: 'a rule that reads outside of the stack', fix: 'tell us: the unwind information of this module seems wrong' },
  { class: 'broken', reason: 'a rule that leads nowhere', fix: 'tell us: the unwind information of this module seems wrong' },
  { class: 'broken', reason: 'no user stack was recorded', fix: 'record user call chains too, or wick record' },
  { class: 'broken', reason: 'the chain of frame pointers broke', fix: 'record with --call-graph dwarf, or build with -fno-omit-frame-pointer' },
];

function outermostFrames(profile: Profile): Int32Array {
  const { parent, frame } = profile.stacks;
  const outermost = new Int32Array(parent.length).fill(-1);
  for (let stack = 1; stack < parent.length; ++stack) {
    outermost[stack] = parent[stack] === 0 ? frame[stack] : outermost[parent[stack]];
  }
  return outermost;
}

export function quality(profile: Profile, state: State, rows: RowRange, nodeOfRow: Int32Array): Quality {
  const { stack, count, ending } = profile.samples;
  const { frames, modules } = profile;
  const outermost = outermostFrames(profile);
  const nameOf = (frame: number): string =>
    (frame >= 0 && frames.module[frame] >= 0 ? modules.name[frames.module[frame]] : '') || '[unknown]';
  const result: Quality = {
    complete: 0, truncated: 0, broken: 0, unknown: 0, lost: 0, stitched: 0, modules: [], reasons: [], unnamed: [],
  };
  const byModule = new Map<string, Quality['modules'][number]>();
  const byReason = new Map<string, Quality['reasons'][number] & { ending: number }>();
  const unnamed = new Map<string, number>();
  for (let row = rows.begin; row < rows.end; ++row) {
    if (nodeOfRow[row] < 0) continue;
    const frame = outermost[stack[row]];
    const module = nameOf(frame);
    const samples = count[row];
    const kind = ENDINGS[ending[row]] ?? ENDINGS[0];
    result[kind.class] += samples;
    if (frame >= 0 && frames.found[frame] === FOUND_STITCHED) result.stitched += samples;
    let entry = byModule.get(module);
    if (entry === undefined) byModule.set(module, (entry = { module, samples: 0, complete: 0, truncated: 0, broken: 0, unknown: 0 }));
    entry.samples += samples;
    entry[kind.class] += samples;
    if (kind.class !== 'complete') {
      const key = `${ending[row]} ${module}`;
      const reason = byReason.get(key);
      if (reason === undefined) byReason.set(key, { module, samples, reason: kind.reason, fix: kind.fix, ending: ending[row] });
      else reason.samples += samples;
    }
    const leaf = profile.stacks.frame[stack[row]];
    if (stack[row] > 0 && frames.func[leaf] < 0) unnamed.set(nameOf(leaf), (unnamed.get(nameOf(leaf)) ?? 0) + samples);
  }
  for (const loss of profile.runs[state.profile].info.losses) {
    if (loss.dataLoss && loss.what === 'samples') result.lost += loss.count;
  }
  const byName = (a: { module: string }, b: { module: string }): number => (a.module < b.module ? -1 : a.module > b.module ? 1 : 0);
  result.modules = [...byModule.values()].sort(
    (a, b) => b.truncated + b.broken - a.truncated - a.broken || b.samples - a.samples || byName(a, b));
  result.reasons = [...byReason.values()]
    .sort((a, b) => b.samples - a.samples || a.ending - b.ending || byName(a, b))
    .map(({ module, samples, reason, fix }) => ({ module, samples, reason, fix }));
  result.unnamed = [...unnamed].map(([module, samples]) => ({ module, samples })).sort((a, b) => b.samples - a.samples || byName(a, b));
  return result;
}
