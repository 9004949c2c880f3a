import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { CliChild } from '../cli/cli-child.js';
import { untilTask } from '../ledger/index.js';
import { type Answer, Api, type TaskView } from '../load/index.js';
import { describeWith } from '../servers/describe-with.js';
import { SECRET_FLOWS } from '../secrets/flows.js';
import { documentsIn, filesIn, type Found, placesOf } from '../secrets/places.js';
import { ISSUED, type Proof, proofOf, PROOFS } from '../secrets/vault.executor.js';
import { type AppProcess, type DeploymentKind, DEPLOYMENTS } from '../stack/index.js';
import { waitUntil } from '../servers/wait-until.js';
import { planStandalone, REPOSITORY, SECRET_KEY, Stack } from '../stack/index.js';
import { Trial, WAITS, writeFlows } from '../trial/index.js';

jest.setTimeout(240_000);

/** Distinct, and each with characters that are written in another way in JSON and addresses. */
const PASSWORD = 'correct "horse" \\ battery/staple=Ü1';
const NEW_PASSWORD = 'new "donkey" \\ battery/staple=Ü2';
const WRONG_PASSWORD = 'wrong-but-nobodys-business-3';
const USERS_PASSWORD = 'pass-of-ann-8812-wq';
const ACCOUNT_KEY = 'account-key-in-an-object-55';
const ALL = [PASSWORD, NEW_PASSWORD, WRONG_PASSWORD, USERS_PASSWORD, ACCOUNT_KEY, ISSUED];

const PARAMETERS = {
  password: PASSWORD,
  users: [{ name: 'ann', pass: USERS_PASSWORD }],
  account: { nested: { key: ACCOUNT_KEY } },
};

/** Of an operator who has begun anew. */
const OTHER_KEY = Buffer.alloc(32, 'another key of a test').toString('base64');

const EXPORT = ['archive', 'export', '--query', 'status:succeeded', '--out'];

const REASON = { reason: 'a person wants it' };

/** A Backstep with a module that takes and gives secrets; all that goes over its lines is kept. */
class Site {
  readonly trial: Trial;
  readonly answers: Found[] = [];
  readonly #wire: Buffer[] = [];
  url = '';
  processes: readonly AppProcess[] = [];
  #mongo: string | undefined;

  constructor(private readonly kind: DeploymentKind) {
    this.trial = new Trial(`secrets-${kind}`);
  }

  get api(): Api {
    return new Api(this.url);
  }

  async open(): Promise<void> {
    await this.trial.open();
    const { folder } = this.trial;
    const flows = await writeFlows(folder, SECRET_FLOWS);
    const settings = { flows, secretKey: SECRET_KEY, log: 'debug', ...WAITS.outlastFaults };
    const entry = path.join(REPOSITORY, 'dist/test/secrets/program.js');
    if (this.kind === 'standalone') {
      const process = await planStandalone({ folder, settings, entry });
      this.trial.use({ stop: () => process.kill() });
      await process.start();
      this.url = process.url;
      this.processes = [process];
      return;
    }
    const proxied = { proxied: true };
    const stack = this.trial.use(await Stack.start({ folder, settings, entry, ...proxied }));
    this.url = stack.url;
    this.processes = stack.processes;
    this.#mongo = new URL('/backstep', stack.servers.mongo.url).href;
    for (const line of [stack.lines.mongo, stack.lines.rabbitmq]) {
      line.on('arrival', ({ chunk }) => this.#wire.push(chunk));
    }
  }

  /** Asks, and keeps the answer to be looked through. */
  async ask<T>(
    path: string,
    body?: unknown,
    { method, headers = {} }: { method?: string; headers?: Record<string, string> } = {},
  ): Promise<Answer<T>> {
    const answer = await this.api.ask<T>({
      path,
      headers,
      withinMs: 60_000,
      ...(method !== undefined && { method }),
      ...(body !== undefined && { body }),
    });
    this.answers.push({ place: `answer of ${path}`, content: contentOf(answer.body) });
    return answer;
  }

  /** A command of the command line, of which all that it prints is kept. */
  async cli(...argv: readonly string[]): Promise<void> {
    const { stderr, stdout } = await new CliChild([...argv, '--url', this.url], {
      cwd: this.trial.folder,
    }).end;
    const place = `output of ${argv.slice(0, 3).join(' ')}`;
    this.answers.push({ place, content: Buffer.from(stdout + stderr) });
  }

  /** Fingerprints of the secrets that commands were given. */
  async proofs(taskId: string): Promise<readonly Proof[]> {
    const text = await readFile(path.join(this.trial.folder, PROOFS), 'utf8');
    const lines = text.trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as Proof).filter((each) => each.taskId === taskId);
  }

