/**
 * The parts of the test command, and which of them run side by side. Every spec of the project
 * `e2e` is in one group: `others` has those that no pattern names.
 */

import { OTHER_BROKER, OTHER_NODES } from './place.js';

// The native compiler takes half the time of the other.
const TSC = 'node_modules/typescript-native/bin/tsc';

/** Checks: commands of Node that say by their exit code whether something is wrong. */
export const CHECKS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  typecheck: [
    [TSC, '--noEmit', '-p', 'tsconfig.json'],
    [TSC, '-p', 'libs/core'],
    [TSC, '-p', 'libs/ports'],
    [TSC, '-p', 'apps/console'],
    // Makes the declarations of the package as `npm pack` and `backstep init` do.
    ['dist/test/package/declarations.js'],
  ],
  lint: [['node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings', '--quiet']],
  format: [['node_modules/oxfmt/bin/oxfmt', '--list-different']],
};

/** Each spec has a process of its own: with 0, none runs a second one. */
const APART = ['--workerIdleMemoryLimit=0'];

/** Projects of jest, and how each is run. */
export const PROJECTS: Readonly<Record<string, readonly string[]>> = {
  unit: [],
  contract: APART,
  // Its specs share the trees of all sources, which take more than other projects may keep.
  architecture: ['--workerIdleMemoryLimit=2GB'],
  e2e: APART,
};

/** Groups of `e2e`, by the paths of their specs. */
const GROUPS = {
  // Nothing but computing, by processes of their own.
  model: 'test/(simulation|exhaustive)/',
  // Much of their time, they wait for what takes up the work of the killed.
  crashes:
    'test/e2e/(crash-points-[a-z]+|distributed-crash|standalone-crash|worker-kills|zombie)\\.',
  // They wait in the same way, for servers, lines and clocks that are in trouble.
  faults:
    'test/e2e/(mixed-builds|rolling-restart|servers-down|soak|store-outages|[a-z]+-faults)\\.',
  // Their results depend on how quick the machine is, so they run when nothing else does.
  measures:
    'test/e2e/(bench|costly-requests|crowd|hostile-expressions|linear-time|salvo|stalls|wide)\\.',
};

/** Every group as the arguments that make jest run it alone. */
export const E2E_GROUPS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(Object.entries(GROUPS).map(([name, paths]) => [name, [only(paths)]])),
  others: [only(`^(?!.*(${Object.values(GROUPS).join('|')}))`)],
};

/** Specs of `e2e` that each change is tried with: of each deployment, one that kills. */
const ALWAYS = 'test/e2e/(cli|console|contract|distributed-crash|standalone)\\.';
/** One spec for each further surface: each change is tried with one of these. */
const SURFACES = 'test/e2e/(console-task|flows|go-worker|openapi-tools|python-worker)\\.';
const TURNS_SURFACE = 5;
/** A walk through each deployment. */
const WALK = 'test/e2e/contract\\.';
/** Nothing but computing, and tried with each change as well. */
const SIMULATION = 'test/simulation/';
/** Takes minutes, and finds what chance finds: for a night alone. */
const NIGHT = 'test/e2e/openapi-schemathesis\\.';
/** One part of all other specs is tried beside them: the one whose turn it is. */
export const TURNS = 42;
/** The same of the slow specs of `unit`. */
const TURNS_UNIT = 7;

/** The same of the others, on another Node. */
const TURNS_NODE = 7;

/** These start servers by the dozen: side by side they would disturb one another. */
export const ONE_BY_ONE = '--maxWorkers=1';

/** Specs of `contract` that a broker takes part in. */
const BROKER = 'libs/transport-rabbitmq/';

/** Specs of `contract` whose servers or documents are in trouble: most of the time of all. */
const TROUBLE =
  '/(broker-faults|damaged-database|mongo-faults|refusing-server|site-pages|site-rules|stuck-queues|unreadable-records)\\.contract-spec';
const TURNS_TROUBLE = 4;

/** Specs of `unit` that compare times: beside other parts they would measure those. */
const MEASURES_UNIT = '/linear-time\\.spec';

/** Specs of `unit` that take most of its time: they try everything, or what chance says. */
const SLOW_UNIT =
  '(event-tables|year|linear-time|api-fuzz|hostile-requests|wrong-requests|oidc|flow-import-samples|task-document|/jobs|\\.property)\\.spec';

