import { expect, it } from '@jest/globals';
import { run } from '../run-cli-spec.js';
import { json, StubServer, taskReport } from '../stub-server-spec.js';

it('a reset names the step, and sends parameters and child tasks that are written', async () => {
  const server = await StubServer.start();
  server.answer = (_request, response) => json(response, taskReport('rolling_back'));
  const ask = (...argv: string[]) => run([...argv, '-o', 'json', '--url', server.url]);
  const given = ['--to', 'init', '--reason', 'wrong'];
  await ask('task', 'reset', 'a', 'memory=16', ...given, '-i', '{"cpu":4}');
  await ask('task', 'reset', 'a', ...given);
  await ask('task', 'reset', 'a', ...given, '--children', 'failed');
  await ask('task', 'reset', 'a', ...given, '--children', 'task-7');
  await server.stop();
  const asked = server.seen.filter(({ method }) => method === 'POST');
  expect(new Set(asked.map(({ path }) => path))).toEqual(new Set(['/v1/tasks/a:reset']));
  expect(asked.map(({ body }) => JSON.parse(body) as object)).toEqual([
    { reason: 'wrong', to: 'init', parameters: { cpu: 4, memory: 16 } },
    { reason: 'wrong', to: 'init' },
    { reason: 'wrong', to: 'init', children: 'failed' },
    { reason: 'wrong', to: 'init', children: { id: 'task-7' } },
  ]);
});

it('a retry says which child tasks are begun anew: a word, or the id of one', async () => {
  const server = await StubServer.start();
  server.answer = (_request, response) => json(response, taskReport('running'));
  for (const children of [[], ['--children', 'all'], ['--children', 'task-7']]) {
    const ask = ['task', 'retry', 'a', '--reason', 'mended', ...children];
    await run([...ask, '-o', 'json', '--url', server.url]);
  }
  await server.stop();
  const asked = server.seen.filter(({ method }) => method === 'POST');
  expect(asked.map(({ body }) => JSON.parse(body) as object)).toEqual([
    { reason: 'mended' },
    { reason: 'mended', children: 'all' },
    { reason: 'mended', children: { id: 'task-7' } },
  ]);
});

it('a signal says what it says as key=value, over a JSON object', async () => {
  const server = await StubServer.start();
  server.answer = (_request, response) => json(response, taskReport('running'));
  const ask = (...argv: string[]) => run([...argv, '-o', 'json', '--url', server.url]);
  await ask('task', 'signal', 'a', 'go', 'host=b', 'slots=2', '--payload', '{"host":"a","x":1}');
  await ask('task', 'signal', 'a', 'go');
  await server.stop();
  const asked = server.seen.filter(({ method }) => method === 'POST');
  expect(asked.map(({ body }) => JSON.parse(body) as object)).toEqual([
    { name: 'go', payload: { host: 'b', x: 1, slots: 2 } },
    { name: 'go' },
  ]);
});

it('a task on hold behind a point of no return says how far it may go back', async () => {
  const server = await StubServer.start();
  const hold = { by: 'flow', reason: 'step ship failed', until: null };
  const report = { ...taskReport('on_hold'), hold, lastError: null };
  const task = { ...report, steps: report.steps.map((step) => ({ ...step, state: 'succeeded' })) };
  const obstacle = 'rollback would go back past step pay, which is a point of no return';
  const plan = { items: [], pivot: 'pay', leftOver: [], obstacle, to: 'pack', isCut: false };
  let told: object = plan;
  server.answer = ({ path }, response) => {
    if (path.endsWith('/rollback-plan')) return json(response, told);
    return json(response, path.includes('/events') ? { items: [] } : task);
  };
  const ask = (...args: string[]) => run(['task', ...args, '--url', server.url]);
  const held = await ask('watch', 'a');
  const planned = await ask('plan', 'a');
  told = { ...plan, to: null };
  const stuck = await ask('watch', 'a');
  await server.stop();
  expect(held.stderr).toContain('task rollback task-1 --to pack --reason "..."');
  expect(held.stderr).toContain('(pay is a point of no return: not past it.)');
  expect(planned.stderr).toContain(`not go back all the way: ${obstacle}. With --to pack it goes`);
  expect(stuck.stderr).toContain('(pay is a point of no return: not past it.)');
  expect(stuck.stderr).not.toContain('task rollback');
});

