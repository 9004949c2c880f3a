import type { Edge } from '@xyflow/react';
import { useRef } from 'preact/hooks';
import type { GraphStep } from './graph-model.js';
import type { GraphNode } from './graph-nodes.js';

/** The drawn parts, with those of before where they are the same: only what differs is drawn. */
export function useKept<T extends GraphNode | Edge>(parts: T[]): T[] {
  const kept = useRef<{ readonly byId: ReadonlyMap<string, Kept<T>>; readonly parts: T[] }>({
    byId: new Map(),
    parts: [],
  });
  const { byId: before, parts: earlier } = kept.current;
  const byId = new Map(
    parts.map((part) => {
      const looks = looksOf(part);
      const same = before.get(part.id);
      return [part.id, same?.looks === looks ? same : { part, looks }] as const;
    }),
  );
  const next = parts.map(({ id }, place) => byId.get(id)?.part ?? (parts[place] as T));
  const isSame = next.length === earlier.length && next.every((part, at) => part === earlier[at]);
  kept.current = { byId, parts: isSame ? earlier : next };
  return kept.current.parts;
}

interface Kept<T> {
  readonly part: T;
  /** Equal for parts that are drawn alike. */
  readonly looks: string;
}

/** Steps in a step are drawn by themselves, but a run tells of the states of its steps. */
function looksOf(part: GraphNode | Edge): string {
  return JSON.stringify(part, function (this: unknown, key, value: unknown) {
    if (key === 'steps') return (value as readonly unknown[]).length;
    if (key !== 'scopes') return value;
    const { run, scopes } = this as GraphStep;
    if (run === undefined) return scopes.length;
    return scopes.map(({ steps }) => steps.map(({ state, undo }) => [state, undo?.state]));
  });
}
