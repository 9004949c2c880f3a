/**
 * The parts of the test command, and which of them run side by side. Every spec of the project
 * `e2e` is in one group: `others` has those that no pattern names.
 */

const TSC = 'node_modules/typescript/bin/tsc';
/** Keeps the compiler's findings for the next run. */
const BUILD_INFO = ['--tsBuildInfoFile', 'node_modules/.cache/backstep/package.tsbuildinfo'];

/** Checks: commands of Node that say by their exit code whether something is wrong. */
export const CHECKS = {
  typecheck: [
    [TSC, '--noEmit', '-p', 'tsconfig.json'],
    [TSC, '-p', 'libs/core'],
    [TSC, '-p', 'libs/ports'],
    [TSC, '-p', 'apps/console'],
    // Checks that the declarations name everything that the package exports.
    [TSC, '--noEmit', '-p', 'tsconfig.package.json', '--incremental', ...BUILD_INFO],
  ],
  lint: [['node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings', '--quiet']],
  format: [
    ['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level=warn', '--cache', '.'],
  ],
};

/** Projects of jest, and how each is run. */
export const PROJECTS = {
  unit: [],
  // Clients of servers that were killed and frozen may still be waiting for them.
  contract: ['--forceExit'],
  architecture: [],
  e2e: ['--forceExit'],
};

/** Groups of `e2e`, by the paths of their specs. */
const GROUPS = {
  // Nothing but computing, by processes of their own.
  model: 'test/(simulation|exhaustive)/',
  // Much of their time, they wait for what takes up the work of the killed.
  crashes: 'test/e2e/(crash-points-[a-z]+|distributed-crash|standalone-crash|zombie)\\.',
  // They wait in the same way, for servers, lines and clocks that are in trouble.
  faults: 'test/e2e/(mixed-builds|servers-down|soak|store-outages|[a-z]+-faults)\\.',
  // Their results depend on how quick the machine is.
  measures: 'test/e2e/(linear-time|salvo|wide)\\.',
};

/** Every group as the arguments that make jest run it alone. */
export const E2E_GROUPS = {
  ...Object.fromEntries(Object.entries(GROUPS).map(([name, paths]) => [name, [only(paths)]])),
  others: [only(`^(?!.*(${Object.values(GROUPS).join('|')}))`)],
};

/** These start servers by the dozen: side by side they would disturb one another. */
const ONE_BY_ONE = '--runInBand';
/** These wait for much of their time, so that two of them are hardly slower than one. */
const TWO_BY_TWO = '--maxWorkers=2';
const WAITING = ['e2e crashes', 'e2e faults'];

/** Specs of `unit` that take most of its time: they try everything, or what chance says. */
const SLOW_UNIT =
  '(event-tables|linear-time|api-fuzz|hostile-requests|wrong-requests|\\.property)\\.spec';

/** Shares of projects that a run may name: `unit quick` is one. */
const SHARES = {
  unit: { quick: [`--testPathIgnorePatterns=${SLOW_UNIT}`] },
  e2e: { ...E2E_GROUPS, smoke: [only('test/e2e/standalone\\.')] },
};

/**
 * Jest's arguments beside the name of its project.
 *
 * @param {string} label A part, and of a project perhaps the share of it: `e2e model`.
 * @returns {readonly string[]}
 */
export function jestArgsOf(label) {
  const [name, share] = label.split(' ');
  const pace = WAITING.includes(label) ? TWO_BY_TWO : ONE_BY_ONE;
  return [...(name === 'e2e' ? [pace] : []), ...(share === undefined ? [] : SHARES[name][share])];
}

/**
 * The whole gate: lanes that run side by side, each one part after the other, and what runs when
 * nothing else does. A lane of the background gets only what the others leave of the processors.
 * Two processors bear two lanes beside it: with a third, specs with servers wait for one another.
 */
export const GATE = {
  lanes: [
    { parts: ['typecheck', 'lint', 'format', 'unit', 'architecture', 'contract', 'e2e faults'] },
    { parts: ['e2e others', 'e2e crashes'] },
    { parts: ['e2e model'], isBackground: true },
  ],
  alone: ['e2e measures'],
};

/** The parts that `npm test -- quick` runs: about three minutes for the work in between. */
export const QUICK = {
  lanes: [
    { parts: ['unit quick'] },
    { parts: ['typecheck', 'lint', 'format', 'architecture', 'e2e smoke'] },
  ],
  alone: [],
};

function only(paths) {
  return `--testPathPatterns=${paths}`;
}
