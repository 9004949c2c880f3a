import { join } from 'node:path';
import type { Clock, CommandRecord, Timer } from '#ports';
import { readFlowFolder, type FileReading } from './folder-reading.js';
import { FolderWatch } from './folder-watch.js';
import { clip } from './read-json.js';
import { flowTexts } from './flow-texts.js';
import { joinPointer } from './json-pointer.js';
import { parseFlowFile, type ParsedFlow } from './parse-flow-file.js';
import type { Problem } from './problem.js';
import { SerialJob } from './serial-job.js';

/** A problem and the file it is in, or the folder. */
export interface FileProblem extends Problem {
  readonly file: string;
}

/** A flow of a file. */
export interface FileFlow extends ParsedFlow {
  /** As its author wrote it, with comments and without its name. */
  readonly text: string;
}

/** The changes in a folder, and its flows and problems now. */
export interface FolderUpdate {
  /** All flows by name: for each the newest sound text. */
  readonly flows: ReadonlyMap<string, FileFlow>;
  /** Flows that are new or have another text than before. */
  readonly changed: readonly FileFlow[];
  /** Names of flows that no file defines any more. */
  readonly removed: readonly string[];
  /** All problems, by file and line. */
  readonly problems: readonly FileProblem[];
}

/** How to look after a folder. */
interface FlowFolderOptions {
  readonly path: string;
  readonly clock: Clock;
  /** Called after the first scan and after each that found a difference. Must not throw. */
  readonly onUpdate: (update: FolderUpdate) => void;
  /** Quiet time after which a series of saves counts as done, in milliseconds; 200 by default. */
  readonly settleMs?: number;
  /**
   * Time between scans that nothing gave rise to, in milliseconds; 10,000 by default. They find
   * what the platform does not tell (network drives), and folders that come into being later.
   */
  readonly rescanMs?: number;
  /** Stored defaults of commands; the same object until they change. Default: none. */
  readonly defaults?: () => readonly CommandRecord[];
}

interface FileState {
  /** Null: it could not be read. */
  readonly text: string | null;
  /** The stored defaults that its flows were read with. */
  readonly defaults: readonly CommandRecord[];
  /** By name: for each the newest sound text. */
  readonly flows: ReadonlyMap<string, FileFlow>;
  readonly problems: readonly Problem[];
}

/**
 * The flows of a folder, kept up to date while people edit. A bad edit keeps the old version of
 * what it spoils; a flow is removed when a sound file no longer has it, or its file is gone.
 */
export class FlowFolder {
  readonly #options: FlowFolderOptions;
  readonly #watch: FolderWatch;
  readonly #scans = new SerialJob(() => this.#scan());
  #files: ReadonlyMap<string, FileState> = new Map();
  /** Which file each flow is taken from. */
  #owners: ReadonlyMap<string, string> = new Map();
  #flows: ReadonlyMap<string, FileFlow> = new Map();
  #problems: readonly FileProblem[] | null = null;
  #start: Promise<void> | null = null;
  #timer: Timer | null = null;

