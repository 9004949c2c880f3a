import { withinLimit } from '#machine';
import type { Clock } from '#ports';

const ANSWER_MS = 5_000;
const BYTES_MAX = 1024 * 1024;

/**
 * The JSON at an address. Rejects where there is none, or no whole answer within 5 s. Redirects are
 * not followed, and an answer of more than 1 MiB is not read.
 */
export function readJson(url: string, clock: Pick<Clock, 'after'>): Promise<unknown> {
  return withinLimit(
    async (signal) => {
      const headers = { accept: 'application/json' };
      const response = await fetch(url, { headers, redirect: 'error', signal });
      if (!response.ok) throw new Error(`the answer has status ${response.status}`);
      return JSON.parse(await textOf(response)) as unknown;
    },
    { clock, ms: ANSWER_MS },
  );
}

async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > BYTES_MAX) throw new Error(`the answer has more than ${BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