/** Shares of projects that a run may name: `unit quick` is one. */
const SHARES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  unit: {
    quick: [`--testPathIgnorePatterns=${SLOW_UNIT}`],
    slow: [only(`^(?!.*${MEASURES_UNIT}).*${SLOW_UNIT}`)],
    measures: [only(MEASURES_UNIT), ONE_BY_ONE],
    others: [`--testPathIgnorePatterns=${MEASURES_UNIT}`],
  },
  contract: {
    broker: [only(BROKER)],
    quick: [`--testPathIgnorePatterns=${TROUBLE}`],
    trouble: [only(TROUBLE)],
  },
  e2e: {
    ...E2E_GROUPS,
    always: [only(ALWAYS)],
    surface: [only(SURFACES)],
    simulation: [only(SIMULATION)],
    turn: [only(`^(?!.*(${[ALWAYS, SURFACES, SIMULATION, GROUPS.measures, NIGHT].join('|')}))`)],
    night: [only(NIGHT)],
    smoke: [only('test/e2e/standalone\\.')],
    walk: [only(WALK)],
  },
};

/** The labels of the parts of a run. */
export interface Run {
  readonly lanes: readonly (readonly string[])[];
  readonly background: readonly string[];
  readonly alone: readonly string[];
}

/**
 * Jest's arguments beside the name of its project. A label names a part, of a project perhaps a
 * share of it, and perhaps a slice of that: `e2e model`, `e2e others 2/8`. Behind it another Node
 * or broker may stand: `unit quick 1/4 on 24`, `e2e walk on rabbitmq-4`.
 */
export function jestArgsOf(label: string): readonly string[] {
  const [name = '', share, slice] = label.replace(/ on .*$/, '').split(' ');
  return [
    ...(name === 'e2e' ? [ONE_BY_ONE] : []),
    ...(slice === undefined ? [] : [`--shard=${slice}`]),
    ...(share === undefined ? [] : (SHARES[name]?.[share] ?? [])),
  ];
}

const IN_BACKGROUND = ['architecture', 'typecheck', 'lint', 'format'];

/**
 * The gate: lanes that run side by side, each with parts of its own, and then with those of the
 * lanes before it; the background, whose parts get what the others leave of the processors and in
 * which nothing depends on time; and what runs when nothing else does. The turn, any whole number
 * from 0 on, says which of the slow specs are tried.
 */
export function gateOf(turn: number): Run {
  const inTurn = (label: string, turns: number): string =>
    `${label} ${1 + (turn % turns)}/${turns}`;
  const node = OTHER_NODES[turn % OTHER_NODES.length];
  return {
    lanes: [
      ['e2e always', inTurn('e2e turn', TURNS)],
      [
        'contract quick',
        inTurn('contract trouble', TURNS_TROUBLE),
        inTurn('e2e surface', TURNS_SURFACE),
        `e2e walk on ${node}`,
      ],
    ],
    background: [
      ...slicesOf('unit quick', 3),
      'e2e simulation',
      inTurn('unit slow', TURNS_UNIT),
      `${inTurn('unit quick', TURNS_NODE)} on ${node}`,
      ...IN_BACKGROUND,
    ],
    alone: ['unit measures'],
  };
}

/**
 * Everything there is: for a night, or before a release. Sets of processes under load keep two
 * processors busy and two of them make one another late, so all of these are in one lane, beside
 * which others mostly wait.
 */
export const ALL: Run = {
  lanes: [
    slicesOf('e2e others', 8),
    [
      ...slicesOf('e2e crashes', 5),
      ...slicesOf('e2e faults', 4),
      'contract',
      `contract broker on ${OTHER_BROKER}`,
      `e2e walk on ${OTHER_BROKER}`,
      ...OTHER_NODES.map((node) => `e2e walk on ${node}`),
    ],
  ],
  background: [
    ...slicesOf('unit others', 3),
    'e2e model',
    ...IN_BACKGROUND,
    ...OTHER_NODES.map((node) => `unit quick on ${node}`),
  ],
  alone: ['unit measures', 'e2e measures'],
};

/** The parts that `npm test -- quick` runs: about three minutes for the work in between. */
export const QUICK: Run = {
  lanes: [
    ['unit quick', 'typecheck', 'architecture'],
    ['e2e smoke', 'lint', 'format'],
  ],
  background: [],
  alone: [],
};

/** A share in a number of slices, which jest makes of the paths of its specs. */
function slicesOf(label: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${label} ${index + 1}/${count}`);
}

function only(paths: string): string {
  return `--testPathPatterns=${paths}`;
}
