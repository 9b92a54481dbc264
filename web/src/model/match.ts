// SPDX-License-Identifier: Apache-2.0
// Regular expressions over frames: a frame matches by its function's name, the source file of its function or of its
// line, or its module's path, like the filters of the command line.
import type { LabelFilter, Labels } from './interface.ts';
import { compile } from './pattern.ts';
import type { Pattern } from './pattern.ts';
import { frameName } from './profile.ts';
import type { Profile } from './profile.ts';

// 1 for each frame that matches. Artificial frames have an element, but never match.
export function matchFrames(profile: Profile, pattern: string): Uint8Array {
  const expression = compile(pattern, false);
  const { frames, functions, files, modules, threads } = profile;
  const fileMatches = files.map((file) => expression.test(file));
  const moduleMatches = modules.path.map((path) => expression.test(path));
  const functionMatches = functions.name.map(
    (name, row) => expression.test(name) || (functions.file[row] >= 0 && fileMatches[functions.file[row]]),
  );
  const flags = new Uint8Array(frames.func.length + modules.path.length + threads.label.length);
  for (let frame = 0; frame < frames.func.length; ++frame) {
    const func = frames.func[frame];
    const module = frames.module[frame];
    const named = func >= 0 ? functionMatches[func] : expression.test(frameName(profile, frame));
    const inFile = frames.file[frame] >= 0 && fileMatches[frames.file[frame]];
    flags[frame] = named || inFile || (module >= 0 && moduleMatches[module]) ? 1 : 0;
  }
  return flags;
}

// 1 for each set with a label that has the key and a value that matches.
export function matchLabelSets({ labels, labelSets }: Profile, { key, pattern }: LabelFilter): Uint8Array {
  const expression = compile(pattern, false);
  const matches = labels.value.map((value, row) => labels.key[row] === key && expression.test(value));
  const flags = new Uint8Array(labelSets.parent.length);
  for (let set = 1; set < flags.length; ++set)
    flags[set] = flags[labelSets.parent[set]] | (matches[labelSets.label[set]] ? 1 : 0);
  return flags;
}

// 1 for each label that matches by name or file.
export function matchLabels(labels: Labels, modulePaths: string[], expression: Pattern): Uint8Array {
  const fileMatches = labels.files.map((file) => expression.test(file));
  const moduleMatches = modulePaths.map((path) => expression.test(path));
  return Uint8Array.from(labels.name, (name, row) => {
    const file = labels.file[row];
    const module = labels.module[row];
    const matches = expression.test(name) || (file >= 0 && fileMatches[file]) || (module >= 0 && moduleMatches[module]);
    return matches ? 1 : 0;
  });
}
