import type { JsonValue } from '#core';
import { SecretNotFound, type SecretPlace, type SecretResolver, SecretStoreAway } from '#ports';

/** A store of secrets in memory, by places as references write them: `kv/db#password`. */
export class MemorySecrets implements SecretResolver {
  readonly secrets = new Map<string, JsonValue>();
  /** Everything that was asked for, in order. */
  readonly asked: string[] = [];
  /** Whether it does not answer now. */
  isAway = false;

  constructor(readonly name = 'memory') {}

  async resolve(place: SecretPlace): Promise<JsonValue> {
    const { key, path, reference } = place;
    this.asked.push(reference);
    if (this.isAway) throw new SecretStoreAway(`${this.name} is away`);
    const secret = this.secrets.get(key === null ? path : `${path}#${key}`);
    if (secret === undefined) throw new SecretNotFound(place);
    return secret;
  }
}
