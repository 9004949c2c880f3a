import { isLocal, takes } from './parsers.js';
import type { Settings } from './settings.js';

/** Journal, runs and messages need room in a document too. Bytes. */
const MONGODB_MAX_TASK = 8 * 1024 * 1024;

/** Settings that are right by themselves and wrong together. A wrong one by itself is undefined. */
export function contradictionsIn(settings: Partial<Settings>): string[] {
  const problems: string[] = [];
  const { mysqlProvider, mysqlUrl, maxParameters, maxTask, store } = settings;
  problems.push(...wrongAccess(settings), ...wrongIssuer(settings), ...wrongTls(settings));
  problems.push(...wrongRights(settings), ...wrongProxy(settings), ...wrongVault(settings));
  if (mysqlProvider === 'server' && mysqlUrl === null) {
    problems.push('BACKSTEP_MYSQL_URL: must be set when BACKSTEP_MYSQL_PROVIDER is server');
  }
  if (settings.archive && settings.retention === null) {
    problems.push('BACKSTEP_ARCHIVE: nothing is written there unless BACKSTEP_RETENTION is set');
  }
  if (maxParameters !== undefined && maxTask !== undefined && maxTask < maxParameters) {
    problems.push('BACKSTEP_MAX_TASK: must not be less than BACKSTEP_MAX_PARAMETERS');
  }
  if (store?.kind === 'mongodb' && maxTask !== undefined && maxTask > MONGODB_MAX_TASK) {
    problems.push(
      'BACKSTEP_MAX_TASK: must be at most 8MiB with MongoDB, whose documents end at 16 MiB',
    );
  }
  return problems;
}

/** Requests that nobody is asked about must be of this machine, and of one person. */
function wrongAccess({ approvals, auth, http }: Partial<Settings>): string[] {
  const problems: string[] = [];
  if (auth === null && http !== undefined && 'host' in http && !isLocal(http)) {
    problems.push(
      `BACKSTEP_HTTP: ${http.host} is reached beyond loopback, where everyone could do ` +
        'everything. Write BACKSTEP_AUTH=keys and make a key (backstep key create <name> --admin), ' +
        'write BACKSTEP_AUTH=oidc, mtls or proxy and grant rights, listen on 127.0.0.1, or write ' +
        'BACKSTEP_AUTH=off and let only a proxy that authenticates people reach it',
    );
  }
  if (auth === 'token' && http !== undefined && !isLocal(http)) {
    problems.push(
      'BACKSTEP_AUTH: token is for this machine alone, and BACKSTEP_HTTP is reached beyond it. Write ' +
        'keys, oidc, mtls or proxy, or listen on 127.0.0.1',
    );
  }
  if (approvals && (auth === null || auth === 'off' || auth === 'token')) {
    problems.push(
      `BACKSTEP_APPROVALS: with BACKSTEP_AUTH ${auth ?? 'off'} two people cannot be told apart. Write ` +
        'BACKSTEP_AUTH=keys, oidc, mtls or proxy',
    );
  }
  return problems;
}

/** Vault takes nobody without a token. */
function wrongVault({ vaultTokenFile, vaultUrl }: Partial<Settings>): string[] {
  return unpaired({ BACKSTEP_VAULT_URL: vaultUrl, BACKSTEP_VAULT_TOKEN_FILE: vaultTokenFile });
}

/** An issuer is of use where its tokens are taken, and needed there. */
function wrongIssuer(settings: Partial<Settings>): string[] {
  const { auth, oidcAudience, oidcGrants, oidcIssuer } = settings;
  if (auth === undefined) return [];
  const parts = { ISSUER: oidcIssuer, AUDIENCE: oidcAudience };
  if (takes(auth, 'oidc')) {
    const missing = Object.entries(parts).filter(([, value]) => value === null);
    return [
      ...missing.map(([name]) => `BACKSTEP_OIDC_${name}: must be set when BACKSTEP_AUTH has oidc`),
      ...wrongClient(settings),
    ];
  }
  const { oidcClient: CLIENT, oidcClientSecret: CLIENT_SECRET } = settings;
  const { oidcSubjectClaim: SUBJECT_CLAIM } = settings;
  const all = { ...parts, SUBJECT_CLAIM, GRANTS: oidcGrants, CLIENT, CLIENT_SECRET };
  const idle = Object.entries(all).filter(([, value]) => value);
  return idle.map(
    ([name]) => `BACKSTEP_OIDC_${name}: has an effect only with oidc in BACKSTEP_AUTH`,
  );
}

