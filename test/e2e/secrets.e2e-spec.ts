import path from 'node:path';
import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { describeInBrowser } from '../browser/index.js';
import { untilTask } from '../ledger/index.js';
import { Api, type TaskView } from '../load/index.js';
import { describeWith } from '../servers/describe-with.js';
import { SECRET_FLOWS } from '../secrets/flows.js';
import { placesOf } from '../secrets/places.js';
import { Screen } from '../secrets/screen.js';
import { ENTRY, KEPT, Site } from '../secrets/site.js';
import { ISSUED, proofOf } from '../secrets/vault.executor.js';
import { type AppProcess, DEPLOYMENTS } from '../stack/index.js';
import { waitUntil } from '../servers/wait-until.js';
import { planStandalone, SECRET_KEY } from '../stack/index.js';
import { Trial, WAITS, writeFlows } from '../trial/index.js';

jest.setTimeout(240_000);

/** Distinct, and each with characters that are written in another way in JSON and addresses. */
const PASSWORD = 'correct "horse" \\ battery/staple=Ü1';
const NEW_PASSWORD = 'new "donkey" \\ battery/staple=Ü2';
const WRONG_PASSWORD = 'wrong-but-nobodys-business-3';
const USERS_PASSWORD = 'pass-of-ann-8812-wq';
const ACCOUNT_KEY = 'account-key-in-an-object-55';
const SENT = [PASSWORD, NEW_PASSWORD, WRONG_PASSWORD, USERS_PASSWORD, ACCOUNT_KEY];
const ALL = [...SENT, ISSUED, ...Object.values(KEPT)];

const PARAMETERS = {
  password: PASSWORD,
  users: [{ name: 'ann', pass: USERS_PASSWORD }],
  account: { nested: { key: ACCOUNT_KEY } },
};

/** The same by reference. */
const REFERENCES = {
  password: { $secret: 'file:password' },
  users: [{ name: 'bob', pass: { $secret: 'file:pass-of-bob' } }],
};

/** Of an operator who has begun again. */
const OTHER_KEY = Buffer.alloc(32, 'another key of a test').toString('base64');

const EXPORT = ['archive', 'export', '--query', 'status:succeeded', '--out'];

/** Everything else that can be read over HTTP, and on the command line. */
const READ = [
  ...['/v1/tasks', '/v1/tasks?full=true', '/v1/tasks?q=text:secret', '/v1/tasks:count?by=status'],
  ...['/v1/flows', '/v1/flows/secret-all', '/v1/flows/secret-all/versions', '/v1/commands'],
  '/v1/flows/secret-all/versions/1/source',
  ...['/v1/schedules', '/v1/schedules/nightly?next=3', '/v1/schedules/nightly/why'],
  ...['/v1/notifications', '/v1/notifications/people', '/v1/notifications/people/deliveries'],
  ...['/v1/operations', '/v1/executors', '/v1/locks', '/v1/audit', '/metrics', '/openapi.json'],
];
const SAID = [
  'task list',
  'task count',
  'flow list',
  'flow get secret-all',
  'flow get secret-all --source',
  'flow versions secret-all',
  'flow draw secret-all',
  'schedule get nightly',
  'schedule list',
  'schedule why nightly',
  'notification get people',
  'notification list',
  'notification deliveries people',
  'operation list',
  'executor list',
  'audit list',
];

/** Pages of the console, and what each shows when it has been answered. */
const PAGES = {
  '': 'secret-door',
  '/tasks': 'secret-all',
  '/flows': 'secret-all',
  '/flows/secret-all': 'Hands secrets on',
  '/flows/secret-all/edit': 'secret-all',
  '/inbox': 'secret-door',
  '/executors': 'vault',
  '/operations': 'restart',
  '/audit': ':retry',
  '/schedules': 'nightly',
  '/notifications': 'people',
};

/** Kinds of places that hold something of tasks with secrets, and so could hold a secret. */
const PLACES = [
  /^answer of /,
  /^output of task /,
  /^stream \/v1\/events/,
  /^stream \/v1\/tasks\//,
  /^message /,
  /^export \d+ of spans/,
  /\.gz$/,
  /\.log$/,
];