  /** Everything that was stored, sent, written or answered so far. */
  async all(): Promise<readonly Found[]> {
    const files = await filesIn(this.trial.folder);
    const archives = files
      .filter(({ place }) => place.endsWith('.gz'))
      .map(({ content, place }) => ({ place, content: gunzipSync(content) }));
    const documents = this.#mongo === undefined ? [] : await documentsIn(this.#mongo);
    const wire = { place: 'the lines to the servers', content: Buffer.concat(this.#wire) };
    const mine = files.filter(({ place }) => !place.endsWith('of-the-test.json'));
    return [...mine, ...archives, ...documents, wire, ...this.answers];
  }
}

function contentOf(body: unknown): Buffer {
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

interface Receipt {
  readonly taskId: string;
}

describe('a process and its key for secrets', () => {
  const trial = new Trial('secret-keys');
  const entry = path.join(REPOSITORY, 'dist/test/secrets/program.js');
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
    const process = await planStandalone({ folder, settings, name, entry });
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

    beforeAll(site.trial.guard(() => site.open()));
    afterAll(() => site.trial.close());

    async function start(flow: string, parameters: object): Promise<TaskView> {
      const { body } = await site.ask<Receipt>('/v1/tasks', { flow, parameters });
      return untilTask(site.api, body.taskId);
    }

    /** Looks at a task in every way there is. */
    async function lookAt(taskId: string): Promise<void> {
      const own = `/v1/tasks/${taskId}`;
      for (const view of ['', '/events', '/provenance', '/rollback-plan', '/why']) {
        await site.ask(`${own}${view}`);
      }
      const headers = { accept: 'text/event-stream' };
      await site.ask(`${own}/events`, undefined, { headers });
      await site.cli('task', 'show', taskId);
      await site.cli('task', 'show', taskId, '-o', 'json');
      await site.cli('task', 'events', taskId);
      await site.cli('task', 'draw', taskId, '-o', 'mermaid');
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
        await lookAt(task.taskId);
        await lookAt(String(child));
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
      await lookAt(task.taskId);
    });

    site.trial.it('can be changed by a person, who sees neither the old nor the new', async () => {
      const parameters = { password: WRONG_PASSWORD, good: proofOf(NEW_PASSWORD) };
      const { body } = await site.ask<Receipt>('/v1/tasks', { flow: 'secret-door', parameters });
      await untilTask(site.api, body.taskId, ({ status }) => status === 'on_hold');
      const path = `/v1/tasks/${body.taskId}:retry`;
      const masked = await site.ask<{ errors: object[] }>(path, {
        ...REASON,
        parameters: { password: '***' },
      });
      expect(masked.status).toBe(422);
      expect(masked.body.errors).toMatchObject([{ pointer: '/parameters/password' }]);
      const edit = { ...REASON, parameters: { password: NEW_PASSWORD } };
      expect((await site.ask(path, edit)).status).toBe(200);
      expect((await untilTask(site.api, body.taskId)).status).toBe('succeeded');
      await lookAt(body.taskId);
      const again = await site.ask<Receipt>(`/v1/tasks/${body.taskId}:restart`, edit);
      expect((await untilTask(site.api, again.body.taskId)).status).toBe('succeeded');
    });

    site.trial.it('go on to a task that is made anew', async () => {
      const { taskId } = await start('secret-all', PARAMETERS);
      const { body, status } = await site.ask<Receipt>(`/v1/tasks/${taskId}:restart`, REASON);
      expect(status).toBe(201);
      const task = await untilTask(site.api, body.taskId);
      expect(task.status).toBe('succeeded');
      expect(task.parameters['loginProof']).toBe(proofOf(PASSWORD));
    });

    site.trial.it('are told from others under one key', async () => {
      const request = { flow: 'secret-all', parameters: PARAMETERS, idempotencyKey: 'secret-1' };
      const first = await site.ask<Receipt>('/v1/tasks', request);
      const again = await site.ask<Receipt>('/v1/tasks', request);
      expect([first.status, again.status]).toEqual([201, 200]);
      expect(again.body.taskId).toBe(first.body.taskId);
      const other = { ...request, parameters: { ...PARAMETERS, password: NEW_PASSWORD } };
      const refused = await site.ask<{ code: string }>('/v1/tasks', other);
      expect(refused.body.code).toBe('IDEMPOTENCY_KEY_REUSED');
      await untilTask(site.api, first.body.taskId);
    });

    site.trial.it('are kept by schedules and operations as they are by tasks', async () => {
      const order = { flow: 'secret-all', parameters: PARAMETERS, every: '12h' };
      const put = { method: 'PUT' };
      const path = '/v1/schedules/nightly';
      const stored = await site.ask<{ generation: number }>(path, order, put);
      expect(stored).toMatchObject({ status: 201, body: { parameters: { password: '***' } } });
      expect((await site.ask<{ generation: number }>(path, order, put)).body.generation).toBe(1);
      await site.ask(path);
      const { body } = await site.ask<Receipt>(`${path}:trigger`, {});
      const task = await untilTask(site.api, body.taskId);
      expect(task.parameters['loginProof']).toBe(proofOf(PASSWORD));
      const operation = await site.ask<{ operationId: string; details: object }>('/v1/operations', {
        action: 'restart',
        q: 'flow:secret-door status:succeeded',
        ...REASON,
        parameters: { password: NEW_PASSWORD },
      });
      expect(operation.body.details).toEqual({ parameters: { password: '***' } });
      const own = `/v1/operations/${operation.body.operationId}`;
      const isOver = async (): Promise<void> => {
        const { body } = await site.ask<{ status: string; done: number }>(own);
        expect(body).toMatchObject({ status: 'finished', done: 2, refused: 0, failed: 0 });
      };
      await waitUntil(isOver, { what: 'the operation ends', deadlineMs: 60_000 });
    });

    site.trial.it(
      'are in no error of a command that refuses them, or of an expression',
      async () => {
        const misfit = await start('secret-misfit', { password: PASSWORD });
        expect(misfit.taskMessage).toContain('password');
        const made = await start('secret-made-of', { password: PASSWORD });
        expect(made.taskMessage).toContain('nothing can be made of it');
        await lookAt(misfit.taskId);
        await lookAt(made.taskId);
      },
    );

    site.trial.it('are not in what a request is told that sends a wrong one', async () => {
      const request = { flow: 'secret-all', parameters: { ...PARAMETERS, password: 'short-0' } };
      const refused = await site.ask('/v1/tasks', request);
      expect(refused.status).toBe(422);
      expect(JSON.stringify(refused.body)).not.toContain('short-0');
      const sealed = 'bks-sealed:v1.00000000.AAAA';
      const forged = { flow: 'secret-all', parameters: { password: sealed } };
      expect((await site.ask('/v1/tasks', forged)).status).toBe(422);
    });

    site.trial.it('are found nowhere afterwards, byte by byte', async () => {
      const lists = ['/v1/tasks', '/v1/tasks?full=true', '/v1/executors', '/v1/audit', '/metrics'];
      for (const path of [...lists, '/v1/schedules', '/v1/operations', '/v1/flows/secret-all']) {
        await site.ask(path);
      }
      await site.ask('/v1/flows/secret-all:plan', { parameters: PARAMETERS });
      await site.ask('/v1/quarantine');
      for (const { url } of site.processes) {
        const body = await (await fetch(`${url}/metrics`)).text();
        site.answers.push({ place: `metrics of ${url}`, content: Buffer.from(body) });
      }
      await site.cli('task', 'list');
      await site.cli('flow', 'show', 'secret-all');
      await site.cli(...EXPORT, path.join(site.trial.folder, 'exported'));
      const found = await site.all();
      expect(found.some(({ place }) => place.endsWith('.gz'))).toBe(true);
      expect(found.length).toBeGreaterThan(40);
      // The search does find things: the masks and the names of the tasks' steps are there.
      expect(placesOf(['secret-all'], found).length).toBeGreaterThan(10);
      expect(placesOf(ALL, found)).toEqual([]);
    });
  });
});
