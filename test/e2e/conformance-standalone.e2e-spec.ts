import { jest } from '@jest/globals';
import { describeWith } from '../servers/describe-with.js';
import { STANDALONE } from '../stack/index.js';
import { conformanceOf } from './conformance-suite-spec.js';

jest.setTimeout(240_000);

const { kind, servers } = STANDALONE;

describeWith('clients of a standalone Backstep', { servers, own: true }, () => conformanceOf(kind));