  constructor(options: FlowFolderOptions) {
    this.#options = options;
    this.#watch = new FolderWatch({
      path: options.path,
      clock: options.clock,
      settleMs: options.settleMs ?? 200,
      onSettled: () => void this.rescan(),
    });
  }

  /** Reads the folder and watches it from then on. Resolves after the first scan. */
  start(): Promise<void> {
    if (this.#start === null) {
      this.#watch.open();
      this.#start = this.rescan();
    }
    return this.#start;
  }

  /** Stops watching and waits for a scan in hand. Safe to call twice, and before `start`. */
  async stop(): Promise<void> {
    this.#start = null;
    this.#watch.close();
    await this.#scans.settled();
    this.#timer?.cancel();
    this.#timer = null;
  }

  /** Name of the file that defines the flow, within the folder; null: none does. */
  fileOf(flow: string): string | null {
    return this.#owners.get(flow) ?? null;
  }

  /** Reads the folder now. Never rejects: whatever is wrong is a problem of the update. */
  rescan(): Promise<void> {
    return this.#scans.run();
  }

  async #scan(): Promise<void> {
    this.#timer?.cancel();
    // Before reading: what changes in between is then told by the watcher.
    await this.#watch.arm();
    const { path, clock, rescanMs = 10_000 } = this.#options;
    const reading = await readFlowFolder(path);
    if (reading.kind === 'files') {
      const defaults = this.#options.defaults?.() ?? NO_DEFAULTS;
      const states = [...reading.files].map(([file, found]) => {
        return [file, updateFile(this.#files.get(file), found, defaults)] as const;
      });
      this.#files = new Map(states);
      this.#publish([]);
    } else {
      // Perhaps a drive that is away for a moment: what was known stays.
      this.#publish([{ file: path, ...reading.problem }]);
    }
    if (this.#start !== null) this.#timer = clock.after(rescanMs, () => void this.rescan());
  }

  #publish(folderProblems: readonly FileProblem[]): void {
    const owners = this.#chooseOwners();
    const flows = new Map<string, FileFlow>();
    for (const [name, file] of owners) {
      const found = this.#files.get(file)?.flows.get(name);
      const known = this.#flows.get(name);
      if (found === undefined) continue;
      const isSame = known?.hash === found.hash && known.text === found.text;
      flows.set(name, isSame ? known : found);
    }
    const changed = [...flows.values()].filter((flow) => {
      return this.#flows.get(flow.definition.name) !== flow;
    });
    const removed = [...this.#flows.keys()].filter((name) => !flows.has(name));
    const problems = [...folderProblems, ...this.#listProblems(owners)];
    const isNews =
      changed.length + removed.length > 0 ||
      JSON.stringify(problems) !== JSON.stringify(this.#problems);
    this.#owners = owners;
    this.#flows = flows;
    this.#problems = problems;
    if (isNews) this.#options.onUpdate({ flows, changed, removed, problems });
  }

  /** The file that had a flow keeps it as long as it has it; else the first file by name. */
  #chooseOwners(): ReadonlyMap<string, string> {
    const owners = new Map<string, string>();
    for (const [file, { flows }] of this.#files) {
      for (const name of flows.keys()) {
        if (!owners.has(name) || this.#owners.get(name) === file) owners.set(name, file);
      }
    }
    return owners;
  }

  #listProblems(owners: ReadonlyMap<string, string>): readonly FileProblem[] {
    return [...this.#files].flatMap(([file, { flows, problems }]) => {
      const others = [...flows].flatMap(([name, { line }]) => {
        const owner = owners.get(name) ?? file;
        return owner === file ? [] : [duplicateFlow({ name, line, owner })];
      });
      const all = [...problems, ...others].toSorted((a, b) => a.line - b.line);
      return all.map((problem) => ({ file: join(this.#options.path, file), ...problem }));
    });
  }
}

const NO_DEFAULTS: readonly CommandRecord[] = [];

/** The next state of a file: flows whose new text is not sound stay as they were. */
function updateFile(
  before: FileState | undefined,
  found: FileReading,
  defaults: readonly CommandRecord[],
): FileState {
  const old = before?.flows ?? new Map<string, FileFlow>();
  if (found.kind === 'unreadable')
    return { text: null, defaults, flows: old, problems: [found.problem] };
  if (before?.text === found.text && before.defaults === defaults) return before;
  const { flows: sound, problems, names } = parseFlowFile(found.text, { defaults });
  if (names === null) return { text: found.text, defaults, flows: old, problems };
  const flows = new Map<string, FileFlow>();
  for (const name of names) {
    const kept = old.get(name);
    if (kept !== undefined) flows.set(name, kept);
  }
  const texts = flowTexts(found.text);
  for (const flow of sound) {
    const { name } = flow.definition;
    flows.set(name, { ...flow, text: texts.get(name) ?? '' });
  }
  return { text: found.text, defaults, flows, problems };
}

interface DuplicateFlow {
  readonly name: string;
  readonly line: number;
  readonly owner: string;
}

function duplicateFlow({ name, line, owner }: DuplicateFlow): Problem {
  const pointer = joinPointer('', name);
  const message = `${owner} defines a flow \`${clip(name)}\` already, and that one counts.`;
  const hint = 'Rename one of the two, or remove it.';
  return { pointer, line, column: 1, code: 'DUPLICATE_FLOW', message, hint };
}
