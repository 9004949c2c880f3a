import { ArrayMaxSize, ArrayMinSize, IsArray } from 'class-validator';
import { BATCH_MAX } from './limits.js';
import { RequestReader } from './request-reader.js';

const SIZE = `\`tasks\` is a list of 1 to ${BATCH_MAX} requests.`;

/** Body of `POST /v1/tasks:batch`. Its entries are judged one by one. */
class BatchRequest {
  @ArrayMaxSize(BATCH_MAX, { message: SIZE })
  @ArrayMinSize(1, { message: SIZE })
  @IsArray({ message: SIZE })
  tasks!: readonly unknown[];
}

/** Reads the body of `POST /v1/tasks:batch`; one bad entry does not spoil the others. */
export const batchReader = new RequestReader(BatchRequest);
