import path from 'node:path';
import { parseDuration, parsePositiveDuration } from '#wording';
import {
  isLocal,
  oneOf,
  parseAuth,
  parseBound,
  parseBuild,
  parseCommandName,
  parseHosts,
  parseHostsAndNetworks,
  parseFolder,
  parseListener,
  parseOrigin,
  parseOrigins,
  parsePath,
  parseRetention,
  parseRunsMost,
  parseSafeUrl,
  parseSecretKeys,
  parseSigningSecret,
  parseSize,
  parseStore,
  parseSwitch,
  parseTransport,
  parseVariableNames,
  positiveInteger,
  urlOf,
} from './parsers.js';
import { ACCESS_SETTINGS, OIDC_SETTINGS } from './access-table.js';
import { parseApprovals } from './approval-rules.js';
import { parseSecretRules } from './secret-rules.js';
import type { Fallbacks, SettingEntry } from './setting-entry.js';
import type { Settings } from './settings.js';

/** On loopback everybody is one address, and no stranger: there is no bound. */
function beyondLoopback(bound: string): (known: Fallbacks) => string {
  return ({ settings: { http } }) => (http === undefined || isLocal(http) ? 'none' : bound);
}

/**
 * Every setting, by its key: `BACKSTEP_GOVERNANCE_INTERVAL` as a variable, `--governance-interval`
 * as a flag, `governanceInterval` in `backstep.config.json`.
 */
