import { limitsReader } from '../limits/limits.request.js';
import { PREVIEWED } from '../tasks/preview.query.js';
import { listOf, object, PAGE, ref, told } from './schema-parts.js';

const text = { type: 'string' };
const secondsOrNull = { type: ['number', 'null'], minimum: 0 };
const textOrNull = { type: ['string', 'null'] };

const counts = {
  type: 'object',
  additionalProperties: { type: 'integer', minimum: 1 },
  description: 'Number of tasks by value; an empty text stands for tasks without the label.',
};

const places = {
  type: 'array',
  items: object({
    taskId: text,
    since: { type: 'string', format: 'date-time' },
    flow: { ...textOrNull, description: 'Null: the task cannot be read.' },
    status: { ...textOrNull, description: 'Null: the task cannot be read.' },
    step: {
      ...textOrNull,
      description: 'Id of the run that asked; null: the task did, or it is behind the first 20.',
    },
  }),
};

const PLACE = {
  taskId: { ...text, description: 'The task, or a task below it.' },
  step: text,
  id: { ...text, description: 'Id of the run.' },
};

const limits = object({
  module: text,
  maxConcurrency: { type: ['integer', 'null'], description: 'Null: any number.' },
  ratePerSecond: { type: ['number', 'null'], description: 'Null: any number.' },
  fairBy: { ...textOrNull, description: 'Null: order time decides.' },
  running: {
    type: ['integer', 'null'],
    description: 'Actions that count against `maxConcurrency`; null: there is none.',
  },
  waiting: {
    type: 'integer',
    description: 'Actions that wait for the limits. At most 100 in each direction are counted.',
  },
  generation: { type: 'integer', description: '1, and one more with every change.' },
  updatedAt: { type: 'string', format: 'date-time' },
  updatedBy: text,
});

const WAYS = { enum: ['normal', 'rollback'] };

const STATUS = ref('TaskStatus');

const UNDO = {
  ...PLACE,
  module: text,
  command: text,
  parameters: { type: 'object' },
  unresolved: {
    ...textOrNull,
    description: 'Why expressions in the parameters are shown unevaluated.',
  },
  served: { type: 'boolean', description: 'An executor that was seen lately has the command.' },
};

const ESTIMATE = { oneOf: [{ $ref: '#/components/schemas/Estimate' }, { type: 'null' }] };

