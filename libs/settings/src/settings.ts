import type { ApprovalRule, RoleGrant, SecretRule } from '#ports';
import type { AuthSetting, Listener, StoreSetting, TransportSetting } from './parsers.js';

/** The store for data of executors' own: a file on this machine, or a database of all machines. */
export type ExecutorStore = 'sqlite' | { readonly mongodbUrl: string };

/** The purpose a process is started for; some defaults depend on it. */
export type Mode = 'start' | 'dev' | 'demo' | 'test';

/** The lowest level that is logged. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Everything an operator may set, as the program uses it. Durations are milliseconds. */
export interface Settings {
  readonly store: StoreSetting;
  readonly transport: TransportSetting;
  /** Whether passwords may go to other machines in clear text. */
  readonly insecure: boolean;
  readonly http: Listener;
  /**
   * How requests say whose they are. `token`: by the token in the data folder. `off`: everybody who
   * reaches a listener may do everything. Null: not set, which is `off` and only allowed on
   * loopback.
   */
  readonly auth: AuthSetting | null;
  /** Issuer and audience that OIDC tokens must have; null: none is accepted. Both or none. */
  readonly oidcIssuer: string | null;
  readonly oidcAudience: string | null;
  /** The claim that names a person to all clients alike; null: `sub`, which may not do so. */
  readonly oidcSubjectClaim: string | null;
  /** The claim of a token that says what its owner may do; dots lead into objects. */
  readonly oidcRolesClaim: string;
  /** The grants that its values stand for; null: the values are names of roles. */
  readonly oidcGrants: readonly RoleGrant[] | null;
  /** The client that people sign in to the console with; null: they do so by keys and tokens. */
  readonly oidcClient: string | null;
  readonly oidcClientSecret: string | null;
  /** With spaces between them. */
  readonly oidcScopes: string;
  /** Where the issuer sends browsers back to; null: to the host that they asked. */
  readonly oidcCallback: string | null;
  /** How long a person stays signed in. */
  readonly oidcSession: number;
  /** Actions that need two people; null: none. */
  readonly approvals: readonly ApprovalRule[] | null;
  /** Requests a second, by key or token and by address; Infinity: no bound. */
  readonly ratePerKey: number;
  readonly ratePerAddress: number;
  /** Tasks, and bytes of bodies, a second, by key or token; Infinity: no bound. */
  readonly tasksPerKey: number;
  readonly bytesPerKey: number;
  /** Keys and tokens that are not taken, by address; Infinity: no bound. */
  readonly badKeysPerMinute: number;
  /** Event streams and waiting requests, by key or token, else by address; Infinity: no bound. */
  readonly openPerClient: number;
  /** Host names and addresses, in small letters, without ports; null: only those that are known. */
  readonly hosts: readonly string[] | null;
  /** Origins whose pages may ask from browsers and read the answers; null: none but our own. */
  readonly corsOrigins: readonly string[] | null;
  /** Origin of the gateway as people reach it, for links; null: messages have no links. */
  readonly publicUrl: string | null;
  /** The name of the build of this process's code, for lists of executors; null: none is given. */
  readonly build: string | null;
  /** Absolute paths of the certificate chain and its key, PEM; null: plain HTTP. Both or none. */
  readonly tlsCert: string | null;
  readonly tlsKey: string | null;
  /** Absolute path of the authorities that sign client certificates, PEM; null: none are asked. */
  readonly tlsClientCa: string | null;
  /** The grants of names in client certificates; null: there are none. */
  readonly mtlsGrants: readonly RoleGrant[] | null;
  /** Absolute path of the secrets of proxies that vouch for people; null: no proxy is trusted. */
  readonly proxySecretFile: string | null;
  /** Absolute path of the file of bindings, which stands for all grants; null: there is none. */
  readonly access: string | null;
  /** How long entries of the audit log are kept, in milliseconds; null: for ever. */
  readonly auditRetention: number | null;
  /** Absolute path of the key that signs the end of the audit log, PEM; null: none is signed. */
  readonly auditKeyFile: string | null;
  /** Absolute path of the folder of flow files. */
  readonly flows: string;
  /** Names of the variables that expressions may see; null: none. */
  readonly flowEnv: readonly string[] | null;
  readonly concurrency: number;
  readonly lease: number;
  readonly governanceInterval: number;
  readonly redispatchAfter: number;
  /** Whether a queue without a leader is deleted and declared again. */
  readonly rebuildQueues: boolean;
  readonly drain: number;
  /** Bytes. */
  readonly maxParameters: number;
  /** Bytes. */
  readonly maxTask: number;
  /** Runs and scopes of one task together. */
  readonly maxRuns: number;
  /** Tasks that are not final. */
  readonly maxLiveTasks: number;
  /** How long final tasks are kept, in milliseconds; null: for ever. */
  readonly retention: number | null;
  /** Absolute path of the folder to which tasks go before they are removed; null: nowhere. */
  readonly archive: string | null;
  /** Absolute path of a JSON file; null: the sample that comes along. */
  readonly resourceHosts: string | null;
  readonly mysqlProvider: 'sandbox' | 'server';
  readonly mysqlUrl: string | null;
  /** Keys that seal secrets, 32 bytes each in hexadecimal; null: secrets are stored in clear. */
  readonly secretKey: readonly string[] | null;
  /** The secrets elsewhere that commands may be given, by module; null: none. */
  readonly secrets: readonly SecretRule[] | null;
  /** Absolute path of the folder of files with secrets, for `file:`; null: there is none. */
  readonly secretFiles: string | null;
  /** Address of Vault, and absolute path of the file with its token, for `vault:`. Both or none. */
  readonly vaultUrl: string | null;
  readonly vaultTokenFile: string | null;
  /** Hosts, addresses and networks that `http` may ask although they are not public; null: none. */
  readonly httpAllow: readonly string[] | null;
  /** The command that calls a person because a rollback failed. */
  readonly alertAction: { readonly module: string; readonly command: string };
  readonly alertWebhook: string | null;
  readonly alertSecret: string | null;
  /** How long module `monitor` keeps events and alerts, in milliseconds; null: for ever. */
  readonly monitorRetention: number | null;
  readonly lab: boolean;
  readonly log: LogLevel;
  /** Absolute path of the folder of instance directories and side files. */
  readonly data: string;
}

/** One line of `backstep config print`. */
export interface SettingRow {
  /** Name of the variable. */
  readonly name: string;
  /** As written, passwords and secrets masked; empty: not set. */
  readonly value: string;
  /** `flag`, `environment`, `.env`, `backstep.config.json`, a file's path, or `default`. */
  readonly source: string;
  readonly meaning: string;
}

/** Settings that cannot be used: all that is wrong with them, not only the first thing. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';

  constructor(readonly problems: readonly string[]) {
    const count = problems.length === 1 ? '1 setting is' : `${problems.length} settings are`;
    super([`${count} wrong:`, ...problems.map((problem) => `  ${problem}`)].join('\n'));
  }
}

/** The store in which executors keep data of their own, beside that of tasks. */
export function executorStore(store: StoreSetting): ExecutorStore {
  switch (store.kind) {
    case 'sqlite':
      return 'sqlite';
    case 'mongodb':
      return { mongodbUrl: store.url };
    default:
      return store satisfies never;
  }
}
