import path from 'node:path';
import { expect, jest } from '@jest/globals';
import { ConsoleStage, describeInBrowser } from '../browser/index.js';
import { REPOSITORY } from '../stack/index.js';

jest.setTimeout(240_000);

/** A task of a flow to practise with, and the nodes that its page shows. */
interface Shown {
  readonly flow: string;
  readonly parameters?: object;
  /** In the order of their names. */
  readonly nodes: readonly string[];
  /** The titles of the boxes around inner steps. */
  readonly scopes?: readonly string[];
}

const FAILED = { taskId: 'a', flow: 'lab-failure', status: 'rolled_back' };

const SHOWN: readonly Shown[] = [
  { flow: 'lab-approve', nodes: ['ask, waiting', 'draft, succeeded', 'publish, pending'] },
  {
    flow: 'lab-catch',
    nodes: ['first-way, succeeded', 'nice-to-have, skipped', 'second-way, succeeded'],
    scopes: ['catch of first-way'],
  },
  { flow: 'lab-child', parameters: { size: 20 }, nodes: ['child, succeeded'] },
  {
    flow: 'lab-choice',
    parameters: { size: 20 },
    nodes: ['announce, succeeded', 'make, succeeded', 'pick, succeeded'],
    scopes: ['case large of pick'],
  },
  {
    flow: 'lab-dynamic',
    nodes: ['end, skipped', 'made, succeeded', 'make-first, succeeded', 'make-second, succeeded'],
    scopes: ['dynamic 1 of made'],
  },
  {
    flow: 'lab-each',
    nodes: ['full, skipped', 'place, succeeded', 'reserve, succeeded'],
    scopes: ['try 3 of place'],
  },
  {
    flow: 'lab-end',
    parameters: { room: 4, isThere: true },
    nodes: ['done, succeeded', 'full, pending', 'make, pending'],
  },
  {
    flow: 'lab-end',
    parameters: { room: 0 },
    nodes: ['done, skipped', 'full, failed', 'make, pending'],
  },
  {
    flow: 'lab-fail-last',
    nodes: [
      'first, succeeded, undo succeeded',
      'last, failed, undo succeeded',
      'second, succeeded, undo succeeded',
    ],
  },
  { flow: 'lab-failure', nodes: ['end, skipped', 'work, succeeded'] },
  { flow: 'lab-foreach', parameters: { items: [1, 2] }, nodes: ['each, succeeded'] },
  {
    flow: 'lab-four-steps',
    nodes: ['four, succeeded', 'one, succeeded', 'three, succeeded', 'two, succeeded'],
  },
  {
    flow: 'lab-graph',
    nodes: [
      'join, succeeded',
      'left, succeeded',
      'middle, succeeded',
      'right, succeeded',
      'start, succeeded',
    ],
  },
  {
    flow: 'lab-group',
    nodes: [
      'announce, succeeded',
      'check, succeeded',
      'install, succeeded',
      'prepare, succeeded',
      'reserve, succeeded',
      'site, succeeded',
    ],
    scopes: ['try 2 of site'],
  },
  { flow: 'lab-labels', parameters: { fleet: 'a' }, nodes: ['succeed, succeeded'] },
  { flow: 'lab-later', nodes: ['announce, pending', 'order, waiting'] },
  {
    flow: 'lab-locks',
    parameters: { fleet: 'a', isBad: true },
    nodes: ['alone, succeeded, undo succeeded', 'end, failed'],
  },
  {
    flow: 'lab-loop',
    parameters: { enough: 2 },
    nodes: [
      'look, succeeded',
      'look, succeeded',
      'poll, succeeded',
      'tally, succeeded',
      'tally, succeeded',
    ],
    scopes: ['round 1 of poll', 'round 2 of poll'],
  },
  {
    flow: 'lab-parallel',
    nodes: [
      'both, succeeded',
      'join, succeeded',
      'make, succeeded',
      'make, succeeded',
      'sleep, succeeded',
      'start, succeeded',
    ],
    scopes: ['branch left of both', 'branch right of both'],
  },
  { flow: 'lab-report', parameters: FAILED, nodes: ['report, succeeded'] },
  { flow: 'lab-retry', nodes: ['at-once, succeeded', 'with-waits, succeeded'] },
  { flow: 'lab-rollback-fails', nodes: ['fail, failed', 'stuck, succeeded, undo failed'] },
  { flow: 'lab-set', parameters: { who: 'Ada' }, nodes: ['say, succeeded', 'words, succeeded'] },
  { flow: 'lab-succeed', nodes: ['first, succeeded', 'second, succeeded', 'third, succeeded'] },
  { flow: 'lab-wait', nodes: ['go-on, pending', 'pause, succeeded', 'signal, waiting'] },
];

describeInBrowser('the graph of each flow to practise with', () => {
  const stage = new ConsoleStage({
    name: 'console-kinds',
    flows: {},
    settings: { flows: path.join(REPOSITORY, 'flow-configs') },
  });
  const { trial } = stage;
  stage.prepare();

  trial.it('is looked at here, whatever kinds of steps the flow has', async () => {
    const { items } = await stage.api.get<{ items: { name: string }[] }>('/v1/flows');
    const names = items.map(({ name }) => name).filter((name) => name.startsWith('lab-'));
    expect([...new Set(SHOWN.map(({ flow }) => flow))]).toEqual(names.toSorted());
  });

  for (const [index, { flow, nodes, parameters, scopes = [] }] of SHOWN.entries()) {
    const sight = index % 2 === 0 ? { width: 1_280 } : ({ theme: 'dark', width: 360 } as const);
    trial.it(
      `has a node for each step of ${flow} ${JSON.stringify(parameters ?? {})}`,
      async () => {
        const taskId = await stage.api.create(flow, parameters);
        const page = await stage.come(`/tasks/${taskId}`, sight);
        const graph = page.getByRole('group', { name: 'Flow graph' });
        for (const name of new Set(nodes)) {
          const own = graph.getByRole('button', { name, exact: true });
          const count = nodes.filter((one) => one === name).length;
          await own.nth(count - 1).waitFor();
          expect([name, await own.count()]).toEqual([name, count]);
        }
        expect(await graph.getByRole('button', { name: /^\S+, / }).count()).toBe(nodes.length);
        const boxes = graph.getByRole('button', { name: / of \S+$/, expanded: true });
        const titles = await boxes.allTextContents();
        // Nothing else in the group is pressed, such as what moves the drawing.
        expect(await graph.getByRole('button').count()).toBe(nodes.length + titles.length);
        expect(titles.filter((title) => !/^\d+ steps?/.test(title))).toEqual(scopes);
        expect(await stage.visitor.violations()).toEqual([]);
        stage.expectPeace();
      },
    );
  }
});
