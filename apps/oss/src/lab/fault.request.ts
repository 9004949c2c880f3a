import { IsIn } from 'class-validator';
import { invalidRequest } from '#http-server';
import { FAULT_KINDS, type FaultKind, type FaultSwitch } from '#ports';
import { readDuration } from '#wording';
import { IsTextOrNumber, MayBeAbsent } from '../requests/decorators.js';
import { RequestReader } from '../requests/request-reader.js';

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

/** Reads the form of the body. */
export const faultReader = new RequestReader(FaultRequest);

/** How an attempt goes wrong. Throws the `Problem` that it is held up for no such time. */
export function faultOf({ delay, kind }: FaultRequest): Pick<FaultSwitch, 'delayMs' | 'kind'> {
  const delayMs = readDuration(delay ?? '5s') ?? 0;
  const isFit = delayMs >= 1 && delayMs <= DELAY_MAX_MS && (delay === undefined || kind === 'slow');
  if (isFit) return { kind, delayMs };
  throw invalidRequest({ pointer: '/delay', message: DELAY });
}
