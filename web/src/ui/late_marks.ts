// SPDX-License-Identifier: Apache-2.0
// Which nodes of a tree have the mark of late samples (src/profile/late_samples.h): those of a late function in which
// stacks end, if late samples matter in the selection.

import type { CallTree, Labels } from '../model/interface.ts';
import { selfTime } from './self_time.ts';

export function isLateNode(labels: Labels, tree: CallTree, node: number): boolean {
  const func = tree.func[node];
  return tree.amount.lateShare > 0 && func >= 0 && labels.late[func] !== 0 && (selfTime(tree, node) ?? 0) > 0;
}
