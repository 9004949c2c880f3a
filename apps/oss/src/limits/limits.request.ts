import { IsInt, IsNumber, Max, Min } from 'class-validator';
import { invalidRequest } from '#http-server';
import type { ModuleLimit } from '#ports';
import { Described, IsText, MayBeAbsent } from '../requests/decorators.js';
import { KEY } from '../requests/limits.js';
import { RequestReader } from '../requests/request-reader.js';

/** Actions at a time, and in a second. */
const CONCURRENCY_MAX = 1_000;
const RATE_MIN = 0.01;
const RATE_MAX = 1_000;

const CONCURRENCY = `\`maxConcurrency\` is a whole number from 1 to ${CONCURRENCY_MAX}.`;
const RATE = `\`ratePerSecond\` is a number from ${RATE_MIN} to ${RATE_MAX}.`;

/** Body of `PUT /v1/limits/{module}`. */
class PutLimitsRequest {
  @Described('Most actions that run at a time. Default: any number.')
  @MayBeAbsent()
  @Max(CONCURRENCY_MAX, { message: CONCURRENCY })
  @Min(1, { message: CONCURRENCY })
  @IsInt({ message: CONCURRENCY })
  maxConcurrency?: number;

  @Described('Most actions that start in a second, evenly. Default: any number.')
  @MayBeAbsent()
  @Max(RATE_MAX, { message: RATE })
  @Min(RATE_MIN, { message: RATE })
  @IsNumber({}, { message: RATE })
  ratePerSecond?: number;

  @Described('The label whose values take turns among what waits. Default: order time decides.')
  @MayBeAbsent()
  @IsText(KEY, '`fairBy` is the name of a label.')
  fairBy?: string;
}

/** Reads the body of `PUT /v1/limits/{module}`. */
export const limitsReader = new RequestReader(PutLimitsRequest);

/** The limits that a request asks for. Throws the `Problem` that it asks for none. */
export function limitsOf(
  body: unknown,
): Pick<ModuleLimit, 'fairBy' | 'maxConcurrency' | 'ratePerSecond'> {
  const { fairBy = null, maxConcurrency = null, ratePerSecond = null } = limitsReader.read(body);
  if (maxConcurrency === null && ratePerSecond === null) {
    const message = 'Limits have `maxConcurrency` or `ratePerSecond`, or both.';
    throw invalidRequest({ pointer: '/maxConcurrency', message });
  }
  return { maxConcurrency, ratePerSecond, fairBy };
}
