import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { type Action, DEFAULT_TIMING, type FlowDefinition } from '#core';
import { createTask } from '#core/transitions';
import { parseFlowFile } from './parse-flow-file.js';

const folder = new URL('../../../flow-configs/', import.meta.url);
const files = readdirSync(folder).filter((file) => /(?<!\.test)\.jsonc?$/.test(file));

const flows = new Map<string, FlowDefinition>();

describe('each flow file that is shipped', () => {
  it.each(files)('%s is sound, without warnings, and says where its schema is', (file) => {
    const text = readFileSync(new URL(file, folder), 'utf8');
    const { problems, flows: sound } = parseFlowFile(text);
    expect(problems).toEqual([]);
    expect(sound.flatMap(({ warnings }) => warnings)).toEqual([]);
    expect(text).toContain('"$schema": "../schemas/flow.v1.json"');
    for (const { definition } of sound) {
      expect(flows.has(definition.name)).toBe(false);
      flows.set(definition.name, definition);
    }
  });
});

it('each of them can be started', () => {
  const moment = { now: 1_000, chance: 0.5, timing: DEFAULT_TIMING };
  for (const definition of flows.values()) {
    const options = { taskId: 't', moment };
    const { task } = createTask({ definition, version: 1 }, { parameters: {} }, options);
    expect(task.outcome).toBeNull();
  }
});

const words = ({ module, command, timeoutMs, retry }: Action): string => {
  return `${module}.${command} ${timeoutMs / 1_000}/${retry.attempts - 1}`;
};

it('create-db-instance is the chain of three pairs', () => {
  const steps = flows.get('create-db-instance')?.steps ?? [];
  expect(
    steps.map(({ normal, rollback }) => [words(normal!), rollback && words(rollback)]),
  ).toEqual([
    ['resource.check_resource 300/0', 'monitor.report_event 300/3'],
    ['mysql.init_instance 1800/3', 'mysql.clean_instance 900/3'],
    ['resource.deduct_resource 200/2', 'resource.restore_resource 200/2'],
  ]);
  expect(steps.map(({ needs }) => needs)).toEqual([[], [0], [1]]);
});

it('create-db-instance bounds each attempt to tell the operators', () => {
  const told = flows.get('create-db-instance')?.steps[0]?.rollback;
  expect(told).toMatchObject({ command: 'report_event', attemptTimeoutMs: 30_000 });
});

it('create-db-cluster makes three instances side by side', () => {
  const steps = flows.get('create-db-cluster')?.steps ?? [];
  expect(steps.map(({ name, needs }) => [name, needs])).toEqual([
    ['check', []],
    ['primary', [0]],
    ['replica-1', [0]],
    ['replica-2', [0]],
    ['deduct', [1, 2, 3]],
    ['monitor', [4]],
  ]);
});

it('delete-db-instance does last what cannot be undone', () => {
  const steps = flows.get('delete-db-instance')?.steps ?? [];
  expect(steps.map(({ rollback }) => rollback !== null)).toEqual([true, true, false]);
});

it('the practice flows use only the lab', () => {
  const practice = [...flows.values()].filter(({ name }) => name.startsWith('lab-'));
  expect(practice.map(({ name }) => name)).toEqual([
    'lab-labels',
    'lab-choice',
    'lab-parallel',
    'lab-loop',
    'lab-set',
    'lab-wait',
    'lab-approve',
    'lab-end',
    'lab-catch',
    'lab-each',
    'lab-foreach',
    'lab-child',
    'lab-dynamic',
    'lab-locks',
    'lab-failure',
    'lab-report',
    'lab-succeed',
    'lab-fail-last',
    'lab-retry',
    'lab-graph',
    'lab-group',
    'lab-later',
    'lab-four-steps',
    'lab-rollback-fails',
  ]);
  const actions = JSON.stringify(practice).matchAll(/"module":"([^"]*)"/g);
  expect(new Set([...actions].map(([, module]) => module))).toEqual(new Set(['lab']));
});
