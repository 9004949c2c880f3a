import { ProxySecrets, proxySecretsIn } from '#access';
import type { Clock, Observer, Timer } from '#ports';
import { SettingsError } from '#settings';
import { EditedText } from './edited-text.js';
import { readPrivateFile } from './private-file.js';

/** How often the file is looked at: links of a mounted secret tell no watcher of their change. */
const LOOK_EVERY_MS = 5_000;

/** The file of `BACKSTEP_PROXY_SECRET_FILE`, and the secrets in it as they change. */
export class ProxySecretFile {
  /** They are replaced by every good edit, and stay as they are with a bad one. */
  readonly secrets: ProxySecrets;
  readonly #edited: EditedText<readonly string[]>;
  #timer: Timer | null = null;

  /** Reads the file. Throws a `SettingsError` where it cannot be used, or where others read it. */
  constructor(
    private readonly file: string,
    private readonly parts: {
      readonly clock: Pick<Clock, 'after'>;
      readonly observer: Pick<Observer, 'noticed'>;
    },
  ) {
    const read = (): string => readPrivateFile(file).toString('utf8');
    const parse = (text: string): readonly string[] => this.#secretsIn(text);
    const kept = 'The secrets of proxies stay as they were';
    try {
      this.#edited = new EditedText({ read, parse, name: 'proxy_secret', kept }, parts.observer);
    } catch (error) {
      throw new SettingsError([`BACKSTEP_PROXY_SECRET_FILE: ${(error as Error).message}`]);
    }
    this.secrets = new ProxySecrets(this.#edited.first);
  }

  /** Follows the file from now on. */
  follow(): void {
    this.#timer = this.parts.clock.after(LOOK_EVERY_MS, () => {
      this.#look();
      this.follow();
    });
  }

  /** Looks no more. Safe to call twice, and before `follow`. */
  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  /** A note for everybody where the last edit does not count. */
  notes(): readonly string[] {
    return this.#edited.problem === null ? [] : [BAD_EDIT];
  }

  #look(): void {
    this.#edited.look((secrets) => {
      this.secrets.replace(secrets);
      return `${this.file} has changed: its secrets count from now on.`;
    });
  }

  #secretsIn(text: string): readonly string[] {
    try {
      return proxySecretsIn(text);
    } catch (error) {
      throw new Error(`${this.file} ${(error as Error).message}`, { cause: error });
    }
  }
}

const BAD_EDIT =
  'the file of BACKSTEP_PROXY_SECRET_FILE cannot be used as it is now: the secrets that were read ' +
  'last count';
