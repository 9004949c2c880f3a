import { readFile } from 'node:fs/promises';
import { SecretNotFound, type SecretPlace, type SecretResolver, SecretStoreAway } from 'backstep';

type Keyring = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Secrets in a JSON file: `keyring:db#password` is the member `password` of the member `db`. */
export class KeyringSecrets implements SecretResolver {
  readonly name = 'keyring';

  constructor(private readonly file: string) {}

  async resolve(place: SecretPlace): Promise<string> {
    const entries = new Map(Object.entries((await this.#read())[place.path] ?? {}));
    const secret = entries.get(place.key ?? '');
    if (secret === undefined) throw new SecretNotFound(place);
    return secret;
  }

  async #read(): Promise<Keyring> {
    try {
      return JSON.parse(await readFile(this.file, 'utf8')) as Keyring;
    } catch {
      // The error of JSON.parse quotes the file, and so secrets.
      throw new SecretStoreAway('the keyring cannot be read');
    }
  }
}