/** As far as there is a browser to look with. */
const SCREENS = [/^screen \//, /^screen asked /];

const REASON = { reason: 'a person wants it' };

interface Receipt {
  readonly taskId: string;
}

describe('a process and its key for secrets', () => {
  const trial = new Trial('secret-keys');
  let flows = '';

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      flows = await writeFlows(trial.folder, SECRET_FLOWS);
    }),
  );
  afterAll(() => trial.close());

  async function startWith(name: string, secretKey?: string): Promise<AppProcess> {
    const { folder } = trial;
    const key = secretKey === undefined ? {} : { secretKey };
    const settings = { flows, ...key, ...WAITS.outlastFaults };
    const process = await planStandalone({ folder, settings, name, entry: ENTRY });
    trial.use({ stop: () => process.kill() });
    await process.start();
    return process;
  }

  trial.it('does not start without one where its commands give secrets', async () => {
    const start = startWith('keyless');
    await expect(start).rejects.toThrow('VaultExecutor.issue gives secrets');
  });

  trial.it('leaves a task alone of which it lacks the key, until it is given it', async () => {
    const before = await startWith('before', SECRET_KEY);
    const parameters = { password: WRONG_PASSWORD, good: proofOf(WRONG_PASSWORD) };
    const api = new Api(before.url);
    const held = await api.create('secret-door', { ...parameters, good: 'nothing' });
    await untilTask(api, held, ({ status }) => status === 'on_hold');
    await before.kill();

    const without = await startWith('without', OTHER_KEY);
    const retried = new Api(without.url);
    const edit = { ...REASON, parameters: { good: parameters.good } };
    expect((await retried.act(held, 'retry', edit)).status).toBe(200);
    const said = async (): Promise<void> => expect(without.log).toContain('secret_key_missing');
    await waitUntil(said, { what: 'it says that the key is missing', deadlineMs: 60_000 });
    expect((await retried.task(held)).steps[0]).toMatchObject({ state: 'queued' });
    await without.kill();

    const both = await startWith('both', `${OTHER_KEY},${SECRET_KEY}`);
    const task = await untilTask(new Api(both.url), held);
    expect(task).toMatchObject({ status: 'succeeded', parameters: { password: '***' } });
  });
});

