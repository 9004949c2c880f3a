import { describe, expect, it } from '@jest/globals';
import { SystemClock } from '#machine';
import { ManualClock, settle } from '#testing';
import type { KubeApi } from './kube-api.js';
import { followLog } from './pod-log.js';

const NEVER = new AbortController().signal;

/** Answers each request for the log with the next of these texts; null: nothing comes, for ever. */
function logOf(...answers: readonly (string | null)[]) {
  const left = [...answers];
  const lines: string[] = [];
  const asked: string[] = [];
  const open: KubeApi['open'] = ({ path }) => {
    asked.push(path);
    const text = left.shift() ?? null;
    return Promise.resolve(new Response(text === null ? new ReadableStream() : text));
  };
  const follow = (clock: SystemClock | ManualClock): Promise<boolean> => {
    const hasEnded = (): boolean => left.length <= 1;
    const source = { api: { open } as KubeApi, clock, pod: 'p', container: 'main', hasEnded };
    return followLog(source, ({ at, text }) => lines.push(`${at} ${text}`), NEVER);
  };
  return { asked, follow, lines };
}

describe('the log of a container', () => {
  it('has the time of its lines, whatever the time zone of its node', async () => {
    const { follow, lines } = logOf('2026-01-01T09:00:00.5+09:00 {"a": 1}\n');
    expect(await follow(new SystemClock())).toBe(true);
    expect(lines).toEqual(['2026-01-01T00:00:00.500000000Z {"a": 1}']);
  });

  it('has lines of one time, and those after the clock of their node was set back', async () => {
    const [first, second] = ['2026-01-01T00:00:01.000000000Z', '2026-01-01T00:00:00.000000000Z'];
    const { follow, lines } = logOf(`${first} a\n${first} b\n${second} c\n`);
    await follow(new SystemClock());
    expect(lines).toEqual([`${first} a`, `${first} b`, `${second} c`]);
  });

  it('has a line as a whole that broke off in between', async () => {
    const at = (second: number): string => `2026-01-01T00:00:0${second}.000000000Z`;
    const { asked, follow, lines } = logOf(
      `${at(1)} a\n${at(2)} {"b": `,
      `${at(1)} a\n${at(2)} {"b": 2}`,
    );
    expect(await follow(new SystemClock())).toBe(true);
    expect(lines).toEqual([`${at(1)} a`, `${at(2)} {"b": 2}`]);
    expect(asked[1]).toContain(encodeURIComponent(at(1)));
  });

  it('is asked for again where its connection may be dead', async () => {
    const clock = new ManualClock();
    const { follow } = logOf(null, '');
    let isRead: boolean | undefined;
    void follow(clock).then((read) => (isRead = read));
    for (let minutes = 0; minutes < 6; minutes += 1) {
      await settle();
      await clock.advance(60_000);
    }
    await settle();
    expect(isRead).toBe(true);
  });
});
