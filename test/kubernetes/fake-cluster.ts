import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { FIELDS, faultOf, type JobView, type ObjectView, valueFaultOf } from './field-rules.js';
import { JobController } from './job-controller.js';
import { type Change, fits, ObjectTable, type Resource } from './object-table.js';

const PATH =
  /^\/api(?:s\/batch)?\/v1\/namespaces\/([^/]+)\/(jobs|pods|secrets)(?:\/([^/]+))?(\/log)?$/;

/** A request to the API. */
interface Asked {
  readonly method: string;
  readonly resource: Resource;
  /** Empty: all of the resource. */
  readonly name: string;
  readonly isLog: boolean;
  readonly query: URLSearchParams;
  readonly body: string;
}

/** An answer that refuses. */
class Refusal extends Error {
  constructor(
    readonly code: number,
    readonly reason: string,
    message: string,
  ) {
    super(message);
  }
}

/** How a cluster begins. */
interface ClusterOptions {
  /** Holds the file systems of pods. */
  readonly folder: string;
  /** The only namespace. */
  readonly namespace?: string;
}

/**
 * As much of the API of Kubernetes as a launcher of Jobs needs, by its rules: names are unique,
 * unknown fields are refused, watches go on from a version that is still known, and a Job is
 * deleted with its pod. Pods are processes of this machine, and their images are not looked at.
 */
export class FakeCluster extends EventEmitter<{ asked: [line: string] }> {
  readonly table = new ObjectTable();
  readonly jobs: JobController;
  /** The token that requests must have; null: none is asked for. */
  token: string | null = null;
  /** Connections break. */
  isAway = false;
  /** A resource that nobody may make any more; null: none. */
  refused: string | null = null;
  /** Why it is refused. */
  why = 'exceeded quota';
  /** A resource whose watches tell nothing; null: none. */
  silent: string | null = null;
  readonly #server: Server;