/** The schemas of what would happen, and of who is there to do it. */
export const OUTLOOK_SCHEMAS: Readonly<Record<string, object>> = {
  RollbackPlan: object({
    items: listOf(object(UNDO)),
    pivot: {
      ...textOrNull,
      description: 'The point of no return: the rollback does not pass this step.',
    },
    leftOver: {
      ...listOf(object(PLACE)),
      description: 'Steps that may have had an effect and have no rollback.',
    },
    obstacle: { ...textOrNull, description: 'Why a rollback would not undo everything.' },
    to: {
      ...textOrNull,
      description:
        'With an obstacle: the step to roll back to, where the items end; null: there is none.',
    },
    isCut: {
      type: 'boolean',
      description: 'There are more than 1,000 items or 200 child tasks, or hidden ones.',
    },
    estimate: {
      ...ESTIMATE,
      description: 'Null: there is nothing to undo, or too much to estimate.',
    },
  }),
  Preview: object({
    action: { enum: PREVIEWED },
    revision: { type: 'integer', description: 'Of the task; for `If-Match` of the action.' },
    status: object({ before: STATUS, after: STATUS }),
    calledOff: { ...listOf(object(PLACE)), description: 'Running steps that are cancelled.' },
    starts: {
      ...listOf(object({ ...PLACE, direction: WAYS, module: textOrNull, command: textOrNull })),
      description: 'Steps and undos that start at once. Steps that hold others have no command.',
    },
    undoes: {
      ...listOf(object(UNDO)),
      description:
        'Undos that follow, in order, if each succeeds; of a paused task, once it is resumed.',
    },
    leftOver: {
      ...listOf(object(PLACE)),
      description: 'Steps that may have had an effect and are not undone.',
    },
    obstacle: { ...textOrNull, description: 'Why not everything is undone.' },
    isCut: { type: 'boolean', description: 'There is more than is listed.' },
    estimate: { ...ESTIMATE, description: 'How long the undos take; null: there are none.' },
  }),
  Estimate: object({
    direction: { enum: ['forward', 'back'] },
    message: { ...text, description: 'For people.' },
    p50: {
      ...secondsOrNull,
      description: 'Seconds within which half of the past tasks were done; null: not known.',
    },
    p95: {
      ...secondsOrNull,
      description: 'Seconds within which 95 of 100 past tasks were done; null: not known.',
    },
    tasks: {
      type: 'integer',
      minimum: 0,
      description: 'Number of past tasks that it is based on.',
    },
    flowVersion: {
      type: ['integer', 'null'],
      description: 'Flow version of those tasks; null: several.',
    },
    unknown: { ...listOf(text), description: 'Steps without a past run to estimate from.' },
    uncounted: {
      ...listOf(
        object({
          step: { ...textOrNull, description: 'Null: the task itself.' },
          why: { enum: ['approval', 'signal', 'time', 'late', 'paused', 'hold', 'children'] },
        }),
      ),
      description: 'Waits that the figures do not include.',
    },
    deadline: {
      oneOf: [
        object({
          at: { type: 'string', format: 'date-time' },
          risk: { enum: ['likely', 'possible', 'none', 'unknown'] },
          abortBy: {
            ...textOrNull,
            description:
              'The latest time to start a rollback that ends by `at` in 95 of 100 cases.',
          },
        }),
        { type: 'null' },
      ],
      description: 'The time at which the task times out, and the risk of missing it.',
    },
  }),
  Provenance: {
    type: 'object',
    additionalProperties: listOf(
      object({
        value: { description: 'The last value is the current one.' },
        writer: ref('Writer'),
        at: { type: ['integer', 'null'], description: 'Seconds since 1970.' },
      }),
    ),
  },
  Writer: told('kind', {
    constant: 'WriterPlain',
    request: 'WriterPlain',
    step: 'WriterStep',
    person: 'WriterPerson',
  }),
  WriterPlain: object({ kind: { enum: ['constant', 'request'] } }),
  WriterStep: object({ kind: { const: 'step' }, step: text, id: text }),
  WriterPerson: object({ kind: { const: 'person' }, actor: text }),
  TaskCounts: object(
    {
      by: text,
      total: { type: 'integer', minimum: 0 },
      counts,
      intervals: {
        ...listOf(
          object({
            at: { type: 'integer', description: 'Start of the interval, in seconds since 1970.' },
            total: { type: 'integer', minimum: 1 },
            counts,
          }),
        ),
        maxItems: 1_000,
        description:
          'With `every`: tasks by the interval in which they were created, with their present ' +
          'values. The oldest interval comes first; empty ones are left out.',
      },
      isComplete: {
        type: 'boolean',
        description:
          'True: all matching tasks were counted. False: only matches among the newest 20,000 ' +
          'tasks, or of the newest 1,000 intervals.',
      },
    },
    ['intervals'],
  ),
  Explanation: object({
    moving: { type: 'boolean', description: 'The task makes progress, or will without help.' },
    standsStill: {
      type: 'boolean',
      description:
        'Nothing more happens unless a person acts, or sends a signal: on the task, or on each ' +
        'child task that it waits for.',
    },
    causes: listOf(
      object({
        code: { ...text, description: 'For programs.' },
        message: { ...text, description: 'For people.' },
        since: { type: ['string', 'null'], format: 'date-time' },
        evidence: { type: 'object', description: 'The facts behind it.' },
        next: listOf(
          object(
            {
              action: text,
              label: text,
              to: { ...text, description: 'Of a rollback: the step to roll back to.' },
              step: { ...text, description: 'The run of the step that it is about.' },
              taskId: {
                ...text,
                description: 'The child task, or the holder of a lock. Default: the task.',
              },
            },
            ['to', 'step', 'taskId'],
          ),
        ),
      }),
    ),
    isCut: { type: 'boolean', description: 'There are more than the 50 that are shown.' },
    estimate: {
      ...ESTIMATE,
      description: 'Null: the task has ended, or has too much to undo to estimate.',
    },
  }),
  PutLimits: limitsReader.schema,
  ModuleLimits: limits,
  ModuleLimitsPage: object({ items: listOf(ref('ModuleLimits')), page: PAGE }),
  Locks: object({
    items: listOf(
      object({
        name: text,
        slots: { type: 'integer', minimum: 1, description: 'Number of holders at a time.' },
        holders: places,
        waiting: { ...places, description: 'The first one is next.' },
      }),
    ),
    page: PAGE,
  }),
  Live: object({ status: { const: 'live' } }),
  Readiness: object({
    status: { enum: ['ready', 'not_ready'] },
    checks: listOf(
      object(
        {
          name: text,
          ready: { type: 'boolean' },
          message: { type: ['string', 'null'] },
          since: {
            type: 'string',
            format: 'date-time',
            description: 'Since when it is not ready, as this process has seen it.',
          },
        },
        ['since'],
      ),
    ),
    auth: {
      type: 'string',
      description:
        '`off`, `token`, or `keys`, `oidc`, `mtls` and `proxy` with commas, in this order.',
    },
    signIn: {
      type: ['string', 'null'],
      description: 'Path that sends a browser to the identity provider; null: there is none.',
    },
    notes: listOf(text),
  }),
  Attempts: object({
    items: listOf(
      object(
        {
          ...PLACE,
          taskId: text,
          flow: text,
          direction: WAYS,
          module: text,
          command: text,
          attempt: { type: 'integer', minimum: 0, description: 'Its number, from 1 on.' },
          executor: { ...text, description: 'The instance that runs it.' },
          build: {
            type: ['string', 'null'],
            description: 'The build of the code that runs it; null: not known.',
          },
          since: { type: 'string', format: 'date-time', description: 'When it began.' },
          age: { type: 'number', minimum: 0, description: 'Seconds since then.' },
          deadline: {
            type: ['string', 'null'],
            format: 'date-time',
            description: 'End of the time for all attempts together; null: there is none.',
          },
          progress: ref('Progress'),
        },
        ['progress'],
      ),
    ),
    isCut: { type: 'boolean', description: 'More than 10,000 tasks run; others are left out.' },
    page: PAGE,
  }),
  Executors: object({
    items: listOf(
      object({
        module: text,
        instance: text,
        host: text,
        version: { ...text, description: 'Version of Backstep.' },
        build: {
          type: ['string', 'null'],
          description: 'The build of the code that it runs (`BACKSTEP_BUILD`); null: not known.',
        },
        commands: listOf(
          object({
            name: text,
            parameters: {
              type: ['object', 'null'],
              description: 'JSON Schema of its parameters; null: none is declared.',
            },
            output: {
              type: ['object', 'null'],
              description: 'JSON Schema that its output fits; null: none is declared.',
            },
          }),
        ),
        since: { type: 'string', format: 'date-time' },
        lastSeen: { type: 'string', format: 'date-time' },
        silentSince: {
          type: ['string', 'null'],
          format: 'date-time',
          description: 'Since when its process has been silent; null: it is not.',
        },
        busy: {
          type: 'integer',
          minimum: 0,
          description: 'Commands that it was running when last seen.',
        },
        slots: { type: 'integer', minimum: 1, description: 'Commands that it may run at a time.' },
        worker: {
          oneOf: [
            { type: 'null' },
            object({
              sdk: {
                type: ['string', 'null'],
                description: 'Name and version of its library; null: it did not say.',
              },
              draining: { type: 'boolean', description: 'Its polls get no actions any more.' },
            }),
          ],
          description: 'Of a worker that asks for work over HTTP. Null: it is at the broker.',
        },
      }),
    ),
    unserved: {
      ...listOf(object({ module: text, flows: listOf(text) })),
      description: 'Modules that no executor serves now, and the flows whose tasks wait for them.',
    },
    unservedCommands: {
      ...listOf(object({ module: text, command: text, flows: listOf(text) })),
      description:
        'Commands that no executor of their module has now, and the flows that use them.',
    },
    faultSwitches: {
      type: 'boolean',
      description: 'This gateway has the switches of module `lab` that make steps fail.',
    },
    page: PAGE,
  }),
};
