import { clip } from '../json-document.js';
import type { Examination } from './examination.js';
import { type ListView, memberOf } from './list-view.js';
import { namesWritten } from './sight.js';

/** Warns of parameters that two steps of a list write of which neither comes first. */
export function checkWrites({ lists, origins, warnings }: Examination): void {
  for (const list of lists) {
    for (const [name, pair] of clashesIn(list)) {
      const [first, second] = pair.map((i) => list.steps[i]);
      if (first === undefined || second === undefined) continue;
      const message =
        `Steps \`${clip(first.name)}\` and \`${clip(second.name)}\` both write` +
        ` \`${clip(name)}\`, and neither comes first.`;
      const hint = 'Let one need the other, or give them different names.';
      const path = second.set === undefined ? [] : ['set', name];
      const pointer = memberOf(second, origins, ...path);
      warnings.add({ pointer, code: 'WRITTEN_TWICE', message, hint });
    }
  }
}

/** By parameter: two steps that write it side by side. */
function clashesIn({ order, steps }: ListView): ReadonlyMap<string, readonly [number, number]> {
  const last = new Map<string, number>();
  const clashes = new Map<string, readonly [number, number]>();
  // All that write one name are in order exactly when each comes before the next one.
  for (const i of order.sequence()) {
    const step = steps[i];
    for (const name of (step && namesWritten(step)) ?? []) {
      const before = last.get(name);
      last.set(name, i);
      if (before === undefined || order.isBefore(before, i) || clashes.has(name)) continue;
      clashes.set(name, before < i ? [before, i] : [i, before]);
    }
  }
  return clashes;
}