  private constructor(private readonly options: ClusterOptions) {
    super();
    this.jobs = new JobController(this.table, options.folder);
    this.#server = createServer((request, response) => {
      void this.#handle(request, response).catch((error: unknown) => refuse(response, error));
    });
  }

  static async start(options: ClusterOptions): Promise<FakeCluster> {
    const cluster = new FakeCluster(options);
    cluster.#server.listen(0, '127.0.0.1');
    await once(cluster.#server, 'listening');
    return cluster;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  /** Breaks every connection. */
  cut(): void {
    this.#server.closeAllConnections();
  }

  /** Resolves at the next request that fits: a verb and a resource of a Role, or `away`. */
  async heard(pattern: RegExp): Promise<void> {
    for await (const [line] of EventEmitter.on(this, 'asked') as AsyncIterable<[string]>) {
      if (pattern.test(line)) return;
    }
  }

  async stop(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
    await this.jobs.stop();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.isAway) {
      this.emit('asked', 'away');
      return void request.socket.destroy();
    }
    const { authorization } = request.headers;
    if (this.token !== null && authorization !== `Bearer ${this.token}`) {
      throw new Refusal(401, 'Unauthorized', 'Unauthorized');
    }
    const url = new URL(request.url ?? '', 'http://cluster');
    const [, namespace, resource = '', name = '', log] = PATH.exec(url.pathname) ?? [];
    if (namespace !== (this.options.namespace ?? 'default')) {
      throw new Refusal(404, 'NotFound', `there is no ${url.pathname}`);
    }
    const { method = 'GET' } = request;
    const common = {
      method,
      resource: resource as Resource,
      name: decodeURIComponent(name),
      query: url.searchParams,
    };
    const asked = { ...common, isLog: log !== undefined, body: await text(request) };
    this.emit('asked', actOf(asked));
    if (asked.isLog) return this.#log(asked, response);
    if (asked.query.has('watch')) return this.#watch(asked, response);
    const [status, body] = this.#answer(asked);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  #answer(asked: Asked): readonly [status: number, body: object] {
    const { body, method, name, query, resource } = asked;
    if (method === 'POST') return [201, this.#create(asked)];
    if (name === '') {
      const items = this.table.list(resource, query.get('labelSelector') ?? '');
      const metadata = { resourceVersion: String(this.table.version) };
      return [200, { kind: 'List', metadata, items }];
    }
    const found = this.table.get(resource, name);
    if (found === undefined) throw new Refusal(404, 'NotFound', `${resource} "${name}" not found`);
    if (method === 'GET') return [200, found];
    if (method === 'PATCH') return [200, this.table.put(resource, merged(found, body))];
    const { propagationPolicy } = JSON.parse(body || '{}') as {
      readonly propagationPolicy?: string;
    };
    if (resource === 'jobs') this.jobs.delete(name, propagationPolicy ?? 'Background');
    else this.table.remove(resource, name);
    return [200, { kind: 'Status', status: 'Success' }];
  }

  #create({ body, query, resource }: Asked): ObjectView {
    if (resource === this.refused) throw new Refusal(403, 'Forbidden', this.why);
    const object = JSON.parse(body) as ObjectView & { readonly stringData?: object };
    const isStrict = resource !== 'jobs' || query.get('fieldValidation') === 'Strict';
    const fault = isStrict ? faultOf(object, FIELDS[resource]!) : null;
    if (fault !== null) throw new Refusal(400, 'BadRequest', fault);
    const wrong = resource === 'jobs' ? valueFaultOf(object as JobView) : null;
    const { name } = object.metadata;
    if (wrong !== null) throw new Refusal(422, 'Invalid', `Job "${name}" is invalid: ${wrong}`);
    if (this.table.get(resource, name) !== undefined) {
      throw new Refusal(409, 'AlreadyExists', `${resource} "${name}" already exists`);
    }
    const { stringData = {}, ...rest } = object;
    const data = Object.entries(stringData).map(([key, value]) => {
      return [key, Buffer.from(String(value)).toString('base64')];
    });
    const metadata = { ...object.metadata, uid: crypto.randomUUID() };
    const made = { ...rest, metadata, ...(data.length > 0 && { data: Object.fromEntries(data) }) };
    const kept = this.table.put(resource, made);
    if (resource === 'jobs') this.jobs.begin(name);
    return kept;
  }

  #watch({ query, resource }: Asked, response: ServerResponse): void {
    const selector = query.get('labelSelector') ?? '';
    const missed = this.table.since(Number(query.get('resourceVersion')));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    if (missed === null) {
      const object = { kind: 'Status', code: 410, message: 'too old resource version' };
      return void response.end(`${JSON.stringify({ type: 'ERROR', object })}\n`);
    }
    const tell = ({ object, resource: of, type }: Change): void => {
      if (of !== resource || of === this.silent || !fits(object, selector)) return;
      response.write(`${JSON.stringify({ type, object })}\n`);
    };
    missed.forEach(tell);
    this.table.on('change', tell);
    response.once('close', () => this.table.off('change', tell));
  }

  #log({ name, query }: Asked, response: ServerResponse): void {
    const found = this.jobs.processOf(name);
    if (found === undefined) throw new Refusal(404, 'NotFound', `pods "${name}" not found`);
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.flushHeaders();
    const since = query.get('sinceTime') ?? '';
    let sent = 0;
    const send = (): void => {
      for (const { at, text: line } of found.lines.slice(sent)) {
        if (at >= since) response.write(`${at} ${line}\n`);
      }
      sent = found.lines.length;
    };
    const end = (): void => {
      send();
      response.end();
    };
    send();
    if (found.hasEnded) return end();
    found.on('line', send).once('end', end);
    response.once('close', () => found.off('line', send).off('end', end));
  }
}

const VERBS: Readonly<Record<string, string>> = {
  DELETE: 'delete',
  GET: 'get',
  PATCH: 'patch',
  POST: 'create',
};

/** The verb and the resource by which a Role allows a request: `create jobs`. */
function actOf({ isLog, method, name, query, resource }: Asked): string {
  if (isLog) return `get ${resource}/log`;
  if (query.has('watch')) return `watch ${resource}`;
  return `${method === 'GET' && name === '' ? 'list' : VERBS[method]} ${resource}`;
}

/** An object after a merge patch. */
function merged(object: ObjectView, patch: string): ObjectView {
  const { metadata } = JSON.parse(patch) as ObjectView;
  return { ...object, metadata: { ...object.metadata, ...metadata } };
}

function refuse(response: ServerResponse, error: unknown): void {
  const known = error instanceof Refusal ? error : new Refusal(500, 'InternalError', String(error));
  const { code, message, reason } = known;
  const body = { kind: 'Status', status: 'Failure', code, reason, message };
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
