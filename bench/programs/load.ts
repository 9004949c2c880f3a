/** Load over HTTP, in a process of its own. */
import autocannon, { type Options, type Outcome } from 'autocannon';
import { serve } from '../serve.js';

/** A load of HTTP requests: their targets, their concurrency and their duration. */
export interface Load {
  readonly url: string;
  readonly connections: number;
  readonly ms: number;
  /** This number of requests, however long they take. */
  readonly amount?: number | undefined;
  /** Paths that are asked for in turns. */
  readonly paths: readonly string[];
  /** Sent as JSON: then it is a POST. */
  readonly body?: unknown;
  /** Whether bad answers just do not count. */
  readonly mayFail?: boolean;
}

/** Answers per second, all of them good ones. */
export interface Loaded {
  readonly perSecond: number;
  readonly answers: number;
}

/** Its clock ticks by samples, and a few requests are over within one. */
const SAMPLE_MS = 10;

serve({ load: carryOut, stop: () => undefined });

async function carryOut({
  amount,
  body,
  connections,
  mayFail,
  ms,
  paths,
  url,
}: Load): Promise<Loaded> {
  const options: Options = {
    url,
    connections,
    ...(amount === undefined ? { duration: ms / 1_000 } : { amount, sampleInt: SAMPLE_MS }),
    requests: [requestOf(paths, body)],
  };
  const outcome: Outcome = await autocannon(options);
  const bad = outcome.errors + outcome.non2xx;
  if (bad > 0 && mayFail !== true) {
    const statuses = JSON.stringify(outcome.statusCodeStats);
    throw new Error(`${bad} requests of ${paths[0]} came to nothing: ${statuses}`);
  }
  const answers = outcome['2xx'];
  return { perSecond: answers / outcome.duration, answers };
}

function requestOf(paths: readonly string[], body: unknown): NonNullable<Options['requests']>[0] {
  if (body !== undefined) {
    return {
      method: 'POST',
      path: paths[0]!,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
  }
  if (paths.length === 1) return { method: 'GET', path: paths[0]! };
  let turn = 0;
  return {
    method: 'GET',
    setupRequest: (request) => {
      turn += 1;
      return { ...request, path: paths[turn % paths.length]! };
    },
  };
}
