import { Agent } from 'node:https';
import os from 'node:os';
import pc from 'picocolors';
import { SystemClock } from '#machine';
import type { Timer } from '#ports';
import { readUrl } from './client/backstep-url.js';
import { BackstepClient } from './client/backstep-client.js';
import { MachineToken } from './client/machine-token.js';
import { readClientCertificate, readToken } from './client/credentials.js';
import { plainJson, plainSpaced, unturned } from '#wording';
import { CliError, EXIT } from './exit.js';
import { shellWord } from './terminal/shell-word.js';
import { type Column, tableLines } from './terminal/table.js';
import {
  type Output,
  ProgressLine,
  takesColour,
  takesRedraws,
  type Terminal,
  widthOf,
} from './terminal/terminal.js';
import { commandName, usualUrl } from './terminal/usual-url.js';

/** How data is written. */
export type Format = 'table' | 'json' | 'jsonl' | 'name';

/** Options that every command takes. */
export interface GlobalOptions {
  readonly output: Format;
  readonly url: string;
  readonly color: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** Milliseconds; undefined: as long as the command itself finds right. */
  readonly timeout: number | undefined;
}

/** Functions that colour text, or leave it as it is. */
export type Paint = ReturnType<typeof pc.createColors>;

/** How rows are written in each format. */
export interface RowStyle<T> {
  readonly columns: readonly Column<T>[];
  readonly name: (row: T) => string;
}

/** How long a command without a goal of its own may take. */
const REQUEST_MS = 30_000;

/** One run of a command. */
export class Session {
  readonly #abort = new AbortController();
  readonly #clock = new SystemClock();
  readonly #progress: ProgressLine;
  readonly #machineTokens = new Map<string, MachineToken>();
  /** Null: whether a certificate is to be shown was not looked up yet. */
  #certified: { readonly agent: Agent | null } | null = null;
  #timer: Timer | undefined;

  constructor(
    readonly terminal: Terminal,
    readonly options: GlobalOptions,
  ) {
    const { env, stderr } = terminal;
    const isShown = !options.quiet && takesRedraws(stderr, env);
    const output = isShown ? stderr : null;
    this.#progress = new ProgressLine({ output, width: widthOf(stderr), clock: this.#clock });
  }

  /** Aborts with the reason to end the command with. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Ends the command with an error, from outside. */
  abort(reason: Error): void {
    this.#abort.abort(reason);
  }

