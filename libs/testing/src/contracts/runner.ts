/**
 * The functions of a test runner that contract suites use: globals of jest, vitest and mocha.
 */
interface TestRunner {
  describe(name: string, body: () => void): void;
  it(name: string, body: () => Promise<void>, timeoutMs?: number): void;
}

/**
 * The test runner that loads this file. Asked for late, so that importing the suites needs none.
 */
export function testRunner(): TestRunner {
  const { describe, it } = globalThis as Partial<TestRunner>;
  if (describe === undefined || it === undefined) {
    throw new Error('A contract suite needs a test runner with global `describe` and `it`.');
  }
  return { describe, it };
}
