import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { json, StubServer, taskReport } from '../stub-server-spec.js';
import { BackstepClient } from './backstep-client.js';
import { followUntilStill } from './stillness.js';
import type { ExplanationReport } from './types.js';

const STILL_MS = 5;

const explained = (taskId: string, more: Partial<ExplanationReport> = {}): ExplanationReport => {
  const cause = { since: null, evidence: { taskId }, next: [] };
  const causes = [{ code: 'CHILD_STUCK', message: `${taskId} is stuck`, ...cause }];
  return { moving: false, standsStill: false, causes, isCut: false, estimate: null, ...more };
};

let server: StubServer;
let told: ExplanationReport[];
let ended: AbortController;

beforeAll(async () => {
  server = await StubServer.start();
});
afterAll(() => server.stop());
beforeEach(() => {
  told = [];
  ended = new AbortController();
});

/** Answers like a gateway of a task that runs, and `why` with one of these after the other. */
function answerWith(...explanations: readonly ExplanationReport[]): void {
  let n = 0;
  server.answer = ({ path }, response) => {
    if (path.endsWith('/why')) {
      json(response, explanations[Math.min(n, explanations.length - 1)]);
      n += 1;
    } else if (path.endsWith('/events')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
    } else json(response, taskReport('running'));
  };
}

function follow() {
  const { signal } = ended;
  const caller = { program: 'backstep', actor: 'a person', token: undefined };
  const client = new BackstepClient({ url: server.url, signal, ...caller });
  const onStill = (one: ExplanationReport): void => void told.push(one);
  return followUntilStill(client, 'a', { onStill, stillMs: STILL_MS });
}

describe('a task that is followed', () => {
  it('ends once the child tasks that it waits for stand still, and says why', async () => {
    answerWith(explained('x', { moving: true }), explained('x', { standsStill: true }));
    const { explained: last, sight } = await follow();
    expect(sight.task.status).toBe('running');
    expect(last?.standsStill).toBe(true);
    expect(told).toHaveLength(1);
  });

  it('ends as well where the task has moved since, and no event tells of that', async () => {
    answerWith(explained('x', { standsStill: true }));
    const { answer } = server;
    let looks = 0;
    server.answer = (request, response) => {
      if (/\/(why|events)$/.test(request.path)) return answer(request, response);
      json(response, taskReport('running', (looks += 1) === 1 ? 1 : 2));
    };
    const { explained: last, sight } = await follow();
    expect([last?.standsStill, sight.task.revision]).toEqual([true, 2]);
  });

  it('says once why it does not move, and again when that changes', async () => {
    const again = explained('y', { standsStill: true });
    answerWith(explained('x'), explained('x'), explained('x'), explained('y'), again);
    await follow();
    expect(told.map(({ causes }) => causes[0]?.message)).toEqual(['x is stuck', 'y is stuck']);
  });

  it('is no standstill where it has ended, and the follower has not heard of that', async () => {
    let asked = 0;
    const isOver = (): boolean => asked > 0;
    server.answer = ({ path }, response) => {
      if (path.endsWith('/why')) {
        asked += 1;
        json(response, explained('x', { standsStill: true }));
        if (asked === 3) stream?.end();
      } else if (path.endsWith('/events')) {
        if (isOver()) return json(response, { items: [] });
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.flushHeaders();
        stream = response;
      } else {
        json(response, isOver() ? taskReport('succeeded', 2) : taskReport('running'));
      }
    };
    let stream: ServerResponse | undefined;
    const followed = await follow();
    expect(followed.sight.task.status).toBe('succeeded');
    expect(followed.explained).toBeUndefined();
    expect(told).toEqual([]);
  });

  const [cause] = explained('x').causes as [ExplanationReport['causes'][0]];
  const asking = [{ ...cause, code: 'WAITS_FOR_APPROVAL' }];

  it.each([
    ['to come', explained('x')],
    ['of a person', explained('x', { standsStill: true, causes: asking })],
  ])('goes on while it waits for what is expected %s', async (_, explanation) => {
    let asked = 0;
    answerWith(explanation);
    const { answer } = server;
    server.answer = (request, response) => {
      if (request.path.endsWith('/why') && (asked += 1) === 3) ended.abort(new Error('enough'));
      answer(request, response);
    };
    await expect(follow()).rejects.toThrow('enough');
  });
});
