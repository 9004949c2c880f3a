import { ArrayMaxSize, ArrayMinSize, IsArray } from 'class-validator';
import { CREATE_TASK_SCHEMA } from './create-task.request.js';
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

const properties = { tasks: { type: 'array', minItems: 1, maxItems: BATCH_MAX } } as const;
const LIST = { type: 'object', required: ['tasks'], additionalProperties: false, properties };

/** The schema of a batch, as documented: each entry is checked on its own. */
export const BATCH_SCHEMA = {
  ...LIST,
  properties: { tasks: { ...properties.tasks, items: CREATE_TASK_SCHEMA } },
};

/** Reads the body of `POST /v1/tasks:batch`; one bad entry does not spoil the others. */
export const batchReader = new RequestReader(BatchRequest, LIST);
