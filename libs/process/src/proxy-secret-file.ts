import { ProxySecrets, proxySecretsIn } from '#access';
import type { Clock, Observer, Timer } from '#ports';
import { SettingsError } from '#settings';
import { readPrivateFile } from './private-file.js';

/** How often the file is looked at: links of a mounted secret tell no watcher of their change. */
const LOOK_EVERY_MS = 5_000;

/** The file of `BACKSTEP_PROXY_SECRET_FILE`, and the secrets in it as they change. */
export class ProxySecretFile {
  /** They are replaced by every good edit, and stay as they are with a bad one. */
  readonly secrets: ProxySecrets;
  #text: string;
  #timer: Timer | null = null;
  /** Why the file cannot be used as it is now; null: it can. */
  #problem: string | null = null;

  /** Reads the file. Throws a `SettingsError` where it cannot be used, or where others read it. */
  constructor(
    private readonly file: string,
    private readonly parts: {
      readonly clock: Pick<Clock, 'after'>;
      readonly observer: Pick<Observer, 'noticed'>;
    },
  ) {
    try {
      this.#text = this.#read();
      this.secrets = new ProxySecrets(this.#secretsIn(this.#text));
    } catch (error) {
      throw new SettingsError([`BACKSTEP_PROXY_SECRET_FILE: ${(error as Error).message}`]);
    }
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

  #look(): void {
    const { observer } = this.parts;
    try {
      const text = this.#read();
      if (text === this.#text && this.#problem === null) return;
      this.secrets.replace(this.#secretsIn(text));
      this.#text = text;
      this.#problem = null;
      const message = `${this.file} has changed: its secrets count from now on.`;
      observer.noticed({ level: 'info', name: 'proxy_secret_reloaded', message });
    } catch (error) {
      const { message: problem } = error as Error;
      if (problem === this.#problem) return;
      this.#problem = problem;
      const message = `The secrets of proxies stay as they were: ${problem}`;
      observer.noticed({ level: 'warn', name: 'proxy_secret_not_reloaded', message });
    }
  }

  #read(): string {
    return readPrivateFile(this.file).toString('utf8');
  }

  #secretsIn(text: string): readonly string[] {
    try {
      return proxySecretsIn(text);
    } catch (error) {
      throw new Error(`${this.file} ${(error as Error).message}`, { cause: error });
    }
  }
}
