const project = (displayName, testMatch) => ({
  displayName,
  testMatch: testMatch.map((pattern) => `<rootDir>/${pattern}`),
  testEnvironment: '<rootDir>/scripts/spec-environment.mjs',
  testRunner: '<rootDir>/scripts/spec-circus.mjs',
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.backstep/'],
  // Nothing is compiled by jest: `scripts/spec-hooks.mjs` has Node load what the build made.
  transform: {},
});

export default {
  passWithNoTests: true,
  globalSetup: '<rootDir>/scripts/ready.mjs',
  // Clients of servers that were killed and frozen may still be waiting for them.
  forceExit: true,
  // On a machine that does much else beside: only a test that hangs is to end by time.
  testTimeout: 120_000,
  // A larger process spends its time on keeping house, and a new one does better.
  workerIdleMemoryLimit: '400MB',
  // A process that works for others, too, ends later than jest would wait for by itself.
  workerGracefulExitTimeout: 10_000,
  projects: [
    project('unit', [
      'libs/**/*.spec.ts',
      'apps/**/*.spec.ts',
      'workshop/**/*.spec.ts',
      'bench/**/*.spec.ts',
      'examples/**/*.spec.ts',
      'test/{state-machine,servers,stack,load,ledger,storm,soak,crash,cli,alerts,linear}/**/*.spec.ts',
    ]),
    project('contract', ['libs/**/*.contract-spec.ts', 'apps/**/*.contract-spec.ts']),
    project('architecture', ['test/{architecture,docs,monitoring}/**/*.spec.ts']),
    project('e2e', [
      'test/e2e/**/*.e2e-spec.ts',
      'test/servers/**/*.e2e-spec.ts',
      'test/{simulation,exhaustive}/**/*.e2e-spec.ts',
    ]),
  ],
};
