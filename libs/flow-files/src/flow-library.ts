import { type FlowVersion, growingDelay } from '#core';
import {
  type Clock,
  type CommandRecord,
  type DefinitionStore,
  type FlowSource,
  type FlowStore,
  keepSource,
  type Observer,
  type Records,
  StoreUnavailable,
  type Timer,
} from '#ports';
import { remarksOnRun } from './check-definition.js';
import type { KnownCommands } from './known-commands.js';
import { type FileFlow, type FileProblem, FlowFolder, type FolderUpdate } from './flow-folder.js';
import { remarksOnFlows } from './doctor/examine.js';
import type { Problem } from './problem.js';
import { SerialJob } from './serial-job.js';
import { StoredFlows } from './stored-flows.js';

/** Versions that one flow may get within `SAVES_SPAN_MS`. */
const SAVES_MAX = 10;

const SAVES_SPAN_MS = 60_000;

/** Where flows come from and where they are kept. */
interface FlowLibraryOptions {
  /** Folder of flow files. */
  readonly path: string;
  readonly store: FlowStore;
  /** The texts of flows. */
  readonly sources: Records<FlowSource>;
  /** Flows that come by requests. */
  readonly definitions: Pick<DefinitionStore, 'listHeads'>;
  readonly commandDefaults: Records<CommandRecord>;
  readonly clock: Clock;
  /** The commands that executors have now; never rejects. Default: nothing is known. */
  readonly commands?: () => KnownCommands | Promise<KnownCommands>;
  /** Gets notices of file problems, of saved and removed flows, and of a failing store. */
  readonly observer: Pick<Observer, 'noticed'>;
  /** See `FlowFolderOptions`. */
  readonly settleMs?: number;
  readonly rescanMs?: number;
}

const NO_DEFAULTS: readonly CommandRecord[] = [];

const FOLDER_AWAY =
  'the folder of BACKSTEP_FLOWS cannot be read: its flows stay as they were read last';

const RETRIES = { firstMs: 1_000, maxMs: 30_000 };

/**
 * The flows that can be started now, by name. An edited flow can be started as soon as the store
 * has given it a version number; until then the version before it can. A flow whose file is gone
 * can no longer be started; the store keeps its versions, and tasks of it run on. Flows that
 * requests have stored can be started as well, under names that no file has.
 */
export class FlowLibrary {
  readonly #options: FlowLibraryOptions;
  readonly #folder: FlowFolder;
  readonly #stored: StoredFlows;
  readonly #saves = new SerialJob(() => this.#saveAll());
  readonly #pace: SavePace;
  readonly #current = new Map<string, FlowVersion>();
  #wanted: ReadonlyMap<string, FileFlow> = new Map();
  /** By name: the flow whose version and text the store has taken. */
  readonly #saved = new Map<string, FileFlow>();
  /** Flows whose newest edit waits until they may get another version. */
  readonly #paused = new Set<string>();
  #problems: readonly FileProblem[] = [];
  #isStarted = false;
  /** The stored flows were read: a name in neither the folder nor the store does not exist. */
  #knowsStored = false;
  #isFolderRead = false;
  #failures = 0;
  #retry: Timer | null = null;

