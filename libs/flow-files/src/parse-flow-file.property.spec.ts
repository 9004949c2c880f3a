import { expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { formatDuration } from '#wording';
import { definition, duration } from '../../../test/flows/definitions.js';
import { printDefinition } from '../../../test/flows/print-definition.js';
import { FUZZ_TIMEOUT_MS, fuzzBudget } from '../../../test/fuzz/budget.js';
import { hashFlow, parseFlowFile } from './parse-flow-file.js';
import { PROBLEM_CODES } from './problem.js';

jest.setTimeout(FUZZ_TIMEOUT_MS);

it('a definition that is written down and read again is the same', () => {
  fc.assert(
    fc.property(definition, (flow) => {
      const { flows, problems } = parseFlowFile(printDefinition(flow));
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
    '"choice"',
    '"parallel"',
    '"loop"',
    '"catch"',
    '"{% $steps.a %}"',
    '{%',
    '%}',
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
    const text = printDefinition(flow);
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
    (choice) => ({ f: [{ choice }] }),
    (when) => ({ f: [{ choice: [{ when, steps: [{ normal: {} }] }] }] }),
    (parallel) => ({ f: [{ parallel }] }),
    (steps) => ({ f: [{ parallel: { a: steps } }] }),
    (loop) => ({ f: [{ loop }] }),
    (wait) => ({ f: [{ wait }] }),
    (approve) => ({ f: [{ approve }] }),
    (succeed) => ({ f: [{ succeed }] }),
    (clauses) => ({ f: [{ set: { a: 1 }, catch: clauses }] }),
    (clause) => ({ f: [{ set: { a: 1 }, catch: [clause] }] }),
    (set) => ({ f: [{ set }] }),
    (output) => ({ f: { output, steps: [{ set: { a: output } }] } }),
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
