// SPDX-License-Identifier: Apache-2.0
// The names under which threads of two runs are compared: src/analyze/diff/pool_names.h has the rule.

// Text and numbers in turn, text first.
const partsOf = (name: string): string[] => name.split(/(\d+)/);

// The name with # for the numbers that differ.
export function commonName(names: string[]): string {
  const common = partsOf(names[0]);
  for (const name of names) partsOf(name).forEach((part, i) => (common[i] = common[i] === part ? part : '#'));
  return common.join('');
}

// By name: the name to compare.
export function poolNames(runs: Set<string>[]): Map<string, string> {
  const patterns = new Map<string, Set<string>[]>();
  runs.forEach((names, run) => {
    for (const name of names) {
      const pattern = name.replace(/\d+/g, '#');
      let known = patterns.get(pattern);
      if (known === undefined) patterns.set(pattern, (known = runs.map(() => new Set<string>())));
      known[run].add(name);
    }
  });
  const result = new Map<string, string>();
  for (const ofRuns of patterns.values()) {
    const all = [...new Set(ofRuns.flatMap((names) => [...names]))].sort();
    const areEqual = ofRuns.every((names) => names.size === all.length);
    const pool = areEqual || all.length === 1 ? null : commonName(all);
    for (const name of all) result.set(name, pool ?? name);
  }
  return result;
}
