import { now } from '../browser/clock.js';
import { keep, kept } from '../browser/storage.js';

/** A text that was typed and not published, kept by this browser. */
interface Draft {
  /** Of the flow; empty: it has no name yet. */
  readonly name: string;
  readonly text: string;
  /** The version that it began with; null: none. */
  readonly base: number | null;
  /** Milliseconds since 1970. */
  readonly at: number;
}

const PLACE = 'flow-drafts';

/** All drafts, by name. */
export function drafts(): readonly Draft[] {
  try {
    const found: unknown = JSON.parse(kept(PLACE) ?? '[]');
    return Array.isArray(found) ? found.filter(isDraft) : [];
  } catch {
    return [];
  }
}

/** The draft of a flow. */
export function draftOf(name: string): Draft | null {
  return drafts().find((one) => one.name === name) ?? null;
}

/** Keeps a draft; false: this browser does not. */
export function keepDraft(draft: Omit<Draft, 'at'>): boolean {
  const others = drafts().filter(({ name }) => name !== draft.name);
  const all = [...others, { ...draft, at: now() }].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  keep(PLACE, JSON.stringify(all));
  return draftOf(draft.name)?.text === draft.text;
}

export function dropDraft(name: string): void {
  const others = drafts().filter((draft) => draft.name !== name);
  keep(PLACE, others.length === 0 ? null : JSON.stringify(others));
}

function isDraft(value: unknown): value is Draft {
  const { at, base, name, text } = (value ?? {}) as Partial<Draft>;
  const isBase = base === null || typeof base === 'number';
  return typeof name === 'string' && typeof text === 'string' && typeof at === 'number' && isBase;
}
