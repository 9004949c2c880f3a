import type { Beside } from './places.js';

/**
 * Messages between the two sides of the store, as tuples of texts and numbers: a message is copied
 * from one thread to the other, and member names and nesting would be copied with it.
 */

/** A value of a column. */
export type Cell = string | number | null;

/** Stores a new task. Answered with an {@link InsertAnswer}. */
export type InsertRequest = readonly [
  kind: 'insert',
  taskId: string,
  idempotencyKey: string | null,
  stepsKey: string,
  /** Null: the steps of this key are stored already. */
  stepsText: string | null,
  planHead: string,
  plan: string,
  flow: string,
  createdAt: number,
  labels: readonly (readonly [key: string, value: string])[] | null,
  revision: number,
  status: number,
  wakeAt: number | null,
  state: string,
  journal: string,
  /** Texts that are new or have changed; null: none. */
  beside: Beside | null,
  /** Of a child task; null: it is nobody's. */
  parent: ParentColumns | null,
  /** Null: it waits for no person. */
  waits: string | null,
  /** Null: nothing but its executors is waited for. */
  awaits: string | null,
  /** Null: it has ended. */
  terms: string | null,
  ...origin: OriginColumns,
];

/** Columns by which tasks are found for the request that they were made for. */
export type OriginColumns = readonly [
  requestId: string | null,
  client: string | null,
  operator: string | null,
];

/** The columns by which child tasks are found. */
type ParentColumns = readonly [taskId: string, run: string, index: number];

/** Stores a task's next state. Answered with the task's row number, or 0 for a conflict. */
export type CommitRequest = readonly [
  kind: 'commit',
  /** Row number where it is known, else the task's id. */
  task: number | string,
  expectedRevision: number,
  revision: number,
  status: number,
  wakeAt: number | null,
  state: string,
  /** Entries to append, or the whole journal. */
  journal: string,
  /** Sum of the `COMMIT_SETS` that hold. */
  sets: number,
  /** Texts that are new or have changed; null: none. */
  beside: Beside | null,
  /** Null: it waits for no person, or for what it did before. */
  waits: string | null,
  /** Null: nothing but its executors is waited for, or what was before. */
  awaits: string | null,
  /** Null: it has ended, or has those from before. */
  terms: string | null,
];

/** Which tasks to list; texts as columns have them. */
export interface ListFilter {
  readonly flows?: readonly string[];
  readonly statuses?: readonly number[];
  /** At least one. */
  readonly labels?: NonNullable<InsertRequest[9]>;
  /** At least one; tasks of the first are the fewest. */
  readonly origin?: readonly (readonly [column: string, value: string])[];
  /** Those that wait for a person alone. */
  readonly waits?: true;
  /** Child tasks of this task alone. */
  readonly parent?: string;
  /** Those alone that are no child tasks. */
  readonly isTopLevel?: true;
  readonly withoutAlerts?: true;
  /** Those whose id begins so. */
  readonly idPrefix?: string;
  /** Parts of `terms`: those that have one of each list. */
  readonly terms?: readonly (readonly string[])[];
  readonly createdAfter?: number;
  readonly createdBefore?: number;
  /** The last row of the page before. */
  readonly beyond?: RowPosition;
  readonly isOldestFirst?: true;
  readonly limit: number;
}

/** Place of a row in the order of lists. */
export type RowPosition = readonly [createdAt: number, row: number];

/** A request that changes the file. */
export type WriteRequest =
  | InsertRequest
  | CommitRequest
  /** `broken`: a version that is not to count as this one, as it cannot be read; 0: none. */
  | readonly [
      kind: 'saveFlow',
      name: string,
      hash: string,
      definition: string,
      now: number,
      broken: number,
    ]
  /** Answered with a {@link StoredPut}. */
  | readonly [kind: 'putFlow', order: PutCells]
  /** Answered with a {@link StoredRetirement}. */
  | readonly [kind: 'retireFlow', name: string, expected: readonly number[] | null]
  /** Of records: each is answered with how many it was of. */
  | readonly [kind: 'putRecord', cells: RecordCells]
  | readonly [kind: 'removeRecord', of: string, id: string, previous: PreviousRow]
  | readonly [kind: 'removeRecords', asked: RecordsAsked]
  /** Answered with {@link LockCells} of the head of the line. */
  | readonly [kind: 'enterLine', name: string, cells: LockCells]
  /** Answered with {@link LockCells} of the head of the line as it was before. */
  | readonly [kind: 'leaveLine', name: string, taskId: string, number: number]
  /** Answered with how many were there, at this revision. */
  | readonly [kind: 'removeTasks', tasks: readonly RemovalCells[]]
  /** Answered with how many were added. */
  | readonly [kind: 'appendAudit', first: number, entries: readonly string[]]
  /** Answered with how many were removed. */
  | readonly [kind: 'removeAudit', upTo: number];

