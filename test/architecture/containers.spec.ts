import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { loadSettings } from '#settings';
import { NODE_FLAGS } from '../stack/node-flags.js';
import { USUAL_PORTS } from '../stack/ports.js';

interface Service {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly stop_grace_period?: string;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: object;
}

/** What `docker compose` puts in place of `${NAME:-default}` where nobody has set NAME. */
const text = readFileSync('docker-compose.yml', 'utf8').replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1');
const { services, volumes } = parse(text, { merge: true }) as Compose;
const ours = Object.entries(services).filter(([, { image }]) => image === 'backstep:local');
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
    const settings = loadSettings({ mode: 'start', env, cwd: tmpdir() });
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

  it('keeps what is stored in volumes that it names', () => {
    const used = Object.values(services)
      .flatMap((service) => service.volumes ?? [])
      .map((volume) => volume.split(':')[0]);
    expect(new Set(Object.keys(volumes))).toEqual(new Set(used));
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

  it('runs as nobody in particular, and says when it is ready', () => {
    expect(instructions('USER')).toEqual([' node']);
    expect(instructions('HEALTHCHECK').join()).toContain('/readyz');
  });

  it('starts Node as `npm start` and the tests do', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    const node = `node ${NODE_FLAGS.join(' ')} `;
    expect(instructions('ENTRYPOINT').join()).toContain(node);
    expect(scripts['start']).toContain(node);
  });

  it('becomes an app that there is', () => {
    const [app] = instructions('ARG').map((line) => line.split('=')[1]!);
    expect(existsSync(`apps/${app}/src/main.ts`)).toBe(true);
  });
});
