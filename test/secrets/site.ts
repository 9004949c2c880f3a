import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { AlertReceiver } from '../alerts/receiver.js';
import { CliChild } from '../cli/cli-child.js';
import { type Answer, Api, type Ask, type TaskView } from '../load/index.js';
import type { AppProcess, DeploymentKind } from '../stack/index.js';
import { planStandalone, REPOSITORY, SECRET_KEY, Stack } from '../stack/index.js';
import { SpanReceiver } from '../tracing/index.js';
import { Trial, WAITS, writeFlows } from '../trial/index.js';
import { SECRET_FLOWS } from './flows.js';
import { FollowedStream } from './followed-stream.js';
import { documentsIn, filesIn, type Found } from './places.js';
import { type Proof, PROOFS } from './vault.executor.js';

/** The processes of the project, which serve the module of secrets as well. */
export const ENTRY = path.join(REPOSITORY, 'dist/test/secrets/program.js');

const WEBHOOK_SECRET = `whsec_${Buffer.from('a secret of this test, 32 bytes.').toString('base64')}`;

/** Secrets in files, by their names: those that begin with `pass` are for commands. */
export const KEPT = {
  password: 'kept "zebra" \\ elsewhere/staple=Ü4',
  'pass-of-bob': 'pass-of-bob-4471-xk',
  'not-for-all': 'never-for-this-module-99',
};

const ANSWER_MS = 60_000;

/** Views of a task over HTTP, and on the command line. */
const VIEWS = ['', '/events', '/graph', '/provenance', '/rollback-plan', '/why'];
/** Previewed actions, some of which are refused: then the refusal is looked through. */
const PREVIEWED = ['undo', 'rollback', 'retry'];
const COMMANDS = ['get', 'events', 'provenance', 'plan', 'why', 'draw'];

/**
 * A Backstep with a module that takes and gives secrets. All that goes over its lines is kept, and
 * all that leaves it: in answers, streams, messages, spans and on screens.
 */
export class Site {
  readonly trial: Trial;
  readonly #told: Found[] = [];
  readonly #streams: FollowedStream[] = [];
  readonly #wire: Buffer[] = [];
  #backstep: Pick<Stack, 'url' | 'processes'> | undefined;
  #mongo: string | undefined;
  #people: AlertReceiver | undefined;
  #tracing: SpanReceiver | undefined;

  constructor(private readonly kind: DeploymentKind) {
    this.trial = new Trial(`secrets-${kind}`);
  }

