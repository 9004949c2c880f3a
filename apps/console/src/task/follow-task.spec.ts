import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Refused } from '../api/exchange.js';
import type { Task } from '../api/shapes.js';
import { Follower, refusalToSay } from './follow-task.js';
import { task as taskWith } from './task-spec.js';

const EVENT = 'data: {"seq":1,"at":"2026-01-01T00:00:00.000Z","kind":"task_on_hold"}\n\n';

function openStream(text: string): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode(text)) });
}

function refused(code: string): Refused {
  const about = { type: 'about:blank', title: 'No', detail: 'It may not.', instance: '/x' };
  return new Refused({ ...about, status: 404, code });
}

describe('a page that follows a task', () => {
  let looks: number;
  let page: AbortController;

  /** A stream that tells of one change and goes on; the look at the task that follows fails. */
  const answer = async (address: unknown): Promise<Response> => {
    if (String(address).endsWith('/events')) return new Response(openStream(EVENT));
    looks += 1;
    if (looks === 2) return new Response('', { status: 503 });
    const isHeld = looks > 1;
    return Response.json(taskWith(isHeld ? 'on_hold' : 'running', [], { revision: looks }));
  };

  beforeEach(() => {
    looks = 0;
    page = new AbortController();
    const document = {
      visibilityState: 'visible',
      addEventListener() {},
      removeEventListener() {},
    };
    Object.assign(globalThis, { document, localStorage: { getItem: () => null } });
    jest.spyOn(globalThis, 'fetch').mockImplementation(answer);
  });
  afterEach(() => {
    page.abort();
    jest.spyOn(globalThis, 'fetch').mockRestore();
    Reflect.deleteProperty(globalThis, 'document');
    Reflect.deleteProperty(globalThis, 'localStorage');
  });

  it('reads again what it could not read when a change was told', async () => {
    const held = new Promise<Task>((resolve) => {
      const follower = new Follower('t', page.signal, (change) => {
        const { task } = change({ task: null, events: [], isAway: false, refusal: null });
        if (task?.status === 'on_hold') resolve(task);
      });
      void follower.run();
    });
    expect((await held).revision).toBe(3);
  });
});

describe('the refusal that a page says', () => {
  const shown = taskWith('running', []);

  it.each([
    // A session that is over, and a task that was removed while it was shown.
    { code: 'UNAUTHENTICATED', task: shown, isSaid: true },
    { code: 'TASK_NOT_FOUND', task: shown, isSaid: true },
    { code: 'FORBIDDEN', task: null, isSaid: true },
    // The heading says so.
    { code: 'TASK_NOT_FOUND', task: null, isSaid: false },
  ])('is that of $code: $isSaid', ({ code, isSaid, task }) => {
    expect(refusalToSay({ refusal: refused(code), task }) !== null).toBe(isSaid);
  });
});
