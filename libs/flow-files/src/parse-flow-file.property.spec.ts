import { expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import type { Action, CrashPolicy, FlowDefinition, JsonObject, RetryPolicy, StepPlan } from '#core';
import { formatDuration } from '#wording';
import { FUZZ_TIMEOUT_MS, fuzzBudget } from '../../../test/fuzz/budget.js';
import { hashFlow } from './hash-flow.js';
import { parseFlowFile } from './parse-flow-file.js';
import { PROBLEM_CODES } from './problem.js';

jest.setTimeout(FUZZ_TIMEOUT_MS);

const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,30}$/);
const duration = fc.integer({ min: 1, max: 31_536_000_000 });
const members = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }));
const parameters = members.map(written).filter(isAccepted);

/** The value as JSON text keeps it: -0 is 0 there. */
function written(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

/** Whether it has no member and no number that flow files refuse. */
function isAccepted(value: JsonObject): boolean {
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
    retry: retryPolicy,
    onCrash,
    parameters: fc.option(parameters),
  })
  .map((each) => {
    const { timeoutMs, attemptTimeoutMs } = each;
    if (attemptTimeoutMs === null) return each;
    return { ...each, attemptTimeoutMs: Math.min(timeoutMs, attemptTimeoutMs) };
  });

/** What a step does, in so many groups at most. */
function content(depth: number): fc.Arbitrary<DistributiveOmit<StepPlan, 'name' | 'needs'>> {
  const pair = fc.record({ normal: action, rollback: fc.option(action) });
  if (depth === 0) return pair;
  const group = fc.record({
    group: stepsIn(depth - 1),
    retry: retryPolicy,
    timeoutMs: fc.option(duration),
  });
  return fc.oneof({ weight: 3, arbitrary: pair }, { weight: 1, arbitrary: group });
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** Each step needs some of those before it, and at least one step says so. */
function stepsIn(depth: number): fc.Arbitrary<readonly StepPlan[]> {
  return fc.uniqueArray(name, { minLength: 1, maxLength: 6 }).chain((names) => {
    const plans = names.map((each, i) => {
      const needs = fc.subarray([...names.keys()].slice(0, i));
      return fc
        .tuple(needs, content(depth))
        .map(([needed, does]): StepPlan => ({ name: each, needs: needed, ...does }));
    });
    return fc.tuple(...plans);
  });
}

const definition: fc.Arbitrary<FlowDefinition> = fc.record({
  name,
  description: fc.option(fc.string()),
  input: fc.option(
    fc.constant<JsonObject>({ type: 'object', properties: { cpu: { minimum: 1 } } }),
  ),
  timeoutMs: fc.option(duration),
  steps: stepsIn(3),
});

/** A definition the way its author would write it. */
function print(flow: FlowDefinition): string {
  const { description, input, timeoutMs } = flow;
  const written = {
    ...(description !== null && { description }),
    ...(input !== null && { input }),
    ...(timeoutMs !== null && { timeout: formatDuration(timeoutMs) }),
    steps: printSteps(flow.steps),
  };
  return JSON.stringify({ [flow.name]: written });
}

function printSteps(steps: readonly StepPlan[]): unknown {
  return steps.map((step) => {
    const needs = step.needs.map((position) => steps[position]?.name);
    const head = { name: step.name, needs };
    if (step.group === undefined) {
      const { normal, rollback } = step;
      return { ...head, normal: printAction(normal), rollback: rollback && printAction(rollback) };
    }
    const { group, retry, timeoutMs } = step;
    const timeout = timeoutMs === null ? {} : { timeout: formatDuration(timeoutMs) };
    return { ...head, group: printSteps(group), retry: printRetry(retry), ...timeout };
  });
}

function printAction({ module, command, ...rest }: Action): unknown {
  const { timeoutMs, attemptTimeoutMs, retry, onCrash: policy, parameters: constants } = rest;
  return {
    module,
    command,
    timeout: timeoutMs / 1_000,
    ...(attemptTimeoutMs !== null && { attemptTimeout: formatDuration(attemptTimeoutMs) }),
    retry: printRetry(retry),
    onCrash: policy,
    ...(constants !== null && { parameters: constants }),
  };
}

function printRetry({ attempts, backoff, delayMs, maxDelayMs, jitter }: RetryPolicy): unknown {
  if (backoff === 'none') return attempts - 1;
  const maxDelay = maxDelayMs === null ? null : formatDuration(maxDelayMs);
  return { attempts, backoff, delay: formatDuration(delayMs), maxDelay, jitter };
}

it('a definition that is written down and read again is the same', () => {
  fc.assert(
    fc.property(definition, (flow) => {
      const { flows, problems } = parseFlowFile(print(flow));
      expect(problems).toEqual([]);
      expect(flows[0]?.definition).toEqual(flow);
      expect(flows[0]?.hash).toBe(hashFlow(flow));
    }),
    fuzzBudget(100),
  );
});

it('every duration is written so that it is read as it was', () => {
  fc.assert(
    fc.property(duration, (ms) => {
      const text = `{ "f": { "timeout": "${formatDuration(ms)}", "steps": [{}] } }`;
      const codes = parseFlowFile(text).problems.map(({ code }) => code);
      expect(codes).toEqual(['MISSING_MEMBER']);
    }),
    fuzzBudget(100),
  );
});

const fragments = fc.constantFrom(
  ...['{', '}', '[', ']', ':', ',', '"', '\\', '//', '/*', '*/', '\n', '\r', '1e999', 'null'],
  ...[
    '"f"',
    '"steps"',
    '"normal"',
    '"group"',
    '"needs"',
    '"retry"',
    '"input"',
    '"__proto__"',
    '-',
    '0',
    '"a"',
  ],
  ...['"$ref"', '"#"', '"pattern"', '"("', '"constructor"', '\uD800', '\uFEFF', '\0'],
);

it('whatever the text, reading it gives well-formed problems and leaves prototypes alone', () => {
  const bytes = fc.uint8Array({ maxLength: 200 }).map((each) => Buffer.from(each).toString());
  const salad = fc.array(fragments, { maxLength: 60 }).map((parts) => parts.join(''));
  const mutant = fc.tuple(definition, fc.nat(), fragments).map(([flow, at, fragment]) => {
    const text = print(flow);
    const cut = at % text.length;
    return text.slice(0, cut) + fragment + text.slice(cut + 1);
  });
  const untouched = Object.getOwnPropertyNames(Object.prototype);
  fc.assert(
    fc.property(fc.oneof(bytes, salad, mutant), (text) => {
      const lineCount = text.split(/\r\n|\n|\r/).length;
      for (const problem of parseFlowFile(text).problems) {
        expect(Object.hasOwn(PROBLEM_CODES, problem.code)).toBe(true);
        expect(problem.pointer).toMatch(/^(\/|$)/);
        expect(problem.line).toBeGreaterThanOrEqual(1);
        expect(problem.line).toBeLessThanOrEqual(lineCount);
        expect(problem.column).toBeGreaterThanOrEqual(1);
        expect(problem.hint).not.toBe('');
      }
      expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(untouched);
    }),
    fuzzBudget(500),
  );
});

it('any value in the place of any part is read without a throw', () => {
  const nested = fc.anything({ maxDepth: 4, withNullPrototype: false });
  const place = fc.constantFrom<(value: unknown) => unknown>(
    (value) => value,
    (f) => ({ f }),
    (input) => ({ f: { input, steps: [] } }),
    (step) => ({ f: [step] }),
    (step) => ({ f: [{ group: [step] }] }),
    (group) => ({ f: [{ group }] }),
    (retry) => ({ f: [{ group: [{ normal: {} }], retry }] }),
    (normal) => ({ f: [{ normal }] }),
    (retry) => ({ f: [{ normal: { module: 'm', command: 'c', retry } }] }),
    (policy) => ({ f: [{ normal: { module: 'm', command: 'c', onCrash: policy } }] }),
    (properties) => ({ f: { input: { properties }, steps: [{ normal: {} }] } }),
  );
  fc.assert(
    fc.property(place, nested, (put, value) => {
      const text = JSON.stringify(put(value), (_key, part) => {
        return typeof part === 'bigint' ? String(part) : part;
      });
      if (text !== undefined) parseFlowFile(text);
    }),
    fuzzBudget(500),
  );
});
