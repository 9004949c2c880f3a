import { describe, expect, it, jest } from '@jest/globals';
import { describeWith } from '../servers/describe-with.js';
import { DEPLOYMENTS } from '../stack/index.js';
import { ATTEMPTS } from './attempts-suite-spec.js';
import { CHILDREN } from './children-suite-spec.js';
import { COMPLETIONS } from './completions-suite-spec.js';
import { FlowStage } from './flow-stage-spec.js';
import { KINDS } from './kinds-suite-spec.js';
import { LOCKS } from './locks-suite-spec.js';
import { MAX_LIVE } from './max-live-suite-spec.js';
import { WORKERS } from './workers-suite-spec.js';

jest.setTimeout(240_000);

const SUITES = [KINDS, CHILDREN, COMPLETIONS, LOCKS, MAX_LIVE, ATTEMPTS, WORKERS];

it('no flow of a suite hides one of another', () => {
  const names = SUITES.flatMap(({ flows }) => Object.keys(flows));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

describe.each(DEPLOYMENTS)('$kind', ({ kind, servers }) => {
  describeWith(`a ${kind} Backstep`, { servers, own: true }, () => {
    const stage = new FlowStage(kind);
    stage.prepare(SUITES);
    for (const { name, tests } of SUITES) describe(name, () => tests(stage));
  });
});
