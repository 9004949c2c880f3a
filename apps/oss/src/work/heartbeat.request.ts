import { ArrayMaxSize, IsArray } from 'class-validator';
import { InputFaults } from '#http-server';
import { Described, isJsonObject } from '../requests/decorators.js';
import { RequestReader } from '../requests/request-reader.js';
import { IsText } from '../requests/decorators.js';
import { IsWorker } from './forms.js';
import { WORK_LIMITS } from './work-limits.js';
import { SaidRequest } from './said.request.js';

const MOST = WORK_LIMITS.claims;
const CLAIMS = `\`claims\` is a list of up to ${MOST} objects, each with a \`claim\`.`;
/** Of any form: which one is right is told by its signature alone. */
const CLAIM = '^[^\\x00-\\x1f\\x7f-\\x9f]{1,1000}$';

/** One claim of a heartbeat, and what its attempt said meanwhile. */
class BeatRequest extends SaidRequest {
  @Described('The `claim` of the item.')
  @IsText(CLAIM, '`claim` is the text that the item had.')
  claim!: string;
}

/** Body of `POST /v1/work:heartbeat`. */
class HeartbeatsRequest {
  @Described('The name of the worker.')
  @IsWorker()
  worker!: string;

  @Described('Every claim that it has.')
  @ArrayMaxSize(MOST, { message: CLAIMS })
  @IsArray({ message: CLAIMS })
  claims!: readonly BeatRequest[];
}

const beatReader = new RequestReader(BeatRequest);
const heartbeatsReader = new RequestReader(HeartbeatsRequest);

/** The schema of one claim of a heartbeat. */
const BEAT_SCHEMA = beatReader.schema;

/** The schema of the body of `POST /v1/work:heartbeat`. */
export const HEARTBEATS_SCHEMA = {
  ...heartbeatsReader.schema,
  properties: {
    ...heartbeatsReader.schema.properties,
    claims: { type: 'array', maxItems: MOST, items: BEAT_SCHEMA },
  },
};

/** Reads the body of `POST /v1/work:heartbeat`, and each of its claims. */
export const heartbeatReader = {
  read(body: unknown): HeartbeatsRequest {
    const request = heartbeatsReader.read(body);
    const faults = new InputFaults();
    for (const [n, beat] of request.claims.entries()) {
      if (!isJsonObject(beat)) {
        faults.add(() => ({ pointer: `/claims/${n}`, message: CLAIMS }));
        continue;
      }
      for (const { pointer, ...fault } of beatReader.faultsOf(beat)) {
        faults.add(() => ({ ...fault, pointer: `/claims/${n}${pointer}` }));
      }
    }
    faults.finish();
    return request;
  },
};

/** Reads the body of a heartbeat of one claim, which its address names. */
export const singleBeatReader = new RequestReader(SaidRequest);
