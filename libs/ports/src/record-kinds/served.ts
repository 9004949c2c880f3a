import { DATE, OBJECT, TEXT, TEXT_LIST } from '#core/json';
import type { ExecutorRecord } from '../executor-registry.js';
import { recordKind } from '../record-kind.js';

/** A module that workers have served. */
export interface ServedRecord {
  readonly module: string;
  /** All that any of them has announced. */
  readonly commands: readonly string[];
  /** Members of outputs that commands give as secrets, by their names. */
  readonly secrets: Readonly<Record<string, readonly string[]>>;
  /** Milliseconds since 1970, of the last announcement with something new. */
  readonly seenAt: number;
}

/**
 * The modules that workers have served, in a store that does not keep announcements: what is sent
 * for them waits, and what they gave as secret stays so.
 */
export const SERVED = recordKind<ServedRecord>({
  name: 'served',
  plural: 'served_modules',
  shape: { module: TEXT, commands: TEXT_LIST, secrets: OBJECT, seenAt: DATE },
  idOf: ({ module }) => module,
  moments: ['seenAt'],
  indexes: {},
});

/** A module after one more announcement; null: it says nothing new. */
export function servedWith(
  known: ServedRecord | undefined,
  { commands, module, secrets = {}, seenAt }: ExecutorRecord,
): ServedRecord | null {
  const { commands: had = [], secrets: hid = {} } = known ?? {};
  const all = new Map(Object.entries(hid));
  let isNew = known === undefined || commands.some((command) => !had.includes(command));
  for (const [command, names] of Object.entries(secrets)) {
    const before = all.get(command) ?? [];
    if (names.every((name) => before.includes(name))) continue;
    all.set(command, [...new Set([...before, ...names])]);
    isNew = true;
  }
  if (!isNew) return null;
  const together = [...new Set([...had, ...commands])];
  return { module, commands: together, secrets: Object.fromEntries(all), seenAt };
}

/** The record of a worker that could do what is known of a module; it has stopped. */
export function servedAsExecutor({ commands, module, secrets, seenAt }: ServedRecord) {
  const silent = { instance: '', version: '', host: '', pid: 0, busy: 0, slots: 1, since: seenAt };
  const kind = { worker: true, stopped: true } as const;
  return { ...silent, ...kind, module, commands, secrets, seenAt } satisfies ExecutorRecord;
}
