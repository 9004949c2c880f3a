import { access, constants } from 'node:fs/promises';
import { resolversIn, type Settings } from '#settings';
import { broken, type Finding, ok, type Patient } from './finding.js';

const CHECK = 'secret places';

/** Whether what fetches secrets by reference has what it needs. It is not asked for any. */
export async function checkSecretPlaces({ settings }: Patient): Promise<Finding> {
  const { secrets } = settings;
  if (secrets === null) return ok(CHECK, 'no module may use secrets of other stores');
  const names = resolversIn(secrets);
  for (const { needs, path, resolver } of placesIn(settings)) {
    if (!names.has(resolver)) continue;
    if (path === null) {
      return broken(
        CHECK,
        `BACKSTEP_SECRETS lists ${resolver}:, whose place is not set`,
        `Set ${needs}`,
      );
    }
    const isThere = await access(path, constants.R_OK).then(
      () => true,
      () => false,
    );
    if (!isThere)
      return broken(CHECK, `${path} cannot be read`, `Make it readable, or correct ${needs}`);
  }
  const modules = [...new Set(secrets.map(({ module }) => module))].join(', ');
  return ok(CHECK, `commands of ${modules} may use them`);
}

/** A resolver, and what it reads. */
interface Place {
  readonly resolver: string;
  readonly path: string | null;
  readonly needs: string;
}

function placesIn({ secretFiles, vaultTokenFile }: Settings): readonly Place[] {
  return [
    { resolver: 'file', path: secretFiles, needs: 'BACKSTEP_SECRET_FILES' },
    { resolver: 'vault', path: vaultTokenFile, needs: 'BACKSTEP_VAULT_TOKEN_FILE' },
  ];
}
