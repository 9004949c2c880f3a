import { IsIn } from 'class-validator';
import type { Need } from '#access';
import { invalidRequest } from '#http-server';
import { FAULT_KINDS, type FaultKind, type FaultSwitch } from '#ports';
import { readDuration } from '#wording';
import { IsTextOrNumber, MayBeAbsent } from '../requests/decorators.js';
import { RequestReader } from '../requests/request-reader.js';
import type { Routes } from '../requests/route.js';

const DELAY_MAX_MS = 3_600_000;
const DELAY = '`delay` goes with `slow` alone: a duration from 1ms to 1h.';

/** Body of `PUT /modules/lab/faults/{flow}/{step}`. */
class FaultRequest {
  @IsIn(FAULT_KINDS, { message: `\`kind\` must be one of ${FAULT_KINDS.join(', ')}.` })
  kind!: FaultKind;

  @MayBeAbsent()
  @IsTextOrNumber(DELAY)
  delay?: string | number;
}

const faultReader = new RequestReader(FaultRequest);

/** How an attempt goes wrong. Throws the `Problem` that it is held up for no such time. */
export function faultOf({ delay, kind }: FaultRequest): Pick<FaultSwitch, 'delayMs' | 'kind'> {
  const delayMs = readDuration(delay ?? '5s') ?? 0;
  const isFit = delayMs >= 1 && delayMs <= DELAY_MAX_MS && (delay === undefined || kind === 'slow');
  if (isFit) return { kind, delayMs };
  throw invalidRequest({ pointer: '/delay', message: DELAY });
}

/** The right to have steps go wrong. */
const CHANGES: Need = { role: 'operator', about: 'module' };

/** The requests about switches of the lab. The OpenAPI document is without them, as the lab is. */
export const FAULT_ROUTES = {
  listFaults: {
    at: 'GET /modules/lab/faults',
    need: { role: 'viewer', about: 'module' },
    summary: 'List the switches that are on',
    description: 'Those of flows that the caller sees.',
    answers: { 200: { description: 'All of them' } },
  },
  putFault: {
    at: 'PUT /modules/lab/faults/{flow}/{step}',
    need: CHANGES,
    summary: 'Have a step go wrong from its next attempt on',
    description: 'The switch takes the place of the one that the step had.',
    body: { schema: faultReader.schema, reader: faultReader },
    answers: { 200: { description: 'The switch' } },
  },
  removeFault: {
    at: 'DELETE /modules/lab/faults/{flow}/{step}',
    need: CHANGES,
    summary: 'Let a step be',
    description: 'Its switch is off once this is answered.',
    answers: { 204: { description: 'It is off' } },
  },
} as const satisfies Routes;
