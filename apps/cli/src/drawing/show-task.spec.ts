import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { run } from '../run-cli-spec.js';
import { eventText, json, StubServer, taskReport } from '../stub-server-spec.js';

const ID = '01a200b2-70b8-7cc9-a2a4-6a6d6b2ab5f1';

/** The first look is at the task; the next ones are at how far its attempt is. */
const LOOKS = 4;

let server: StubServer;
beforeEach(async () => {
  server = await StubServer.start();
});
afterEach(() => server.stop());

/** A running task that says how far it is, which no event tells. */
function halfway(percent: number): object {
  const task = taskReport('running');
  const progress = {
    state: 'copying',
    percent,
    message: 'table 17',
    at: '2026-01-31T08:00:00.000Z',
  };
  return { ...task, steps: task.steps.map((step) => ({ ...step, progress })) };
}

it('a task that is watched on a terminal shows how far its attempts are', async () => {
  let looks = 0;
  let end = (): void => {};
  server.answer = ({ headers, path }, response) => {
    if (path.includes('/events')) {
      if (headers.accept !== 'text/event-stream') return json(response, { items: [] });
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': here\n\n');
      end = () => response.end(eventText(1, 'task_succeeded'));
    } else {
      looks += 1;
      // The answers to the looks before have been drawn by now.
      if (looks === LOOKS) end();
      json(response, looks < LOOKS ? halfway(10 * looks) : taskReport('succeeded', 2));
    }
  };
  const { code, stdout } = await run(['task', 'watch', ID, '--url', server.url], { isTTY: true });
  expect(code).toBe(0);
  for (const percent of [10, 20, 30]) expect(stdout).toContain(`copying, ${percent} % table 17`);
});
