import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { hasSecretInput } from '#core/secrets';
import { isFlowFileName, parseFlowFile } from '#flow-files';
import { type Finding, ok, type Patient, warning } from './finding.js';

/** Flows that are named at most. */
const NAMED_MAX = 5;

const NO_KEY =
  'no flow file takes secrets; without BACKSTEP_SECRET_KEY a copy of the store gives away the ' +
  'channels of notifications and completion tokens';

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
