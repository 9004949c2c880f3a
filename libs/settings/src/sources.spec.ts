import { describe, expect, it } from '@jest/globals';
import { loadSettings } from './load-settings.js';
import { isServiceVariable } from './sources.js';
import { SettingsError } from './settings.js';
import { SETTINGS, variableOf } from './table.js';

/** The variables that Kubernetes gives a pod beside a Service with a port that is called `http`. */
function serviceVariables(service: string): Record<string, string> {
  const name = service.toUpperCase().replaceAll('-', '_');
  return {
    [`${name}_SERVICE_HOST`]: '10.96.0.12',
    [`${name}_SERVICE_PORT`]: '7070',
    [`${name}_SERVICE_PORT_HTTP`]: '7070',
    [`${name}_PORT`]: 'tcp://10.96.0.12:7070',
    [`${name}_PORT_7070_TCP`]: 'tcp://10.96.0.12:7070',
    [`${name}_PORT_7070_TCP_PROTO`]: 'tcp',
    [`${name}_PORT_7070_TCP_PORT`]: '7070',
    [`${name}_PORT_7070_TCP_ADDR`]: '10.96.0.12',
  };
}

const SERVICES = ['backstep', 'backstep-oss', 'backstep-x', 'backstep-my-sql-2'];
/** A service may be called like any setting. */
const NAMESAKES = Object.keys(SETTINGS).map((key) => variableOf(key).replaceAll('_', '-'));

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    loadSettings({ mode: 'start', env, cwd: '/nowhere' });
    return [];
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return error.problems;
  }
}

describe('the variables of a service', () => {
  it.each([...SERVICES, ...NAMESAKES])('%s set nothing, and are no mistake', (service) => {
    expect(problemsOf(serviceVariables(service.toLowerCase()))).toEqual([]);
  });

  it('of a linked container are none either, with those of the container itself', () => {
    const link = { BACKSTEP_OSS_NAME: '/my-executors/backstep-oss' };
    expect(problemsOf({ ...link, BACKSTEP_OSS_ENV_BACKSTEP_LEASE: '10s' })).toEqual([]);
  });

  it.each([
    ['BACKSTEP_HTTP_PORT', '7070'],
    ['BACKSTEP_PORT', '7070'],
    ['BACKSTEP_PORT', ''],
    ['BACKSTEP_SERVICE', 'tcp://10.96.0.12:7070'],
    ['BACKSTEP_SERVICE_HOSTS', 'localhost'],
    ['BACKSTEP_NAME', 'oss'],
    ['BACKSTEP_ENV_NAME', 'production'],
    ['BACKSTEP_FLOW_ENV_NAMES', 'REGION'],
    ['BACKSTEP_PORT_HTTP', 'tcp://10.96.0.12:7070'],
  ])('are not taken for %s=%s, which is told', (name, text) => {
    expect(problemsOf({ [name]: text })).toEqual([
      expect.stringContaining(`${name} (environment)`),
    ]);
  });

  it('are never those of a setting', () => {
    const values = ['tcp://10.96.0.12:7070', '/a/b'];
    const names = Object.keys(SETTINGS).flatMap((key) => [
      variableOf(key),
      variableOf(key) + '_FILE',
    ]);
    const taken = names.filter((name) =>
      values.some((value) => isServiceVariable(name, value, {})),
    );
    expect(taken).toEqual([]);
  });
});
