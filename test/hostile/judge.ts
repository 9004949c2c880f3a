import assert from 'node:assert/strict';
import { membersOf, type Reply, type Sent } from './exchange.js';
import type { Reproduction } from './reproduction.js';
import type { Stand } from './stand.js';

/** The answer that a request must get. */
export interface Wanted {
  /** Any of 400 to 499 where absent. */
  readonly status?: number | readonly number[];
  readonly code?: string;
  /** On a quiet machine, in milliseconds. */
  readonly withinMs?: number;
}

/** Sends a request and holds the answer against what is wanted. Resolves to the answer. */
export async function expectAnswer(stand: Stand, sent: Sent, wanted: Wanted): Promise<Reply> {
  const reply = await stand.send(sent);
  judge(stand, reply, wanted);
  return reply;
}

/** Throws unless an answer is as wanted. */
export function judge(stand: Stand, reply: Reply, { code, status, withinMs }: Wanted): void {
  const said = `${reply.status} ${reply.text.slice(0, 300)}`;
  if (status === undefined) assert.ok(isRefusal(reply), said);
  else
    assert.ok([status].flat().includes(reply.status), `${String(status)} was due, it is ${said}`);
  if (code !== undefined) assert.equal(membersOf(reply)['code'], code, said);
  if (withinMs === undefined) return;
  const { ms } = reply;
  assert.ok(ms <= stand.within(withinMs), `${reply.status} after ${Math.round(ms)} ms`);
}

/** Whether the client was told that it is its own mistake. */
export function isRefusal({ status }: Reply): boolean {
  return status >= 400 && status < 500;
}

/** The reproduction of one request that must be answered so. */
export function request(
  { rule, sends }: Pick<Reproduction, 'rule' | 'sends'>,
  sent: Sent | (() => Sent),
  wanted: Wanted,
): Reproduction {
  const play = async (stand: Stand): Promise<void> => {
    await expectAnswer(stand, typeof sent === 'function' ? sent() : sent, wanted);
  };
  return { rule, sends, play };
}
