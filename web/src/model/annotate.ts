// SPDX-License-Identifier: Apache-2.0
// The cost of a function by line and by instruction, with the text that `wick annotate` put into the page.
//
// Costs come from the frames of the samples, so they follow every filter. Only the hottest functions have text. A
// line's total counts a stack once.
import type { Annotation, FunctionId } from './interface.ts';
import type { Grouping } from './labels.ts';
import { addIntoParents } from './paths.ts';
import type { Paths } from './paths.ts';
import type { AnnotationText, CodeText, Profile } from './profile.ts';

interface LineCosts {
  self: Map<number, number>;
  total: Map<number, number>;
  byAddress: Map<bigint, number>;
}

// The last instruction that begins at or before an offset, or -1. An address may be inside its instruction.
function instructionAt(code: CodeText, offset: number): number {
  let low = 0;
  let high = code.instructions.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (code.instructions[middle].offset <= offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

// The line of a frame; if the profile has none, the line of its instruction.
function lineReader(profile: Profile, code: CodeText | null): (frame: number) => number {
  const { line, address } = profile.frames;
  const first = code === null ? 0n : BigInt(code.address);
  return (frame) => {
    if (line[frame] !== 0 || code === null) return line[frame];
    const at = instructionAt(code, Number(address[frame] - first));
    return at < 0 ? 0 : code.instructions[at].line;
  };
}

// `weights` has, by stack of the profile, the cost of the samples that end there. Instructions belong to the frame that
// has the code: samples of an inlined function are at addresses of the function around it.
function lineCosts(
  profile: Profile,
  paths: Paths,
  weights: Float64Array,
  chosen: Uint8Array,
  lineOf: (frame: number) => number,
): LineCosts {
  const { frames } = profile;
  const totals = weights.slice();
  addIntoParents(paths, totals);
  const costs: LineCosts = { self: new Map(), total: new Map(), byAddress: new Map() };
  const add = <K>(map: Map<K, number>, key: K, weight: number): void => {
    if (weight !== 0) map.set(key, (map.get(key) ?? 0) + weight);
  };
  const nearest = new Int32Array(paths.size); // the next frame of the function on the way to the root
  const codeFrame = new Int32Array(paths.size); // the frame that has the code
  for (let node = 1; node < paths.size; ++node) {
    const above = paths.parent[node];
    nearest[node] = nearest[above];
    const frame = paths.label[node];
    codeFrame[node] =
      (frames.flags[frame] & profile.words.inlined) !== 0 && codeFrame[above] >= 0 && above > 0
        ? codeFrame[above]
        : frame;
    if (chosen[codeFrame[node]] !== 0) add(costs.byAddress, frames.address[frame], weights[node]);
    if (chosen[frame] === 0) continue;
    const line = lineOf(frame);
    add(costs.self, line, weights[node]);
    let outer = nearest[node];
    while (outer !== 0 && lineOf(paths.label[outer]) !== line) outer = nearest[paths.parent[outer]];
    if (outer === 0) add(costs.total, line, totals[node]);
    nearest[node] = node;
  }
  return costs;
}

function textOf(profile: Profile, run: number, grouping: Grouping, func: FunctionId): AnnotationText | null {
  const functions = new Set<number>();
  for (let frame = 0; frame < profile.frames.func.length; ++frame) {
    if (grouping.ofFrame[frame] === func) functions.add(profile.frames.func[frame]);
  }
  return profile.annotations.find((text) => text.run === run && functions.has(text.frameFunction)) ?? null;
}

// The functions that have text, as rows of a grouping.
export function annotatedFunctions(profile: Profile, run: number, grouping: Grouping): FunctionId[] {
  const own = profile.annotations.filter((text) => text.run === run && (text.source !== null || text.code !== null));
  const texts = new Set(own.map(({ frameFunction }) => frameFunction));
  const annotated = new Set<FunctionId>();
  for (let frame = 0; frame < profile.frames.func.length; ++frame) {
    if (texts.has(profile.frames.func[frame])) annotated.add(grouping.ofFrame[frame]);
  }
  return [...annotated];
}

function sourceLines(costs: LineCosts, text: AnnotationText | null): Annotation['source'] {
  const row = (line: number, content: string): Annotation['source'][number] => ({
    line,
    text: content,
    self: costs.self.get(line) ?? 0,
    total: costs.total.get(line) ?? 0,
  });
  const source = text?.source ?? null;
  const known = source === null ? [] : source.lines.map((content, i) => row(source.firstLine + i, content));
  const shown = new Set(known.map(({ line }) => line));
  const others = [...costs.total.keys()]
    .filter((line) => !shown.has(line))
    .sort((a, b) => a - b)
    .map((line) => row(line, ''));
  return [...known, ...others].sort((a, b) => a.line - b.line);
}

function instructions(costs: LineCosts, text: AnnotationText | null): Annotation['assembly'] {
  const code = text?.code ?? null;
  if (code === null) {
    return [...costs.byAddress]
      .filter(([address]) => address !== 0n)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([address, self]) => ({ address: Number(address), text: '', self, line: 0 }));
  }
  const first = BigInt(code.address);
  const selfs = new Float64Array(code.instructions.length);
  for (const [address, weight] of costs.byAddress) {
    const offset = Number(address - first);
    const row = instructionAt(code, offset);
    if (row >= 0) selfs[row] += weight;
  }
  return code.instructions.map(({ offset, text: content, line }, row) => ({
    address: Number(first) + offset,
    text: content,
    self: selfs[row],
    line,
  }));
}

export function annotate(
  profile: Profile,
  run: number,
  grouping: Grouping,
  paths: Paths,
  weights: Float64Array,
  func: FunctionId,
): Annotation {
  const chosen = new Uint8Array(profile.frames.func.length);
  for (let frame = 0; frame < chosen.length; ++frame) chosen[frame] = grouping.ofFrame[frame] === func ? 1 : 0;
  const text = textOf(profile, run, grouping, func);
  const costs = lineCosts(profile, paths, weights, chosen, lineReader(profile, text?.code ?? null));
  const file = grouping.labels.file[func];
  const hasLines = [...costs.total.keys()].some((line) => line > 0);
  let note = text?.note ?? '';
  if (text?.source == null && note === '') {
    note = hasLines
      ? 'This page does not contain the source of this function. Open the profile on a machine that has the source files.'
      : 'The profile has no source lines for this function. Build with debug information (-g) and record again.';
  }
  return {
    func,
    file: text?.source?.file ?? (file >= 0 ? grouping.labels.files[file] : ''),
    source: sourceLines(costs, text),
    assembly: instructions(costs, text),
    hasSource: text?.source != null,
    hasAssembly: text?.code != null,
    note,
  };
}
