import { referenceParts } from '#core/secrets';
import type { SecretRule } from '#ports';

const MODULE = /^[a-z][a-z0-9_-]{0,62}$/;

/** Variables of Backstep itself; those that begin with `BACKSTEP_X_` are people's own. */
const OWN_VARIABLE = /^BACKSTEP_(?!X_)/;

/** `mysql=vault:kv/mysql/*,file:db/*; http=env:API_TOKEN`. Throws an error for its author. */
export function parseSecretRules(text: string): readonly SecretRule[] {
  const rules = text.split(';').filter((part) => part.trim() !== '');
  if (rules.length === 0) throw wrong(text);
  return rules.map((rule) => {
    const at = rule.indexOf('=');
    const module = rule.slice(0, at).trim();
    if (at === -1 || !MODULE.test(module)) throw wrong(rule);
    const secrets = rule.slice(at + 1).split(',');
    return { module, secrets: secrets.map((each) => listed(each.trim())) };
  });
}

/** Names of the resolvers that a module needs for what is listed for it. */
export function resolversIn(rules: readonly SecretRule[]): ReadonlySet<string> {
  const all = rules.flatMap(({ secrets }) => secrets);
  return new Set(all.map((each) => each.slice(0, each.indexOf(':'))));
}

function listed(text: string): string {
  const isAll = text.endsWith('*');
  // `kv/*` and `kv/my*` alike: with one more letter, what stands before the star is a reference.
  const parts = referenceParts(isAll ? `${text.slice(0, -1)}x` : text);
  const isVariable = parts?.resolver !== 'env' || (!isAll && !OWN_VARIABLE.test(parts.path));
  const isPlace = !isAll || (parts !== null && parts.key === null);
  if (parts === null || !isVariable || !isPlace) throw wrong(text);
  return text;
}

function wrong(text: string): RangeError {
  return new RangeError(
    `cannot be read at ${JSON.stringify(text.trim())}: write <module>=<reference>,<reference>, and ; ` +
      'before another module; a reference is vault:kv/db#key, vault:kv/db or vault:kv/*, and of env: ' +
      'a whole name',
  );
}
