import { IsInt, Max, Min } from 'class-validator';
import { Described } from '../requests/decorators.js';
import { RequestReader } from '../requests/request-reader.js';

/** Most plays of a drill: each step of a flow has a few. */
const PLAYS_MAX = 1_000_000;

const COUNT = `a whole number up to ${PLAYS_MAX}.`;

/** Body of `PUT /v1/flows/{name}/versions/{version}/drill`. */
class RecordDrillRequest {
  @Described('Plays that did not come out as expected, at most `total`.')
  @IsInt({ message: `\`failures\` must be ${COUNT}` })
  @Min(0, { message: '`failures` must not be below 0.' })
  @Max(PLAYS_MAX, { message: `\`failures\` must be ${COUNT}` })
  failures!: number;

  @Described('Plays in all.')
  @IsInt({ message: `\`total\` must be ${COUNT}` })
  @Min(1, { message: '`total` must be 1 or more: a drill without plays tells nothing.' })
  @Max(PLAYS_MAX, { message: `\`total\` must be ${COUNT}` })
  total!: number;
}

/** Reads the body of `PUT /v1/flows/{name}/versions/{version}/drill`. */
export const recordDrillReader = new RequestReader(RecordDrillRequest);
