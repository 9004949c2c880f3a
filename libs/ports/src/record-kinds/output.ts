import {
  COUNT,
  DATE,
  FINITE,
  listOf,
  NUMBERED,
  oneOf,
  orNull,
  type Shape,
  TEXT,
  withMembers,
} from '#core/json';
import type { Direction } from '#core';
import type { AttemptPlace, LineLevel } from '../attempt-output.js';
import { recordKind } from '../record-kind.js';

/** One line that an attempt wrote, as stored. */
export interface StoredLine {
  /** 1 for the first line of the attempt. Numbers that are missing are of lines that were cut. */
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Null: its author gave none. */
  readonly level: LineLevel | null;
  readonly message: string;
}

/** A part of what one attempt wrote. */
export interface OutputPart extends AttemptPlace {
  /** 0 for the first one of the attempt, which stays when its lines are cut. */
  readonly part: number;
  /** 1 and one more with every write. */
  readonly revision: number;
  /** When it was begun, and when it was written last: milliseconds since 1970. */
  readonly since: number;
  readonly changedAt: number;
  /** Bytes of its lines in UTF-8, with their line breaks. */
  readonly size: number;
  readonly lines: readonly StoredLine[];
}

/** How far an attempt is, as stored. */
export interface StoredProgress extends AttemptPlace {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly state: string | null;
  readonly percent: number | null;
  readonly message: string | null;
}

const DIRECTIONS: readonly Direction[] = ['normal', 'rollback'];
const LEVELS: readonly LineLevel[] = ['debug', 'info', 'warn', 'error'];

const PLACE: Shape<AttemptPlace> = {
  taskId: TEXT,
  step: TEXT,
  run: TEXT,
  direction: oneOf(DIRECTIONS, 'a direction'),
  attempt: NUMBERED,
};

const LINE = withMembers<StoredLine>(
  { number: NUMBERED, at: DATE, level: orNull(oneOf(LEVELS, 'a level')), message: TEXT },
  'a line',
);

/** Digits of a number in an id, so that ids sort like numbers. */
const DIGITS = 10;

function padded(number: number): string {
  return String(number).padStart(DIGITS, '0');
}

/** The ids of the parts of an attempt begin with it, and so does no other id. */
export function outputPrefix({ attempt, direction, run, taskId }: AttemptPlace): string {
  return `${taskId} ${run} ${direction} ${padded(attempt)} `;
}

/** The id of a part of an attempt. */
export function outputId(attempt: AttemptPlace, part: number): string {
  return `${outputPrefix(attempt)}${padded(part)}`;
}

/**
 * The output of attempts, in parts of a few kilobytes: a line more is no large write. `task`:
 * the parts of a task in the order in which they were begun; `changed`: in that of their last
 * writes.
 */
export const OUTPUT = recordKind<OutputPart, 'changed' | 'task'>({
  name: 'output',
  plural: 'attempt_output',
  shape: {
    ...PLACE,
    part: COUNT,
    revision: NUMBERED,
    since: DATE,
    changedAt: DATE,
    size: COUNT,
    lines: listOf(LINE, 'a list of lines'),
  },
  idOf: (part) => outputId(part, part.part),
  version: ['revision', 'changedAt'],
  moments: ['since', 'changedAt'],
  isPassing: true,
  indexes: { task: { of: ['taskId'], by: 'since' }, changed: { of: ['taskId'], by: 'changedAt' } },
});

/** The id of the progress of an attempt. */
export function progressId(attempt: AttemptPlace): string {
  return outputPrefix(attempt).trimEnd();
}

/**
 * How far running attempts are. `changed`: all of them, by when they said so; `task`: those of a
 * task.
 */
export const PROGRESS = recordKind<StoredProgress, 'changed' | 'task'>({
  name: 'progress',
  plural: 'attempt_progress',
  shape: {
    ...PLACE,
    at: DATE,
    state: orNull(TEXT),
    percent: orNull(FINITE),
    message: orNull(TEXT),
  },
  idOf: progressId,
  moments: ['at'],
  isPassing: true,
  indexes: { task: { of: ['taskId'], by: 'at' }, changed: { of: [], by: 'at' } },
});
