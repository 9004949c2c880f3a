import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { REPOSITORY } from '../stack/index.js';

/** Trouble that a proxy makes once, at the first request to a route that ends so. */
export interface Fault {
  readonly route: string;
  /** `lose`: the gateway has its way, and nobody hears of it. */
  readonly trouble: 'break' | 'lose' | 'refuse';
  /** Of a refusal. */
  readonly status?: number;
  /** Only where the answer has items. */
  readonly ifItems?: boolean;
}

/** The progress that a running step shows, by the name of the step. */
export interface ProgressShown {
  readonly progress: string;
  readonly percent: number;
  readonly message: string;
  readonly state: string;
}

/** Something that happens while a task of a case runs, one after the other. */
export type Doing =
  /** Until the journal has the line, such as `a started`. */
  | { readonly await: string }
  /** Makes the file that a command waits for. */
  | { readonly open: string }
  /** A person's action on the task. */
  | { readonly act: string }
  /** Another system completes the step. */
  | { readonly complete: string; readonly output: object }
  /** Until the running step shows its progress. */
  | ProgressShown
  /** Nothing comes through to the gateway, or everything again. */
  | { readonly gateway: 'away' | 'back' }
  /** A signal to the client, which the driver does not start again by itself. */
  | { readonly stop: 'SIGKILL' | 'SIGTERM' }
  /** Until the client has ended, with this exit code. */
  | { readonly exit: number }
  | { readonly start: true };

/** The facts that must hold once the task has ended. */
interface Expected {
  readonly status: string;
  /** Members of steps, by their names. */
  readonly steps?: Readonly<Record<string, object>>;
  /** All lines of the journal: the step, `back` on the way back, and the event. */
  readonly journal?: readonly string[];
  /** Members of such lines. */
  readonly lines?: Readonly<Record<string, object>>;
  /** How the lines of the attempts end. */
  readonly log?: readonly string[];
}

/** One case of `clients/conformance/cases.json`. */
export interface Case {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** The flow. `{module}` stands for the module of the client. */
  readonly steps: readonly object[];
  readonly faults?: readonly Fault[];
  readonly during?: readonly Doing[];
  readonly expect: Expected;
}

/**
 * A client of `clients/conformance/clients.json`, or of the folder `conformance` of a library: the
 * program that the cases are played with.
 */
export interface Client {
  readonly language: string;
  /** From the root of the repository. `{out}`: what `build` makes. */
  readonly command: readonly string[];
  /** Makes the program once, in `cwd`. */
  readonly build?: readonly string[];
  /** A folder of the repository. Default: its root. */
  readonly cwd?: string;
  /** Programs that the machine must have. */
  readonly needs: readonly string[];
  /** Names of cases that it cannot do, each with the reason. */
  readonly except: Readonly<Record<string, string>>;
}

const FOLDER = path.join(REPOSITORY, 'clients');
const LIBRARY = 'conformance/client.json';

export const CASES = (read('conformance/cases.json') as { readonly cases: readonly Case[] }).cases;
export const CLIENTS = [
  ...(read('conformance/clients.json') as { readonly clients: readonly Client[] }).clients,
  ...readdirSync(FOLDER)
    .map((library) => path.join(library, LIBRARY))
    .filter((file) => existsSync(path.join(FOLDER, file)))
    .map((file) => read(file) as Client),
];

/** The flow of a case for a client, and its name. */
export function flowOf(
  { name, steps }: Case,
  { language }: Client,
): { readonly name: string; readonly flow: object } {
  const words = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  const text = JSON.stringify({ steps }).replaceAll('{module}', moduleOf(language));
  return { name: `${language}-${words}`, flow: JSON.parse(text) as object };
}

/** The module that a client serves. */
export function moduleOf(language: string): string {
  return `conformance_${language}`;
}

function read(file: string): unknown {
  return JSON.parse(readFileSync(path.join(FOLDER, file), 'utf8'));
}
