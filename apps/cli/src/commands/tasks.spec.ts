import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EXIT } from '../exit.js';
import type { Session } from '../session.js';
import { run } from '../run-cli-spec.js';
import { json, problem, StubServer, taskReport } from '../stub-server-spec.js';

const ID = '01a200b2-70b8-7cc9-a2a4-6a6d6b2ab5f1';
const OTHER = '01a200b2-70b8-7cc9-a2a4-6a6d6b2ab5f2';
let server: StubServer;

beforeEach(async () => {
  server = await StubServer.start();
});

afterEach(() => server.stop());

const ask = (...argv: string[]) => run([...argv, '--url', server.url]);
const task = (taskId: string) => ({ ...taskReport('succeeded'), taskId });

/** Answers lists with these tasks, and anything else with the first of them. */
function answerWith(ids: readonly string[], nextCursor: string | null = null): void {
  server.answer = ({ path }, response) => {
    if (path === '/v1/flows') return json(response, { items: [{ name: 'vm' }] });
    if (path.endsWith('/events')) return json(response, { items: [] });
    const items = ids.map(task);
    json(response, path.includes('?') ? { items, page: { nextCursor } } : items[0]);
  };
}

type Answering = StubServer['answer'];

/** Answers lists by the beginning of an id with these tasks, and all else as before. */
function answeringPrefixes(ids: readonly string[], before: Answering): Answering {
  return (request, response) => {
    if (!request.path.includes('idPrefix')) return before(request, response);
    json(response, { items: ids.map(task), page: { nextCursor: null } });
  };
}

describe('task list', () => {
  it('says how to get more where there are more, unless somebody said how many', async () => {
    answerWith([ID], 'next');
    const { stderr } = await ask('task', 'list', '--limit', '1');
    expect(stderr).toBe('');
    let left = 50;
    server.answer = (_request, response) => {
      left -= 1;
      json(response, { items: [task(ID)], page: { nextCursor: 'next' } });
    };
    expect((await ask('task', 'list')).stderr).toBe(
      'These are the newest 50. There are more: --all, or --limit <number>.\n',
    );
    expect(left).toBe(0);
    answerWith([ID]);
    expect((await ask('task', 'list')).stderr).toBe('');
  });

  it.each([
    [['task', 'list'], 30_000],
    [['task', 'list', '--all'], undefined],
    [['operation', 'list', '--all'], undefined],
    [['audit', 'list', '--all'], undefined],
    [['audit', 'verify'], undefined],
  ])('takes as long as it takes where all is asked for: %j', async (argv, wanted) => {
    server.answer = (_request, response) =>
      json(response, { items: [], page: { nextCursor: null } });
    const limits: (number | undefined)[] = [];
    const onSession = (session: Session): void => {
      session.limit = (ms) => void limits.push(ms);
    };
    await run([...argv, '--url', server.url], { onSession });
    expect(limits.slice(0, 1)).toEqual([wanted]);
  });

  it('asks for times as they are written', async () => {
    answerWith([ID]);
    await ask('task', 'list', '--created-after', '2026-01-31', '--created-before', '1800000000');
    const { searchParams } = new URL(server.seen[0]!.path, server.url);
    expect(searchParams.get('createdAfter')).toBe('2026-01-31');
    expect(searchParams.get('createdBefore')).toBe('1800000000');
  });

  it('of no task of a flow says which flow may be meant', async () => {
    answerWith([]);
    const { code, stderr } = await ask('task', 'list', '--flow', 'vmm');
    expect(code).toBe(EXIT.done);
    expect(stderr).toBe('No task matches.\nThere is no flow vmm. Did you mean vm?\n');
    expect((await ask('task', 'list', '--flow', 'vm')).stderr).toBe('No task matches.\n');
  });
});

describe('the beginning of an id', () => {
  it.each([
    [['get'], `/v1/tasks/${ID}`],
    [['why'], `/v1/tasks/${ID}/why`],
    [['plan'], `/v1/tasks/${ID}/rollback-plan`],
    [['draw'], `/v1/tasks/${ID}`],
    [['provenance'], `/v1/tasks/${ID}/provenance`],
    [['events'], `/v1/tasks/${ID}/events`],
    [['watch'], `/v1/tasks/${ID}`],
    [['rollback', '--reason', 'x'], `/v1/tasks/${ID}:rollback`],
    [['children'], `/v1/tasks?parent=${ID}&limit=50`],
  ])('is enough for task %j', async ([verb = '', ...more], path) => {
    answerWith([ID]);
    await ask('task', verb, '01A200b2', ...more);
    expect(server.seen.slice(0, 2).map((seen) => seen.path)).toEqual([
      '/v1/tasks?idPrefix=01a200b2&limit=11',
      path,
    ]);
  });

  it.each([
    [EXIT.notFound, 'TASK_NOT_FOUND'],
    [EXIT.done, 'No child task of it was found.'],
  ])('of a task without child tasks ends with %d', async (code, words) => {
    server.answer = ({ path }, response) => {
      if (path.includes('?')) return json(response, { items: [], page: { nextCursor: null } });
      if (code === EXIT.done) return json(response, taskReport('running'));
      problem(response, { status: 404, code: words });
    };
    const found = await ask('task', 'children', ID);
    expect(found).toMatchObject({ code, stderr: expect.stringContaining(words) });
    expect(found.stdout === '').toBe(code === EXIT.notFound);
    expect((await ask('task', 'list', '--parent', ID)).code).toBe(EXIT.done);
  });

  it('of several tasks is refused with their ids', async () => {
    answerWith([ID, OTHER]);
    const { code, stderr } = await ask('task', 'terminate', '01a200b2', '--reason', 'x');
    expect(code).toBe(EXIT.usage);
    expect(stderr).toBe(
      `error: several tasks have ids that begin with 01a200b2: write more of it
  ${ID}  sample  succeeded
  ${OTHER}  sample  succeeded
`,
    );
    expect(server.seen).toHaveLength(1);
  });

  it('is not looked for where it is a whole id, too short, or no id at all', async () => {
    answerWith([ID]);
    for (const written of [ID, 'ab5f1', 'x-01a200b2']) {
      await ask('task', 'why', written);
      expect(server.seen.pop()!.path).toBe(`/v1/tasks/${written}/why`);
    }
    expect(server.seen).toEqual([]);
  });
});

