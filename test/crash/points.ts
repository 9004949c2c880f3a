import type { AppName } from '../stack/index.js';
import type { Place } from './passing.js';
import type { SceneName } from './scenes.js';

/** A moment at which a process dies, and what of Backstep is at it. */
export interface CrashPoint {
  readonly id: string;
  /** The work that the process has done at this point, and has not. */
  readonly what: string;
  /** Which process of the distributed set; standalone has only one. */
  readonly victim: AppName;
  readonly scene: SceneName;
  /** Where it dies, once each, and at the how-manieth passing. */
  readonly kills: readonly (readonly [Place, number])[];
}

/** The same place twice, not at the same passing. */
function twice(place: Place, second = 3): CrashPoint['kills'] {
  return [
    [place, 1],
    [place, second],
  ];
}

type Row = readonly [string, string, AppName, SceneName, CrashPoint['kills']];

const GATEWAY: readonly Row[] = [
  [
    'CP01',
    'a request is read; its task is not stored',
    'oss',
    'instances',
    twice(before('insert')),
  ],
  [
    'CP02',
    'the task is stored; the gateway does not know',
    'oss',
    'instances',
    twice(after('insert')),
  ],
  [
    'CP03',
    'the task is stored; its first message is not sent',
    'oss',
    'instances',
    twice({ ...before('publish'), of: 'insert' }),
  ],
  [
    'CP04',
    'the first message is sent; the client may have no answer',
    'oss',
    'instances',
    twice({ ...after('publish'), of: 'insert' }),
  ],
];

const FORWARD: readonly Row[] = [
  ['CP05', 'a message is delivered', 'resource', 'instances', twice(before('delivery'))],
  ['CP06', 'the task of a message is read', 'lab', 'side by side', twice(after('read'))],
  [
    'CP07',
    'a claim is decided, not stored',
    'resource',
    'instances',
    twice({ ...before('claim'), direction: 'normal', alone: true }),
  ],
  [
    'CP08',
    'a claim is stored; its command has not begun',
    'resource',
    'instances',
    twice({ ...after('claim'), direction: 'normal' }),
  ],
  [
    'CP09',
    'in the middle of a command',
    'mysql',
    'instances',
    twice({ border: 'command', edge: 'during', direction: 'normal' }),
  ],
  [
    'CP10',
    'a command is over; its outcome is not stored',
    'mysql',
    'instances',
    twice({ ...after('command'), direction: 'normal' }),
  ],
  [
    'CP11',
    'an outcome is stored; the next message is not sent',
    'resource',
    'instances',
    twice({ ...after('outcome'), direction: 'normal', queues: true }),
  ],
  [
    'CP12',
    'the next message is sent; the old one is not acknowledged',
    'resource',
    'instances',
    twice({ ...after('publish'), of: 'outcome', direction: 'normal' }),
  ],
  ['CP13', 'a message is acknowledged', 'resource', 'instances', twice(after('delivery'))],
  [
    'CP14',
    'a commit is on its way; whether it is stored is not known',
    'resource',
    'instances',
    twice({ border: 'outcome', edge: 'during' }),
  ],
];

const GOVERNANCE: readonly Row[] = [
  [
    'CP15',
    'an alert is claimed and not delivered; delivered and not stored as such',
    'monitor',
    'alerts',
    [
      [before('command'), 1],
      [after('command'), 1],
    ],
  ],
  ['CP16', 'governance has found what is due', 'oss', 'looks', twice(after('scan'))],
  ['CP17', 'governance has moved a task', 'oss', 'looks', twice(after('tick'))],
  [
    'CP18',
    'governance has sent what it queued',
    'oss',
    'looks',
    twice({ ...after('publish'), of: 'tick' }),
  ],
];

const BACKWARD: readonly Row[] = [
  [
    'CP19',
    'the claim of a rollback is stored; its command has not begun',
    'resource',
    'failing',
    twice({ ...after('claim'), direction: 'rollback' }),
  ],
  [
    'CP20',
    'in the middle of a rollback; it is over and its outcome is not stored',
    'mysql',
    'failing',
    [
      [{ border: 'command', edge: 'during', direction: 'rollback' }, 1],
      [{ ...after('command'), direction: 'rollback' }, 2],
    ],
  ],
  [
    'CP21',
    'the outcome of a rollback is stored; the next message is not sent',
    'resource',
    'failing',
    twice({ ...after('outcome'), direction: 'rollback', queues: true }),
  ],
  [
    'CP22',
    'the next rollback is sent; the old message is not acknowledged',
    'resource',
    'failing',
    twice({ ...after('publish'), of: 'outcome', direction: 'rollback' }),
  ],
];

const PEOPLE: readonly Row[] = [
  [
    'CP23',
    "a person's action is decided and not stored; stored and not answered",
    'oss',
    'actions',
    [
      [before('action'), 1],
      [after('action'), 2],
    ],
  ],
  [
    'CP24',
    'told to stop: a last outcome is not stored; is stored',
    'lab',
    'drain',
    [
      [{ ...before('outcome'), draining: true }, 1],
      [{ ...after('outcome'), draining: true }, 1],
    ],
  ],
];

const FAILURE_FLOWS: readonly Row[] = [
  [
    'CP25',
    'a task ended badly; its failure flow is not stored; is stored, and the task does not know',
    'lab',
    'reported',
    [
      [{ ...before('insert'), failureFlow: true }, 1],
      [{ ...after('insert'), failureFlow: true }, 2],
    ],
  ],
];

/** Every named crash point. */
export const CRASH_POINTS: readonly CrashPoint[] = [
  ...GATEWAY,
  ...FORWARD,
  ...GOVERNANCE,
  ...BACKWARD,
  ...PEOPLE,
  ...FAILURE_FLOWS,
].map(([id, what, victim, scene, kills]) => ({ id, what, victim, scene, kills }));

function before(border: Place['border']): Place {
  return { border, edge: 'before' };
}

function after(border: Place['border']): Place {
  return { border, edge: 'after' };
}
