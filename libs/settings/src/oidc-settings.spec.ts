import { describe, expect, it } from '@jest/globals';
import { printSettings, settingWarnings } from './index.js';
import { load, problemsOf } from './problems-spec.js';
import { parseGrants } from './access-table.js';

const ISSUER = { BACKSTEP_OIDC_ISSUER: 'https://login.example', BACKSTEP_OIDC_AUDIENCE: 'b' };

describe('tokens of an issuer', () => {
  it.each([
    ['oidc', 'oidc'],
    ['oidc, keys', 'keys,oidc'],
    ['keys,oidc', 'keys,oidc'],
  ])('are taken with BACKSTEP_AUTH=%s', (text, auth) => {
    expect(load({ ...ISSUER, BACKSTEP_AUTH: text })).toMatchObject({
      auth,
      oidcIssuer: 'https://login.example',
      oidcAudience: 'b',
      oidcRolesClaim: 'roles',
    });
  });

  it('need an issuer and an audience', () => {
    expect(problemsOf({ BACKSTEP_AUTH: 'oidc' })).toEqual([
      expect.stringContaining('BACKSTEP_OIDC_ISSUER: must be set'),
      expect.stringContaining('BACKSTEP_OIDC_AUDIENCE: must be set'),
    ]);
  });

  it('that nobody takes need none: it is a mistake to name one', () => {
    expect(problemsOf({ ...ISSUER, BACKSTEP_AUTH: 'keys' })).toHaveLength(2);
    const [problem] = problemsOf({ BACKSTEP_OIDC_GRANTS: 'a=viewer' });
    expect(problem).toContain('an effect only with oidc');
  });

  it.each(['http://login.example', 'login.example', 'https://a.example/?x=1', 'ftp://127.0.0.1'])(
    'do not come from %s',
    (issuer) => {
      const env = { ...ISSUER, BACKSTEP_AUTH: 'oidc', BACKSTEP_OIDC_ISSUER: issuer };
      expect(problemsOf(env)).toEqual([expect.stringContaining('must be a URL with https')]);
    },
  );

  it.each(['http://127.0.0.1:9/realms/a', 'http://[::1]:9', 'http://localhost'])(
    'may come from %s',
    (issuer) => {
      const env = { ...ISSUER, BACKSTEP_AUTH: 'oidc', BACKSTEP_OIDC_ISSUER: issuer };
      expect(problemsOf(env)).toEqual([]);
    },
  );
});

describe('the claim that names a person', () => {
  const CLIENT = {
    ...ISSUER,
    BACKSTEP_AUTH: 'oidc',
    BACKSTEP_OIDC_CLIENT: 'console',
    BACKSTEP_OIDC_CLIENT_SECRET: 'a client secret!',
  };

  it.each([
    [{}, 1],
    [{ BACKSTEP_OIDC_CLIENT: 'b' }, 0],
    [{ BACKSTEP_OIDC_SUBJECT_CLAIM: 'oid' }, 0],
    [{ BACKSTEP_OIDC_SUBJECT_CLAIM: 'sub' }, 0],
  ])('with %j has %d warnings', (env, count) => {
    const warnings = settingWarnings(load({ ...CLIENT, ...env }));
    expect(warnings.filter((text) => text.includes('OIDC_SUBJECT_CLAIM'))).toHaveLength(count);
  });

  it('is of no use where no tokens are taken', () => {
    expect(problemsOf({ BACKSTEP_OIDC_SUBJECT_CLAIM: 'oid' })).toEqual([
      expect.stringContaining('an effect only with oidc'),
    ]);
  });
});

describe('grants', () => {
  it('are values with a role and limits each', () => {
    const text = 'ops=operator flows:create-*,delete-db modules:mysql label.team:a=b; a=b=viewer;';
    expect(parseGrants(text)).toEqual([
      {
        value: 'ops',
        role: 'operator',
        flows: ['create-*', 'delete-db'],
        labels: { team: 'a=b' },
        modules: ['mysql'],
      },
      { value: 'a=b', role: 'viewer', flows: null, labels: null, modules: null },
    ]);
  });

  it.each([
    'ops',
    '=viewer',
    'ops=root',
    'ops=viewer flows:',
    'ops=viewer flows:a/b',
    'a=viewer x',
  ])('are not %s', (text) => expect(() => parseGrants(text)).toThrow('is not one'));
});

describe('the client that people sign in with', () => {
  const OIDC = { ...ISSUER, BACKSTEP_AUTH: 'oidc' };
  const CLIENT = {
    BACKSTEP_OIDC_CLIENT: 'console',
    BACKSTEP_OIDC_CLIENT_SECRET: 'sixteen or more!',
  };

  it('has a secret that nobody is shown, scopes, and sessions of an hour', () => {
    const settings = load({ ...OIDC, ...CLIENT, BACKSTEP_OIDC_SCOPES: ' groups  openid ' });
    expect(settings).toMatchObject({
      oidcClient: 'console',
      oidcClientSecret: 'sixteen or more!',
      oidcScopes: 'groups openid',
      oidcCallback: null,
      oidcSession: 3_600_000,
    });
    expect(JSON.stringify(printSettings(settings))).not.toContain('sixteen');
  });

  it('needs both, and tokens that are taken', () => {
    for (const [name, value] of Object.entries(CLIENT)) {
      expect(problemsOf({ ...OIDC, [name]: value })).toEqual([
        expect.stringMatching(/BACKSTEP_OIDC_CLIENT(_SECRET)?: must be set when/),
      ]);
    }
    const idle = problemsOf({ ...CLIENT, BACKSTEP_AUTH: 'keys' });
    expect(idle).toEqual([
      expect.stringMatching(/CLIENT: has an effect only with oidc/),
      expect.stringMatching(/CLIENT_SECRET: has an effect only with oidc/),
    ]);
  });

  it.each([
    ['BACKSTEP_OIDC_CLIENT', 'a client'],
    ['BACKSTEP_OIDC_CLIENT_SECRET', 'too short'],
    ['BACKSTEP_OIDC_SCOPES', 'profile'],
    ['BACKSTEP_OIDC_SCOPES', 'openid p\u00e9'],
    ['BACKSTEP_OIDC_SESSION', '0s'],
    ['BACKSTEP_OIDC_CALLBACK', 'http://backstep.example/v1/session/oidc/callback'],
    ['BACKSTEP_OIDC_CALLBACK', 'https://backstep.example/'],
    ['BACKSTEP_OIDC_CALLBACK', 'https://a:b@backstep.example/v1/session/oidc/callback'],
    ['BACKSTEP_OIDC_CALLBACK', 'https://backstep.example/v1/session/oidc/callback?x=1'],
  ])('is not what %s=%s says', (name, value) => {
    expect(problemsOf({ ...OIDC, ...CLIENT, [name]: value })).toEqual([
      expect.stringContaining(`${name} (`),
    ]);
  });

  it('may have its callback behind a proxy', () => {
    const place = 'https://backstep.example/v1/session/oidc/callback';
    const settings = load({ ...OIDC, ...CLIENT, BACKSTEP_OIDC_CALLBACK: place });
    expect(settings.oidcCallback).toBe(place);
  });
});
