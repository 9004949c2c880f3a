import { FLOW_EXAMPLES } from './examples/flow-examples.js';
import { RESOURCE_EXAMPLES } from './examples/resource-examples.js';
import { TASK_EXAMPLES } from './examples/task-examples.js';
import { WORK_EXAMPLES } from './examples/work-examples.js';

/** An example of each body and answer in JSON, by the name of its schema. */
export const EXAMPLES: Readonly<Record<string, unknown>> = {
  ...TASK_EXAMPLES,
  ...FLOW_EXAMPLES,
  ...RESOURCE_EXAMPLES,
  ...WORK_EXAMPLES,
};
