import {
  OPERATION_EXAMPLES_MAX,
  type OperationCount,
  type OperationExample,
  type OperationOrder,
  type OperationProgress,
  type OperationRecord,
  type OperationRequester,
} from '#ports';

/** The outcome of one task. */
export type Acted = { readonly taskId: string; readonly outcome: 'done' } | OperationExample;

/** Members of a record that a change sets. */
export type OperationChange = Partial<Omit<OperationRecord, 'operationId' | 'revision' | 'runner'>>;

/** The parts of a new operation. */
interface OperationStart {
  readonly operationId: string;
  readonly order: OperationOrder;
  readonly requester: OperationRequester;
  readonly requestHash: string | null;
  readonly now: number;
  /** The one task that it is about, and what it waits for; absent: what a search finds, at once. */
  readonly waiting?: Pick<OperationRecord, 'consent' | 'task'>;
  /** Tasks that were counted, and whether these are all that match. */
  readonly counted: { readonly total: number; readonly isComplete: boolean };
}

/** A new operation that nobody carries out yet. */
export function newOperation(start: OperationStart): OperationRecord {
  const { counted, now, operationId, order, requester, requestHash, waiting } = start;
  const { taskId } = order;
  return {
    operationId,
    revision: 1,
    order,
    requester,
    requestHash,
    createdAt: now,
    endedAt: null,
    ...waiting,
    status: waiting?.consent === undefined ? 'running' : 'waiting',
    matched: counted.total,
    isCounted: counted.isComplete,
    done: 0,
    refused: 0,
    failed: 0,
    counts: [],
    examples: [],
    sample: [],
    progress:
      taskId === undefined
        ? { page: [], cursor: null, isLast: false }
        : { page: [taskId], cursor: null, isLast: true },
    cancel: null,
    runner: null,
    // An operation that nobody decides on is looked at when its consent expires.
    dueAt: waiting?.consent?.expiresAt ?? now,
  };
}

/** Whether nothing is left to be done but to end it. */
export function isThrough({ cancel, progress }: OperationRecord): boolean {
  return cancel !== null || (progress.isLast && progress.page.length === 0);
}

/** A page was acted on, and the next one is in hand. */
export function paged(
  record: OperationRecord,
  acted: readonly Acted[],
  progress: OperationProgress,
): OperationChange {
  const examples = acted.filter((one): one is OperationExample => one.outcome !== 'done');
  const done = acted.filter(({ outcome }) => outcome === 'done').map(({ taskId }) => taskId);
  const counts = {
    done: record.done + done.length,
    refused: record.refused + examples.filter(({ outcome }) => outcome === 'refused').length,
    failed: record.failed + examples.filter(({ outcome }) => outcome === 'failed').length,
  };
  const found = counts.done + counts.refused + counts.failed + progress.page.length;
  return {
    ...counts,
    counts: countsWith(record.counts, examples),
    examples: [...record.examples, ...examples].slice(0, OPERATION_EXAMPLES_MAX),
    sample: [...record.sample, ...done].slice(0, OPERATION_EXAMPLES_MAX),
    matched: Math.max(record.matched, found),
    progress,
  };
}

function countsWith(
  counts: readonly OperationCount[],
  examples: readonly OperationExample[],
): readonly OperationCount[] {
  const all = new Map(counts.map(({ code, count }) => [code, count]));
  for (const { code } of examples) all.set(code, (all.get(code) ?? 0) + 1);
  return Array.from(all, ([code, count]) => ({ code, count }));
}

/** A person calls it off; the process that carries it out keeps the lease, and ends it. */
export function calledOff(
  record: OperationRecord,
  cancel: NonNullable<OperationRecord['cancel']>,
): OperationRecord {
  return { ...record, revision: record.revision + 1, status: 'cancelling', cancel };
}

/** It is over. One that went through to the end has found all that matched. */
export function ended(record: OperationRecord, now: number): OperationChange {
  const { cancel, done, failed, refused } = record;
  const over = { endedAt: now, dueAt: null, progress: { page: [], cursor: null, isLast: true } };
  if (cancel !== null) return { ...over, status: 'cancelled' };
  return { ...over, status: 'finished', matched: done + refused + failed, isCounted: true };
}
