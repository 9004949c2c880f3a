import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { SETTINGS, variableOf } from '#settings';
import { codeBlocks } from './markdown.js';
import { readPage, REPOSITORY } from './pages.js';

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: number };
  readonly periodSeconds?: number;
  readonly failureThreshold?: number;
}

interface Container {
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly envFrom: readonly { readonly secretRef: { readonly name: string } }[];
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly startupProbe: Probe;
  readonly lifecycle?: { readonly preStop: { readonly exec: { readonly command: string[] } } };
  readonly ports?: readonly { readonly containerPort: number }[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly stringData?: Readonly<Record<string, unknown>>;
  readonly spec: {
    readonly selector: { readonly matchLabels: object };
    readonly template: {
      readonly metadata: { readonly labels: object };
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly containers: readonly Container[];
        readonly volumes?: readonly { readonly name: string }[];
      };
    };
  };
}

const MANIFESTS = codeBlocks(readPage('docs/kubernetes.md').text)
  .filter(({ language }) => language === 'yaml')
  .flatMap(({ text }) => parseAllDocuments(text).map((one) => one.toJS() as Manifest));
const DEPLOYMENTS = MANIFESTS.filter(({ kind }) => kind === 'Deployment');
const SECRET = MANIFESTS.find(({ kind }) => kind === 'Secret');
const VARIABLES = new Set(Object.keys(SETTINGS).map(variableOf));
/** Seconds of `BACKSTEP_DRAIN` by default. */
const DRAIN = 25;
/** Seconds that a start waits for indexes to be made. */
const INDEXES = 600;

describe('the page about Kubernetes', () => {
  it('has a Secret whose members are settings, and texts', () => {
    const members = Object.entries(SECRET?.stringData ?? {});
    expect(members.length).toBeGreaterThan(2);
    expect(members.filter(([name]) => !VARIABLES.has(name))).toEqual([]);
    // `on` without quotes is true in YAML 1.1, which a Secret refuses.
    for (const [, value] of members) expect(typeof value).toBe('string');
  });

  it.each(DEPLOYMENTS.map((one) => [one.metadata.name, one] as const))(
    'has a deployment %s whose parts fit each other',
    (_, { spec: { selector, template } }) => {
      const { containers, terminationGracePeriodSeconds, volumes = [] } = template.spec;
      expect(template.metadata.labels).toEqual(selector.matchLabels);
      for (const { env, envFrom, livenessProbe, readinessProbe, ...more } of containers) {
        // A Service takes an address away only after the pod was told to stop.
        const [program, pause = '0'] = more.lifecycle?.preStop.exec.command ?? [];
        expect(program).toBe(more.ports === undefined ? undefined : 'sleep');
        expect(terminationGracePeriodSeconds).toBeGreaterThan(DRAIN + Number(pause));
        expect(env.filter(({ name }) => name !== 'APP' && !VARIABLES.has(name))).toEqual([]);
        for (const { value } of env) expect(typeof value).toBe('string');
        const listens = env.find(({ name }) => name === 'BACKSTEP_HTTP')?.value;
        const port = Number(listens?.split(':')[1]);
        expect(livenessProbe.httpGet).toEqual({ path: '/livez', port });
        // Nobody listens while indexes are made.
        const { failureThreshold = 3, httpGet, periodSeconds = 10 } = more.startupProbe;
        expect(httpGet).toEqual(livenessProbe.httpGet);
        expect(failureThreshold * periodSeconds).toBeGreaterThanOrEqual(INDEXES);
        expect(readinessProbe.httpGet).toEqual({ path: '/readyz', port });
        for (const { containerPort } of more.ports ?? []) expect(containerPort).toBe(port);
        for (const { secretRef } of envFrom) expect(secretRef.name).toBe(SECRET?.metadata.name);
        const mounted = (more.volumeMounts ?? []).map(({ name }) => name);
        expect(mounted).toEqual(volumes.map(({ name }) => name));
      }
    },
  );
});

it('the pages name the base image of the Dockerfile', () => {
  const [, base] = /^FROM (\S+)/m.exec(readFileSync(path.join(REPOSITORY, 'Dockerfile'), 'utf8'))!;
  const named = readPage('docs/run-distributed.md').text.match(/node:\d+-\w+/g) ?? [];
  expect([...new Set(named)]).toEqual([base]);
});
