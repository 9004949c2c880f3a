import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { reapGroup } from '../servers/reaper.js';
import type { PodView, SecretView } from './field-rules.js';

const MESSAGE_BYTES_MAX = 4_096;

/** A line of a log with the time that the cluster writes before it. */
interface StampedLine {
  readonly at: string;
  readonly text: string;
}

/** How a container ended. */
interface Ended {
  readonly exitCode: number;
  /** The content of its termination log. */
  readonly message: string;
}

/** Finds a Secret by its name. */
type FindSecret = (name: string) => SecretView | undefined;

/** The first container of a pod as a process of this machine, without its image. */
export class PodProcess extends EventEmitter<{ line: []; end: [] }> {
  readonly lines: StampedLine[] = [];
  readonly ended: Promise<Ended>;
  hasEnded = false;
  readonly #child: ChildProcess;
  #count = 0;

  /** `folder` stands for the file system of the pod, as far as it differs from this machine's. */
  constructor(pod: PodView, folder: string, find: FindSecret) {
    super();
    const [container] = pod.spec.containers;
    const { args = [], command = [], terminationMessagePath = '/dev/termination-log' } = container!;
    const log = path.join(folder, 'termination-log');
    mkdirSync(folder, { recursive: true });
    writeFileSync(log, '');
    const places = new Map([[terminationMessagePath, log], ...mount(pod, folder, find)]);
    const [file = '', ...rest] = [...command, ...args];
    this.#child = spawn(file, rest, {
      env: { PATH: process.env['PATH'] ?? '', ...environmentOf(pod, places, find) },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (this.#child.pid !== undefined) reapGroup(this.#child.pid);
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      createInterface({ input: stream }).on('line', (text) => this.#add(text));
    }
    this.ended = this.#untilEnd(log);
  }

  /** Sends a signal to all of its processes. */
  kill(signal: NodeJS.Signals): void {
    try {
      process.kill(-this.#child.pid!, signal);
    } catch {
      // They have ended.
    }
  }

  #add(text: string): void {
    // No two lines have the same time.
    this.#count += 1;
    const at = `${new Date().toISOString().slice(0, -1)}${String(this.#count).padStart(6, '0')}Z`;
    this.lines.push({ at, text });
    this.emit('line');
  }

  async #untilEnd(log: string): Promise<Ended> {
    const [code, signal] = (await once(this.#child, 'close')) as [number | null, string | null];
    this.hasEnded = true;
    this.emit('end');
    const exitCode = code ?? 128 + (signal === 'SIGKILL' ? 9 : 15);
    return { exitCode, message: readFileSync(log, 'utf8').slice(0, MESSAGE_BYTES_MAX) };
  }
}

/** Writes the Secrets that are mounted; places in the container, and where they are here. */
function mount(pod: PodView, folder: string, find: FindSecret): readonly [string, string][] {
  const { containers, volumes = [] } = pod.spec;
  return (containers[0]?.volumeMounts ?? []).flatMap(({ mountPath, name }): [string, string][] => {
    const secret = volumes.find((one) => one.name === name)?.secret;
    if (secret === undefined) return [];
    const at = path.join(folder, name);
    mkdirSync(at, { recursive: true });
    const data = find(secret.secretName)?.data ?? {};
    for (const { key, path: file } of secret.items ?? []) {
      writeFileSync(path.join(at, file), Buffer.from(data[key] ?? '', 'base64'));
    }
    return [[mountPath, at]];
  });
}

function environmentOf(
  pod: PodView,
  places: ReadonlyMap<string, string>,
  find: FindSecret,
): Readonly<Record<string, string>> {
  const entries = pod.spec.containers[0]?.env ?? [];
  return Object.fromEntries(
    entries.map(({ name, value = '', valueFrom }): [string, string] => {
      if (valueFrom !== undefined) {
        const { key, name: secret } = valueFrom.secretKeyRef;
        return [name, Buffer.from(find(secret)?.data?.[key] ?? '', 'base64').toString()];
      }
      const place = [...places].find(([from]) => value === from || value.startsWith(`${from}/`));
      return [name, place === undefined ? value : `${place[1]}${value.slice(place[0].length)}`];
    }),
  );
}
