import { readdirSync } from 'node:fs';
import { swcOptions } from './scripts/swc-options.mjs';

/** Named one by one: packages in node_modules have subpath imports of their own. */
function libraryNames() {
  try {
    return readdirSync(new URL('libs', import.meta.url)).join('|');
  } catch {
    return 'core';
  }
}

const project = (displayName, testMatch, more = {}) => ({
  displayName,
  testMatch: testMatch.map((pattern) => `<rootDir>/${pattern}`),
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.backstep/'],
  moduleNameMapper: {
    [`^#(${libraryNames()})$`]: '<rootDir>/libs/$1/src/index.ts',
    '^backstep$': '<rootDir>/libs/process/src/public.ts',
    '^backstep/barrier$': '<rootDir>/libs/barrier/src/public.ts',
    '^backstep/standalone$': '<rootDir>/apps/standalone/src/public.ts',
    '^backstep/testing$': '<rootDir>/apps/standalone/src/testing.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  transform: { '^.+\\.ts$': ['@swc/jest', { ...swcOptions, sourceMaps: 'inline' }] },
  setupFiles: ['reflect-metadata'],
  runner: '<rootDir>/scripts/spec-runner.mjs',
  ...more,
});

/** One process runs many specs: nothing but modules stays of one when it is over. */
const TOGETHER = { testEnvironmentOptions: { isShared: true } };

export default {
  passWithNoTests: true,
  // On a machine that does much else beside: only a test that hangs is to end by time.
  testTimeout: 120_000,
  projects: [
    project(
      'unit',
      [
        'libs/**/*.spec.ts',
        'apps/**/*.spec.ts',
        'bench/**/*.spec.ts',
        'examples/**/*.spec.ts',
        'test/{state-machine,servers,stack,load,ledger,storm,soak,crash,cli,alerts,linear}/**/*.spec.ts',
      ],
      TOGETHER,
    ),
    project('contract', ['libs/**/*.contract-spec.ts', 'apps/**/*.contract-spec.ts']),
    project('architecture', ['test/{architecture,docs,monitoring}/**/*.spec.ts'], TOGETHER),
    project('e2e', [
      'test/e2e/**/*.e2e-spec.ts',
      'test/servers/**/*.e2e-spec.ts',
      'test/{simulation,exhaustive}/**/*.e2e-spec.ts',
    ]),
  ],
};
