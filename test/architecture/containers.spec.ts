import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { tmpdir } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { loadSettings } from '#settings';
import { COMPOSE, COMPOSE_PROCESSES, COMPOSE_TEXT } from '../stack/compose-file.js';
import { NODE_FLAGS } from '../stack/node-flags.js';
import { USUAL_PORTS } from '../stack/ports.js';
import { isSpec, readSourceTree } from './source-tree.js';

const { services, volumes } = COMPOSE;
const ours = COMPOSE_PROCESSES;
const environments = Object.entries(services).flatMap(([service, { environment = {} }]) =>
  Object.entries(environment).map(([name, value]) => ({ service, name, value })),
);
const dockerfile = readFileSync('Dockerfile', 'utf8').replaceAll('\\\n', ' ').split('\n');
const instructions = (name: string) =>
  dockerfile.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length));

/** No engine runs here: these rules hold what can be known without one. */
describe('docker-compose.yml', () => {
  it('has the gateway and every executor, each on its usual port of this machine only', () => {
    const found = ours.map(([name, { ports }]) => [name, ports]);
    const apps = Object.entries(USUAL_PORTS).filter(([name]) => name !== 'standalone');
    expect(found).toEqual(apps.map(([name, port]) => [name, [`127.0.0.1:${port}:7070`]]));
  });

  it.each(ours)('%s is an app, with settings that it takes', (name, { environment }) => {
    const { APP, ...env } = environment ?? {};
    expect(APP).toBe(name);
    expect(existsSync(`apps/${APP}/src/main.ts`)).toBe(true);
    // Of a key the form is looked at, too.
    const key = env['BACKSTEP_SECRET_KEY'] && { BACKSTEP_SECRET_KEY: 'ab'.repeat(32) };
    const given = { ...env, ...key };
    const settings = loadSettings({ mode: 'start', env: given, cwd: tmpdir() });
    expect([settings.store.kind, settings.transport.kind]).toEqual(['mongodb', 'amqp']);
  });

  it.each(ours)('%s is given the time to drain', (_name, { stop_grace_period }) => {
    const { drain } = loadSettings({ mode: 'start', env: {}, cwd: tmpdir() });
    expect(Number.parseInt(stop_grace_period ?? '', 10) * 1_000).toBeGreaterThan(drain);
  });

  it('waits only for what can say that it is there', () => {
    const waits = Object.values(services).flatMap(({ depends_on = {} }) =>
      Object.entries(depends_on),
    );
    for (const [name, { condition }] of waits) {
      const service = services[name]!;
      const saysSo = service.healthcheck !== undefined;
      expect([name, condition]).toEqual([
        name,
        saysSo ? 'service_healthy' : 'service_completed_successfully',
      ]);
    }
  });

  it('keeps what is stored in volumes that it names, each of one service', () => {
    const used = Object.values(services)
      .flatMap((service) => service.volumes ?? [])
      .map((volume) => volume.split(':')[0] ?? '')
      .filter((volume) => !volume.startsWith('./'));
    expect(used.toSorted()).toEqual(Object.keys(volumes).toSorted());
  });

  it('mounts only files that are there, and none to be written to', () => {
    const mounts = Object.values(services)
      .flatMap((service) => service.volumes ?? [])
      .filter((volume) => volume.startsWith('./'));
    expect(mounts.filter((mount) => !mount.endsWith(':ro'))).toEqual([]);
    expect(mounts.filter((mount) => !existsSync(mount.split(':')[0] ?? ''))).toEqual([]);
  });

  it('has no password by default, and asks for each that the example names', () => {
    const secrets = environments.filter(({ name }) => /PASS|_KEY$|SECRET/.test(name));
    const fixed = secrets.filter(({ value }) => value !== '' && !value.startsWith('given-as-'));
    expect(fixed).toEqual([]);
    const logins = environments.flatMap(({ value }) => /:\/\/\w+:([^@]*)@/.exec(value)?.[1] ?? []);
    expect(logins.filter((password) => !password.startsWith('given-as-'))).toEqual([]);
    const asked = [...COMPOSE_TEXT.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name);
    const example = readFileSync('.env.example', 'utf8').matchAll(/^(\w+)=(.*)$/gm);
    const named = Object.fromEntries([...example].map(([, name, value]) => [name, value]));
    expect(named).toEqual(Object.fromEntries(asked.map((name) => [name, ''])));
  });

  it('lets processes into servers only as users of their own', () => {
    const urls = ours.flatMap(([, { environment = {} }]) =>
      Object.values(environment).filter((value) => value.includes('://')),
    );
    const users = urls.map((url) => /:\/\/(?:(\w+):)?/.exec(url)?.[1]);
    expect(new Set(users)).toEqual(new Set(['backstep']));
    expect(services['mongo']?.entrypoint?.join()).toContain('--keyFile');
    expect(services['mariadb']?.environment).toMatchObject({ MARIADB_ROOT_HOST: 'localhost' });
  });

  it('opens ports on loopback only, and says that nobody is asked who they are', () => {
    const ports = Object.values(services).flatMap((service) => service.ports ?? []);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
    expect(ours.map(([, { environment }]) => environment?.['BACKSTEP_AUTH'])).toEqual(
      ours.map(() => 'off'),
    );
  });

  it('has every process asked by no name but its own and those of loopback', () => {
    expect(ours.map(([, { environment }]) => environment?.['BACKSTEP_HOSTS'])).toEqual(
      ours.map(([name]) => name),
    );
    const prometheus = readFileSync('monitoring/prometheus.yml', 'utf8');
    const asked = [...prometheus.matchAll(/'(\w+):7070'/g)].map(([, name]) => name);
    expect(ours.map(([name]) => name)).toEqual(expect.arrayContaining(asked));
    expect(asked).not.toEqual([]);
  });

  it('seals secrets in every process with the one key that it asks for', () => {
    expect(ours.map(([, { environment }]) => environment?.['BACKSTEP_SECRET_KEY'])).toEqual(
      ours.map(() => 'given-as-SECRET_KEY'),
    );
  });

  it('lets no container gain rights', () => {
    const open = Object.entries(services).filter(
      ([, { security_opt = [] }]) => !security_opt.includes('no-new-privileges:true'),
    );
    expect(open.map(([name]) => name)).toEqual([]);
  });

  it('has a Grafana without the administrator whose password everybody knows', () => {
    expect(services['grafana']?.environment).toMatchObject({
      GF_AUTH_BASIC_ENABLED: 'false',
      GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION: 'true',
      GF_SERVER_DOMAIN: 'localhost',
      GF_SERVER_ENFORCE_DOMAIN: 'true',
    });
  });

  it('has the practice module only on request', () => {
    expect(services['lab']?.profiles).toEqual(['lab']);
    expect(environments.filter(({ name }) => name === 'BACKSTEP_LAB')).toEqual(
      ours.map(([service]) => ({ service, name: 'BACKSTEP_LAB', value: 'off' })),
    );
  });
});

