import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { AccessRules, type Binding } from '#access';
import { FolderWatch } from '#flow-files';
import type { Clock, Observer, Timer } from '#ports';
import { SettingsError } from '#settings';
import { EditedText } from './edited-text.js';
import { readAccess } from './read-access.js';

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
    private readonly parts: {
      readonly clock: Clock;
      readonly observer: Pick<Observer, 'noticed'>;
    },
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
