import { SecretNotFound, type SecretPlace, type SecretResolver } from '#ports';

/** Secrets in variables of the process: `env:API_TOKEN`. It sees those that are listed alone. */
export class EnvSecrets implements SecretResolver {
  readonly name = 'env';
  readonly #variables: ReadonlyMap<string, string>;

  /** `listed`: names of the variables that may be asked for. */
  constructor(listed: readonly string[], env: Readonly<Record<string, string | undefined>>) {
    const found = listed.flatMap((name) => {
      const value = Object.hasOwn(env, name) ? env[name] : undefined;
      // An empty variable counts as not set, as it does for settings.
      return value === undefined || value === '' ? [] : [[name, value] as const];
    });
    this.#variables = new Map(found);
  }

  async resolve(place: SecretPlace): Promise<string> {
    if (place.key !== null) throw new SecretNotFound(place, 'has a key, and a variable has none');
    const value = this.#variables.get(place.path);
    if (value === undefined) throw new SecretNotFound(place, 'is no variable that is set here');
    return value;
  }
}