describe('Dockerfile', () => {
  it('copies only what is there and what the build context is given', () => {
    const given = readFileSync('.dockerignore', 'utf8').split('\n');
    const copied = instructions('COPY')
      .filter((line) => !line.includes('--from='))
      .flatMap((line) => line.trim().split(' ').slice(0, -1));
    expect(copied.filter((file) => !existsSync(file))).toEqual([]);
    expect(copied.filter((file) => !given.includes(`!${file}`))).toEqual([]);
  });

  it('has every folder that the sources import from when it builds', () => {
    const build = dockerfile.slice(
      0,
      dockerfile.findLastIndex((line) => line.startsWith('FROM ')),
    );
    const copied = build.flatMap((line) => (/^COPY (\S+) /.exec(line) ?? []).slice(1));
    const imported = readSourceTree()
      .filter((unit) => /^(apps|libs|workshop)\//.test(unit.path) && !isSpec(unit))
      .flatMap(({ path: file, text }) =>
        [...text.matchAll(/ from '(\.[^']+)'/g)].map(([, specifier = '']) =>
          path.posix.join(path.posix.dirname(file), specifier),
        ),
      );
    const folders = new Set(imported.map((file) => file.split('/')[0]));
    expect([...folders].filter((folder) => !copied.includes(folder ?? ''))).toEqual([]);
  });

  it('runs as nobody in particular, and says when it is ready', () => {
    // By number: Kubernetes cannot tell of a name that it is not root.
    expect(instructions('USER')).toEqual([' 1000:1000']);
    expect(readFileSync('templates/project/Dockerfile', 'utf8')).toMatch(/^USER \d+:\d+$/m);
    const checks = [instructions('HEALTHCHECK').join(), readFileSync('bin/health.mjs', 'utf8')];
    expect(checks[0]).toContain('"bin/health.mjs"');
    expect(checks[1]).toContain('/readyz');
  });

  it('starts Node as `npm start` and the tests do', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    const node = `node ${NODE_FLAGS.join(' ')} `;
    expect(instructions('ENTRYPOINT').join()).toContain(node);
    expect(scripts['start']).toContain(node);
  });

  it('leaves it to whoever runs it to let everybody in', () => {
    expect(instructions('ENV').join()).not.toContain('BACKSTEP_AUTH');
  });

  it('becomes an app that there is', () => {
    const [app] = instructions('ARG').map((line) => line.split('=')[1]!);
    expect(existsSync(`apps/${app}/src/main.ts`)).toBe(true);
  });
});
