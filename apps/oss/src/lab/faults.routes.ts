import type { Need } from '#access';
import type { Routes } from '../requests/route.js';
import { faultReader } from './fault.request.js';

/** The right to have steps go wrong. */
const CHANGES: Need = { role: 'operator', about: 'module' };

/** The requests about switches of the lab. The OpenAPI document is without them, as the lab is. */
export const FAULT_ROUTES = {
  listFaults: {
    at: 'GET /modules/lab/faults',
    need: { role: 'viewer', about: 'module' },
    summary: 'List the switches that are on',
    description: 'Those of flows that the caller sees.',
    tag: 'operations',
    answers: { 200: { description: 'All of them' } },
  },
  putFault: {
    at: 'PUT /modules/lab/faults/{flow}/{step}',
    need: CHANGES,
    summary: 'Have a step go wrong from its next attempt on',
    description: 'The switch takes the place of the one that the step had.',
    tag: 'operations',
    body: { schema: faultReader.schema, reader: faultReader },
    answers: { 200: { description: 'The switch' } },
  },
  removeFault: {
    at: 'DELETE /modules/lab/faults/{flow}/{step}',
    need: CHANGES,
    summary: 'Let a step be',
    description: 'Its switch is off once this is answered.',
    tag: 'operations',
    answers: { 204: { description: 'It is off' } },
  },
} as const satisfies Routes;
