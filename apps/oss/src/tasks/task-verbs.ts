import type { JsonObject, PersonsAction, Refusal } from '#core';
import type { PersonsEvent } from '#engine';
import { Problem } from '#http-server';
import {
  judgeReader,
  reasonReader,
  type ReasonRequest,
  resetReader,
  retryReader,
  rollbackReader,
  signalReader,
  skipReader,
} from '../requests/operate.request.js';
import { orderCompletionReader, resultOf } from '../requests/complete.request.js';
import { PAYLOAD_MAX } from '../requests/limits.js';
import { expectSize, tooLarge } from './member-size.js';

/** The actions of a person on a task, each as a reader of its body. */
export const VERBS = {
  rollback: verb(rollbackReader, ({ to }) => ({ kind: 'rollback_requested', to })),
  terminate: verb(reasonReader, () => ({ kind: 'terminate_requested' })),
  retry: verb(retryReader, ({ children, parameters }) => {
    return { kind: 'retry_requested', children, parameters };
  }),
  complete: completeStep,
  skip: verb(skipReader, ({ output, step }) => ({ kind: 'skip_requested', step, output })),
  pause: verb(reasonReader, () => ({ kind: 'pause_requested' })),
  resume: verb(reasonReader, () => ({ kind: 'resume_requested' })),
  reset: verb(resetReader, ({ children, parameters, to }) => {
    return { kind: 'reset_requested', to, children, parameters };
  }),
  undo: verb(reasonReader, () => ({ kind: 'undo_requested' })),
  signal: sendSignal,
  approve: judge(true),
  reject: judge(false),
};

/** Reads the body of an action for a person who wants it. */
type ReadEvent = (body: unknown, person: (reason: string) => PersonsAction) => PersonsEvent;

function completeStep(body: unknown, person: (reason: string) => PersonsAction): PersonsEvent {
  const { reason, step, ...result } = orderCompletionReader.read(body);
  return { kind: 'complete_ordered', ...person(reason), step, result: resultOf(result) };
}

function sendSignal(body: unknown, person: (reason: string) => PersonsAction): PersonsEvent {
  const { key, name, payload = {} } = signalReader.read(body);
  expectSize(payload, PAYLOAD_MAX, 'payload');
  const sender = person(name);
  return { kind: 'signal_received', ...sender, key: key ?? sender.key, name, payload };
}

function judge(isApproved: boolean): ReadEvent {
  return (body, person) => {
    const { comment, step } = judgeReader.read(body);
    return { kind: 'judged', ...person(comment), step, isApproved };
  };
}

/** A person's action on a task that is there. */
export type Verb = keyof typeof VERBS;

/** An event without the person who wants it. */
type Wish = PersonsEvent extends infer E
  ? E extends PersonsEvent
    ? Omit<E, keyof PersonsAction>
    : never
  : never;

/** How the body of an action is read, and the event that it asks for. */
function verb<B extends ReasonRequest>(
  reader: { readonly read: (body: unknown) => B },
  wish: (body: B) => Wish,
): ReadEvent {
  return (body, person) => {
    const read = reader.read(body);
    return { ...wish(read), ...person(read.reason) };
  };
}

/** Seconds after which a task may have room for a signal. */
const ROOM_AFTER_S = '5';

/**
 * A step or a child task that the task does not have is input at fault; everything else is the
 * task's state.
 */
export function refusal(
  { about, code, message: sentence, retryAfterMs = 0, to }: Refusal,
  verb: Verb,
): Problem {
  const message = `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
  if (code === 'ILLEGAL_ACTION') {
    const hint = `Write "to": ${JSON.stringify(to)}.`;
    if (to !== undefined) {
      return new Problem('ILLEGAL_ACTION', message, {
        errors: [{ pointer: '/to', message, hint }],
      });
    }
    const errors = about === undefined ? undefined : [{ pointer: `/${about}`, message }];
    return new Problem('ILLEGAL_ACTION', message, errors && { errors });
  }
  if (code === 'TOO_MANY_ACTIONS') {
    const headers = { 'retry-after': `${Math.ceil(retryAfterMs / 1_000)}` };
    return new Problem('TOO_MANY_REQUESTS', message, { headers });
  }
  if (code === 'SIGNALS_FULL') {
    return new Problem('SIGNALS_FULL', message, { headers: { 'retry-after': ROOM_AFTER_S } });
  }
  if (code === 'TOO_LARGE') {
    return tooLarge(message, verb === 'skip' ? 'output' : 'parameters');
  }
  const pointer = code === 'NO_SUCH_CHILD' ? '/children/id' : verb === 'skip' ? '/step' : '/to';
  return new Problem('INVALID_PARAMETERS', message, { errors: [{ pointer, message }] });
}

/** Throws the `Problem` that an action brings more along than one task may be given. */
export function expectSizes(event: PersonsEvent, maxParameters: number): void {
  if ('parameters' in event && event.parameters !== undefined) {
    expectSize(event.parameters, maxParameters);
  }
  const output = outputIn(event);
  if (output !== null) expectSize(output, maxParameters, 'output');
}

/** The output that an action gives a step; null: none. */
export function outputIn(event: PersonsEvent): JsonObject | null {
  if (event.kind === 'skip_requested') return event.output ?? null;
  if (event.kind !== 'complete_ordered' || !('output' in event.result)) return null;
  return event.result.output;
}
