import { NAME_PATTERN } from '#access';
import {
  ALERT_FLOW,
  LIVE_STATUSES,
  ORIGIN_NAMES,
  TASK_STATUS,
  TASK_STATUS_NAMES,
  type TaskOrigin,
  type TaskStatus,
} from '#core';
import type { SearchTerm } from '#core/stored';
import type { TaskFilter } from '#ports';
import { parseDuration } from '#wording';
import { LABELS_MAX } from './limits.js';

/** The conditions of a search text; a task must meet all of them. */
export interface TaskSearch {
  /** Each a list of names or patterns of flows, of which one must fit. */
  readonly flows: readonly (readonly string[])[];
  readonly statuses: readonly (readonly TaskStatus[])[];
  readonly labels: readonly (readonly [name: string, value: string])[];
  /** Members of its origin. */
  readonly origin: TaskOrigin;
  /** Those alone that wait for a person. */
  readonly waitsForPerson: boolean;
  /** Those alone that are no child tasks. */
  readonly isTopLevel: boolean;
  /** Each a list of terms of unfinished tasks, of which one must fit. */
  readonly terms: readonly (readonly SearchTerm[])[];
  /** Instances, of which one must run an action of the task; null: whatever its executors. */
  readonly executors: readonly string[] | null;
  /** In small letters; each must be in the task's message, whatever its letters there. */
  readonly texts: readonly string[];
  /** Older than this, in milliseconds. */
  readonly olderThanMs: readonly number[];
  readonly youngerThanMs: readonly number[];
}

/** One mistake in a search text. */
interface SearchFault {
  /** Counted from 1, in characters. */
  readonly position: number;
  readonly message: string;
  readonly hint: string;
}

/** Longest search text, in characters. */
export const SEARCH_LENGTH_MAX = 2_000;

/** Terms that one text may have. */
const TERMS_MAX = 32;
const PATTERN = new RegExp(NAME_PATTERN);
/** An age may be longer than the longest duration, which is a year. */
const DAYS = /^([0-9]{1,5})d$/;
const DAY_MS = 86_400_000;

/** Labels whose names have a meaning, so that each is a key of its own. */
const MEANT_LABELS = ['batch', 'entity', 'dimension'] as const;

const KEYS =
  'flow:, status:, step:, module:, executor:, stage:, label.<name>:, ' +
  `${[...MEANT_LABELS, ...ORIGIN_NAMES].map((name) => `${name}:`).join(', ')}, ` +
  'waits:, parent:, text: and age:';

/** Keys of names that unfinished tasks are found by. */
const NAMED_KEYS = ['step', 'module', 'stage', 'executor'] as const;
type NamedKey = (typeof NAMED_KEYS)[number];

const NAME = /^[^\s,*]{1,200}$/;
const NAMES_MAX = 50;

/** The causes of waiting that a search can name. */
const PERSON = 'person';
/** The parent of a task that is no child task, as a search names it. */
const NONE = 'none';

/** Words for several states at once. */
export const STATUS_GROUPS: ReadonlyMap<string, readonly TaskStatus[]> = new Map([
  ['failed', [TASK_STATUS.rolled_back, TASK_STATUS.rollback_failed]],
  ['live', LIVE_STATUSES],
]);

/**
 * Reads `flow:create-* status:failed,on_hold label.team:payments text:"no host" age:>1h`. Terms are
 * separated by blanks; a value in quotation marks may have blanks, and `\"`; a word without a key
 * is a text.
 */
