import { describe, expect, it } from '@jest/globals';
import { load, problemsOf } from './problems-spec.js';

const TLS = { BACKSTEP_TLS_CERT: 'cert.pem', BACKSTEP_TLS_KEY: 'key.pem' };
const MTLS = { ...TLS, BACKSTEP_TLS_CLIENT_CA: 'ca.pem', BACKSTEP_AUTH: 'mtls' };
const GRANTS = { BACKSTEP_MTLS_GRANTS: 'spiffe://prod/ci=starter flows:a-*; x=y=viewer' };

describe('client certificates', () => {
  it.each([
    ['mtls', 'mtls'],
    ['mtls, keys', 'keys,mtls'],
    ['keys,mtls', 'keys,mtls'],
  ])('are taken with BACKSTEP_AUTH=%s', (text, auth) => {
    const settings = load({ ...MTLS, ...GRANTS, BACKSTEP_AUTH: text });
    expect(settings).toMatchObject({ auth, tlsClientCa: '/nowhere/ca.pem' });
    const limits = { labels: null, modules: null };
    expect(settings.mtlsGrants).toEqual([
      { value: 'spiffe://prod/ci', role: 'starter', flows: ['a-*'], ...limits },
      { value: 'x=y', role: 'viewer', flows: null, ...limits },
    ]);
  });

  it.each<[string, Record<string, string>, string]>([
    [
      'without authorities',
      { ...TLS, ...GRANTS, BACKSTEP_AUTH: 'mtls' },
      'BACKSTEP_TLS_CLIENT_CA: must be set when BACKSTEP_AUTH has mtls',
    ],
    [
      'without TLS',
      { ...GRANTS, BACKSTEP_TLS_CLIENT_CA: 'ca.pem', BACKSTEP_AUTH: 'mtls' },
      'BACKSTEP_TLS_CLIENT_CA: client certificates need TLS',
    ],
    ['without grants', MTLS, 'BACKSTEP_MTLS_GRANTS: must be set when BACKSTEP_AUTH has mtls'],
    [
      'with grants that cannot be read',
      { ...MTLS, BACKSTEP_MTLS_GRANTS: 'ci=root' },
      'BACKSTEP_MTLS_GRANTS (environment): "ci=root": the grant "ci=root" is not one',
    ],
    [
      'that nobody takes, but their authorities',
      { ...TLS, BACKSTEP_TLS_CLIENT_CA: 'ca.pem', BACKSTEP_AUTH: 'keys' },
      'BACKSTEP_TLS_CLIENT_CA: has an effect only with mtls',
    ],
    [
      'that nobody takes, but their grants',
      { ...GRANTS, BACKSTEP_AUTH: 'keys' },
      'BACKSTEP_MTLS_GRANTS: has an effect only with mtls',
    ],
  ])('%s stop the start', (_, env, problem) => {
    expect(problemsOf(env)).toEqual([expect.stringContaining(problem)]);
  });
});

describe('a proxy', () => {
  const PROXY = { BACKSTEP_AUTH: 'proxy', BACKSTEP_PROXY_SECRET_FILE: 'proxy.secret' };
  const ACCESS = { BACKSTEP_ACCESS: 'access.jsonc' };

  it.each([
    ['proxy', 'proxy'],
    ['proxy, keys', 'keys,proxy'],
  ])('is trusted with BACKSTEP_AUTH=%s', (text, auth) => {
    const approvals = { BACKSTEP_APPROVALS: 'skip on * needs two' };
    const settings = load({ ...PROXY, ...ACCESS, ...approvals, BACKSTEP_AUTH: text });
    expect(settings).toMatchObject({ auth, proxySecretFile: '/nowhere/proxy.secret' });
  });

  it('is trusted beside every other way', () => {
    const oidc = { BACKSTEP_OIDC_ISSUER: 'https://a.example', BACKSTEP_OIDC_AUDIENCE: 'b' };
    const all = { ...MTLS, ...oidc, ...PROXY, ...ACCESS, BACKSTEP_AUTH: 'proxy,mtls,oidc,keys' };
    expect(load(all).auth).toBe('keys,oidc,mtls,proxy');
  });

  it.each<[string, Record<string, string>, string]>([
    [
      'without a secret',
      { ...ACCESS, BACKSTEP_AUTH: 'proxy' },
      'BACKSTEP_PROXY_SECRET_FILE: must be set when BACKSTEP_AUTH has proxy',
    ],
    ['without bindings', PROXY, 'BACKSTEP_ACCESS: must be set when BACKSTEP_AUTH has proxy'],
    [
      'that nobody trusts, but its secret',
      { ...PROXY, BACKSTEP_AUTH: 'keys' },
      'BACKSTEP_PROXY_SECRET_FILE: has an effect only with proxy in BACKSTEP_AUTH',
    ],
  ])('%s stops the start', (_, env, problem) => {
    expect(problemsOf(env)).toEqual([expect.stringContaining(problem)]);
  });
});

describe('a file of bindings', () => {
  const ACCESS = { BACKSTEP_ACCESS: 'access.jsonc' };

  it('stands for grants', () => {
    expect(load({ ...MTLS, ...ACCESS }).access).toBe('/nowhere/access.jsonc');
  });

  it('does not go together with grants', () => {
    const oidc = { BACKSTEP_OIDC_ISSUER: 'https://a.example', BACKSTEP_OIDC_AUDIENCE: 'b' };
    const both = { ...MTLS, ...oidc, ...ACCESS, BACKSTEP_AUTH: 'oidc,mtls' };
    const grants = { ...GRANTS, BACKSTEP_OIDC_GRANTS: 'a=viewer' };
    expect(problemsOf(both)).toEqual([]);
    expect(problemsOf({ ...both, ...grants })).toEqual([
      expect.stringContaining('BACKSTEP_MTLS_GRANTS: must not be set with BACKSTEP_ACCESS'),
      expect.stringContaining('BACKSTEP_OIDC_GRANTS: must not be set with BACKSTEP_ACCESS'),
    ]);
  });

  it('is of no use to keys', () => {
    expect(problemsOf({ ...ACCESS, BACKSTEP_AUTH: 'keys' })).toEqual([
      expect.stringContaining('BACKSTEP_ACCESS: has an effect only with oidc, mtls or proxy'),
    ]);
  });
});
