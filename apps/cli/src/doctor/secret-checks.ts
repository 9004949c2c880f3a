import { access, constants, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { hasSecretInput } from '#core/secrets';
import { isFlowFileName, parseFlowFile } from '#flow-files';
import { resolversIn, type Settings } from '#settings';
import { broken, type Finding, ok, type Patient, warning } from './finding.js';

/** Flows that are named at most. */
const NAMED_MAX = 5;

const NO_KEY =
  'no flow file takes secrets; without BACKSTEP_SECRET_KEY a copy of the store gives away the ' +
  'channels of notifications and completion tokens';

const CHECK = 'secret places';

/** A resolver, and what it reads. */
interface Place {
  readonly resolver: string;
  readonly path: string | null;
  readonly needs: string;
}

/** Whether there is a key for the flows that take secrets. Wrong files are another check's. */
export async function checkSecrets({ settings }: Patient): Promise<Finding> {
  if (settings.secretKey !== null) return ok('secrets', 'BACKSTEP_SECRET_KEY is set');
  const names = await flowsWithSecrets(settings.flows);
  if (names.length === 0) return ok('secrets', NO_KEY);
  const more = names.length > NAMED_MAX ? ` and ${names.length - NAMED_MAX} more` : '';
  const list = `${names.slice(0, NAMED_MAX).join(', ')}${more}`;
  const fix = 'Set BACKSTEP_SECRET_KEY, the same for all processes: openssl rand -base64 32';
  return warning('secrets', `no key: ${list} can take secrets only by reference`, fix);
}

async function flowsWithSecrets(folder: string): Promise<readonly string[]> {
  const files = await readdir(folder).catch(() => []);
  const found: string[] = [];
  for (const file of files.filter(isFlowFileName)) {
    const text = await readFile(path.join(folder, file), 'utf8').catch(() => '{}');
    for (const { definition } of parseFlowFile(text).flows) {
      if (hasSecretInput(definition)) found.push(definition.name);
    }
  }
  return found;
}

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

function placesIn({ secretFiles, vaultTokenFile }: Settings): readonly Place[] {
  return [
    { resolver: 'file', path: secretFiles, needs: 'BACKSTEP_SECRET_FILES' },
    { resolver: 'vault', path: vaultTokenFile, needs: 'BACKSTEP_VAULT_TOKEN_FILE' },
  ];
}
