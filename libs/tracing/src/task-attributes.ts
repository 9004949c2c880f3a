import type { Task } from '#core';
import type { Attributes } from './told-span.js';

/** The attributes that every span of a task has: no parameter and no message is among them. */
export function taskAttributes({ plan }: Pick<Task, 'plan'>): Attributes {
  return {
    'messaging.message.conversation_id': plan.taskId,
    'backstep.task.id': plan.taskId,
    'backstep.flow': plan.flow,
    'backstep.flow.version': plan.flowVersion,
  };
}
