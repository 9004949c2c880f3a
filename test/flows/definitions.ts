import * as fc from 'fast-check';
import type {
  Action,
  CrashPolicy,
  FlowDefinition,
  JsonObject,
  JsonValue,
  RetryPolicy,
  StepPlan,
} from '#core';

const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,30}$/);
/** Not a number: an object has those before all others. */
const partName = fc
  .stringMatching(/^[A-Za-z][A-Za-z0-9._-]{0,30}$/)
  .filter((each) => !['catch', 'otherwise'].includes(each));
const code = fc.stringMatching(/^[A-Z][A-Z0-9_]{0,20}$/);
/** Durations that flows may have, in milliseconds. */
export const duration = fc.integer({ min: 1, max: 31_536_000_000 });
const json = fc.jsonValue({ maxDepth: 3 }).map((value) => written(value as JsonValue));
const parameters: fc.Arbitrary<JsonObject> = fc.dictionary(fc.string(), json).filter(isAccepted);

/** The value as JSON text keeps it: -0 is 0 there. */
function written(value: JsonValue): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}

/** Whether it has no member and no number that flow files refuse. */
function isAccepted(value: JsonValue): boolean {
  return !/__proto__|e\+|\d{16}/.test(JSON.stringify(value));
}

const retryPolicy: fc.Arbitrary<RetryPolicy> = fc.oneof(
  fc.integer({ min: 1, max: 1_000 }).map((attempts) => {
    return { attempts, backoff: 'none', delayMs: 0, maxDelayMs: null, jitter: false } as const;
  }),
  fc.record({
    attempts: fc.integer({ min: 1, max: 1_000 }),
    backoff: fc.constantFrom('fixed', 'exponential'),
    delayMs: fc.integer({ min: 1, max: 60_000 }),
    maxDelayMs: fc.option(fc.integer({ min: 60_000, max: 600_000 })),
    jitter: fc.boolean(),
  }),
);

const codes = fc.uniqueArray(code, { minLength: 1, maxLength: 3 });

const retryByError: fc.Arbitrary<RetryPolicy> = fc
  .tuple(retryPolicy, fc.record({ only: codes, never: codes }, { requiredKeys: [] }))
  .map(([policy, errors]) => (policy.backoff === 'none' ? policy : { ...policy, ...errors }));

const onCrash: fc.Arbitrary<CrashPolicy> = fc.oneof(
  fc.constant<CrashPolicy>('fail'),
  fc.record({ restarts: fc.integer({ min: 0, max: 100 }) }),
);

const action: fc.Arbitrary<Action> = fc
  .record({
    module: name,
    command: name,
    timeoutMs: duration,
    attemptTimeoutMs: fc.option(duration),
    retry: retryByError,
    onCrash,
    parameters: fc.option(parameters),
  })
  .map((each) => {
    const { timeoutMs, attemptTimeoutMs } = each;
    if (attemptTimeoutMs === null) return each;
    return { ...each, attemptTimeoutMs: Math.min(timeoutMs, attemptTimeoutMs) };
  });

const expression = fc.constantFrom('{% 1 %}', '{% $task.id & "\\u007b" %}', '{%\n$now()\n%}');
const condition = fc.oneof(expression, fc.boolean());
const template: fc.Arbitrary<JsonValue> = fc.oneof(
  expression,
  fc.jsonValue({ maxDepth: 2 }).map(written).filter(isAccepted),
);
const rollback = fc.option(action);
const durationOr = fc.oneof(duration, expression);
const onTimeout = fc.constantFrom('fail' as const, 'continue' as const);
const limits = { timeoutMs: fc.option(duration), onTimeout };
const moment = fc.integer({ min: 0, max: 253_402_300_799_000 });

type Content<T> = T extends unknown
  ? Omit<T, 'name' | 'needs' | 'if' | 'optional' | 'pivot' | 'catch'>
  : never;
type AnyContent = fc.Arbitrary<Content<StepPlan>>;

const pair: AnyContent = fc.record(
  { normal: action, rollback, expiresAfterMs: duration, priority: fc.integer({ min: -9, max: 9 }) },
  { requiredKeys: ['normal', 'rollback'] },
);

