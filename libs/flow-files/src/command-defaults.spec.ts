import { describe, expect, it } from '@jest/globals';
import type { JsonObject, JsonValue } from '#core';
import type { CommandRecord } from '#ports';
import { problemsOfDefaults } from './parse-flow.js';
import { parseFlowFile } from './parse-flow-file.js';

function recordOf(command: string, defaults: JsonObject): CommandRecord {
  return { module: 'm', command, updatedAt: 0, defaults };
}

const UNDO = { module: 'm', command: 'undo' };

const RECORDS = [
  recordOf('create', { timeout: '2m', retry: { attempts: 3 }, onCrash: 'fail', rollback: UNDO }),
  recordOf('undo', { timeout: 30, retry: 4, attemptTimeout: '10s' }),
  recordOf('check', { rollback: null, description: 'looks' }),
];

/** The steps of a flow that inherits. */
function built(steps: string, defaults: readonly CommandRecord[] = RECORDS) {
  const { flows, problems } = parseFlowFile(`{ "f": { "input": {}, "steps": ${steps} } }`, {
    defaults,
  });
  expect(problems).toEqual([]);
  return flows[0]!;
}

describe('what a flow inherits of a command', () => {
  it('is what its steps do not say themselves', () => {
    const { definition, warnings } = built(
      '[{ "normal": { "module": "m", "command": "create" } }]',
    );
    expect(warnings).toEqual([]);
    expect(definition.steps[0]).toMatchObject({
      normal: { timeoutMs: 120_000, retry: { attempts: 3 }, onCrash: 'fail' },
      rollback: { command: 'undo', timeoutMs: 30_000, attemptTimeoutMs: 10_000 },
    });
    expect(definition.steps[0]?.rollback?.retry.attempts).toBe(5);
  });

  it('gives way to what they say, and to a rollback that is null', () => {
    const { definition } = built(
      '[{ "normal": { "module": "m", "command": "create", "timeout": "1h" }, "rollback": null }]',
    );
    const [step] = definition.steps;
    expect(step?.normal).toMatchObject({ timeoutMs: 3_600_000, retry: { attempts: 3 } });
    expect(step?.rollback).toBeNull();
  });

  it.each([
    ['"timeout": "5s"', { timeoutMs: 5_000, attemptTimeoutMs: null }],
    ['"timeout": "20s"', { timeoutMs: 20_000, attemptTimeoutMs: 10_000 }],
    ['"attemptTimeout": "40s"', { timeoutMs: 30_000, attemptTimeoutMs: null }],
    ['"attemptTimeout": "20s"', { timeoutMs: 30_000, attemptTimeoutMs: 20_000 }],
  ])('makes nothing wrong that is right by itself: %s', (own, expected) => {
    const { definition } = built(
      `[{ "normal": { "module": "m", "command": "undo", ${own} }, "rollback": null }]`,
    );
    expect(definition.steps[0]?.normal).toMatchObject(expected);
  });

  it('counts in every list, and not for other commands', () => {
    const inner = '{ "normal": { "module": "m", "command": "create" } }';
    const other = '{ "normal": { "module": "n", "command": "create" }, "rollback": null }';
    const { definition } = built(`[{ "group": [${inner}] }, ${other}]`);
    expect(definition.steps[0]?.group?.[0]?.normal?.timeoutMs).toBe(120_000);
    expect(definition.steps[1]?.normal?.timeoutMs).toBe(300_000);
  });

  it('makes another version of it, where it says something new', () => {
    const steps = '[{ "normal": { "module": "m", "command": "check" } }]';
    expect(built(steps).hash).toBe(built(steps, []).hash);
    expect(built(steps, [recordOf('check', { retry: 1 })]).hash).not.toBe(built(steps, []).hash);
  });
});

describe('defaults of a command', () => {
  it.each<JsonObject>([
    {},
    { description: 'makes one' },
    { timeout: '5m', attemptTimeout: 3, retry: 2, onCrash: { restarts: 1 }, rollback: null },
    { rollback: { ...UNDO, retry: { attempts: 2, delay: '1s' }, parameters: { a: '{% x %}' } } },
  ])('%j are sound', (defaults) => {
    expect(problemsOfDefaults({ module: 'm', command: 'c', defaults })).toEqual([]);
  });

  it.each<readonly [JsonValue, string, string]>([
    [[], '', 'WRONG_TYPE'],
    [null, '', 'WRONG_TYPE'],
    [{ timout: 3 }, '/timout', 'UNKNOWN_MEMBER'],
    [{ parameters: {} }, '/parameters', 'UNKNOWN_MEMBER'],
    [{ module: 'x' }, '/module', 'UNKNOWN_MEMBER'],
    [{ timeout: 'soon' }, '/timeout', 'WRONG_DURATION'],
    [{ timeout: 1, attemptTimeout: 2 }, '/attemptTimeout', 'ATTEMPT_TIMEOUT_TOO_LONG'],
    [{ retry: -1 }, '/retry', 'OUT_OF_RANGE'],
    [{ rollback: { module: 'm' } }, '/rollback', 'MISSING_MEMBER'],
    [{ rollback: { ...UNDO, timeout: true } }, '/rollback/timeout', 'WRONG_TYPE'],
    [{ description: 3 }, '/description', 'WRONG_TYPE'],
  ])('%j are wrong at %s', (defaults, pointer, code) => {
    const found = problemsOfDefaults({ module: 'm', command: 'c', defaults });
    expect(found).toMatchObject([{ code, pointer }]);
  });
});
