import { useEffect, useState } from 'preact/hooks';
import { api } from '../api/client.js';
import type { Summary, Unreadable } from '../api/shapes.js';
import { pause } from '../browser/clock.js';
import { readSearch } from '../tasks/search.js';
import { stateWord } from '../words.js';
import type { Command } from './commands.js';

/** Commands that the server knows of. */
interface Found {
  readonly flows: readonly Command[];
  /** Tasks whose ids the text is part of. */
  readonly tasks: readonly Command[];
}

type Item = Summary | Unreadable;

const TYPING_MS = 150;
const NEWEST = '200';
const TASKS_SHOWN = 8;

/** Characters from which on a text can be part of an id. */
const PART_MIN = 4;

const HEX = /^[\da-f]{6,}$/;

/** Hexadecimal digits of the time at the beginning of an id: milliseconds. */
const TIME_DIGITS = 12;

/** A moment of creation, as the interface takes it. */
interface CreatedWithin {
  readonly createdAfter: string;
  readonly createdBefore: string;
}

/** The flows there are, and the tasks that a text names by their ids. */
export function useFound(text: string, route: (path: string) => void): Found {
  const [names, setNames] = useState<readonly string[]>([]);
  const [newest, setNewest] = useState<readonly Item[]>([]);
  const [older, setOlder] = useState<readonly Item[]>([]);
  const part = text.trim().toLowerCase();
  useEffect(() => {
    const { signal, stop } = abortable();
    // Without them the palette does the rest.
    const ignore = (): void => {};
    api.flows(signal).then(({ items }) => setNames(items.map(({ name }) => name)), ignore);
    const query = new URLSearchParams({ limit: NEWEST });
    api.tasks(query, signal).then(({ items }) => setNewest(items), ignore);
    return stop;
  }, []);
  useEffect(() => {
    const { signal, stop } = abortable();
    const within = createdWithin(part);
    if (within !== null) void lookFor({ ...within }, signal).then(setOlder, () => {});
    return stop;
  }, [part]);
  const flows = names.map((name): Command => {
    const path = `/console/flows/${encodeURIComponent(name)}`;
    return { id: `flow ${name}`, kind: 'flow', words: name, run: () => route(path) };
  });
  return { flows, tasks: tasksOf(part, [...newest, ...older], route) };
}

function abortable(): { readonly signal: AbortSignal; readonly stop: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, stop: () => controller.abort() };
}

async function lookFor(
  within: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<readonly Item[]> {
  await pause(TYPING_MS, signal);
  return (await api.tasks(new URLSearchParams(within), signal)).items;
}

function tasksOf(
  part: string,
  items: readonly Item[],
  route: (path: string) => void,
): readonly Command[] {
  const found = new Map<string, string>();
  // A whole id is gone to, whether or not it is among those that are known.
  const { taskId } = readSearch(part);
  if (taskId !== null) found.set(taskId, taskId);
  for (const item of part.length < PART_MIN ? [] : items) {
    if (item.taskId.includes(part)) found.set(item.taskId, wordsOf(item));
  }
  return [...found].slice(0, TASKS_SHOWN).map(([id, words]) => {
    return { id: `task ${id}`, kind: 'task', words, run: () => route(`/console/tasks/${id}`) };
  });
}

function wordsOf(item: Item): string {
  const flow = 'flow' in item ? `${item.flow}, ` : '';
  return `${flow}${stateWord(item.status)}: ${item.taskId}`;
}

/**
 * When tasks were created whose ids begin so; null: the text is no beginning of an id, or says too
 * little. Ids begin with their time, except those that follow from a parent or a schedule.
 */
export function createdWithin(prefix: string): CreatedWithin | null {
  const digits = prefix.toLowerCase().replaceAll('-', '');
  if (!HEX.test(digits)) return null;
  const first = Number.parseInt(digits.slice(0, TIME_DIGITS).padEnd(TIME_DIGITS, '0'), 16);
  const last = Number.parseInt(digits.slice(0, TIME_DIGITS).padEnd(TIME_DIGITS, 'f'), 16);
  const [from, to] = [new Date(first), new Date(last + 1)];
  // Years of more digits are none that a task has.
  if (Number.isNaN(to.getTime()) || to.getUTCFullYear() > 9_999) return null;
  return { createdAfter: from.toISOString(), createdBefore: to.toISOString() };
}
