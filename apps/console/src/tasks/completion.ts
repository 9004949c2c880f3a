import { STATUSES } from '../ui/states.js';
import { stateWord, WORDS } from '../words.js';

/** The words of tasks that are known besides the grammar of searches. */
export interface Vocabulary {
  readonly flows: readonly string[];
  /** Labels that were seen, with their values. */
  readonly labels: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A way to go on with a search text. */
export interface Completion {
  /** The text that replaces the word at the cursor. */
  readonly written: string;
  /** The meaning of the text; empty: its words say so. */
  readonly note: string;
  /** Whether more of the same word is to follow. */
  readonly isOpen: boolean;
}

/** The search text with a completion in it, and where the cursor then is. */
interface Completed {
  readonly text: string;
  readonly cursor: number;
}

const SHOWN_MAX = 12;
const AGES = ['<15m', '<1h', '<1d', '>1h', '>1d', '>7d'];
/** Words for several states at once. */
const GROUPS = ['failed', 'live'];
/** Labels that are keys of their own, and members of the origin of a task. */
const MEANT_LABELS = ['batch', 'entity', 'dimension'];
const ORIGIN = ['operator', 'client', 'requestId'] as const;
const { notes } = WORDS.suggestions;

/** How the word at the cursor may go on; none where it is between quotation marks. */
export function completionsOf(
  text: string,
  cursor: number,
  known: Vocabulary,
): readonly Completion[] {
  const word = wordAt(text, cursor);
  if (word === null) return [];
  const all = [...keysOf(word, known), ...valuesOf(word, known)];
  const fits = all.filter(({ written }) => {
    return written !== word && written.toLowerCase().startsWith(word.toLowerCase());
  });
  return [...fits, ...flowsNamed(word, known)].slice(0, SHOWN_MAX);
}

/** Writes a completion; what stands behind the cursor stays. */
export function complete(text: string, cursor: number, { isOpen, written }: Completion): Completed {
  const start = cursor - (wordAt(text, cursor)?.length ?? 0);
  const rest = text.slice(cursor);
  const gap = isOpen || rest.startsWith(' ') ? '' : ' ';
  return {
    text: text.slice(0, start) + written + gap + rest,
    cursor: start + written.length + gap.length,
  };
}

/** The word up to the cursor; null: it has a quotation mark, or goes on behind the cursor. */
function wordAt(text: string, cursor: number): string | null {
  const before = text.slice(0, cursor);
  const isInQuotes = (before.match(/(?<!\\)"/g) ?? []).length % 2 === 1;
  if (isInQuotes || /^[^\s]/.test(text.slice(cursor))) return null;
  const word = /\S*$/.exec(before)?.[0] ?? '';
  return word.includes('"') ? null : word;
}

/** The keys of the grammar, as long as the word has none yet. */
function keysOf(word: string, { labels }: Vocabulary): readonly Completion[] {
  if (word.includes(':')) return [];
  const open = (written: string, note: string): Completion => ({ written, note, isOpen: true });
  return [
    open('flow:', notes.flow),
    open('status:', notes.status),
    closed('waits:person', notes.waits),
    closed('parent:none', notes.parent),
    open('step:', notes.step),
    open('module:', notes.module),
    open('executor:', notes.executor),
    open('stage:', notes.stage),
    ...[...labels.keys()].filter(isPlain).map((name) => open(`label.${name}:`, notes.label)),
    open('age:', notes.age),
    open('text:', notes.text),
    ...MEANT_LABELS.map((name) => open(`${name}:`, notes.label)),
    ...ORIGIN.map((name) => open(`${name}:`, notes[name])),
  ];
}

function valuesOf(word: string, { flows, labels }: Vocabulary): readonly Completion[] {
  const [, key = '', given = ''] = /^([^:]+:)(.*)$/.exec(word) ?? [];
  if (key === 'flow:') return flows.map((flow) => closed(listed(key, given, flow)));
  if (key === 'status:') {
    const states = STATUSES.map((status) => closed(listed(key, given, status), stateWord(status)));
    return [...states, ...GROUPS.map((group) => closed(listed(key, given, group)))];
  }
  if (key === 'age:') return AGES.map((age) => closed(key + age));
  if (key === 'parent:') return [closed('parent:none', notes.parent)];
  if (key === 'waits:') return [closed('waits:person', notes.waits)];
  const name = /^label\.(.+):$/.exec(key)?.[1] ?? '';
  return [...(labels.get(name) ?? [])].filter(isPlain).map((value) => closed(key + value));
}

/** A value behind those that stand there already, with commas. */
function listed(key: string, given: string, value: string): string {
  const before = given.includes(',') ? given.slice(0, given.lastIndexOf(',') + 1) : '';
  return key + before + value;
}

/** Flows in whose names a bare word occurs. */
function flowsNamed(word: string, { flows }: Vocabulary): readonly Completion[] {
  if (word.length < 2 || word.includes(':')) return [];
  const named = flows.filter((flow) => flow.toLowerCase().includes(word.toLowerCase()));
  return named.map((flow) => closed(`flow:${flow}`));
}

function closed(written: string, note = ''): Completion {
  return { written, note, isOpen: false };
}

/** Whether a text stands in a search as it is. */
function isPlain(text: string): boolean {
  return /^[^\s":\\]+$/.test(text);
}