describe('the end of an id', () => {
  const TOLD = `error: several tasks have ids that end with 6d6b2a: write more of it`;

  it.each(['2ab5f1', '…2AB5F1', '...6a6d6b2ab5f1'])('is enough: %s', async (written) => {
    answerWith([OTHER, ID]);
    server.answer = answeringPrefixes([], server.answer);
    await ask('task', 'why', written);
    expect(server.seen.at(-1)!.path).toBe(`/v1/tasks/${ID}/why`);
  });

  it('of several tasks is refused with their ids', async () => {
    const ids = ['01a200b2-70b8-7cc9-a2a4-6a6d6d6b2a', '01a300b2-70b8-7cc9-a2a4-6a6d6d6b2a'];
    answerWith(ids);
    const { code, stderr } = await ask('task', 'terminate', '6d6b2a', '--reason', 'x');
    expect(code).toBe(EXIT.usage);
    expect(stderr).toBe([TOLD, ...ids.map((id) => `  ${id}  sample  succeeded`), ''].join('\n'));
    expect(server.seen).toHaveLength(1);
  });

  it('that no task has is no task', async () => {
    answerWith([ID, OTHER]);
    await ask('task', 'why', 'ffffff');
    expect(server.seen.at(-1)!.path).toBe('/v1/tasks/ffffff/why');
  });
});

describe('task get', () => {
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
});

beforeEach(async () => {
  server = await StubServer.start();
});

afterEach(() => server.stop());

const remove = (...argv: string[]) => run(['task', 'delete', ...argv, '--url', server.url]);

it('deletes the task that a part of its id names, with the reason and the revision', async () => {
  server.answer = ({ method }, response) => {
    if (method === 'DELETE') response.writeHead(204).end();
    else json(response, { items: [{ taskId: ID }], page: { nextCursor: null } });
  };
  const guards = ['--reason', 'für\nticket 4711', '--if-match', '9', '--idempotency-key', 'k'];
  const { code, stderr } = await remove('01a200b2', ...guards);
  expect([code, stderr]).toEqual([EXIT.done, `${ID} is gone.\n`]);
  const reason = Buffer.from('für ticket 4711').toString('latin1');
  expect(server.seen.at(-1)).toMatchObject({
    method: 'DELETE',
    path: `/v1/tasks/${ID}`,
    headers: { 'if-match': '"9"', 'idempotency-key': '"k"', 'x-backstep-reason': reason },
  });
});

it('gives up in time also while it looks for the task', async () => {
  server.answer = () => undefined;
  const { code } = await remove('01a200b2', '--timeout', '100ms');
  expect(code).toBe(EXIT.timeOver);
}, 10_000);

it('says why a task must stay', async () => {
  server.answer = ({ method }, response) => {
    if (method === 'DELETE') problem(response, { status: 409, code: 'ILLEGAL_ACTION' });
    else json(response, { items: [], page: { nextCursor: null } });
  };
  const { code, stderr } = await remove(ID);
  expect(code).toBe(EXIT.conflict);
  expect(stderr).toContain('ILLEGAL_ACTION');
});

beforeAll(async () => {
  server = await StubServer.start();
});

afterAll(() => server.stop());

/** The lines that `task why` says about a cause with these remedies. */
async function saidOf(next: readonly object[], evidence: object = {}): Promise<string> {
  const cause = { code: 'CHILD_STUCK', message: 'It is stuck.', since: null, evidence, next };
  const told = { moving: false, standsStill: true, causes: [cause], isCut: false, estimate: null };
  server.answer = (_request, response) => json(response, told);
  const { stderr } = await run(['task', 'why', 'own', '--url', server.url]);
  return stderr;
}

describe('task why', () => {
  it.each([
    ['retry', {}, 'task retry own --reason "..."'],
    ['skip', { step: 'a b' }, `task skip own --step 'a b' --reason "..."`],
    ['skip', { step: 'pay', taskId: 'child' }, 'task skip child --step pay --reason "..."'],
    ['rollback', { to: 'pay' }, 'task rollback own --to pay --reason "..."'],
    ['approve', { step: 'ask', taskId: 'child' }, 'task approve child --step ask --comment "..."'],
    ['complete', { step: 'x#1/y' }, `task complete own 'x#1/y' --reason "..."`],
    ['children', {}, 'task children own'],
    ['locks', {}, 'lock list'],
    ['why', { taskId: 'holder' }, 'task why holder'],
    ['check_broker', {}, 'doctor'],
  ])('gives a command to paste for %s %j', async (action, more, command) => {
    const said = await saidOf([{ action, label: 'Do it', ...more }]);
    expect(said).toContain(`  ${action}: Do it\n`);
    expect(said).toContain(` ${command} --url`);
  });

  it('names the signal that a child task waits for', async () => {
    const cause = { evidence: { signal: 'go on' } };
    const said = await saidOf([{ action: 'signal', label: 'Send it', taskId: 'child' }], { cause });
    expect(said).toContain(`task signal child 'go on'`);
  });
});
