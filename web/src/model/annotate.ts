// What a function costs line by line and instruction by instruction, with the text that annotate put into the page.
//
// Costs come from the frames of the samples, so they follow every filter; text is there for the hottest functions
// only. A line's total counts a stack once.
import type { Annotation, FunctionId } from './interface.ts';
import type { Grouping } from './labels.ts';
import type { Paths } from './paths.ts';
import type { AnnotationText, Profile } from './profile.ts';

interface LineCosts {
  self: Map<number, number>;
  total: Map<number, number>;
  byAddress: Map<bigint, number>;
}

// `weights` are by stack of the profile: the cost of samples that end there.
function lineCosts(profile: Profile, paths: Paths, weights: Float64Array, chosen: Uint8Array): LineCosts {
  const { frames } = profile;
  const totals = weights.slice();
  for (let node = paths.size - 1; node > 0; --node) totals[paths.parent[node]] += totals[node];
  const costs: LineCosts = { self: new Map(), total: new Map(), byAddress: new Map() };
  const add = <K>(map: Map<K, number>, key: K, weight: number): void => {
    if (weight !== 0) map.set(key, (map.get(key) ?? 0) + weight);
  };
  const nearest = new Int32Array(paths.size); // the next frame of the function on the way to the root
  for (let node = 1; node < paths.size; ++node) {
    nearest[node] = nearest[paths.parent[node]];
    const frame = paths.label[node];
    if (frame >= chosen.length || chosen[frame] === 0) continue;
    const line = frames.line[frame];
    add(costs.self, line, weights[node]);
    add(costs.byAddress, frames.address[frame], weights[node]);
    let above = nearest[node];
    while (above !== 0 && frames.line[paths.label[above]] !== line) above = nearest[paths.parent[above]];
    if (above === 0) add(costs.total, line, totals[node]);
    nearest[node] = node;
  }
  return costs;
}

function textOf(profile: Profile, grouping: Grouping, func: FunctionId): AnnotationText | null {
  const functions = new Set<number>();
  for (let frame = 0; frame < profile.frames.func.length; ++frame) {
    if (grouping.ofFrame[frame] === func) functions.add(profile.frames.func[frame]);
  }
  return profile.annotations.find((text) => functions.has(text.frameFunction)) ?? null;
}

function sourceLines(costs: LineCosts, text: AnnotationText | null): Annotation['source'] {
  const row = (line: number, content: string): Annotation['source'][number] => ({
    line, text: content, self: costs.self.get(line) ?? 0, total: costs.total.get(line) ?? 0,
  });
  const source = text?.source ?? null;
  const known = source === null ? [] : source.lines.map((content, i) => row(source.firstLine + i, content));
  const shown = new Set(known.map(({ line }) => line));
  const others = [...costs.total.keys()].filter((line) => !shown.has(line)).sort((a, b) => a - b).map((line) => row(line, ''));
  return [...known, ...others].sort((a, b) => a.line - b.line);
}

function instructions(costs: LineCosts, text: AnnotationText | null): Annotation['assembly'] {
  const code = text?.code ?? null;
  if (code === null) {
    return [...costs.byAddress].filter(([address]) => address !== 0n).sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([address, self]) => ({ address: Number(address), text: '', self, line: 0 }));
  }
  const first = BigInt(code.address);
  const offsets = code.instructions.map(({ offset }) => offset);
  const selfs = new Float64Array(offsets.length);
  for (const [address, weight] of costs.byAddress) {
    const offset = Number(address - first);
    let row = offsets.length - 1; // an address lies inside its instruction
    while (row > 0 && offsets[row] > offset) --row;
    if (row >= 0 && offset >= 0) selfs[row] += weight;
  }
  return code.instructions.map(({ offset, text: content, line }, row) =>
    ({ address: Number(first) + offset, text: content, self: selfs[row], line }));
}

export function annotate(profile: Profile, grouping: Grouping, paths: Paths, weights: Float64Array, func: FunctionId): Annotation {
  const chosen = new Uint8Array(profile.frames.func.length);
  for (let frame = 0; frame < chosen.length; ++frame) chosen[frame] = grouping.ofFrame[frame] === func ? 1 : 0;
  const costs = lineCosts(profile, paths, weights, chosen);
  const text = textOf(profile, grouping, func);
  const file = grouping.labels.file[func];
  const hasLines = [...costs.total.keys()].some((line) => line > 0);
  let note = '';
  if (text?.source == null) {
    note = hasLines
      ? 'The page carries no source text of this function; open the profile where its sources are to see it.'
      : 'The profile knows no source lines of this function; they come with debug information (-g).';
  }
  return {
    func, file: text?.source?.file ?? (file >= 0 ? grouping.labels.files[file] : ''), source: sourceLines(costs, text),
    assembly: instructions(costs, text), hasSource: text?.source != null, hasAssembly: text?.code != null, note,
  };
}