const singles: AnyContent = fc.oneof<AnyContent[]>(
  fc.record({ set: fc.dictionary(name, template, { minKeys: 1, maxKeys: 3 }), rollback }),
  fc.record({
    wait: fc.oneof(
      fc.record({ for: durationOr }),
      fc.record({ until: fc.oneof(moment, expression) }),
      fc.record({ signal: name, ...limits }),
    ),
    rollback,
  }),
  fc.record({
    approve: fc.record({
      title: fc.oneof(fc.string({ minLength: 1 }), expression),
      roles: fc.uniqueArray(name, { maxLength: 3 }),
      ...limits,
    }),
    rollback,
  }),
  fc.record({ succeed: fc.record({ output: template }) }),
  fc.record({ fail: fc.record({ code, message: fc.oneof(fc.string(), expression) }) }),
);

/** Steps that hold lists of steps, nested at most `depth` deep. */
function holders(depth: number): AnyContent {
  const steps = stepsIn(depth - 1, 3);
  const branches = { selector: (each: { name: string }) => each.name, minLength: 1, maxLength: 3 };
  const policy = { retry: retryPolicy, timeoutMs: fc.option(duration) };
  const each = fc.record({
    forEach: fc.oneof(expression, fc.array(fc.constantFrom<JsonValue>(1, 'a', null))),
    as: name,
  });
  const loop = { steps, max: fc.integer({ min: 1, max: 1_000 }), delay: fc.option(durationOr) };
  return fc.oneof<AnyContent[]>(
    fc.record({ group: steps, ...policy }),
    fc.record({ group: steps, ...policy, retry: each }),
    fc.record({
      choice: fc.uniqueArray(fc.record({ name: partName, when: condition, steps }), branches),
      otherwise: fc.option<readonly StepPlan[]>(steps),
    }),
    fc.record({
      parallel: fc.uniqueArray(fc.record({ name: partName, steps }), branches),
      onBranchFailure: fc.constantFrom('cancel' as const, 'wait' as const),
    }),
    fc.record({
      loop: fc.oneof(
        fc.record({ ...loop, while: condition, until: fc.constant(null) }),
        fc.record({ ...loop, while: fc.constant(null), until: condition }),
      ),
    }),
  );
}

/** The content of a step, with lists nested at most `depth` deep. */
function content(depth: number): AnyContent {
  const alone = [
    { weight: 3, arbitrary: pair },
    { weight: 2, arbitrary: singles },
  ];
  if (depth === 0) return fc.oneof(...alone);
  return fc.oneof(...alone, { weight: 2, arbitrary: holders(depth) });
}

/** Members that steps of every kind may have. */
function extras(
  depth: number,
): fc.Arbitrary<Pick<StepPlan, 'if' | 'optional' | 'pivot' | 'catch'>> {
  const yes = fc.constant(true as const);
  const some = { if: condition, optional: yes, pivot: yes };
  if (depth === 0) return fc.record(some, { requiredKeys: [] });
  const errors = fc.uniqueArray(fc.oneof(code, fc.constant('*')), { minLength: 1, maxLength: 3 });
  const clause = fc.record({ errors, as: fc.option(name), steps: stepsIn(0, 2) });
  const clauses = fc.array(clause, { minLength: 1, maxLength: 2 });
  return fc.record({ ...some, catch: clauses }, { requiredKeys: [] });
}

/** Each step needs some of those before it, and at least one step says so. */
function stepsIn(depth: number, maxLength: number): fc.Arbitrary<readonly StepPlan[]> {
  return fc.uniqueArray(name, { minLength: 1, maxLength }).chain((names) => {
    const plans = names.map((each, i) => {
      const needs = fc.subarray([...names.keys()].slice(0, i));
      const more = fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, extras(depth));
      return fc
        .tuple(needs, content(depth), more)
        .map(([needed, does, has]): StepPlan => ({ name: each, needs: needed, ...does, ...has }));
    });
    return fc.tuple(...plans);
  });
}

/** Definitions as a flow file may give them, with steps of every kind. */
export const definition: fc.Arbitrary<FlowDefinition> = fc.record(
  {
    name,
    description: fc.option(fc.string()),
    input: fc.option(
      fc.constant<JsonObject>({ type: 'object', properties: { cpu: { minimum: 1 } } }),
    ),
    timeoutMs: fc.option(duration),
    constants: parameters,
    output: template,
    steps: stepsIn(2, 5),
  },
  { requiredKeys: ['name', 'description', 'input', 'timeoutMs', 'steps'] },
);