/** People sign in to a client that has a secret. */
function wrongClient({ oidcClient, oidcClientSecret }: Partial<Settings>): string[] {
  return unpaired({
    BACKSTEP_OIDC_CLIENT: oidcClient,
    BACKSTEP_OIDC_CLIENT_SECRET: oidcClientSecret,
  });
}

/** Clients show certificates by TLS, to a server that knows their authorities. */
function wrongTls(settings: Partial<Settings>): string[] {
  const { auth, http, tlsCert, tlsClientCa, tlsKey } = settings;
  if (tlsCert === undefined || tlsKey === undefined) return [];
  if (tlsCert !== null && http !== undefined && 'socket' in http) {
    return ['BACKSTEP_TLS_CERT: has no effect on a Unix socket, which speaks plain HTTP'];
  }
  const alone = unpaired({ BACKSTEP_TLS_CERT: tlsCert, BACKSTEP_TLS_KEY: tlsKey });
  if (alone.length > 0) return alone;
  if (auth === undefined || tlsClientCa === undefined) return [];
  const isTaken = takes(auth, 'mtls');
  if (tlsClientCa === null) {
    return isTaken ? ['BACKSTEP_TLS_CLIENT_CA: must be set when BACKSTEP_AUTH has mtls'] : [];
  }
  const idle = 'BACKSTEP_TLS_CLIENT_CA: has an effect only with mtls in BACKSTEP_AUTH';
  const unused = isTaken ? [] : [idle];
  if (tlsCert !== null) return unused;
  const plain = 'BACKSTEP_TLS_CLIENT_CA: client certificates need TLS: set';
  return [...unused, `${plain} BACKSTEP_TLS_CERT and BACKSTEP_TLS_KEY`];
}

/** Rights come from grants, or from one file. */
function wrongRights({ access, auth, mtlsGrants, oidcGrants }: Partial<Settings>): string[] {
  if (auth === undefined || access === undefined || mtlsGrants === undefined) return [];
  const isMtls = takes(auth, 'mtls');
  const problems: string[] = [];
  if (access !== null && !isMtls && !takes(auth, 'oidc') && !takes(auth, 'proxy')) {
    problems.push('BACKSTEP_ACCESS: has an effect only with oidc, mtls or proxy in BACKSTEP_AUTH');
  }
  if (mtlsGrants !== null && !isMtls) {
    problems.push('BACKSTEP_MTLS_GRANTS: has an effect only with mtls in BACKSTEP_AUTH');
  }
  if (isMtls && access === null && mtlsGrants === null) {
    const choice = 'BACKSTEP_MTLS_GRANTS: must be set when BACKSTEP_AUTH has mtls, or';
    problems.push(`${choice} BACKSTEP_ACCESS: else no certificate gives a role`);
  }
  const grants = { MTLS: mtlsGrants, OIDC: oidcGrants };
  const written = Object.entries(grants).filter(([, value]) => value);
  const both = 'must not be set with BACKSTEP_ACCESS, whose file grants the rights';
  if (access !== null) problems.push(...written.map(([way]) => `BACKSTEP_${way}_GRANTS: ${both}`));
  return problems;
}

/** A proxy is known by its secret, and those it vouches for have rights by bindings alone. */
function wrongProxy({ access, auth, proxySecretFile }: Partial<Settings>): string[] {
  if (auth === undefined || access === undefined || proxySecretFile === undefined) return [];
  if (!takes(auth, 'proxy')) {
    const idle = 'BACKSTEP_PROXY_SECRET_FILE: has an effect only with proxy in BACKSTEP_AUTH';
    return proxySecretFile === null ? [] : [idle];
  }
  const missing = 'must be set when BACKSTEP_AUTH has proxy';
  return [
    ...(proxySecretFile === null ? [`BACKSTEP_PROXY_SECRET_FILE: ${missing}`] : []),
    ...(access === null ? [`BACKSTEP_ACCESS: ${missing}: else nothing gives a role`] : []),
  ];
}

/** One of two settings that are of use together is missing. A wrong one is undefined. */
function unpaired(pair: Readonly<Record<string, string | null | undefined>>): string[] {
  const all = Object.entries(pair);
  if (all.some(([, value]) => value === undefined)) return [];
  const missing = all.filter(([, value]) => value === null);
  const given = all.filter(([, value]) => value !== null);
  if (given.length === 0) return [];
  return missing.map(([name]) => `${name}: must be set when ${given[0]?.[0]} is`);
}
