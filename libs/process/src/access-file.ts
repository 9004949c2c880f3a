import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import {
  accessFileSchema,
  AccessRules,
  type Binding,
  bindingsIn,
  type WrittenAccess,
} from '#access';
import { checkParameters, FolderWatch, type JsonReading, readJson } from '#flow-files';
import type { Clock, Observer, Timer } from '#ports';
import { SettingsError } from '#settings';
import type { JsonValue } from '#core';
import { EditedText } from './edited-text.js';

/** The result of reading a text of bindings; `problem` begins with line and column. */
type AccessReading =
  | { readonly bindings: readonly Binding[]; readonly problem: null }
  | { readonly bindings: null; readonly problem: string };

type Document = Extract<JsonReading, { readonly kind: 'read' }>['document'];

/** A mistake, and the place of it in the text. */
interface Mistake {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** A file of bindings is far smaller. */
const BYTES_MAX = 1024 * 1024;
/** Quiet time after which a save counts as done. */
const SETTLE_MS = 200;
/** The file is looked at as often also where nothing is told of it, as on network drives. */
const LOOK_EVERY_MS = 10_000;

/** The file cannot be used; the message is a sentence with the file, and the place where it can. */
class WrongAccess extends Error {}

/** The file of `BACKSTEP_ACCESS`: the rules that follow from it, kept up to date as it changes. */
export class AccessFile {
  /** They are replaced by every good edit, and stay as they are with a bad one. */
  readonly rules: AccessRules;
  readonly #watch: FolderWatch;
  readonly #edited: EditedText<readonly Binding[]>;
  #timer: Timer | null = null;

  /** Reads the file. Throws a `SettingsError` where it cannot be used. */
  constructor(
    private readonly file: string,
    private readonly parts: { readonly clock: Clock; readonly observer: Pick<Observer, 'noticed'> },
  ) {
    const read = (): string => this.#read();
    const parse = (text: string): readonly Binding[] => this.#bindingsIn(text);
    const kept = 'The bindings stay as they were';
    try {
      this.#edited = new EditedText({ read, parse, name: 'access', kept }, parts.observer);
    } catch (error) {
      throw new SettingsError([`BACKSTEP_ACCESS: ${(error as Error).message}`]);
    }
    this.rules = new AccessRules(this.#edited.first);
    const { clock } = parts;
    const onSettled = (): void => this.#look();
    this.#watch = new FolderWatch({
      path: path.dirname(file),
      clock,
      settleMs: SETTLE_MS,
      onSettled,
    });
  }

  /** Follows the file from now on. */
  follow(): void {
    this.#watch.open();
    this.#round();
  }

  /** Looks no more. Safe to call twice, and before `follow`. */
  stop(): void {
    this.#watch.close();
    this.#timer?.cancel();
    this.#timer = null;
  }

  /** A note for everybody where the last edit does not count. */
  notes(): readonly string[] {
    return this.#edited.problem === null ? [] : [BAD_EDIT];
  }

  #round(): void {
    void this.#watch.arm().then(() => this.#look());
    this.#timer = this.parts.clock.after(LOOK_EVERY_MS, () => this.#round());
  }

  #look(): void {
    this.#edited.look((bindings) => {
      this.rules.replace(bindings);
      return `${this.file} has changed: its ${bindings.length} bindings apply from now on.`;
    });
  }

  #read(): string {
    try {
      const stats = statSync(this.file);
      if (!stats.isFile()) throw new WrongAccess(`${this.file} is no file.`);
      if (stats.size > BYTES_MAX) throw new WrongAccess(`${this.file} is larger than 1 MiB.`);
      return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(this.file));
    } catch (error) {
      if (error instanceof WrongAccess) throw error;
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
        throw new WrongAccess(`${this.file} is not UTF-8 text.`);
      }
      throw new WrongAccess(`${this.file} cannot be read (${code}).`);
    }
  }

  #bindingsIn(text: string): readonly Binding[] {
    const { bindings, problem } = readAccess(text);
    if (problem !== null) throw new WrongAccess(`${this.file}:${problem}`);
    return bindings;
  }
}

/** Strangers read it too, so it says nothing of what stands in the file. */
const BAD_EDIT =
  'the file of BACKSTEP_ACCESS cannot be used as it is now: the bindings that were read last count';

/** Reads bindings: JSON, in which comments and trailing commas are fine. Never throws. */
export function readAccess(text: string): AccessReading {
  // The reader has words about flows for it.
  if (text.trim() === '') return wrong({ line: 1, column: 1, message: 'The file is empty.' });
  const reading = readJson(text);
  if (reading.kind === 'unreadable') return wrong(reading.problem);
  const mistake = firstMistake(reading.document);
  if (mistake !== undefined) return wrong(mistake);
  return {
    bindings: bindingsIn(reading.document.value as unknown as WrittenAccess),
    problem: null,
  };
}

function wrong({ column, line, message }: Mistake): AccessReading {
  return { bindings: null, problem: `${line}:${column}: ${message}` };
}

/** In the order of the text. */
function firstMistake(document: Document): Mistake | undefined {
  const members = document.findings.map(({ at = 'value', message, pointer }) => {
    return { ...document.locate(pointer, at), message };
  });
  const shapes = checkParameters(accessFileSchema, document.value).map((problem) => {
    const { hint, message, pointer } = problem;
    const about = message.replace(/^The parameters\b/, 'The file');
    return { pointer, message: hint === undefined ? about : `${about} ${hint}` };
  });
  const others = [...unclearIn(document.value), ...shapes].map(({ message, pointer }) => {
    return { ...document.locate(pointer, 'name'), message };
  });
  return [...members, ...others].toSorted((a, b) => a.line - b.line || a.column - b.column)[0];
}

/** Bindings that are not of one kind: a schema says so in many words. */
function unclearIn(value: JsonValue): readonly { message: string; pointer: string }[] {
  const { bindings } = (value ?? {}) as { readonly bindings?: unknown };
  if (!Array.isArray(bindings)) return [];
  return bindings.flatMap((binding: unknown, n) => {
    const members = Object.keys(binding ?? {});
    if (members.includes('subject') !== members.includes('group')) return [];
    const message = `Binding ${n + 1} must have \`subject\` or \`group\`, and not both.`;
    return [{ pointer: `/bindings/${n}`, message }];
  });
}