  get url(): string {
    return opened(this.#backstep).url;
  }

  get processes(): readonly AppProcess[] {
    return opened(this.#backstep).processes;
  }

  get api(): Api {
    return new Api(this.url);
  }

  /** Where the messages of notifications arrive. */
  get people(): AlertReceiver {
    return opened(this.#people);
  }

  /** Where the spans arrive. */
  get tracing(): SpanReceiver {
    return opened(this.#tracing);
  }

  async open(): Promise<void> {
    await this.trial.open();
    this.#people = this.trial.use(await AlertReceiver.open(WEBHOOK_SECRET));
    this.#tracing = this.trial.use(await SpanReceiver.open());
    this.#backstep = await this.#start();
    const channel = { type: 'webhook', url: this.people.url, secret: WEBHOOK_SECRET };
    const body = { on: ['failed', 'held', 'stuck', 'waiting'], channel };
    await this.see('/v1/notifications/people', { method: 'PUT', body, status: 201 });
  }

  /** Files with secrets, outside of the folder that is searched for them. */
  async #openSafe(): Promise<{ readonly rules: string; readonly folder: string }> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'backstep-safe-'));
    this.trial.use({ stop: () => rm(folder, { recursive: true }) });
    for (const [name, secret] of Object.entries(KEPT)) {
      await writeFile(path.join(folder, name), `${secret}\n`);
    }
    return { rules: 'vault=file:pass*', folder };
  }

  async #start(): Promise<Pick<Stack, 'url' | 'processes'>> {
    const { folder } = this.trial;
    const flows = await writeFlows(folder, SECRET_FLOWS);
    const own = { flows, secretKey: SECRET_KEY, log: 'debug', httpAllow: '127.0.0.1' };
    const { rules: secrets, folder: secretFiles } = await this.#openSafe();
    const settings = { ...own, secrets, secretFiles, ...WAITS.outlastFaults };
    const { environment } = this.tracing;
    const options = { folder, settings, entry: ENTRY };
    if (this.kind === 'standalone') {
      const process = await planStandalone({ ...options, environment });
      this.trial.use({ stop: () => process.kill() });
      await process.start();
      return { url: process.url, processes: [process] };
    }
    const environmentOf = (): typeof environment => environment;
    const stack = this.trial.use(await Stack.start({ ...options, environmentOf, proxied: true }));
    this.#mongo = new URL('/backstep', stack.servers.mongo.url).href;
    for (const line of [stack.lines.mongo, stack.lines.rabbitmq]) {
      line.on('arrival', ({ chunk }) => this.#wire.push(chunk));
    }
    return stack;
  }

  /** Keeps something that was said, to be looked through. */
  keep(place: string, content: unknown): void {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    this.#told.push({ place, content: Buffer.from(text) });
  }

  /** Asks, and keeps the answer. */
  async ask<T>(path: string, more: Omit<Ask, 'path'> = {}): Promise<Answer<T>> {
    const answer = await this.api.ask<T>({ path, withinMs: ANSWER_MS, ...more });
    this.keep(`answer of ${path}`, answer.body);
    return answer;
  }

  /** Asks for something that has to be there, and keeps it. */
  async see<T>(path: string, more: Omit<Ask, 'path'> & { status?: number } = {}): Promise<T> {
    const { status: wanted = 200, ...ask } = more;
    const { body, status } = await this.ask<T>(path, ask);
    const text = JSON.stringify(body);
    if (status !== wanted || text.length < 3) throw new Error(`${path}: ${status} ${text}`);
    return body;
  }

  /** Follows a stream; all that comes is kept. */
  async follow(path: string): Promise<FollowedStream> {
    const stream = this.trial.use(await FollowedStream.open(this.url, path));
    this.#streams.push(stream);
    return stream;
  }

  /** A command of the command line, which has to say something: all of it is kept. */
  async cli(argv: readonly string[], code = 0): Promise<void> {
    const place = { cwd: this.trial.folder };
    const end = await new CliChild([...argv, '--url', this.url], place).end;
    const said = end.stdout + end.stderr;
    if (end.code !== code || said === '') {
      throw new Error(`backstep ${argv.join(' ')}: ${end.code} ${said}`);
    }
    this.keep(`output of ${argv.slice(0, 3).join(' ')}`, said);
  }

  /** Looks at a task in every way there is in which it is not followed. */
  async lookAt(taskId: string): Promise<void> {
    for (const view of VIEWS) await this.see(`/v1/tasks/${taskId}${view}`);
    for (const action of PREVIEWED) await this.ask(`/v1/tasks/${taskId}/preview?action=${action}`);
    for (const command of COMMANDS) await this.cli(['task', command, taskId]);
    await this.cli(['task', 'get', taskId, '-o', 'json']);
    await this.cli(['task', 'draw', taskId, '-o', 'mermaid']);
  }

  /** Looks at a task that has ended, and at how that is told to those who follow it. */
  async lookBackAt({ status, taskId }: Pick<TaskView, 'status' | 'taskId'>): Promise<void> {
    await this.lookAt(taskId);
    await (
      await this.follow(`/v1/tasks/${taskId}/events`)
    ).end;
    await this.cli(['task', 'watch', taskId], status === 'succeeded' ? 0 : 1);
  }

  /** Fingerprints of the secrets that commands were given. */
  async proofs(taskId: string): Promise<readonly Proof[]> {
    const text = await readFile(path.join(this.trial.folder, PROOFS), 'utf8');
    const lines = text.trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as Proof).filter((each) => each.taskId === taskId);
  }

  /** Everything that was stored, sent, written or told so far. */
  async all(): Promise<readonly Found[]> {
    const files = await filesIn(this.trial.folder);
    const archives = files
      .filter(({ place }) => place.endsWith('.gz'))
      .map(({ content, place }) => ({ place, content: gunzipSync(content) }));
    const documents = this.#mongo === undefined ? [] : await documentsIn(this.#mongo);
    const wire = { place: 'the lines to the servers', content: Buffer.concat(this.#wire) };
    return [...files, ...archives, ...documents, wire, ...this.#outside(), ...this.#told];
  }

  /** The texts that were sent to those who follow streams, are sent messages, and keep traces. */
  #outside(): readonly Found[] {
    const found = (place: string, text: string): Found => ({ place, content: Buffer.from(text) });
    return [
      ...this.#streams.map(({ path, text }) => found(`stream ${path}`, text)),
      ...this.people.arrivals.map(({ body, id }) => found(`message ${id}`, JSON.stringify(body))),
      ...this.tracing.exports.map((text, n) => found(`export ${n} of spans`, text)),
    ];
  }
}

function opened<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('the site was not opened');
  return part;
}