export function readTaskSearch(text: string): TaskSearch | readonly SearchFault[] {
  const reader = new SearchReader();
  let position = 0;
  for (const [whole, blanks = '', key = '', quoted, plain] of text.matchAll(TERM)) {
    const at = position + blanks.length;
    position += whole.length;
    if (whole.trim() === '') continue;
    const value = quoted === undefined ? (plain ?? '') : quoted.replaceAll(/\\(["\\])/g, '$1');
    reader.take({ key: key.slice(0, -1), value, position: at + 1, valueAt: at + key.length + 1 });
  }
  return reader.faults.length > 0 ? reader.faults : reader.search;
}

/** Blanks, a key with its colon, and a value with or without quotation marks. */
const TERM = /(\s*)([A-Za-z][^\s:"]*:)?(?:"((?:[^"\\]|\\.)*)"(?=\s|$)|(\S*))/g;

interface Term {
  readonly key: string;
  readonly value: string;
  readonly position: number;
  readonly valueAt: number;
}

/** Takes terms one after the other. */
class SearchReader {
  readonly faults: SearchFault[] = [];
  readonly search = {
    flows: [] as string[][],
    statuses: [] as TaskStatus[][],
    labels: [] as [string, string][],
    origin: {} as { -readonly [Name in keyof TaskOrigin]: string },
    texts: [] as string[],
    terms: [] as SearchTerm[][],
    executors: null as string[] | null,
    waitsForPerson: false,
    isTopLevel: false,
    olderThanMs: [] as number[],
    youngerThanMs: [] as number[],
  };
  private count = 0;

  take(term: Term): void {
    this.count += 1;
    if (this.count > TERMS_MAX) {
      if (this.count > TERMS_MAX + 1) return;
      this.fault(term.position, `The search has more than ${TERMS_MAX} terms.`, 'Use fewer.');
    } else if (term.value === '') {
      this.fault(term.valueAt, 'A value is missing.', 'Write it after the colon, without a blank.');
    } else if (term.value.startsWith('"')) {
      this.fault(term.valueAt, 'A quotation mark is not closed.', 'Close it, or leave it out.');
    } else this.read(term);
  }

  private read({ key, position, value, valueAt }: Term): void {
    if (key === '' || key === 'text') {
      this.search.texts.push(value.toLowerCase());
    } else if (key === 'flow') this.readFlows(value, valueAt);
    else if (key === 'status') this.readStatuses(value, valueAt);
    else if (key === 'age') this.readAge(value, valueAt);
    else if (key === 'waits') this.readWaits(value, valueAt);
    else if (key === 'parent') this.readParent(value, valueAt);
    else if (isNamedKey(key)) this.readNames(key, value, valueAt);
    else if (isOriginKey(key)) this.readOrigin(key, value, position);
    else if (isMeantLabel(key)) this.search.labels.push([key, value]);
    else if (key.startsWith('label.') && key.length > 'label.'.length) {
      if (this.search.labels.length < LABELS_MAX) this.search.labels.push([key.slice(6), value]);
    } else {
      const hint = `Known keys: ${KEYS}. Put a text with a colon into quotation marks.`;
      this.fault(position, `The key \`${key.slice(0, 60)}\` is not known.`, hint);
    }
  }

  private readFlows(value: string, at: number): void {
    const patterns = value.split(',');
    const wrong = patterns.find((pattern) => !PATTERN.test(pattern));
    if (wrong === undefined) this.search.flows.push(patterns);
    else this.fault(at, 'This is no name of a flow.', 'Write a name; `*` stands for any text.');
  }

  private readStatuses(value: string, at: number): void {
    const found = value.split(',').map((word) => statusesOf(word));
    if (!found.includes(undefined)) {
      this.search.statuses.push(found.flatMap((statuses) => statuses ?? []));
      return;
    }
    const names = [...TASK_STATUS_NAMES, ...STATUS_GROUPS.keys()].join(', ');
    this.fault(at, 'This is no status.', `Known statuses: ${names}, or their numbers.`);
  }

  private readNames(key: NamedKey, value: string, at: number): void {
    const names = value.split(',');
    if (names.length > NAMES_MAX || !names.every((name) => NAME.test(name))) {
      const hint = `Write up to ${NAMES_MAX} whole names with commas, without \`*\`.`;
      this.fault(at, `This is no name that \`${key}:\` takes.`, hint);
    } else if (key !== 'executor') {
      this.search.terms.push(names.map((name): SearchTerm => `${key}:${name}`));
    } else if (this.search.executors === null) this.search.executors = names;
    else this.fault(at, 'A search has executors once.', 'Write them in one term, with commas.');
  }

  private readOrigin(key: keyof TaskOrigin, value: string, at: number): void {
    if ((this.search.origin[key] ?? value) === value) this.search.origin[key] = value;
    else this.fault(at, `A task has one \`${key}\`.`, 'Search for one of the two.');
  }

  private readWaits(value: string, at: number): void {
    if (value === PERSON) this.search.waitsForPerson = true;
    else this.fault(at, 'Only waits for a person can be searched.', `Write waits:${PERSON}.`);
  }

  private readParent(value: string, at: number): void {
    if (value === NONE) this.search.isTopLevel = true;
    else this.fault(at, 'Only tasks without a parent can be searched.', `Write parent:${NONE}.`);
  }

  private readAge(value: string, at: number): void {
    const [, sign, duration = ''] = /^([<>])(\d.*)$/.exec(value) ?? [];
    try {
      if (sign === undefined) throw new RangeError();
      const days = DAYS.exec(duration)?.[1];
      const ms = days === undefined ? parseDuration(duration) : Number(days) * DAY_MS;
      (sign === '>' ? this.search.olderThanMs : this.search.youngerThanMs).push(ms);
    } catch {
      this.fault(
        at,
        'This is no age.',
        'Write age:>1h or age:>7d for older tasks, age:<30m for younger ones.',
      );
    }
  }

  private fault(position: number, message: string, hint: string): void {
    this.faults.push({ position, message, hint });
  }
}

function isNamedKey(key: string): key is NamedKey {
  return NAMED_KEYS.some((one) => one === key);
}

function isOriginKey(key: string): key is keyof TaskOrigin {
  return ORIGIN_NAMES.some((one) => one === key);
}

function isMeantLabel(key: string): boolean {
  return MEANT_LABELS.some((one) => one === key);
}

/** The end of a sentence that refuses such terms. */
export const STORE_ONLY =
  'step:, module:, executor: and stage: find unfinished tasks by what they do now.';

/** Whether a search has terms that only a store can tell of a task, and not its summary. */
export function needsStore({ executors, terms }: TaskSearch): boolean {
  return executors !== null || terms.length > 0;
}

/** Whether somebody asks for alert tasks by name; else lists and counts are without them. */
export function asksForAlerts(
  { flow, idPrefix, parent }: Pick<TaskFilter, 'flow' | 'idPrefix' | 'parent'>,
  search: TaskSearch | undefined,
): boolean {
  const isNamed = search?.flows.some((patterns) => patterns.includes(ALERT_FLOW)) === true;
  return isNamed || flow === ALERT_FLOW || idPrefix !== undefined || parent !== undefined;
}

/** The states that a word means; undefined: it means none. */
export function statusesOf(word: string): readonly TaskStatus[] | undefined {
  const name = TASK_STATUS_NAMES.find((one) => one === word || `${TASK_STATUS[one]}` === word);
  return name === undefined ? STATUS_GROUPS.get(word) : [TASK_STATUS[name]];
}
