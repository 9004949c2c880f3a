import type { JsonObject, PersonsAction, Refusal } from '#core';
import type { PersonsEvent } from '#engine';
import { Problem, type ProblemCode } from '#http-server';
import { OPERATION_ACTIONS } from '#ports';
import {
  judgeReader,
  reasonReader,
  resetReader,
  retryReader,
  rollbackReader,
  signalReader,
  skipReader,
} from '../requests/operate.request.js';
import { orderCompletionReader, resultOf } from '../requests/complete.request.js';
import type { RequestReader } from '../requests/request-reader.js';
import { expectSize, tooLarge } from './member-size.js';
import { KEEPS_SECRETS } from '../requests/route.js';

/** An event without the person who wants it. */
type Wish = PersonsEvent extends infer E
  ? E extends PersonsEvent
    ? Omit<E, keyof PersonsAction>
    : never
  : never;

/** An action of a person on a task, with a body of the form `B`. */
interface VerbOf<B extends object> {
  readonly summary: string;
  /** Its manner in two sentences. */
  readonly description: string;
  /** Name of the schema of its body; null: it has no route of its own here. */
  readonly schema: string | null;
  readonly reader: RequestReader<B>;
  /** The event that a body asks for. */
  readonly wish: (body: B) => Wish;
  /** Why the person wants it. Default: the member `reason` of the body. */
  readonly reasonIn?: (body: B) => string;
  /** Problem codes besides those of every action. */
  readonly problems?: readonly ProblemCode[];
}

/** An action of a person on a task. */
interface VerbEntry extends Pick<VerbOf<object>, 'description' | 'schema' | 'summary'> {
  readonly reader: RequestReader<object>;
  readonly problems: readonly ProblemCode[];
  /** Reads the body of the action for a person who wants it. */
  readonly read: (body: unknown, person: (reason: string) => PersonsAction) => PersonsEvent;
  /** The event that members of a body ask for. */
  readonly wish: (body: object) => Wish;
}

function verb<B extends object>({ problems = [], ...entry }: VerbOf<B>): VerbEntry {
  const { reader, reasonIn = ({ reason }: { reason?: string }) => reason ?? '', wish } = entry;
  return {
    ...entry,
    problems,
    read: (body, person) => {
      const read = reader.read(body);
      return withPerson(wish(read), person(reasonIn(read)));
    },
    wish: (body) => wish(body as B),
  };
}

/** A signal may have a key of its own. */
function withPerson(wish: Wish, person: PersonsAction): PersonsEvent {
  const own = 'key' in wish && typeof wish.key === 'string' ? { key: wish.key } : {};
  return { ...wish, ...person, ...own };
}

const NAMES_STEP = ['INVALID_PARAMETERS'] as const;

const JUDGES = {
  schema: 'Judge',
  reader: judgeReader,
  reasonIn: ({ comment }: { readonly comment: string }) => comment,
} as const;

/**
 * The actions of a person on a task: the one table from which their routes, their previews and
 * operations on many tasks follow.
 */