describe.each(DEPLOYMENTS)('$kind', ({ kind, servers }) => {
  describeWith(`secrets in a ${kind} Backstep`, { servers, own: true }, () => {
    const site = new Site(kind);

    beforeAll(
      site.trial.guard(async () => {
        await site.open();
        await site.follow('/v1/events');
      }),
    );
    afterAll(() => site.trial.close());

    async function start(flow: string, parameters: object): Promise<TaskView> {
      const body = { flow, parameters };
      const { taskId } = await site.see<Receipt>('/v1/tasks', { body, status: 201 });
      return untilTask(site.api, taskId);
    }

    site.trial.it(
      'come in clear to commands, whichever way they went, and to these alone',
      async () => {
        const task = await start('secret-all', PARAMETERS);
        expect(task.status).toBe('succeeded');
        expect(task.parameters).toMatchObject({ password: '***', account: '***', token: '***' });
        expect(task.parameters).toMatchObject({ users: [{ name: 'ann', pass: '***' }] });
        expect(task.parameters['greeting']).toBe('logged in with ***!');
        expect(task).toMatchObject({ output: { handed: '***' } });
        expect(task.parameters['loginProof']).toBe(proofOf(PASSWORD));
        expect(task.parameters['useProof']).toBe(proofOf(ISSUED));
        const proofs = await site.proofs(task.taskId);
        const [token, pass] = [proofOf(ISSUED), proofOf(USERS_PASSWORD)];
        expect(proofs.find(({ step }) => step === 'use')?.proofs).toEqual({
          password: proofOf(PASSWORD),
          token,
          pass,
          results: token,
        });
        const child = task.steps.find(({ name }) => name === 'child')?.output?.['taskId'];
        const [ofChild] = await site.proofs(String(child));
        expect(ofChild?.proofs).toMatchObject({ password: proofOf(PASSWORD), token });
        await site.lookBackAt(task);
        await site.lookBackAt(await site.api.task(String(child)));
      },
    );

    site.trial.it('come in clear to the rollbacks, and are in no error', async () => {
      const task = await start('secret-all', { ...PARAMETERS, isBad: true });
      expect(task.status).toBe('rolled_back');
      expect(task.taskMessage).toContain('cannot log in as root with ***, "***"');
      const back = (await site.proofs(task.taskId)).filter((each) => each.direction === 'rollback');
      expect(back.map(({ step }) => step)).toEqual(['use', 'issue', 'login']);
      expect(back[1]?.proofs).toMatchObject({
        password: proofOf(PASSWORD),
        output: proofOf(ISSUED),
      });
      await site.lookBackAt(task);
      await site.people.untilArrived(task.taskId, 1);
    });

    site.trial.it('can be changed by a person, who sees neither the old nor the new', async () => {
      const parameters = { password: WRONG_PASSWORD, good: proofOf(NEW_PASSWORD) };
      const order = { body: { flow: 'secret-door', parameters }, status: 201 };
      const { taskId } = await site.see<Receipt>('/v1/tasks', order);
      const stream = await site.follow(`/v1/tasks/${taskId}/events`);
      await untilTask(site.api, taskId, ({ status }) => status === 'on_hold');
      await stream.until('wrong password: ***');
      await site.lookAt(taskId);
      await site.people.untilArrived(taskId, 1);
      const path = `/v1/tasks/${taskId}:retry`;
      const mask = { ...REASON, parameters: { password: '***' } };
      const masked = await site.ask<{ errors: object[] }>(path, { body: mask });
      expect(masked.status).toBe(422);
      expect(masked.body.errors).toMatchObject([{ pointer: '/parameters/password' }]);
      const edit = { ...REASON, parameters: { password: NEW_PASSWORD } };
      await site.see(path, { body: edit });
      const task = await untilTask(site.api, taskId);
      expect(task.status).toBe('succeeded');
      await stream.end;
      await site.lookBackAt(task);
      const restart = { body: edit, status: 201 };
      const again = await site.see<Receipt>(`/v1/tasks/${taskId}:restart`, restart);
      expect((await untilTask(site.api, again.taskId)).status).toBe('succeeded');
    });

    site.trial.it('go on to a task that is made anew', async () => {
      const { taskId } = await start('secret-all', PARAMETERS);
      const order = { body: REASON, status: 201 };
      const again = await site.see<Receipt>(`/v1/tasks/${taskId}:restart`, order);
      const task = await untilTask(site.api, again.taskId);
      expect(task.status).toBe('succeeded');
      expect(task.parameters['loginProof']).toBe(proofOf(PASSWORD));
    });

    site.trial.it('come by reference to commands, whichever way they went', async () => {
      const task = await start('secret-all', REFERENCES);
      expect(task.status).toBe('succeeded');
      expect(task.parameters).toMatchObject(REFERENCES);
      expect(task.parameters['greeting']).toBe('logged in with ***!');
      const [password, pass] = [proofOf(KEPT.password), proofOf(KEPT['pass-of-bob'])];
      expect(task.parameters['loginProof']).toBe(password);
      const proofs = await site.proofs(task.taskId);
      expect(proofs.find(({ step }) => step === 'use')?.proofs).toMatchObject({ password, pass });
      const child = task.steps.find(({ name }) => name === 'child')?.output?.['taskId'];
      const [ofChild] = await site.proofs(String(child));
      expect(ofChild?.proofs).toMatchObject({ password });
      await site.lookBackAt(task);
      await site.lookBackAt(await site.api.task(String(child)));
      const order = { body: REASON, status: 201 };
      const again = await site.see<Receipt>(`/v1/tasks/${task.taskId}:restart`, order);
      expect((await untilTask(site.api, again.taskId)).parameters['loginProof']).toBe(password);
    });

    site.trial.it('come by reference to the rollbacks, and are in no error', async () => {
      const task = await start('secret-all', { ...REFERENCES, isBad: true });
      expect(task.status).toBe('rolled_back');
      expect(task.taskMessage).toContain('cannot log in as root with ***, "***"');
      const back = (await site.proofs(task.taskId)).filter((each) => each.direction === 'rollback');
      expect(back[0]?.proofs).toMatchObject({ password: proofOf(KEPT.password) });
      await site.lookBackAt(task);
    });

    site.trial.it('come by reference to no module that may not have them', async () => {
      const refusals = { 'not-for-all': 'SECRET_NOT_ALLOWED', 'pass-missing': 'SECRET_NOT_FOUND' };
      for (const [name, code] of Object.entries(refusals)) {
        const task = await start('secret-all', { password: { $secret: `file:${name}` } });
        expect(task).toMatchObject({ status: 'rolled_back', lastError: { step: 'login', code } });
        expect(task.taskMessage).toContain(`file:${name}`);
        expect(await site.proofs(task.taskId)).toEqual([]);
        await site.lookBackAt(task);
      }
    });

    site.trial.it('are told from others under one key', async () => {
      const request = { flow: 'secret-all', parameters: PARAMETERS, idempotencyKey: 'secret-1' };
      const first = await site.ask<Receipt>('/v1/tasks', { body: request });
      const again = await site.ask<Receipt>('/v1/tasks', { body: request });
      expect([first.status, again.status]).toEqual([201, 200]);
      expect(again.body.taskId).toBe(first.body.taskId);
      const other = { ...request, parameters: { ...PARAMETERS, password: NEW_PASSWORD } };
      const refused = await site.ask<{ code: string }>('/v1/tasks', { body: other });
      expect(refused.body.code).toBe('IDEMPOTENCY_KEY_REUSED');
      await untilTask(site.api, first.body.taskId);
    });

    site.trial.it('are kept by schedules and operations as they are by tasks', async () => {
      const body = { flow: 'secret-all', parameters: PARAMETERS, every: '12h' };
      const put = { method: 'PUT', body };
      const path = '/v1/schedules/nightly';
      const stored = await site.see(path, { ...put, status: 201 });
      expect(stored).toMatchObject({ parameters: { password: '***' } });
      expect((await site.see<{ generation: number }>(path, put)).generation).toBe(1);
      const made = await site.see<Receipt>(`${path}:trigger`, { body: {}, status: 201 });
      const task = await untilTask(site.api, made.taskId);
      expect(task.parameters['loginProof']).toBe(proofOf(PASSWORD));
      const q = 'flow:secret-door status:succeeded';
      const parameters = { password: NEW_PASSWORD };
      const operation = await site.see<{ operationId: string; details: object }>('/v1/operations', {
        body: { action: 'restart', q, ...REASON, parameters },
        status: 202,
      });
      expect(operation.details).toEqual({ parameters: { password: '***' } });
      const own = `/v1/operations/${operation.operationId}`;
      const isOver = async (): Promise<void> => {
        const found = await site.see(own);
        expect(found).toMatchObject({ status: 'finished', done: 2, refused: 0, failed: 0 });
      };
      await waitUntil(isOver, { what: 'the operation ends', deadlineMs: 60_000 });
      await site.cli(['operation', 'get', operation.operationId]);
    });

    site.trial.it(
      'are in no error of a command that refuses them, or of an expression',
      async () => {
        const misfit = await start('secret-misfit', { password: PASSWORD });
        expect(misfit.taskMessage).toContain('password');
        const made = await start('secret-made-of', { password: PASSWORD });
        expect(made.taskMessage).toContain('an expression may pass a secret on');
        await site.lookBackAt(misfit);
        await site.lookBackAt(made);
      },
    );

    site.trial.it('are not in what a request is told that sends a wrong one', async () => {
      const request = { flow: 'secret-all', parameters: { ...PARAMETERS, password: 'short-0' } };
      const refused = await site.ask('/v1/tasks', { body: request });
      expect(refused.status).toBe(422);
      expect(JSON.stringify(refused.body)).not.toContain('short-0');
      const sealed = 'bks-sealed:v1.00000000.AAAA';
      const forged = { flow: 'secret-all', parameters: { password: sealed } };
      expect((await site.ask('/v1/tasks', { body: forged })).status).toBe(422);
    });

    site.trial.it('are not in messages to people, nor in the spans of a trace', async () => {
      const task = await start('secret-all', { ...PARAMETERS, isBad: true });
      const { taskId } = task;
      const [message] = await site.people.untilArrived(taskId, 1);
      expect(message?.body.message).toContain('cannot log in as root with ***');
      await site.tracing.until(taskId, ({ name }) => name === 'process vault.refuse');
      await site.tracing.until(taskId, ({ name }) => name.startsWith('end '));
    });

    describeInBrowser('on the screen of a person', () => {
      site.trial.it('are on no page of the console, nor in what it asked for', async () => {
        const held = await site.api.create('secret-door', { password: WRONG_PASSWORD, good: '-' });
        await untilTask(site.api, held, ({ status }) => status === 'on_hold');
        const back = await start('secret-all', { ...PARAMETERS, isBad: true });
        const screen = await Screen.open(site);
        for (const taskId of [held, back.taskId]) await screen.lookAtTask(taskId);
        for (const [path, shown] of Object.entries(PAGES)) await screen.look(path, shown);
        const found = await site.all();
        const marked = placesOf(['secret-all', '***'], found);
        for (const kind of SCREENS) expect(marked.some((place) => kind.test(place))).toBe(true);
      });
    });

    site.trial.it('are found nowhere afterwards, byte by byte', async () => {
      for (const path of READ) await site.see(path);
      for (const line of SAID) await site.cli(line.split(' '));
      const plan = { body: { parameters: PARAMETERS } };
      await site.see('/v1/flows/secret-all:plan', plan);
      for (const { url } of site.processes) {
        const metrics = await (await fetch(`${url}/metrics`)).text();
        site.keep(`metrics of ${url}`, metrics);
      }
      await site.cli([...EXPORT, path.join(site.trial.folder, 'exported')]);
      const found = await site.all();
      // Every kind of place is there, and the search does find in each what is no secret.
      const marked = placesOf(['secret-all', 'secret-door', '***'], found);
      const isEmpty = (kind: RegExp): boolean => !marked.some((place) => kind.test(place));
      expect(PLACES.filter(isEmpty)).toEqual([]);
      expect(placesOf(ALL, found)).toEqual([]);
    });
  });
});
