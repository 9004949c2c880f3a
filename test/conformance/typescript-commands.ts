import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { JsonObject } from '#core';
import type { Attempt, Handler, Outcome } from '#worker';
import type { JournalLine } from './client-journal.js';

const FOLDER = process.env['CONFORMANCE_DIR'] ?? '.';
const JOURNAL = path.join(FOLDER, 'journal.jsonl');
const LOOK_MS = 50;

/** The parameters of all commands: each has those that it needs. */
interface Parameters {
  readonly after: string;
  readonly bytes: number;
  readonly code?: string;
  readonly cpu: number;
  readonly failures: number;
  readonly gate: string;
  readonly kind: string;
  readonly lines: readonly string[];
  readonly memory?: number;
  readonly message: string;
  readonly ms: number;
  readonly output: JsonObject;
  readonly password: string;
  readonly percent: number;
  readonly state: string;
  readonly timeout: string;
  readonly times: number;
}

type Command = (parameters: Parameters, attempt: Attempt) => Promise<Outcome>;

const done = (output?: JsonObject): Outcome =>
  output === undefined ? { kind: 'complete' } : { kind: 'complete', output };

const TABLE: Readonly<Record<string, Command>> = {
  give: async ({ output }) => done(output),
  declared: async ({ output }) => done(output),
  undo: async () => done(),
  async fail({ after, code, kind, message }) {
    if (kind === 'other') throw new Error(message);
    return { kind: 'fail', message, retryable: kind === 'retryable', ...extra(code, after) };
  },
  async flaky({ after, failures }, { item }) {
    if (item.attempt > failures) return done({ attempt: item.attempt });
    return { kind: 'fail', message: 'not yet', retryable: true, ...extra(undefined, after) };
  },
  async again({ after, times }, { item }) {
    const calls = starts(item.idempotencyKey);
    return calls > times ? done({ calls }) : { kind: 'again', afterMs: msOf(after) };
  },
  async later({ timeout }, attempt) {
    write('token', attempt, { completionToken: attempt.item.completionToken });
    return { kind: 'later', timeoutMs: msOf(timeout) };
  },
  async slow({ ms }, attempt) {
    await delay(ms, undefined, { signal: attempt.signal });
    return done({ ms });
  },
  wait: async ({ gate }, attempt) => untilGate(gate, attempt),
  async deaf({ gate }) {
    while (!existsSync(path.join(FOLDER, gate))) await delay(LOOK_MS);
    return done({ gate });
  },
  async crash({ times }, { item }) {
    if (starts(item.idempotencyKey) <= times) process.kill(process.pid, 'SIGKILL');
    return done({ starts: starts(item.idempotencyKey) });
  },
  typed: async ({ cpu, memory = 4 }) => done({ cpu, memory }),
  async say({ lines }, attempt) {
    for (const line of lines) attempt.say(line);
    return done();
  },
  async progress({ gate, message, percent, state }, attempt) {
    attempt.report({ percent, message, state });
    return untilGate(gate, attempt);
  },
  secret: async () => done({ user: 'admin', password: 'correct-horse-battery' }),
  async use_secret({ password }, attempt) {
    attempt.say(`the password is ${password}`);
    return done({ length: password.length });
  },
  bulk: async ({ bytes }) => done({ text: 'x'.repeat(bytes) }),
  results: async (_, { item }) => done({ results: item.results, labels: item.labels }),
};

/** The names of the commands. */
export const COMMANDS = Object.keys(TABLE);

/** Carries out one of the commands of the cases. */
export const handle: Handler = async (attempt) => {
  const { command, forward, parameters } = attempt.item;
  const known = parameters as unknown as Parameters;
  if (command === 'typed' && !Number.isInteger(known.cpu)) {
    const message = 'cpu is a whole number';
    return { kind: 'fail', retryable: false, code: 'INVALID_PARAMETERS', message };
  }
  write('started', attempt);
  if (command === 'undo') {
    const { output = null, state } = forward ?? {};
    write('undone', attempt, { forwardState: state, forwardOutput: output });
    return done();
  }
  try {
    return await TABLE[command]!(known, attempt);
  } finally {
    if (attempt.stopped === undefined || command === 'deaf') write('ended', attempt);
  }
};

async function untilGate(gate: string, attempt: Attempt): Promise<Outcome> {
  while (!existsSync(path.join(FOLDER, gate))) {
    if (attempt.stopped !== undefined) {
      write('cancelled', attempt, { reason: attempt.stopped.reason });
      throw attempt.stopped;
    }
    await delay(LOOK_MS);
  }
  return done({ gate });
}

function write(event: string, { item }: Attempt, more: object = {}): void {
  const { attempt, command, direction, fencingToken, idempotencyKey, run, step, taskId } = item;
  const forwardKey = direction === 'rollback' ? item.forwardKey : null;
  const line = {
    event,
    command,
    taskId,
    step,
    run,
    direction,
    attempt,
    idempotencyKey,
    forwardKey,
  };
  appendFileSync(JOURNAL, `${JSON.stringify({ ...line, fencingToken, ...more })}\n`);
}

/** How often the action was started, this time included. */
function starts(key: string): number {
  const lines = readFileSync(JOURNAL, 'utf8').trim().split('\n');
  return lines
    .map((line) => JSON.parse(line) as JournalLine)
    .filter(({ event, idempotencyKey }) => event === 'started' && idempotencyKey === key).length;
}

function extra(code: string | undefined, after: string | undefined): object {
  return {
    ...(code !== undefined && { code }),
    ...(after !== undefined && { afterMs: msOf(after) }),
  };
}

function msOf(text: string): number {
  const [, number, unit] = /^(\d+)(ms|s|m)$/.exec(text) ?? [];
  return Number(number) * (unit === 'm' ? 60_000 : unit === 's' ? 1_000 : 1);
}
