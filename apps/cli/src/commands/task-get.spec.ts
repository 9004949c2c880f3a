import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EXIT } from '../exit.js';
import { run } from '../run-cli-spec.js';
import { json, StubServer, taskReport } from '../stub-server-spec.js';

let server: StubServer;
beforeEach(async () => {
  server = await StubServer.start();
});
afterEach(() => server.stop());

const get = (...argv: string[]) => run(['task', 'get', 'task-1', ...argv, '--url', server.url]);

function answerWith(task: object): void {
  server.answer = ({ path }, response) => {
    json(response, path.endsWith('/events') ? { items: [] } : task);
  };
}

describe('task get', () => {
  it('shows what a task is of, when it was, and which steps never ran', async () => {
    const report = taskReport('rolled_back');
    const [first] = report.steps;
    const never = { ...first!, name: 'later', id: 'later', state: 'pending', needs: ['only'] };
    const input = { name: 'a\u001b[2Jb', password: '***', size: { cpu: 2 } };
    const labels = { team: 'payments', env: 'test' };
    const steps = [first, { ...never, timeStart: null, attempts: 0 }];
    answerWith({ ...report, flowVersion: 3, input, labels, steps });
    const { code, stdout } = await get();
    expect(code).toBe(EXIT.done);
    expect(stdout).toBe(`\
sample  ↩ rolled back  task-1

  version     3
  created     2023-11-14T22:13:20Z
  started     2023-11-14T22:13:20Z
  ended       2023-11-14T22:13:21Z
  labels      team=payments env=test
  parameters  name=a?[2Jb password=*** size={"cpu":2}

  ✗ failed   only   lab.sleep
  · not run  later  lab.sleep

↩ rolled back in 1.0 s: step only failed
`);
  });

  it('leaves out what a task does not have, and keeps to the width of the screen', async () => {
    const parameters = { text: 'x'.repeat(1_000) };
    answerWith({ ...taskReport('running'), timeStart: null, input: parameters });
    const { stdout } = await get();
    expect(stdout).not.toContain('started');
    expect(stdout).not.toContain('ended');
    expect(stdout).not.toContain('labels');
    const wide = Math.max(...stdout.split('\n').map((line) => line.length));
    expect(wide).toBe(400);
    const onScreen = await run(['task', 'get', 'task-1', '--url', server.url], { isTTY: true });
    expect(onScreen.stdout).toMatch(/ {2}parameters {2}text=x{60,}…\n/);
  });
});
