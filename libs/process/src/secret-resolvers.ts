import type { SecretResolver } from '#ports';
import { EnvSecrets, FileSecrets, VaultSecrets } from '#secret-stores';
import { resolversIn, type Settings, SettingsError } from '#settings';

const ENV = 'env:';

/**
 * All that can fetch secrets for this process: what the settings name, and what its author added.
 * Throws where two have one name.
 */
export function openResolvers(
  { secretFiles, secrets, vaultTokenFile, vaultUrl }: Settings,
  own: readonly SecretResolver[] = [],
): readonly SecretResolver[] {
  const listed = (secrets ?? []).flatMap((rule) => rule.secrets);
  const names = listed.filter((each) => each.startsWith(ENV));
  const all: SecretResolver[] = [
    new EnvSecrets(
      names.map((each) => each.slice(ENV.length)),
      process.env,
    ),
    ...own,
  ];
  if (secretFiles !== null) all.push(new FileSecrets(secretFiles));
  if (vaultUrl !== null && vaultTokenFile !== null) {
    all.push(new VaultSecrets({ url: vaultUrl, tokenFile: vaultTokenFile }));
  }
  const twice = all.find(({ name }, at) => all.findIndex((each) => each.name === name) !== at);
  if (twice !== undefined) throw new Error(`two resolvers of secrets are called ${twice.name}`);
  return all;
}

/** The settings without which a resolver of Backstep's own is not there. */
const NEEDS: ReadonlyMap<string, string> = new Map([
  ['file', 'BACKSTEP_SECRET_FILES'],
  ['vault', 'BACKSTEP_VAULT_URL and BACKSTEP_VAULT_TOKEN_FILE'],
]);

/** Throws a `SettingsError` where a module here may have secrets that nothing here can fetch. */
export function expectResolvers(
  { secrets }: Pick<Settings, 'secrets'>,
  resolvers: readonly SecretResolver[],
  modules: readonly string[],
): void {
  const names = new Set(resolvers.map(({ name }) => name));
  const rules = (secrets ?? []).filter(({ module }) => modules.includes(module));
  const missing = [...resolversIn(rules)].find((name) => !names.has(name));
  if (missing === undefined) return;
  const needs = NEEDS.get(missing);
  const fix = needs === undefined ? `there is ${[...names].join(', ')}` : `set ${needs}`;
  throw new SettingsError([
    `BACKSTEP_SECRETS: lists ${missing}:, which nothing fetches here; ${fix}`,
  ]);
}
