import type { Scene } from '#core';
import { parseExpression } from '#expressions';
import type { WorkItem } from '#worker';

/** The names that expressions about an action see, as far as a worker knows of them. */
export function sceneOf({ flow, labels, parameters, taskId }: WorkItem): Scene {
  const task = { id: taskId, flow, version: 0, labels, createdAt: 0 };
  return { parameters, input: parameters, steps: {}, states: {}, task, index: null, now: 0 };
}

/** Why a text is no expression about an action; null: it is one. */
export function expressionProblem(text: string): string | null {
  const parsed = parseExpression(text);
  if ('message' in parsed) return parsed.message;
  const { env, states, steps, usesIndex } = parsed.names;
  const others = [env, states, steps].some((one) => one.isReadWhole || one.named.length > 0);
  if (!others && !usesIndex && !/\$now\b/.test(text)) return null;
  return 'only parameters, $input and $task are known where an action is carried out';
}
