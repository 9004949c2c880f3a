import {
  type ActionRun,
  DocumentFault,
  NOTHING_TO_UNDO,
  PENDING_RUN,
  readStoredJson,
  runOfShort,
  shortRunOf,
  type StepRuns,
} from '#core';

/**
 * Both halves of a step's run as stored. Each is a text: the state of a run that has not begun, or
 * the JSON of its short form. The server takes a list of documents apart at each write, and a text
 * it leaves as it is.
 */
export interface StepRunsDocument {
  /** Absent: 1. */
  readonly generation?: number;
  readonly normal: string;
  readonly rollback: string | null;
}

/** Stored form of an action's run. */
export function runToText(run: ActionRun): string {
  const short = shortRunOf(run);
  return typeof short === 'string' ? short : JSON.stringify(short);
}

/** Stored form of a run that may be absent. */
export function runToTextOrNull(run: ActionRun | null): string | null {
  return run === null ? null : runToText(run);
}

/** Stored form of both halves of a step. */
export function runsToDocument(runs: StepRuns): StepRunsDocument {
  const { generation } = runs;
  const normal = runToText(runs.normal);
  const rollback = runToTextOrNull(runs.rollback);
  return generation === 1 ? { normal, rollback } : { generation, normal, rollback };
}

/** The run behind its stored form, if any. Throws `DocumentFault`; `where` names it. */
export function textToRunOrNull(text: string | null, where: string): ActionRun | null {
  return text === null ? null : textToRun(text, where);
}

/** Runs that have not begun are known by identity, and are most of them. */
function textToRun(text: string, where: string): ActionRun {
  if (text === PENDING_RUN.state) return PENDING_RUN;
  if (text === NOTHING_TO_UNDO.state) return NOTHING_TO_UNDO;
  return runOfShort(readStoredJson(text, where));
}

/** Both halves of a step behind their stored form. Throws `DocumentFault`. */
export function documentToRuns(document: StepRunsDocument, step: number): StepRuns {
  const where = `runs[${step}]`;
  if (typeof document !== 'object') throw new DocumentFault(`${where} is not an object`);
  const { generation = 1, normal, rollback } = document;
  return {
    generation,
    normal: textToRun(normal, `${where}.normal`),
    rollback: textToRunOrNull(rollback, `${where}.rollback`),
  };
}