it('a plan of the way back is whole as JSON, and its list of undos line by line', async () => {
  const server = await StubServer.start();
  const undo = { step: 'a', id: 'a', module: 'm', command: 'undo', parameters: {}, served: true };
  const left = [{ step: 'b', id: 'b' }];
  const way = { pivot: null, obstacle: null, to: null };
  const plan = { items: [undo], leftOver: left, ...way, isCut: false };
  server.answer = (_request, response) => json(response, plan);
  const ask = (output: string) => run(['task', 'plan', 'a', '-o', output, '--url', server.url]);
  const whole = await ask('json');
  const lines = await ask('jsonl');
  await server.stop();
  expect(JSON.parse(whole.stdout)).toEqual(plan);
  expect(JSON.parse(lines.stdout)).toEqual(undo);
});

it('how long is left stands below a plan and the reasons, where the gateway says it', async () => {
  const server = await StubServer.start();
  const estimate = { message: 'It takes about 3 s.' };
  const plan = { items: [], pivot: null, leftOver: [], obstacle: null, isCut: false, estimate };
  const why = { moving: true, causes: [], isCut: false, estimate };
  const ask = (verb: string) => run(['task', verb, 'a', '--url', server.url]);
  server.answer = ({ path }, response) => json(response, path.endsWith('/why') ? why : plan);
  const told = [await ask('plan'), await ask('why')];
  server.answer = (_request, response) => json(response, { ...why, estimate: null });
  const none = await ask('why');
  await server.stop();
  for (const { stderr } of told) expect(stderr).toContain('It takes about 3 s.\n');
  expect(none.stderr).not.toContain('It takes');
});

it('a preview lists what starts and what is undone, and says what becomes of the task', async () => {
  const server = await StubServer.start();
  const place = { taskId: 'a', step: 'b', id: 'b' };
  const preview = {
    action: 'reset',
    status: { before: 'running', after: 'rolling_back' },
    calledOff: [place],
    starts: [
      { ...place, id: 'x', direction: 'normal', module: 'm', command: 'go' },
      { ...place, direction: 'rollback', module: 'm', command: 'undo' },
    ],
    undoes: [{ ...place, module: 'm', command: 'undo', parameters: {}, served: true }],
    leftOver: [{ ...place, id: 'c' }],
    obstacle: null,
    isCut: false,
    estimate: null,
  };
  let asked = '';
  server.answer = ({ path }, response) => {
    asked = path;
    return json(response, preview);
  };
  const { stderr, stdout } = await run([
    'task',
    'preview',
    'a',
    'reset',
    '--to',
    'b c',
    '--url',
    server.url,
  ]);
  await server.stop();
  expect(asked).toBe('/v1/tasks/a/preview?action=reset&to=b+c');
  expect(stdout.split('\n').map((line) => line.split(/ +/))).toEqual([
    ['STEP', 'WHAT', 'COMMAND'],
    ['x', 'start', 'm.go'],
    ['b', 'undo', 'm.undo'],
    [''],
  ]);
  expect(stderr).toContain('The task is running, and would be rolling_back.\n');
  expect(stderr).toContain('Told to stop: b.\n');
  expect(stderr).toContain('It stays as it is, what these did: c.\n');
});

it('a task without child tasks is not said to be missing', async () => {
  const server = await StubServer.start();
  server.answer = (_request, response) => json(response, { items: [], page: { nextCursor: null } });
  const { stderr } = await run(['task', 'children', 'a', '--url', server.url]);
  await server.stop();
  expect(stderr).toBe('No child task of it was found.\n');
});