  /**
   * Starts `--timeout`; without it, `otherwiseMs`, and no limit where that is not given either. It
   * is `mostMs` in any case.
   */
  limit(otherwiseMs = Infinity, mostMs = Infinity): void {
    const ms = Math.min(this.options.timeout ?? otherwiseMs, mostMs);
    if (ms === Infinity) return;
    const sentence = `timed out after ${ms / 1_000} s`;
    this.#timer ??= this.#clock.after(ms, () => {
      this.abort(new CliError(EXIT.timeOver, sentence));
    });
  }

  /** Says this when the command is ended from outside, unless it is taken back before. */
  onAbort(words: string): { takeBack(): void } {
    const say = (): void => this.say(words);
    this.signal.addEventListener('abort', say, { once: true });
    return { takeBack: () => this.signal.removeEventListener('abort', say) };
  }

  /** Lets go of what would keep the process alive. */
  close(): void {
    this.#timer?.cancel();
    this.#progress.clear();
  }

  /** A client whose requests end with this session, within the usual time. */
  client(url = this.options.url): BackstepClient {
    const { terminal } = this;
    const token = readToken(terminal);
    const program = commandName(terminal.env);
    const machineToken = token === undefined ? this.#machineToken(url) : undefined;
    const { agent } = (this.#certified ??= { agent: this.#certifiedAgent() });
    const shown = { actor: userName(), token, machineToken, agent, program };
    const hasLimit = this.#timer !== undefined;
    return new BackstepClient({ url, signal: this.signal, hasLimit, ...shown });
  }

  /** One for all clients of a URL: it is asked for once. */
  #machineToken(url: string): MachineToken | undefined {
    const known = this.#machineTokens.get(url);
    if (known !== undefined) return known;
    const made = MachineToken.for({ url, terminal: this.terminal });
    if (made !== undefined) this.#machineTokens.set(url, made);
    return made;
  }

  /** All clients of a session share its connections. */
  #certifiedAgent(): Agent | null {
    const certificate = readClientCertificate(this.terminal);
    return certificate === undefined ? null : new Agent({ ...certificate, keepAlive: true });
  }

  /** The same, for commands that ask once. */
  asking(): BackstepClient {
    this.limit(REQUEST_MS);
    return this.client();
  }

  /** The same for a list: one that is read to its end may take as long as it takes. */
  listing(wanted: number): BackstepClient {
    this.limit(wanted === Infinity ? undefined : REQUEST_MS);
    return this.client();
  }

  /** The same for an answer that the command can do without: it is waited for `ms` at most. */
  brief(ms: number, url = this.options.url): BackstepClient {
    const limit = new AbortController();
    const end = (): void => limit.abort(this.signal.reason);
    if (this.signal.aborted) end();
    this.signal.addEventListener('abort', end, { once: true });
    const late = new CliError(EXIT.timeOver, `no answer within ${ms / 1_000} s`);
    this.#clock.after(ms, () => limit.abort(late));
    return new BackstepClient({ ...this.client(url).options, signal: limit.signal });
  }

  /** A command of this command line, as a person types it to reach the Backstep at `url`. */
  typed(command: string, url = this.options.url): string {
    const { cwd, env } = this.terminal;
    const usual = readUrl(usualUrl(env), cwd) ?? '';
    const isUsual = url.replace(/\/$/, '') === usual.replace(/\/$/, '');
    const at = isUsual ? '' : ` --url ${shellWord(url)}`;
    return `${commandName(env)} ${command}${at}`;
  }

  /** How far a long command has come. It stands there until there is something else to say. */
  progress(text: string): void {
    this.#progress.show(unturned(text));
  }

  /** Data. */
  print(text: string): void {
    this.#progress.clear();
    this.terminal.stdout.write(`${unturned(text)}\n`);
  }

  /** A text as it is; a terminal gets `?` for what would control it. */
  printText(text: string): void {
    const { stdout } = this.terminal;
    this.#progress.clear();
    stdout.write(stdout.isTTY ? text.split(/\r?\n/).map(plainSpaced).join('\n') : text);
  }

  /** Words for people. */
  say(text: string): void {
    this.#progress.clear();
    if (!this.options.quiet) this.terminal.stderr.write(`${unturned(text)}\n`);
  }

  /** Words for people who want to know more. */
  sayMore(text: string): void {
    if (this.options.verbose) this.say(text);
  }

  printJson(value: unknown): void {
    const indent = this.options.output === 'jsonl' ? 0 : 2;
    this.print(plainJson(JSON.stringify(value, null, indent)));
  }

  /**
   * One value: as data, in lines, or by its names, which are the lines where none are given. Lines
   * are made only where they are shown.
   */
  printOne(value: object, lines: () => readonly string[], names?: readonly string[]): void {
    const { output } = this.options;
    if (output === 'json' || output === 'jsonl') return this.printJson(value);
    const isNamed = output === 'name' && names !== undefined;
    for (const line of isNamed ? names : lines()) this.print(line);
  }

  printRows<T>(rows: readonly T[], { columns, name }: RowStyle<T>): void {
    switch (this.options.output) {
      case 'json':
        return this.printJson(rows);
      case 'jsonl':
        return rows.forEach((row) => this.printJson(row));
      case 'name':
        return rows.forEach((row) => this.print(name(row)));
      case 'table':
        return tableLines(rows, columns, this.width).forEach((line) => this.print(line));
    }
  }

  /** Whether standard output can be drawn over. */
  get redraws(): boolean {
    return takesRedraws(this.terminal.stdout, this.terminal.env);
  }

  get width(): number {
    return widthOf(this.terminal.stdout);
  }

  /** For data. */
  get paint(): Paint {
    return this.#paintOn(this.terminal.stdout);
  }

  /** For words for people. */
  get sayPaint(): Paint {
    return this.#paintOn(this.terminal.stderr);
  }

  #paintOn(output: Output): Paint {
    return pc.createColors(this.options.color && takesColour(output, this.terminal.env));
  }
}

function userName(): string {
  try {
    return os.userInfo().username;
  } catch {
    // In a container the user may have no name.
    return `user ${process.getuid?.() ?? '?'}`;
  }
}
