import type { FlowDefinition, JsonObject } from '#core';
import { type SecretResolver, type SecretRule, SecretStoreAway } from '#ports';
import type { SimProcess } from './sim-process.js';

/** The parameter that says where the secret is. */
const PARAMETER = 'password';

/** The text that only commands may see. */
export const SECRET = 'opened for one attempt';

const RESOLVER = 'sim';
const REFERENCE: JsonObject = { $secret: `${RESOLVER}:database#password` };

/** Both modules of random flows may have it. */
export const SECRET_RULES: readonly SecretRule[] = ['a', 'b'].map((module) => {
  return { module, secrets: [`${RESOLVER}:*`] };
});

/** Has every command of a flow need a secret that is kept elsewhere. */
export function withSecret(flow: FlowDefinition): FlowDefinition {
  return { ...flow, constants: { ...flow.constants, [PARAMETER]: REFERENCE } };
}

/** Whether parameters that a command is given say where the secret is, and not what it is. */
export function isUnfetched(parameters: JsonObject): boolean {
  const given = parameters[PARAMETER];
  return given !== undefined && given !== SECRET;
}

/** A place of secrets that takes its time, and at times does not answer. */
export class SimSecrets implements SecretResolver {
  readonly name = RESOLVER;

  constructor(private readonly process: SimProcess) {}

  resolve(): Promise<string> {
    const { process } = this;
    const { world } = process;
    return new Promise((resolve, reject) => {
      if (!process.alive) return;
      if (world.strikes('secretsAway')) {
        world.see('secret could not be fetched');
        // Later than an attempt waits for it, at times.
        const ms = world.random.between(1, 8_000);
        process.later(ms, () => reject(new SecretStoreAway('the place of secrets is away')));
        return;
      }
      process.later(world.random.between(1, 50), () => resolve(SECRET));
    });
  }
}