export const SETTINGS: { readonly [K in keyof Settings]: SettingEntry<Settings[K]> } = {
  store: {
    parse: parseStore,
    fallback: ({ home }) => `sqlite:${home}/backstep.db`,
    depends:
      '`sqlite:` and the file `backstep.db` in `BACKSTEP_DATA`, else in `STATE_DIRECTORY` of systemd, ' +
      'else in `./.backstep`',
    meaning: 'where tasks are kept: sqlite:<file> or mongodb://host/database',
    hidden: 'url',
  },
  transport: {
    parse: parseTransport,
    fallback: 'memory:',
    meaning:
      'what carries the messages: memory:, amqps://user:password@host/vhost or amqp://; several URLs ' +
      'with commas are nodes of one cluster, tried in this order',
    hidden: 'url',
  },
  insecure: {
    parse: parseSwitch,
    fallback: 'off',
    meaning: 'whether passwords may go to other machines in clear text',
  },
  http: {
    parse: parseListener,
    fallback: '127.0.0.1:7070',
    meaning: 'where the app listens: host:port, a port, or unix:<path> for this user alone',
  },
  auth: {
    parse: parseAuth,
    fallback: null,
    meaning:
      'how requests authenticate: off, token (a file on this machine), or some of keys (API keys), ' +
      'oidc (tokens of an issuer), mtls (client certificates) and proxy (one that vouches for ' +
      'people) with commas; required beyond loopback',
  },
  ...OIDC_SETTINGS,
  approvals: {
    parse: parseApprovals,
    fallback: null,
    meaning:
      'actions that need two people, with semicolons, like terminate, skip on create-* needs two',
  },
  ratePerKey: {
    parse: parseBound,
    fallback: beyondLoopback('1000'),
    depends: '`none` on loopback, else `1000`',
    meaning: 'requests a second with one key or token, twice as many in a row; none: no bound',
  },
  tasksPerKey: {
    parse: parseBound,
    fallback: 'none',
    meaning: 'tasks a second with one key or token, twice as many in a row; none: no bound',
  },
  bytesPerKey: {
    parse: parseBound,
    fallback: 'none',
    meaning:
      'bytes of bodies a second with one key or token, twice as many in a row; none: no bound',
  },
  ratePerAddress: {
    parse: parseBound,
    fallback: beyondLoopback('2000'),
    depends: '`none` on loopback, else `2000`',
    meaning: 'requests a second from one address, twice as many in a row; none: no bound',
  },
  badKeysPerMinute: {
    parse: parseBound,
    fallback: '10',
    meaning: 'refused keys and tokens a minute from one address; none: no bound',
  },
  openPerClient: {
    parse: parseBound,
    fallback: beyondLoopback('500'),
    depends: '`none` on loopback, else `500`',
    meaning: 'most open event streams and waiting requests of one key or address; none: no bound',
  },
  hosts: {
    parse: parseHosts,
    fallback: null,
    meaning: 'host names that requests may use besides loopback, with commas',
  },
  corsOrigins: {
    parse: parseOrigins,
    fallback: null,
    meaning:
      'origins whose pages may send requests from browsers and read the answers (CORS), with ' +
      'commas, like https://app.example; none: no page of another origin may',
  },
  publicUrl: {
    parse: parseOrigin,
    fallback: null,
    meaning:
      'address of the gateway as people reach it, for links in messages, like https://backstep.example',
  },
  build: {
    parse: parseBuild,
    fallback: null,
    meaning:
      'what executor list calls the code of this process, like a commit; with --executors the name ' +
      'and version of its package.json if not set',
  },
  ...ACCESS_SETTINGS,
  auditRetention: {
    parse: parseRetention,
    fallback: null,
    meaning: 'entries of the audit log older than this are removed, like 365d; none: they are kept',
  },
  auditKeyFile: {
    parse: parsePath,
    fallback: null,
    meaning: 'PEM file of an Ed25519 private key, which signs the end of the audit log',
  },
  flows: {
    parse: parseFolder,
    fallback: './flow-configs',
    meaning: 'folder of flow files, watched',
  },
  flowEnv: {
    parse: parseVariableNames,
    fallback: null,
    meaning: 'variables that expressions of flows may see as $env, with commas',
  },
  concurrency: {
    parse: positiveInteger,
    fallback: '64',
    meaning: 'commands at a time, per module and process',
  },
  lease: {
    parse: parsePositiveDuration,
    fallback: '10s',
    meaning: "a dead executor's step is taken over after this",
  },
  governanceInterval: {
    parse: parsePositiveDuration,
    fallback: '1s',
    meaning: 'how often governance looks for due tasks',
  },
  redispatchAfter: {
    parse: parsePositiveDuration,
    fallback: '5s',
    meaning: 'a queued step that no executor claimed is sent again after this',
  },
  rebuildQueues: {
    parse: parseSwitch,
    fallback: 'off',
    meaning: 'whether a queue without a leader is created again; for RabbitMQ before 3.12',
  },
  drain: {
    parse: parseDuration,
    fallback: '25s',
    meaning: 'how long a stop lets running commands finish',
  },
  maxParameters: {
    parse: parseSize,
    fallback: '256KiB',
    meaning: 'most bytes of a request for a task and of a step output',
  },
  maxTask: {
    parse: parseSize,
    fallback: '4MiB',
    meaning: "most bytes of a task's parameters and outputs together",
  },
  maxRuns: {
    parse: parseRunsMost,
    fallback: '13000',
    meaning: "most runs and scopes of a task: its steps', those of each round, branch and try",
  },
  maxLiveTasks: {
    parse: positiveInteger,
    fallback: '1000000',
    meaning: 'most unfinished tasks; more are refused until some have ended',
  },
  retention: {
    parse: parseRetention,
    fallback: null,
    meaning: 'final tasks older than this are removed, like 90d or 12h; none: they are kept',
  },
  archive: {
    parse: parseFolder,
    fallback: null,
    meaning: 'folder into which tasks are written before retention removes them',
  },
  resourceHosts: {
    parse: parsePath,
    fallback: null,
    meaning: 'JSON file of hosts with cpu, memory and storage; a small sample if not set',
  },
  mysqlProvider: {
    parse: oneOf('sandbox', 'server'),
    fallback: 'sandbox',
    meaning: 'provider of databases: sandbox or server',
  },
  mysqlUrl: {
    parse: urlOf('mysql'),
    fallback: null,
    meaning: "the administrator's URL of the server",
    hidden: 'url',
  },
  secretKey: {
    parse: parseSecretKeys,
    fallback: null,
    meaning: 'keys that seal secrets, the same in all processes, with commas; the first one seals',
    hidden: 'secret',
  },
  secrets: {
    parse: parseSecretRules,
    fallback: null,
    meaning:
      'secrets in other stores that commands may use, by module, like ' +
      'mysql=vault:kv/mysql/*,file:db/*; http=env:API_TOKEN',
  },
  secretFiles: {
    parse: parseFolder,
    fallback: null,
    meaning: 'folder of files with secrets, for file:<path>, like a mounted volume',
  },
  vaultUrl: {
    parse: parseSafeUrl,
    fallback: null,
    meaning: 'address of HashiCorp Vault, for vault:<mount>/<path>#<key>',
  },
  vaultTokenFile: {
    parse: parsePath,
    fallback: null,
    meaning: 'file with the token for Vault; read again when the token is refused',
  },
  httpAllow: {
    parse: parseHostsAndNetworks,
    fallback: null,
    meaning: 'hosts and networks that are not public and that module http may call, with commas',
  },
  alertAction: {
    parse: parseCommandName,
    fallback: 'monitor.raise_alert',
    meaning:
      'the command, as module.command, that calls a person because a rollback failed; the same ' +
      'for all processes of a deployment',
  },
  alertWebhook: {
    parse: urlOf('https', 'http'),
    fallback: null,
    meaning: 'where alerts go',
    hidden: 'url',
  },
  alertSecret: {
    parse: parseSigningSecret,
    fallback: null,
    meaning: 'secret that signs alerts; 24 bytes or more',
    hidden: 'secret',
  },
  monitorRetention: {
    parse: parseRetention,
    fallback: '90d',
    meaning: 'events and alerts of module monitor older than this are removed; none: they are kept',
  },
  lab: {
    parse: parseSwitch,
    fallback: ({ mode }) => (mode === 'start' ? 'off' : 'on'),
    depends: '`on` in `dev` and `demo`, `off` in `start`',
    meaning: 'whether the practice module lab runs',
  },
  log: {
    parse: oneOf('debug', 'info', 'warn', 'error', 'silent'),
    fallback: 'info',
    meaning: 'lowest level that is logged; debug has every step',
  },
  data: {
    parse: parsePath,
    fallback: ({ home, settings: { store } }) =>
      store?.kind === 'sqlite' ? path.dirname(store.file) : home,
    depends:
      "the folder of the store's file, else `STATE_DIRECTORY` of systemd, else `./.backstep`",
    meaning: 'folder of instance directories and side files',
  },
};

/**
 * Variables with our prefix that are not the program's: `BACKSTEP_X_...` are settings of people's
 * own executors, the rest those of tests, scripts and the command line.
 */
export const OTHER_VARIABLES =
  /^BACKSTEP_(X_.*|TEST_.*|CACHE|SECANTUS.*|URL|TOKEN(_FILE)?|CLIENT_(CERT|KEY))$/;

/** `governanceInterval` as a variable. */
export function variableOf(key: string): string {
  return `BACKSTEP_${key.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}
