import { type KeyOrder, makeKey } from '#access';
import type { Role } from '#ports';
import { settle } from '#testing';
import type { Gateway } from '../gateway-spec.js';

/**
 * The code of a refusal; `done`: there was none; `waits`: for a second person; `nothing`: no task
 * was found.
 */
type Outcome = string;

/** An action on a task as a request writes it. */
interface Asked {
  readonly verb: string;
  readonly body: object;
}

/** A caller in tests of what callers may do, by the keys of a gateway. */
export class CallersOf {
  private readonly keys = new Map<string, Record<string, string>>();

  constructor(private readonly gateway: Gateway) {}

  /** The header of a key, which is made where there is none of its name. */
  async as(order: KeyOrder): Promise<Record<string, string>> {
    const known = this.keys.get(order.name);
    if (known !== undefined) return known;
    const { clock, store } = this.gateway.world;
    const secret = { id: `${this.keys.size}`.padStart(16, '0'), secret: 's'.repeat(43) };
    const { record, text } = makeKey(order, secret, clock.now());
    await store.keys.put(record, null);
    const header = { authorization: `Bearer ${text}` };
    this.keys.set(order.name, header);
    return header;
  }

  /** The header of a key that is called as its role. */
  role(role: Role): Promise<Record<string, string>> {
    return this.as({ name: role, role });
  }
}

/** The outcome of an action by a request of its own. */
export async function alone(
  gateway: Gateway,
  { body, verb }: Asked,
  { headers, taskId }: { readonly headers: Record<string, string>; readonly taskId: string },
): Promise<Outcome> {
  const url = `/v1/tasks/${taskId}:${verb}`;
  const answer = await gateway.post(url, { reason: 'why', ...body }, headers);
  await settle();
  if (answer.statusCode === 202) return 'waits';
  return answer.statusCode < 300 ? 'done' : (answer.json() as { code: string }).code;
}

/** The outcome of the same in an operation on all tasks with a label. */
export async function inBulk(
  gateway: Gateway,
  { body, verb }: Asked,
  how: { readonly headers: Record<string, string>; readonly q: string; readonly dryRun?: boolean },
): Promise<Outcome> {
  const { dryRun = false, headers, q } = how;
  const order = { action: verb, q, reason: 'why', dryRun, ...body };
  const answer = await gateway.post('/v1/operations', order, headers);
  if (answer.statusCode !== 202) return (answer.json() as { code: string }).code;
  const { operationId } = answer.json() as { operationId: string };
  return endOf(gateway, operationId, headers);
}

/** The outcome of the one task of an operation. */
async function endOf(
  gateway: Gateway,
  operationId: string,
  headers: Record<string, string>,
): Promise<Outcome> {
  const url = `/v1/operations/${operationId}`;
  for (let n = 0; n < 100; n += 1) {
    const answer = await gateway.ask({ url, headers });
    const { counts, endedAt, matched, status } = answer.json() as {
      readonly counts: Record<string, number>;
      readonly matched: number;
      readonly endedAt: string | null;
      readonly status: string;
    };
    if (status === 'waiting') return 'waits';
    if (endedAt !== null && matched === 0) return 'nothing';
    if (endedAt !== null) return Object.keys(counts)[0] ?? 'done';
    await gateway.world.clock.advance(1_000);
  }
  throw new Error('the operation does not end');
}
