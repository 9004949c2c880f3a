import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { withinLimit } from '#machine';
import type { Clock } from '#ports';
import { type ReadLine, readLines } from '../worker/line-reader.js';
import { OUTPUT_BYTES_MAX } from '../worker/program-output.js';
import type { KubeApi } from './kube-api.js';

/** The wait before a log is asked for again that broke off. */
const AGAIN_MS = 1_000;
/** How long one answer is followed, so that a dead connection is found. */
const FOLLOW_MS = 300_000;
/** How often a cluster is asked that answers, and cannot give the log of an ended container. */
const REFUSALS_MAX = 60;

/** The time before a line, as its node has it: to the second, parts of that, and the zone. */
const STAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d) /;

/** A line of a container, and when it was written: RFC 3339 in UTC, to the nanosecond. */
export interface LogLine extends ReadLine {
  readonly at: string;
}

/** The log of a container. */
interface LogSource {
  readonly api: KubeApi;
  readonly clock: Clock;
  /** Path of the pod, without the first slash. */
  readonly pod: string;
  readonly container: string;
  /** Whether the container has ended: then the end of its log is the end. */
  readonly hasEnded: () => boolean;
}

/**
 * Follows the log of a container to its end, over broken connections. Resolves to whether it was
 * read to its end; false: the cluster does not have it. Rejects with the reason of the signal.
 */
export async function followLog(
  source: LogSource,
  take: (line: LogLine) => void,
  signal: AbortSignal,
): Promise<boolean> {
  let last = '';
  for (let refusals = 0; refusals < REFUSALS_MAX;) {
    const hadEnded = source.hasEnded();
    // The cluster begins with the second of the last line: what was read of that comes again.
    let isRepeated = last !== '';
    const takeNew = (line: LogLine): void => {
      isRepeated &&= line.at <= last;
      // The way to a container that runs may break off within a line, which is then read again.
      if (isRepeated || (line.isOpen === true && !hadEnded)) return;
      last = line.at || last;
      take(line);
    };
    const status = await readOnce(source, { signal, since: last }, takeNew);
    signal.throwIfAborted();
    if (status === 200 && hadEnded) return true;
    if (status === 404 && hadEnded) return false;
    if (hadEnded && status !== null) refusals += 1;
    await source.clock.sleep(AGAIN_MS, signal);
  }
  return false;
}

/** The status of the answer; null: it broke off, or there was none. */
async function readOnce(
  { api, clock, container, pod }: LogSource,
  { signal, since }: { readonly signal: AbortSignal; readonly since: string },
  take: (line: LogLine) => void,
): Promise<number | null> {
  const query = new URLSearchParams({ container, follow: 'true', timestamps: 'true' });
  if (since !== '') query.set('sinceTime', since);
  const request = { method: 'GET', path: `${pod}/log?${query.toString()}` } as const;
  const read = async (limited: AbortSignal): Promise<number> => {
    const answer = await api.open(request, limited);
    if (answer.status !== 200) return answer.status;
    const stream = Readable.fromWeb(answer.body as ReadableStream);
    await readLines(stream, OUTPUT_BYTES_MAX, (line) => take(stamped(line)));
    return answer.status;
  };
  return withinLimit(read, { clock, ms: FOLLOW_MS, signal }).catch(() => null);
}

function stamped(line: ReadLine): LogLine {
  const [stamp = '', second, part = '', zone] = STAMP.exec(line.text) ?? [];
  const time = Date.parse(`${second}${zone}`);
  if (Number.isNaN(time)) return { ...line, at: '' };
  const utc = new Date(time).toISOString().slice(0, -'.000Z'.length);
  return { ...line, text: line.text.slice(stamp.length), at: `${utc}.${part.padEnd(9, '0')}Z` };
}