  constructor(options: FlowLibraryOptions) {
    this.#options = options;
    this.#stored = new StoredFlows({ ...options, onDefaults: () => this.#inherit() });
    this.#pace = new SavePace(options.clock);
    this.#folder = new FlowFolder({
      ...options,
      defaults: () => this.defaults(),
      onUpdate: (update) => this.#accept(update),
    });
  }

  /**
   * Reads the folder and saves what it holds; resolves after the first try. Whatever goes wrong is
   * noticed and tried again later.
   */
  async start(): Promise<void> {
    this.#isStarted = true;
    // First: flows inherit what is stored of commands.
    await this.#stored.start();
    this.#isFolderRead = true;
    await this.#folder.start();
    await this.#saves.settled();
    this.#knowsStored = true;
    for (const flow of this.#wanted.values()) this.#tellOthers(flow);
    for (const flow of this.#wanted.values()) this.#tellCommands(flow);
  }

  /** Stops looking at the folder and waits for work in hand. Safe to call twice. */
  async stop(): Promise<void> {
    this.#isStarted = false;
    await this.#folder.stop();
    await this.#saves.settled();
    await this.#stored.stop();
    this.#retry?.cancel();
    this.#retry = null;
  }

  /** Reads the folder and saves what is not saved, now. Never rejects. */
  async rescan(): Promise<void> {
    await this.#folder.rescan();
    await this.#saves.run();
  }

  /**
   * The version that a new task of this flow gets; undefined where there is none. Always the same
   * object for a version, so that all its tasks can share one `definition.steps`.
   */
  find(name: string): FlowVersion | undefined {
    const inFile = this.#current.get(name);
    return inFile ?? (this.isInFile(name) ? undefined : this.#stored.find(name));
  }

  /** All flows that can be started, by name. */
  list(): readonly FlowVersion[] {
    const stored = this.#stored.list().filter(({ definition }) => !this.isInFile(definition.name));
    const all = [...stored, ...this.#current.values()];
    return all.toSorted((a, b) => (a.definition.name < b.definition.name ? -1 : 1));
  }

  /** Whether a file defines the flow, so that no request may. */
  isInFile(name: string): boolean {
    return this.#wanted.has(name);
  }

  /** Name of the file that defines the flow, within the folder; null: no file does. */
  fileOf(name: string): string | null {
    return this.#folder.fileOf(name);
  }

  /** Whether the flow is retired: no new task of it may start. */
  isRetired(name: string): boolean {
    return !this.isInFile(name) && this.#stored.isRetired(name);
  }

  /** Any version there ever was; the same object for one that was asked for lately. */
  findVersion(name: string, version: number): Promise<FlowVersion | null> {
    return this.#stored.findVersion(name, version);
  }

  /** Looks what requests have stored, in this process or another one. Never rejects. */
  refresh(): Promise<void> {
    return this.#stored.look();
  }

  /** Stored defaults of commands, for flows to inherit; empty until they are known. */
  defaults(): readonly CommandRecord[] {
    return this.#stored.defaults ?? NO_DEFAULTS;
  }

  /** The current problems of the files. */
  problems(): readonly FileProblem[] {
    return this.#problems;
  }

  /** A note for everybody where the folder cannot be read. */
  notes(): readonly string[] {
    const isAway = this.#problems.some(({ code }) => code === 'FOLDER_NOT_READABLE');
    return isAway ? [FOLDER_AWAY] : [];
  }

  /** Names of flows whose newest text the store has not taken yet; for readiness. */
  unsaved(): readonly string[] {
    return [...this.#wanted.values()].filter((flow) => !this.#isSaved(flow)).map(nameOf);
  }

  /** The flows of files inherit something else: those that change by it get new versions. */
  #inherit(): void {
    if (this.#isFolderRead) void this.rescan();
  }

  #accept({ flows, removed, problems }: FolderUpdate): void {
    this.#wanted = flows;
    for (const name of removed) {
      this.#current.delete(name);
      this.#saved.delete(name);
      this.#paused.delete(name);
      this.#notice('info', 'flow_removed', `Flow ${name} can no longer be started.`);
    }
    const known = new Set(this.#problems.map(describe));
    this.#problems = problems;
    for (const text of problems.map(describe)) {
      if (!known.has(text)) this.#notice('error', 'flow_file_problem', text);
    }
    void this.#saves.run();
  }

  async #saveAll(): Promise<void> {
    this.#retry?.cancel();
    this.#retry = null;
    // The defaults are not known yet: flows saved now would get other versions once they are.
    let hasFailed = this.#stored.defaults === null;
    let pausedMs = Infinity;
    for (const flow of hasFailed ? [] : this.#wanted.values()) {
      if (this.#isSaved(flow)) continue;
      const waitMs = this.#pace.waitBefore(nameOf(flow));
      pausedMs = Math.min(pausedMs, waitMs > 0 ? waitMs : Infinity);
      if (waitMs > 0) {
        this.#notePause(flow, waitMs);
        continue;
      }
      const outcome = await this.#save(flow);
      hasFailed ||= outcome !== 'saved';
      // One flow that the store refuses must not hold up the others; a store that is away does.
      if (outcome === 'unavailable') break;
    }
    this.#failures = hasFailed ? this.#failures + 1 : 0;
    const againMs = hasFailed ? growingDelay(RETRIES, this.#failures) : Infinity;
    const delayMs = Math.min(againMs, pausedMs);
    if (delayMs === Infinity || !this.#isStarted) return;
    this.#retry = this.#options.clock.after(delayMs, () => void this.#saves.run());
  }

  async #save(flow: FileFlow): Promise<'saved' | 'refused' | 'unavailable'> {
    const name = nameOf(flow);
    try {
      if (this.#current.get(name)?.hash !== flow.hash) await this.#saveVersion(flow);
      const current = this.#current.get(name);
      // It may have been edited again or removed meanwhile.
      if (this.#wanted.get(name) !== flow || current === undefined) return 'saved';
      const { version } = current;
      await keepSource(this.#options.sources, { flow: name, version, text: flow.text });
      this.#saved.set(name, flow);
      return 'saved';
    } catch (error) {
      const message = `Flow ${name} could not be saved; it will be tried again.`;
      this.#notice('warn', 'flow_save_failed', message, error);
      return error instanceof StoreUnavailable ? 'unavailable' : 'refused';
    }
  }

  async #saveVersion(flow: FileFlow): Promise<void> {
    const { store, clock } = this.#options;
    const { definition, hash } = flow;
    const { name } = definition;
    const { version, createdAt } = await store.saveFlow(definition, hash, clock.now());
    this.#pace.saved(name);
    this.#paused.delete(name);
    if (this.#wanted.get(name) !== flow) return;
    this.#current.set(name, Object.freeze({ definition, version, hash, createdAt }));
    this.#notice('info', 'flow_loaded', `Flow ${name} is at version ${version}.`);
    this.#tellWarnings(flow);
    if (this.#knowsStored) this.#tellCommands(flow);
  }

  /** Logs a pause once for each series of edits, not for each edit. */
  #notePause(flow: FileFlow, waitMs: number): void {
    const name = nameOf(flow);
    if (this.#paused.has(name)) return;
    this.#paused.add(name);
    const seconds = Math.ceil(waitMs / 1_000);
    const message = `Flow ${name} is edited too often: its newest text is taken in ${seconds} s.`;
    this.#notice('warn', 'flow_edits_paused', message);
  }

  /** Once for each version that is loaded. */
  #tellWarnings(flow: FileFlow): void {
    for (const warning of flow.warnings)
      this.#tellWarning(flow, sentencesOf(warning), warning.line);
    this.#tellOthers(flow);
  }

  /** The flows that it starts may be in other files, or stored by requests. */
  #tellOthers(flow: FileFlow): void {
    if (!this.#knowsStored || flow.starts.length === 0) return;
    const inFiles = [...this.#wanted.values()].map(({ definition }) => definition);
    const all = [...this.#stored.list().map(({ definition }) => definition), ...inFiles];
    const said = new Set(flow.warnings.map(sentencesOf));
    for (const text of remarksOnFlows(flow.definition, all)) {
      if (!said.has(text)) this.#tellWarning(flow, text, flow.line);
    }
  }

  /** Says what commands refuse or lack; executors that come later may have other commands. */
  #tellCommands(flow: FileFlow): void {
    const tell = (known: KnownCommands): void => {
      const all = remarksOnRun(flow.definition, known);
      for (const text of all) this.#tellWarning(flow, text, flow.line);
    };
    const known = this.#options.commands?.();
    if (known instanceof Promise) void known.then(tell);
    else if (known !== undefined) tell(known);
  }

  #tellWarning(flow: FileFlow, text: string, line: number): void {
    this.#notice('info', 'flow_file_warning', `Flow ${nameOf(flow)}, line ${line}: ${text}`);
  }

  #isSaved(flow: FileFlow): boolean {
    return this.#saved.get(nameOf(flow)) === flow;
  }

  #notice(level: 'info' | 'warn' | 'error', name: string, ...rest: [string, unknown?]): void {
    const [message, error] = rest;
    const notice = { level, name, message };
    this.#options.observer.noticed(error === undefined ? notice : { ...notice, error });
  }
}

function nameOf(flow: FileFlow): string {
  return flow.definition.name;
}

function sentencesOf({ code, hint, message }: Problem): string {
  return `${message} ${hint} [${code}]`;
}

/** A problem as editors and terminals can follow it: file, line and column first. */
function describe(problem: FileProblem): string {
  const { column, file, line } = problem;
  return `${file}:${line}:${column}: ${sentencesOf(problem)}`;
}

/**
 * How fast flows may get new versions. The store keeps every version for ever, so a file that is
 * written over and over must not make one each time: of edits that come too fast the newest wins.
 */
class SavePace {
  /** By flow: when its last versions were saved, the oldest first. */
  readonly #saves = new Map<string, number[]>();

  constructor(private readonly clock: Clock) {}

  /** Milliseconds until the flow may get another version. */
  waitBefore(name: string): number {
    const saves = this.#saves.get(name) ?? [];
    if (saves.length < SAVES_MAX) return 0;
    return Math.max(0, (saves[0] ?? 0) + SAVES_SPAN_MS - this.clock.monotonic());
  }

  /** The flow was saved now. Flows that were left alone for long enough are forgotten. */
  saved(name: string): void {
    const now = this.clock.monotonic();
    const saves = this.#saves.get(name) ?? [];
    for (const [other, times] of this.#saves) {
      if ((times.at(-1) ?? 0) <= now - SAVES_SPAN_MS) this.#saves.delete(other);
    }
    this.#saves.set(name, [...saves, now].slice(-SAVES_MAX));
  }
}
