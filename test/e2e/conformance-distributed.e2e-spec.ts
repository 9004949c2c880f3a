import { jest } from '@jest/globals';
import { describeWith } from '../servers/describe-with.js';
import { DISTRIBUTED } from '../stack/index.js';
import { conformanceOf } from './conformance-suite-spec.js';

jest.setTimeout(240_000);

const { kind, servers } = DISTRIBUTED;

describeWith('clients of a distributed Backstep', { servers, own: true }, () =>
  conformanceOf(kind),
);
