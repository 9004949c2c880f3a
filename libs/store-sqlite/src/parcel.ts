import type { CommitRequest, InsertRequest, Request } from './protocol.js';

/**
 * Requests as they travel to the worker. Copying a message from one thread to the other costs by
 * the value, so the two requests that make nearly all of the traffic are taken apart: their numbers
 * in one array, their texts in one text. The others travel as they are.
 */
export interface Parcel {
  /** For each request its {@link KIND} and what follows it. */
  readonly numbers: Float64Array;
  readonly text: string;
  /** Those that travel as they are, in their order. */
  readonly others: readonly Request[];
}

const KIND = { other: 0, commit: 1, insert: 2 } as const;

/** Stands for null where a length or a time is expected. */
const NOTHING = Number.NaN;

/** Packs requests; {@link unpackRequests} returns equal ones in the same order. */
export function packRequests(requests: readonly Request[]): Parcel {
  const numbers: number[] = [];
  const others: Request[] = [];
  let text = '';
  for (const request of requests) {
    if (isPlainCommit(request)) text += packCommit(request, numbers);
    else if (isPlainInsert(request)) text += packInsert(request, numbers);
    else {
      numbers.push(KIND.other);
      others.push(request);
    }
  }
  return { numbers: new Float64Array(numbers), text, others };
}

/** The requests of a parcel. */
export function unpackRequests({ numbers, others, text }: Parcel): readonly Request[] {
  const requests: Request[] = [];
  const reader = new ParcelReader(numbers, text);
  let other = 0;
  while (reader.hasMore) {
    const kind = reader.number();
    if (kind === KIND.commit) requests.push(unpackCommit(reader));
    else if (kind === KIND.insert) requests.push(unpackInsert(reader));
    else {
      requests.push(others[other]!);
      other += 1;
    }
  }
  return requests;
}

/** A commit of a known row that begins no wait for a person. */
function isPlainCommit(request: Request): request is CommitRequest {
  return request[0] === 'commit' && typeof request[1] === 'number' && request[10] === null;
}

/** A task that waits for no person, all of whose state is in its row. */
function isPlainInsert(request: Request): request is InsertRequest {
  if (request[0] !== 'insert') return false;
  return request[15] === null && request[17] === null;
}

function packCommit(request: CommitRequest, numbers: number[]): string {
  const [, row, expected, revision, status, wakeAt, state, journal, sets, ...rest] = request;
  const [beside, , awaits, terms] = rest;
  numbers.push(KIND.commit, Number(row), expected, revision, status, wakeAt ?? NOTHING, sets);
  numbers.push(state.length, journal.length);
  numbers.push(awaits?.length ?? NOTHING, terms?.length ?? NOTHING);
  numbers.push(beside?.length ?? NOTHING);
  let text = state + journal + (awaits ?? '') + (terms ?? '');
  // A long chain has some with every eighth step, a wide task with nearly every one.
  for (const [place, part] of beside ?? []) {
    numbers.push(place, part.length);
    text += part;
  }
  return text;
}

function unpackCommit(from: ParcelReader): CommitRequest {
  const [row, expected, revision] = [from.number(), from.number(), from.number()];
  const [status, wakeAt, sets] = [from.number(), from.time(), from.number()];
  const [state, journal] = [from.text(), from.text()];
  const [awaits, terms] = [from.optionalText(), from.optionalText()];
  const beside = from.list(() => [from.number(), from.text()] as const);
  const head = ['commit', row, expected, revision, status, wakeAt, state, journal] as const;
  return [...head, sets, beside, null, awaits, terms];
}

function packInsert(request: InsertRequest, numbers: number[]): string {
  const [, taskId, key, stepsKey, stepsText, planHead, plan, flow, createdAt, ...rest] = request;
  const [labels, revision, status, wakeAt, state, journal, , parent, , ...found] = rest;
  numbers.push(KIND.insert, createdAt, revision, status, wakeAt ?? NOTHING);
  numbers.push(taskId.length, key?.length ?? NOTHING);
  numbers.push(stepsKey.length, stepsText?.length ?? NOTHING);
  numbers.push(planHead.length, plan.length, flow.length, state.length, journal.length);
  for (const text of found) numbers.push(text?.length ?? NOTHING);
  const head = taskId + (key ?? '') + stepsKey + (stepsText ?? '');
  const texts = planHead + plan + flow + state + journal + found.join('');
  return head + texts + packParent(parent, numbers) + packLabels(labels, numbers);
}

function packLabels(labels: InsertRequest[9], numbers: number[]): string {
  numbers.push(labels?.length ?? NOTHING);
  let text = '';
  for (const [key, value] of labels ?? []) {
    numbers.push(key.length, value.length);
    text += key + value;
  }
  return text;
}

function packParent(parent: InsertRequest[16], numbers: number[]): string {
  if (parent === null) {
    numbers.push(NOTHING);
    return '';
  }
  const [taskId, run, index] = parent;
  numbers.push(index, taskId.length, run.length);
  return taskId + run;
}

function unpackInsert(from: ParcelReader): InsertRequest {
  const [createdAt, revision] = [from.number(), from.number()];
  const [status, wakeAt] = [from.number(), from.time()];
  const [taskId, key, stepsKey] = [from.text(), from.optionalText(), from.text()];
  const [stepsText, planHead, plan] = [from.optionalText(), from.text(), from.text()];
  const [flow, state, journal] = [from.text(), from.text(), from.text()];
  const [awaits, terms] = [from.optionalText(), from.optionalText()];
  const origin = [from.optionalText(), from.optionalText(), from.optionalText()] as const;
  const parent = unpackParent(from);
  const labels = from.list(() => [from.text(), from.text()] as const);
  const head = [taskId, key, stepsKey, stepsText, planHead, plan, flow, createdAt, labels] as const;
  const changing = [revision, status, wakeAt, state, journal, null] as const;
  return ['insert', ...head, ...changing, parent, null, awaits, terms, ...origin];
}

function unpackParent(from: ParcelReader): InsertRequest[16] {
  const index = from.number();
  return Number.isNaN(index) ? null : [from.text(), from.text(), index];
}

/** Reads numbers and texts of a parcel from its beginning to its end. */
class ParcelReader {
  #at = 0;
  #from = 0;

  constructor(
    private readonly numbers: Float64Array,
    private readonly allText: string,
  ) {}

  get hasMore(): boolean {
    return this.#at < this.numbers.length;
  }

  number(): number {
    return this.numbers[this.#at++]!;
  }

  time(): number | null {
    const value = this.number();
    return Number.isNaN(value) ? null : value;
  }

  text(): string {
    return this.#take(this.number());
  }

  list<Entry>(read: () => Entry): readonly Entry[] | null {
    const count = this.number();
    return Number.isNaN(count) ? null : Array.from({ length: count }, read);
  }

  optionalText(): string | null {
    const length = this.number();
    return Number.isNaN(length) ? null : this.#take(length);
  }

  #take(length: number): string {
    const from = this.#from;
    this.#from += length;
    return this.allText.slice(from, this.#from);
  }
}