/** A task that is to be removed. */
export type RemovalCells = readonly [
  taskId: string,
  revision: number,
  createdAt: number,
  labels: InsertRequest[9],
];

/** The result of storing it, with the version that was the newest before. */
export type StoredPut =
  | readonly [kind: 'moved', version: number]
  | readonly [kind: 'stored', flow: StoredFlow, before: StoredHead | null];

/** A request for whole tasks. Answered with {@link StoredTasks}. */
export type TasksRequest =
  | readonly [kind: 'get', taskId: string]
  | readonly [kind: 'findByKey', idempotencyKey: string]
  | readonly [kind: 'findDue', now: number, limit: number, skip: number]
  /** Rows in this order, as many as the characters of their texts allow, and one at least. */
  | readonly [kind: 'readRows', rows: readonly number[], characters: number]
  /** The next stretch of a walk, bounded in the same way. */
  | readonly [kind: 'walk', filter: ListFilter, characters: number];

/** A request that does not change the file. */
export type ReadRequest =
  | TasksRequest
  /** Answered with {@link StoredSummaries}, or with the text of a {@link StoredPage}. */
  | readonly [kind: 'list', filter: ListFilter, characters: number]
  /** Answered with {@link StoredSummaries}. */
  | readonly [kind: 'listRows', filter: ListFilter, characters: number]
  /** A row that cannot be read: it is no longer found due. */
  | readonly [kind: 'passOver', row: number]
  /** Answered with the JSON text, or null. */
  | readonly [kind: 'getSteps', key: string]
  /** Answered with the ids of those that are there. */
  | readonly [kind: 'findPresent', taskIds: readonly string[]]
  | readonly [kind: 'countByStatus', statuses: readonly number[]]
  /** Child tasks left out; answered with a number, which is at most the limit. */
  | readonly [kind: 'countStarted', flow: string, statuses: readonly number[], limit: number]
  /** Answered with a status and a number for each status that one of them has. */
  | readonly [kind: 'countChildren', parent: string, run: string, from: number, before: number]
  /** Answered with a `StoredChild` for each. */
  | readonly [kind: 'findChildren', filter: ChildFilter]
  /** Answered with names of lines, or with {@link LockCells} of the head of one. */
  | readonly [kind: 'readLines', asked: LinesAsked]
  /** Version 0: the newest. */
  | readonly [kind: 'getFlow', name: string, version: number]
  | readonly [kind: 'listFlows']
  /** Answered with what was asked. */
  | readonly [kind: 'readChanges', asked: ChangesAsked]
  /** Answered with {@link StoredHead}s. */
  | readonly [kind: 'listHeads']
  /** Answered with version, hash and time of each. */
  | readonly [kind: 'listVersions', name: string, limit: number, before: number]
  /** Answered with a `StoredRecord`, or null. */
  | readonly [kind: 'getRecord', of: string, id: string]
  /** Answered with `StoredRecord`s. */
  | readonly [kind: 'listRecords', asked: RecordsAsked]
  /** Answered with the entries' texts. */
  | readonly [kind: 'readAudit', beyond: number | null, isNewestFirst: boolean, limit: number]
  | readonly [kind: 'ping'];

/** Anything that is asked of the worker but to close. */
export type Request = WriteRequest | ReadRequest;

/** The new row number; 0: the task was there already; a text: id of the task that has the key. */
export type InsertAnswer = number | string;

/** A task as stored. */
export type StoredTask = readonly [
  taskId: string,
  row: number,
  revision: number,
  status: number,
  wakeAt: number | null,
  stepsKey: string,
  plan: string,
  state: string,
  journal: string,
  beside: Beside,
];

/** A flow version as stored. */
export type StoredFlow = readonly [
  version: number,
  hash: string,
  definition: string,
  createdAt: number,
  name: string,
];

/**
 * Stored tasks. Of a walk, `places` tells where each stands, and `last` where it goes on; null: it
 * ends.
 */
export interface StoredTasks {
  readonly tasks: readonly StoredTask[];
  readonly places: readonly RowPosition[];
  readonly last: RowPosition | null;
}

