import type { ProcessContext, ProcessParts, ProcessPlan } from '#process';
import { executorStore, ownFolder, type Settings } from '#settings';
import { SystemClock, SystemEntropy } from '#machine';
import { MysqlModule } from './mysql.module.js';
import { type CredentialsPlace, openCredentials } from './open-credentials.js';
import { checkInstanceName } from './instance-name.js';

/** The executor of module `mysql` as a process of its own. */
export const mysqlProcess: ProcessPlan = {
  name: 'mysql',
  port: 7072,
  duties: { executor: true, governance: false },
  needsOthers: true,
  parts: mysqlParts,
};

/** The parts of a process that serves module `mysql`. */
export function mysqlParts({ clock, entropy, observer, settings }: ProcessContext): ProcessParts {
  const { mysqlProvider, mysqlUrl, store } = settings;
  const credentials = credentialsPlace(settings);
  const provider =
    mysqlProvider === 'server' && mysqlUrl !== null ? { serverUrl: mysqlUrl } : 'sandbox';
  if (provider === 'sandbox') ownFolder('BACKSTEP_DATA', settings.data);
  if (executorStore(store) !== 'sqlite') {
    for (const notice of noticesOf(provider === 'sandbox', credentials.secretKeys !== null)) {
      observer.noticed({ level: 'warn', module: 'mysql', ...notice });
    }
  }
  return { modules: [MysqlModule.register({ clock, credentials, entropy, provider })] };
}

/** The settings that say where passwords of instances are. */
type CredentialsSettings = Pick<Settings, 'data' | 'mysqlProvider' | 'secretKey' | 'store'>;

/** Where the passwords of instances are; those of the sandbox are in its folders. */
function credentialsPlace(settings: CredentialsSettings): CredentialsPlace {
  const { data: dataFolder, mysqlProvider, secretKey: secretKeys } = settings;
  const store = executorStore(settings.store);
  const isShared = store !== 'sqlite' && mysqlProvider === 'server';
  return { dataFolder, secretKeys, store: isShared ? store : 'files' };
}

/** Notices at the start: limits of the sandbox, and passwords stored in clear. */
function noticesOf(isSandbox: boolean, hasKey: boolean): { name: string; message: string }[] {
  if (isSandbox) {
    const message =
      'the sandbox of mysql is for one machine: its instances are folders there. Run every copy ' +
      'on this machine with this data folder, or set BACKSTEP_MYSQL_PROVIDER=server';
    return [{ name: 'one_machine_only', message }];
  }
  if (hasKey) return [];
  const message =
    'passwords of instances are stored in clear: set BACKSTEP_SECRET_KEY, and they are encrypted';
  return [{ name: 'secrets_in_clear', message }];
}

/**
 * The client file (`my.cnf`) by which clients log in to an instance; null: there is none. It is
 * read from where the settings say it is kept; no process need run. Throws `BadInstanceName`.
 */
export async function readCredentials(
  settings: CredentialsSettings,
  instance: string,
): Promise<string | null> {
  const place = credentialsPlace(settings);
  const parts = { clock: new SystemClock(), entropy: new SystemEntropy() };
  const name = checkInstanceName(instance);
  const credentials = await openCredentials(place, parts);
  try {
    return await credentials.clientFileOf(name);
  } finally {
    await credentials.close();
  }
}