export const VERBS = {
  rollback: verb({
    summary: 'Roll back: undo everything that ran, or everything down to a step',
    description:
      'Running commands are cancelled, and steps are undone last first. With `to` only that ' +
      'step and the steps that need it are undone, and the task is then on hold.',
    schema: 'Rollback',
    reader: rollbackReader,
    wish: ({ to }) => ({ kind: 'rollback_requested', to }),
    problems: NAMES_STEP,
  }),
  terminate: verb({
    summary: 'Stop the task for good, without undoing',
    description:
      'Running commands are cancelled, and nothing more is undone. The task is final ' +
      'afterwards.',
    schema: 'Reason',
    reader: reasonReader,
    wish: () => ({ kind: 'terminate_requested' }),
  }),
  retry: verb({
    summary: 'Retry what failed, on hold or after a failed rollback',
    description:
      'A step on hold, or a rollback that failed, gets new attempts. Parameters that are sent ' +
      'along are merged, and recorded with the values that they replace.',
    schema: 'Retry',
    reader: retryReader,
    wish: ({ children, parameters }) => {
      return { kind: 'retry_requested', children, parameters };
    },
    problems: [...NAMES_STEP, ...KEEPS_SECRETS],
  }),
  skip: verb({
    summary: 'Count a step as done, or as undone by hand',
    description:
      'Use it for a step that was done, or undone, by hand. The task goes on from there, and ' +
      'the journal has the reason.',
    schema: 'Skip',
    reader: skipReader,
    wish: ({ output, step }) => ({ kind: 'skip_requested', step, output }),
    problems: [...NAMES_STEP, ...KEEPS_SECRETS],
  }),
  complete: verb({
    summary: 'Report by right how a step ended that completes from outside',
    description: 'It is a part of the route by which a token reports. It needs a reason.',
    schema: null,
    reader: orderCompletionReader,
    wish: ({ step, ...result }) => ({ kind: 'complete_ordered', step, result: resultOf(result) }),
  }),
  pause: verb({
    summary: 'Start no further step, in either direction; running steps end',
    description:
      'Commands that run may end, and their results count. The task waits until a person ' +
      'resumes, rolls back or terminates it.',
    schema: 'Reason',
    reader: reasonReader,
    wish: () => ({ kind: 'pause_requested' }),
  }),
  resume: verb({
    summary: 'Resume a paused task',
    description:
      'The task goes on where it was, in the direction that it had. The reason is kept in the ' +
      'journal.',
    schema: 'Reason',
    reader: reasonReader,
    wish: () => ({ kind: 'resume_requested' }),
  }),
  reset: verb({
    summary: 'Undo a step and the steps that need it, then run them again',
    description:
      'The step `to` and the steps that need it are undone, last first. Then the task goes ' +
      'forward from there with new runs.',
    schema: 'Reset',
    reader: resetReader,
    wish: ({ children, parameters, to }) => {
      return { kind: 'reset_requested', to, children, parameters };
    },
    problems: [...NAMES_STEP, ...KEEPS_SECRETS],
  }),
  undo: verb({
    summary: 'Undo a task that succeeded',
    description:
      'The task goes back as if it had failed at its very end. Only a task that succeeded can ' +
      'be undone.',
    schema: 'Reason',
    reader: reasonReader,
    wish: () => ({ kind: 'undo_requested' }),
  }),
  signal: verb({
    summary: 'Send a signal to a task, for a step that waits for it now or later',
    description:
      'A step that waits for a signal of this name takes it as its output. One that comes ' +
      'early is kept until a step waits for it, and each `key` is delivered once.',
    schema: 'Signal',
    reader: signalReader,
    reasonIn: ({ name }) => name,
    wish: ({ key, name, payload = {} }) => {
      return { kind: 'signal_received', name, payload, ...(key !== undefined && { key }) };
    },
    problems: ['SIGNALS_FULL'],
  }),
  approve: verb({
    summary: 'Approve a step that waits for an approval',
    description:
      'The step succeeds with the answer as its output, and the task goes on. A rule may ' +
      'demand a certain role, or a person other than the starter.',
    ...JUDGES,
    wish: ({ step }) => ({ kind: 'judged', step, isApproved: true }),
  }),
  reject: verb({
    summary: 'Reject a step that waits for an approval',
    description:
      'The step fails with the code `REJECTED`, as the flow has it for a failure. The comment ' +
      'is kept as the reason.',
    ...JUDGES,
    wish: ({ step }) => ({ kind: 'judged', step, isApproved: false }),
  }),
} as const satisfies Readonly<Record<string, VerbEntry>>;

/** A person's action on a task that is there. */
export type Verb = keyof typeof VERBS;

/** Every action, in order. */
export const VERB_NAMES = Object.keys(VERBS) as readonly Verb[];

/** Whether the action may be one on many tasks, which may have to wait for a second person. */
export function isForMany(verb: Verb): boolean {
  return OPERATION_ACTIONS.some((action) => action === verb);
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
  if (event.kind === 'signal_received') expectSize(event.payload, maxParameters, 'payload');
  const output = outputIn(event);
  if (output !== null) expectSize(output, maxParameters, 'output');
}

/** The output that an action gives a step; null: none. */
export function outputIn(event: PersonsEvent): JsonObject | null {
  if (event.kind === 'skip_requested') return event.output ?? null;
  if (event.kind !== 'complete_ordered' || !('output' in event.result)) return null;
  return event.result.output;
}