/** A task's entry in a list, as stored. */
export type StoredSummary = readonly [
  taskId: string,
  row: number,
  revision: number,
  status: number,
  wakeAt: number | null,
  flow: string,
  createdAt: number,
  planHead: string | null,
  waits: string | null,
  awaits: string | null,
  ...origin: OriginColumns,
  stateHead: string | null,
];

/**
 * One page of a list and the first row of the next one, if there is one. A state's head is followed
 * by more of the state, or is cut short; a row without a task has a null for its id.
 */
export type StoredPage = readonly StoredSummary[];

/** One page of a list; `last` is where the next one begins, null where there is none. */
export interface StoredSummaries {
  readonly summaries: readonly StoredSummary[];
  readonly last: RowPosition | null;
}

/**
 * A question about changes: the largest number, those from a number on (answered with numbers and
 * ids), or what lists show of tasks.
 */
export type ChangesAsked =
  | readonly [kind: 'newest']
  | readonly [kind: 'from', change: number, limit: number]
  | readonly [kind: 'summaries', taskIds: readonly string[]];

/** Which child tasks are looked for. */
export interface ChildFilter {
  readonly parent: string;
  readonly run: string;
  readonly statuses: readonly number[] | null;
  readonly before: number;
  readonly limit: number;
}

/** A child task as it is found. */
export type StoredChild = readonly [taskId: string, index: number, status: number];

/** A definition that is to be stored as the newest. */
export type PutCells = readonly [
  name: string,
  hash: string,
  definition: string,
  now: number,
  expected: readonly number[] | null,
  /** A version that is not to count as this one, as it cannot be read; 0: none. */
  broken: number,
];

/** The newest version of a flow. */
export type StoredHead = readonly [name: string, version: number, standing: string];

/** The result of retiring a flow. */
export type StoredRetirement = readonly [kind: 'retired' | 'unknown' | 'moved', version: number];

/** A question about lines: the names behind one, or the head of one. */
export type LinesAsked =
  | readonly [kind: 'names', after: string, limit: number]
  | readonly [kind: 'head', name: string];

/** One of a line. */
export type LockCells = readonly [taskId: string, number: number, slots: number, since: number];

/**
 * The record that a write goes in the place of: that of a tag, or the one whose text has these
 * bytes, in hexadecimal; true: whatever is there; null: there is none.
 */
export type PreviousRow = string | readonly [bytes: string] | true | null;

/** Where a record is in the lists of up to four indexes; null: it is in none. */
export type Places = readonly (string | number | null)[];

/** A record that is to be stored: `tag` tells its writes apart, `text` is all of it. */
export interface RecordCells {
  readonly kind: string;
  readonly id: string;
  readonly previous: PreviousRow;
  readonly tag: string;
  readonly places: Places;
  readonly text: string;
}

/** A record as stored. */
export type StoredRecord = readonly [id: string, tag: unknown, text: unknown, ...places: unknown[]];

/** Which records are meant. Texts are as columns have them. */
export interface RecordsAsked {
  readonly kind: string;
  /** 1 to 4; 0: all, by their ids. */
  readonly index: number;
  /** The text that they have in the column of the index; of a list: one of these. */
  readonly of: string | readonly string[];
  readonly from: number | undefined;
  readonly upTo: number | undefined;
  readonly after: { readonly at: number; readonly id: string } | undefined;
  readonly isDescending: boolean;
  readonly limit: number;
  readonly skip: number;
}

/** Why a request failed. */
export interface Failure {
  /**
   * `unavailable`: the file cannot be written or read now. `damaged`: it is damaged, or not this
   * process's own any more, and nothing is read or written again. `refused`: this very request
   * cannot be carried out.
   */
  readonly failure: 'unavailable' | 'damaged' | 'refused';
  readonly message: string;
}

/** An answer: the request's own, or a failure. */
export type Answer = unknown;

/** The settings that the worker starts with. */
export interface WorkerSettings {
  readonly path: string;
  readonly checkpointPages: number;
}

/** The first message of the worker: whether the file is open. */
export type Opening = { readonly kind: 'open' } | FailedOpening;

/** Why the file is not open; the message goes on after the file's name. */
export interface FailedOpening {
  readonly kind: 'busy' | 'foreign' | 'damaged' | 'failed';
  readonly message: string;
}

/** Whether an answer is a failure. */
export function isFailure(answer: Answer): answer is Failure {
  return typeof answer === 'object' && answer !== null && 'failure' in answer;
}
