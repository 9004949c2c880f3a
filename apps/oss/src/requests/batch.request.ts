import { ArrayMaxSize, ArrayMinSize, IsArray } from 'class-validator';
import { Described, IsText, MayBeAbsent } from './decorators.js';
import { BATCH_MAX, LABEL_VALUE } from './limits.js';
import { RequestReader } from './request-reader.js';

const SIZE = `\`tasks\` is a list of 1 to ${BATCH_MAX} requests.`;

/** Body of `POST /v1/tasks:batch`. Its entries are judged one by one. */
export class BatchRequest {
  @ArrayMaxSize(BATCH_MAX, { message: SIZE })
  @ArrayMinSize(1, { message: SIZE })
  @IsArray({ message: SIZE })
  tasks!: readonly unknown[];

  @Described('Label `batch` of each task whose entry gives it none. Default: none.')
  @MayBeAbsent()
  @IsText(LABEL_VALUE, '`batch` is text of at most 500 characters, none of them control.')
  batch?: string;
}

/** Reads the body of `POST /v1/tasks:batch`; one bad entry does not spoil the others. */
export const batchReader = new RequestReader(BatchRequest);
