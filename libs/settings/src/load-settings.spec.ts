import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WRONG_FROM_OTHERS, WRONG_JSON } from '../../../test/fixtures/wrong-json.js';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  accessNotes,
  type LoadOptions,
  loadSettings,
  maskUrl,
  printSettings,
  type Settings,
  settingWarnings,
} from './index.js';

/** As many bytes as a signing secret needs. */
const SECRET = 'a secret of 24 bytes ...';

let cwd: string;

beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'backstep-settings-'));
});

afterEach(() => {
  rmSync(cwd, { recursive: true, force: true });
});

function load(options: Partial<LoadOptions> = {}): Settings {
  return loadSettings({ cwd, mode: 'start', ...options });
}

function write(name: string, content: unknown): string {
  const file = path.join(cwd, name);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

function problemsOf(options: Partial<LoadOptions>): readonly string[] {
  try {
    load(options);
  } catch (error) {
    return (error as { problems: readonly string[] }).problems;
  }
  return [];
}

function rowOf(settings: Settings, name: string) {
  return printSettings(settings).find((row) => row.name === name);
}

/** Plain HTTP, and no rights but those of keys. */
const NO_TLS = {
  access: null,
  mtlsGrants: null,
  proxySecretFile: null,
  tlsCert: null,
  tlsKey: null,
  tlsClientCa: null,
};

/** Nobody signs in at an issuer. */
const NO_CLIENT = {
  oidcSubjectClaim: null,
  oidcClient: null,
  oidcClientSecret: null,
  oidcScopes: 'openid profile email',
  oidcCallback: null,
  oidcSession: 3_600_000,
};

/** People reach it on loopback alone. */
const NO_NAMES = { hosts: null, corsOrigins: null, publicUrl: null, build: null };

const NO_ALERTS = {
  alertAction: { module: 'monitor', command: 'raise_alert' },
  alertWebhook: null,
  alertSecret: null,
};

const NO_SECRET_PLACES = { secrets: null, secretFiles: null, vaultUrl: null, vaultTokenFile: null };

describe('settings', () => {
  it('have a default each', () => {
    expect(load()).toEqual({
      store: { kind: 'sqlite', file: path.join(cwd, '.backstep/backstep.db') },
      transport: { kind: 'memory' },
      insecure: false,
      http: { host: '127.0.0.1', port: 7070 },
      auth: null,
      oidcIssuer: null,
      oidcAudience: null,
      oidcRolesClaim: 'roles',
      oidcGrants: null,
      ...NO_CLIENT,
      approvals: null,
      ratePerKey: Infinity,
      tasksPerKey: Infinity,
      bytesPerKey: Infinity,
      ratePerAddress: Infinity,
      badKeysPerMinute: 10,
      openPerClient: Infinity,
      ...NO_NAMES,
      ...NO_TLS,
      auditRetention: null,
      auditKeyFile: null,
      flows: path.join(cwd, 'flow-configs'),
      flowEnv: null,
      concurrency: 64,
      lease: 10_000,
      governanceInterval: 1_000,
      redispatchAfter: 5_000,
      rebuildQueues: false,
      drain: 25_000,
      maxParameters: 262_144,
      maxTask: 4_194_304,
      maxRuns: 13_000,
      maxLiveTasks: 1_000_000,
      retention: null,
      archive: null,
      resourceHosts: null,
      mysqlProvider: 'sandbox',
      mysqlUrl: null,
      secretKey: null,
      ...NO_SECRET_PLACES,
      httpAllow: null,
      ...NO_ALERTS,
      monitorRetention: 7_776_000_000,
      lab: false,
      log: 'info',
      data: path.join(cwd, '.backstep'),
    });
  });

  it.each([
    ['start', false],
    ['dev', true],
    ['demo', true],
    ['test', true],
  ] as const)('have the lab in %s: %s', (mode, lab) => {
    expect(load({ mode }).lab).toBe(lab);
  });

  it('keep side files beside the store, or at home where the store is a server', () => {
    const beside = load({ env: { BACKSTEP_STORE: 'sqlite:/var/lib/backstep/tasks.db' } });
    expect(beside.data).toBe('/var/lib/backstep');
    const server = load({ env: { BACKSTEP_STORE: 'mongodb://a:27017,b:27017/tasks' } });
    expect(server.data).toBe(path.join(cwd, '.backstep'));
  });

  it('keep the store in the folder for side files, where only that is named', () => {
    const named = load({ env: { BACKSTEP_DATA: '/srv/backstep' } });
    expect(named.store).toEqual({ kind: 'sqlite', file: '/srv/backstep/backstep.db' });
    expect(named.data).toBe('/srv/backstep');
    const apart = { BACKSTEP_DATA: 'side', BACKSTEP_STORE: 'sqlite:./tasks/a.db' };
    expect(load({ env: apart })).toMatchObject({
      store: { file: path.join(cwd, 'tasks/a.db') },
      data: path.join(cwd, 'side'),
    });
  });

  it('keep both where systemd has made a folder for the service', () => {
    const env = { STATE_DIRECTORY: '/var/lib/backstep:/var/lib/other' };
    expect(load({ env })).toMatchObject({
      store: { kind: 'sqlite', file: '/var/lib/backstep/backstep.db' },
      data: '/var/lib/backstep',
    });
    const server = { ...env, BACKSTEP_STORE: 'mongodb://a:27017/tasks' };
    expect(load({ env: server }).data).toBe('/var/lib/backstep');
    expect(load({ env: { ...env, BACKSTEP_DATA: '/srv/b' } }).data).toBe('/srv/b');
  });

  it('come from a flag before the environment before .env before the file', () => {
    write('backstep.config.json', { lease: 1, drain: '2s', concurrency: 3, lab: true });
    write('.env', 'BACKSTEP_DRAIN=3s\nBACKSTEP_CONCURRENCY="4"\nOTHER=x\n');
    const env = { BACKSTEP_CONCURRENCY: '5', BACKSTEP_HTTP: ':0', BACKSTEP_LOG: '' };
    const settings = load({ env, flags: { http: '[::1]:80', open: true } });
    expect(settings).toMatchObject({
      lease: 1_000,
      drain: 3_000,
      concurrency: 5,
      http: { host: '::1', port: 80 },
      lab: true,
      log: 'info',
    });
    const sources = printSettings(settings).map(({ name, source }) => [name, source]);
    expect(Object.fromEntries(sources)).toMatchObject({
      BACKSTEP_LEASE: 'backstep.config.json',
      BACKSTEP_DRAIN: '.env',
      BACKSTEP_CONCURRENCY: 'environment',
      BACKSTEP_HTTP: 'flag',
      BACKSTEP_LOG: 'default',
    });
  });

  it('come from no file where files do not count', () => {
    write('.env', 'BACKSTEP_DRAIN=3s\n');
    expect(load({ hasFiles: false })).toMatchObject({ drain: 25_000 });
  });

  it('bound what one client asks for, beyond loopback', () => {
    const env = { BACKSTEP_HTTP: '0.0.0.0:1', BACKSTEP_AUTH: 'keys' };
    const bounds = { ratePerKey: 1_000, ratePerAddress: 2_000, openPerClient: 500 };
    expect(load({ env })).toMatchObject(bounds);
    const none = { BACKSTEP_RATE_PER_KEY: 'none', BACKSTEP_RATE_PER_ADDRESS: '0' };
    const open = { ratePerKey: Infinity, ratePerAddress: Infinity };
    expect(load({ env: { ...env, ...none } })).toMatchObject(open);
    const wrong = { BACKSTEP_BAD_KEYS_PER_MINUTE: '-1', BACKSTEP_OPEN_PER_CLIENT: '1.5' };
    expect(problemsOf({ env: wrong })).toHaveLength(2);
  });

  it('have hosts as names without ports, in small letters', () => {
    const hosts = (text: string) => load({ env: { BACKSTEP_HOSTS: text } }).hosts;
    expect(hosts('Backstep.Example, 10.0.0.5,[FE80::1],,a_b')).toEqual([
      'backstep.example',
      '10.0.0.5',
      'fe80::1',
      'a_b',
    ]);
  });

  it('have a public address without a slash at its end', () => {
    const origin = (text: string) => load({ env: { BACKSTEP_PUBLIC_URL: text } }).publicUrl;
    expect(origin('https://Backstep.example/')).toBe('https://backstep.example');
    expect(origin('http://10.0.0.5:7070')).toBe('http://10.0.0.5:7070');
    const wrong = ['backstep.example', 'ftp://a', 'https://a/b', 'https://u:p@a', 'https://a/?b'];
    for (const text of wrong) {
      expect(problemsOf({ env: { BACKSTEP_PUBLIC_URL: text } })).toHaveLength(1);
    }
  });

  it('leave the variables of tests and scripts alone', () => {
    const env = { BACKSTEP_TEST_AMQP_URL: 'x', BACKSTEP_CACHE: 'x', BACKSTEP_SECANTUS: 'x' };
    expect(problemsOf({ env })).toEqual([]);
  });

  it("leave the variables of people's own executors alone", () => {
    write('.env', 'BACKSTEP_X_STOCK_FILE=/a');
    expect(problemsOf({ env: { BACKSTEP_X_BANK_URL: 'x' } })).toEqual([]);
    expect(problemsOf({ env: { BACKSTEP_XBANK: 'x' } })).toHaveLength(1);
  });
});

describe('what http may ask', () => {
  const allowed = (text: string) => load({ env: { BACKSTEP_HTTP_ALLOW: text } }).httpAllow;

  it('have origins of pages one by one, and never all', () => {
    const origins = (text: string) => load({ env: { BACKSTEP_CORS_ORIGINS: text } }).corsOrigins;
    expect(origins('https://App.Example, http://localhost:5173,')).toEqual([
      'https://app.example',
      'http://localhost:5173',
    ]);
    for (const wrong of ['*', 'app.example', 'https://app.example/x', 'null']) {
      expect(() => origins(wrong)).toThrow('BACKSTEP_CORS_ORIGINS');
    }
  });

  it('is listed as hosts, addresses and networks', () => {
    expect(allowed('Intern.example, 10.0.0.5,,fd00::/8')).toEqual([
      'intern.example',
      '10.0.0.5',
      'fd00::/8',
    ]);
  });

  it.each(['http://intern', '10.0.0.0/33', '10.0.0.0/', 'a/8', '10.0.0.0/8/8', 'a:80'])(
    'is not %s',
    (text) => {
      const problems = problemsOf({ env: { BACKSTEP_HTTP_ALLOW: text } });
      expect(problems).toEqual([expect.stringContaining('must be host names, addresses or')]);
    },
  );
});

describe('variables that flows may see', () => {
  const listed = (text: string) => load({ env: { BACKSTEP_FLOW_ENV: text } }).flowEnv;

  it('are listed by name', () => {
    expect(listed('REGION, stage_2,,BACKSTEP_X_ZONE')).toEqual([
      'REGION',
      'stage_2',
      'BACKSTEP_X_ZONE',
    ]);
  });

  it.each([
    ['REGION;STAGE', 'must be names of variables, with commas between them'],
    ['A, backstep_alert_secret', 'must not list backstep_alert_secret: settings of Backstep are'],
  ])('and %s is refused', (text, reason) => {
    const problems = problemsOf({ env: { BACKSTEP_FLOW_ENV: text } });
    expect(problems).toEqual([expect.stringContaining(reason)]);
  });
});

it('all is kept for ever where that is written', () => {
  const env = { BACKSTEP_MONITOR_RETENTION: 'none', BACKSTEP_RETENTION: 'none' };
  expect(load({ env })).toMatchObject({ monitorRetention: null, retention: null });
});

describe('what is wrong with settings', () => {
  it('is told all at once', () => {
    write('backstep.config.json', { maxParameter: '1KiB', drain: [1] });
    write('.env', 'BACKSTEP_LEASES=1s');
    const env = { BACKSTEP_CONCURENCY: '5', BACKSTEP_LEASE: 'ten', BACKSTEP_LAB: 'maybe' };
    expect(problemsOf({ env })).toEqual([
      'BACKSTEP_CONCURENCY (environment): is unknown; did you mean BACKSTEP_CONCURRENCY?',
      'BACKSTEP_LEASES (.env): is unknown; did you mean BACKSTEP_LEASE?',
      'maxParameter (backstep.config.json): is unknown; did you mean maxParameters?',
      'drain (backstep.config.json): must be a plain value',
      'BACKSTEP_LEASE (environment): "ten": not a duration: write 500ms, 30s, 5m, 2h or 1d, or a number of seconds',
      'BACKSTEP_LAB (environment): "maybe": must be on or off',
    ]);
    expect(() => load({ env })).toThrow(/^6 settings are wrong:\n {2}BACKSTEP_CONCURENCY/);
  });

  it.each([
    ['BACKSTEP_STORE', 'postgres://x/y'],
    ['BACKSTEP_TRANSPORT', 'kafka://x'],
    ['BACKSTEP_HTTP', 'localhost'],
    ['BACKSTEP_HTTP', 'unix:'],
    ['BACKSTEP_HTTP', `unix:/${'a'.repeat(98)}`],
    ['BACKSTEP_HTTP', `unix:/${'a'.repeat(86)}/s`],
    ['BACKSTEP_HOSTS', 'http://a.example'],
    ['BACKSTEP_HOSTS', 'a.example:7070'],
    ['BACKSTEP_HOSTS', '*.example'],
    ['BACKSTEP_HOSTS', 'a example'],
    ['BACKSTEP_HTTP', '127.0.0.1:70700'],
    ['BACKSTEP_CONCURRENCY', '0'],
    ['BACKSTEP_LEASE', '0s'],
    ['BACKSTEP_DRAIN', '9000h'],
    ['BACKSTEP_LEASE', '-1s'],
    ['BACKSTEP_MAX_PARAMETERS', '256 kilobytes'],
    ['BACKSTEP_MYSQL_PROVIDER', 'docker'],
    ['BACKSTEP_ALERT_WEBHOOK', 'ftp://x/y'],
    ['BACKSTEP_LOG', 'loud'],
  ])('%s=%s is seen', (name, text) => {
    const problems = problemsOf({ env: { [name]: text } });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(name);
  });

  it('a file that is not JSON, or no object, is named', () => {
    write('backstep.config.json', '{ oops');
    expect(problemsOf({})[0]).toMatch(/^backstep\.config\.json: is not JSON/);
    write('backstep.config.json', [1]);
    expect(problemsOf({})).toEqual(['backstep.config.json: must hold one object']);
  });

  it.each([...WRONG_JSON, ...WRONG_FROM_OTHERS])(
    'a file of $text is told with its place',
    (wrong) => {
      write('backstep.config.json', wrong.text);
      const isNot = wrong.pointer === undefined ? 'is not JSON: ' : '';
      const told = `backstep.config.json: ${isNot}${wrong.placed}`;
      expect(problemsOf({})).toEqual([told]);
    },
  );

  it('refuses files in UTF-16, which would say nothing', () => {
    const secret = path.join(cwd, 'secret');
    const written = [
      [path.join(cwd, '.env'), '\uFEFFBACKSTEP_AUTH=token\r\n'],
      [path.join(cwd, 'backstep.config.json'), '{ "auth": "token" }'],
      [secret, SECRET],
    ] as const;
    for (const [file, text] of written) writeFileSync(file, Buffer.from(text, 'utf16le'));
    const env = { BACKSTEP_ALERT_SECRET_FILE: secret };
    const what = 'cannot be read: it is UTF-16 text: save it as UTF-8';
    expect(problemsOf({ env }).filter((problem) => problem.includes(what))).toHaveLength(3);
  });

  it('is read past the byte order mark that some editors write', () => {
    write('.env', '\uFEFFBACKSTEP_LEASE=7s\r\nBACKSTEP_DRAIN=3s\r\n');
    write('backstep.config.json', '\uFEFF{ "concurrency": 3 }');
    expect(load()).toMatchObject({ lease: 7_000, drain: 3_000, concurrency: 3 });
  });

  it('a line of .env that sets nothing is named', () => {
    write(
      '.env',
      '# BACKSTEP_LOG: no\nBACKSTEP_LEASE: 5s\nexport BACKSTEP_DRAIN\nbackstep_lab on\n' +
        'BACKSTEP_LOG = warn\nOTHER="\nBACKSTEP_HTTP: 1\n"\nOTHER_BACKSTEP_LAB: on\n',
    );
    expect(problemsOf({})).toEqual([
      'BACKSTEP_LEASE (.env): is not set by this line; write BACKSTEP_LEASE=<value>',
      'BACKSTEP_DRAIN (.env): is not set by this line; write BACKSTEP_DRAIN=<value>',
      'backstep_lab (.env): is not set by this line; write BACKSTEP_LAB=<value>',
    ]);
    write('.env', 'what is this\nBACKSTEP_LEASE="7s" # seven\n');
    expect(load().lease).toBe(7_000);
  });

  it("the file of settings takes a variable's name as well, but not both names", () => {
    write('backstep.config.json', { BACKSTEP_LEASE: '5s' });
    expect(load().lease).toBe(5_000);
    write('backstep.config.json', { BACKSTEP_LEASE: '5s', lease: '6s' });
    expect(problemsOf({})).toEqual([
      'lease (backstep.config.json): is there twice: once as lease, once as BACKSTEP_LEASE',
    ]);
  });

  it('a server without its URL is named', () => {
    const [problem] = problemsOf({ env: { BACKSTEP_MYSQL_PROVIDER: 'server' } });
    expect(problem).toContain('BACKSTEP_MYSQL_URL: must be set');
  });

  it.each([
    ['CERT', 'KEY'],
    ['KEY', 'CERT'],
  ])('a TLS file %s without the other is named', (given, missing) => {
    expect(problemsOf({ env: { [`BACKSTEP_TLS_${given}`]: 'a.pem' } })).toEqual([
      `BACKSTEP_TLS_${missing}: must be set when BACKSTEP_TLS_${given} is`,
    ]);
  });

  it.each([
    ['90d', 7_776_000_000],
    ['12h', 43_200_000],
    ['30m', 1_800_000],
    ['2s', 2_000],
  ])('keep final tasks for %s', (written, ms) => {
    expect(load({ env: { BACKSTEP_RETENTION: written } }).retention).toBe(ms);
  });

  it.each(['90', '0d', '500ms', '1.5h', '-1d', '36501d', '1 d', 'for ever'])(
    'refuse to keep final tasks for %s',
    (written) => {
      expect(problemsOf({ env: { BACKSTEP_RETENTION: written } })).toEqual([
        `BACKSTEP_RETENTION (environment): "${written}": ` +
          'must be like 90d, 12h, 30m or 45s, from 1s to 36500d, or none',
      ]);
    },
  );

  it('name a folder for archives only where tasks are removed', () => {
    const env = { BACKSTEP_ARCHIVE: 'old' };
    expect(problemsOf({ env })).toEqual([
      'BACKSTEP_ARCHIVE: nothing is written there unless BACKSTEP_RETENTION is set',
    ]);
    const { archive } = load({ env: { ...env, BACKSTEP_RETENTION: '1d' } });
    expect(archive).toBe(path.join(cwd, 'old'));
  });

  it('a task that could not hold its own parameters is named', () => {
    const env = { BACKSTEP_MAX_PARAMETERS: '2MiB', BACKSTEP_MAX_TASK: '1MiB' };
    const [problem] = problemsOf({ env });
    expect(problem).toBe('BACKSTEP_MAX_TASK: must not be less than BACKSTEP_MAX_PARAMETERS');
    expect(load({ env: { ...env, BACKSTEP_MAX_TASK: '2MiB' } }).maxTask).toBe(2 * 1024 * 1024);
  });

  it('a task that a document of MongoDB could not hold is named', () => {
    const env = { BACKSTEP_STORE: 'mongodb://db/backstep', BACKSTEP_MAX_TASK: '9MiB' };
    const [problem] = problemsOf({ env });
    expect(problem).toContain('BACKSTEP_MAX_TASK: must be at most 8MiB with MongoDB');
    expect(load({ env: { ...env, BACKSTEP_MAX_TASK: '8MiB' } }).maxTask).toBe(8 * 1024 * 1024);
    expect(load({ env: { BACKSTEP_MAX_TASK: '9MiB' } }).maxTask).toBe(9 * 1024 * 1024);
  });
});

describe('secrets', () => {
  it('may come from files', () => {
    const file = write('secret', `${SECRET}\n`);
    const settings = load({ env: { BACKSTEP_ALERT_SECRET_FILE: 'secret' } });
    expect(settings.alertSecret).toBe(SECRET);
    expect(rowOf(settings, 'BACKSTEP_ALERT_SECRET')).toMatchObject({ value: '***', source: file });
  });

  it('set twice, or in a file that is not there or empty, are refused', () => {
    write('secret', SECRET);
    const twice = { BACKSTEP_ALERT_SECRET: SECRET, BACKSTEP_ALERT_SECRET_FILE: 'secret' };
    expect(problemsOf({ env: twice })[0]).toContain('is set twice');
    const [missing] = problemsOf({ env: { BACKSTEP_TRANSPORT_FILE: 'nowhere' } });
    expect(missing).toContain('cannot be read: ENOENT');
    write('empty', '\n');
    const [empty] = problemsOf({ env: { BACKSTEP_ALERT_SECRET_FILE: 'empty' } });
    expect(empty).toBe(`BACKSTEP_ALERT_SECRET_FILE: ${path.join(cwd, 'empty')} is empty`);
  });

  it.each([
    ['BACKSTEP_TRANSPORT', 'amqp://me:p%40ss@broker/v', 'amqp://***@broker/***'],
    [
      'BACKSTEP_TRANSPORT',
      'amqps://me:pa,ss@one/v,amqps://me:pa,ss@two:5671',
      'amqps://***@one/***,amqps://***@two:5671',
    ],
    ['BACKSTEP_STORE', 'mongodb://me:p@ss@a:1,b:2/db', 'mongodb://***@a:1,b:2/***'],
    ['BACKSTEP_STORE', 'sqlite:/var/lib/a@b.db', 'sqlite:/var/lib/a@b.db'],
    ['BACKSTEP_MYSQL_URL', 'mysql://token@db/', 'mysql://***@db/'],
    ['BACKSTEP_ALERT_WEBHOOK', 'https://hook:8443/T/B/SECRET', 'https://hook:8443/***'],
    ['BACKSTEP_ALERT_WEBHOOK', 'https://[::1]?access=abc', 'https://[::1]/***'],
    ['BACKSTEP_ALERT_SECRET', SECRET, '***'],
    ['BACKSTEP_SECRET_KEY', 'ab'.repeat(32), '***'],
  ])('are not shown: %s=%s', (name, text, shown) => {
    const settings = load({ env: { [name]: text }, isForShow: true });
    expect(rowOf(settings, name)?.value).toBe(shown);
  });

  it.each([
    ['amqp://me:hidden/pass@host/v', 'amqp://***'],
    ['mongodb://h/db?authMechanismProperties=AWS_SESSION_TOKEN:hidden', 'mongodb://h/***'],
    ['mongodb://me:hid#den@host', 'mongodb://***'],
    ['https://hidden@host\\@x', 'https://***'],
  ])('are not shown where a URL is written badly: %s', (url, shown) => {
    expect(maskUrl(url)).toBe(shown);
    expect(maskUrl(url)).not.toMatch(/hid/);
  });

  it.each([
    ['short', false],
    ['a secret of 24 bytes ..', false],
    [SECRET, true],
    [`whsec_${Buffer.alloc(23).toString('base64')}`, false],
    [`whsec_${Buffer.alloc(24).toString('base64')}`, true],
  ])('that sign have 24 bytes or more: %s', (text, isTaken) => {
    const problems = problemsOf({ env: { BACKSTEP_ALERT_SECRET: text } });
    expect(problems.map((problem) => problem.slice(0, 66))).toEqual(
      isTaken ? [] : ['BACKSTEP_ALERT_SECRET (environment): must have 24 bytes or more; m'],
    );
  });

  it('that encrypt are 32 bytes each, written in one way or the other', () => {
    const hexadecimal = '0123456789abcdef'.repeat(4);
    const bytes = Buffer.from(hexadecimal, 'hex');
    const written = [
      hexadecimal.toUpperCase(),
      bytes.toString('base64'),
      bytes.toString('base64url'),
    ];
    const env = { BACKSTEP_SECRET_KEY: written.join(' , ') };
    expect(load({ env }).secretKey).toEqual([hexadecimal, hexadecimal, hexadecimal]);
  });

  it.each(['short', `${'ab'.repeat(32)},`, 'ab'.repeat(33), 'A'.repeat(44), `${'A'.repeat(42)}~`])(
    'that encrypt are refused where they are no keys: %j',
    (text) => {
      const [problem = ''] = problemsOf({ env: { BACKSTEP_SECRET_KEY: text } });
      expect(problem).toMatch(/^BACKSTEP_SECRET_KEY \(environment\): must be 32 bytes/);
    },
  );

  it.each(['store', 'transport', 'mysqlUrl', 'alertWebhook', 'alertSecret'])(
    'may come from a file in every setting that can hold one: %s',
    (key) => {
      const urls: Record<string, string> = {
        store: 'mongodb://me:pw@host/db?tls=true',
        transport: 'amqps://me:pw@host',
        mysqlUrl: 'mysql://me:pw@host/',
        alertWebhook: 'https://me:pw@host/',
        alertSecret: SECRET,
      };
      write('secret', urls[key]);
      const settings = load({ flags: { [`${key}File`]: 'secret' } });
      expect(JSON.stringify(settings)).toContain(urls[key]);
      expect(settingWarnings(settings)).toEqual([]);
    },
  );

  it('in a flag are warned of: every user of the machine can read it', () => {
    const flags = { transport: 'amqps://me:hidden@host', store: 'mongodb://host/db' };
    const warnings = settingWarnings(load({ flags }));
    expect(warnings).toEqual([expect.stringMatching(/^BACKSTEP_TRANSPORT is given as a flag/)]);
    expect(warnings.join()).not.toContain('hidden');
    expect(settingWarnings(load({ flags, flagSource: 'program' }))).toEqual([]);
  });

  it('are not repeated when they are wrong', () => {
    const [problem] = problemsOf({ env: { BACKSTEP_TRANSPORT: 'amq://me:hidden@broker' } });
    expect(problem).not.toContain('hidden');
  });
});

describe('a listener', () => {
  it.each(['127.0.0.1:1', ':1', 'localhost:1', '127.1.2.3:1', '[::1]:1', '[0:0:0:0:0:0:0:1]:1'])(
    'on %s needs nothing more',
    (http) => {
      expect(accessNotes(load({ env: { BACKSTEP_HTTP: http } }))).toEqual([]);
    },
  );

  it.each(['0.0.0.0:1', '[::]:1', '192.168.1.7:1', 'backstep.internal:1', '[::11]:1'])(
    'on %s is refused unless somebody wrote that authentication is off',
    (http) => {
      const env = { BACKSTEP_HTTP: http };
      expect(problemsOf({ env })).toEqual([expect.stringMatching(/BACKSTEP_AUTH=off/)]);
      const written = load({ env: { ...env, BACKSTEP_AUTH: 'off' } });
      expect(accessNotes(written)).toEqual([expect.stringContaining('beyond loopback')]);
    },
  );

  it('that asks for keys may be anywhere', () => {
    const settings = load({ env: { BACKSTEP_HTTP: '0.0.0.0:1', BACKSTEP_AUTH: 'keys' } });
    expect(settings.auth).toBe('keys');
    expect(accessNotes(settings)).toEqual([]);
  });

  it('has no other authentication', () => {
    const [problem] = problemsOf({ env: { BACKSTEP_AUTH: 'on' } });
    expect(problem).toContain('must be off, token, or some of keys, oidc, mtls and proxy');
  });
});
