import type { FlowOfTask, StepPlan } from '#core';
import type { ScriptedAnswer } from './scenario.js';

/** The flow of a child task whose end the scenario gives: nothing of its own flow is played. */
export function scriptedChild(name: string, answer: ScriptedAnswer): FlowOfTask {
  const { error, message = 'failed as the scenario says', output = null, takesMs = 0 } = answer;
  const before: readonly StepPlan[] =
    takesMs > 0 ? [{ name: 'takes', needs: [], wait: { for: takesMs }, rollback: null }] : [];
  const about = { name: 'ends', needs: before.map((_step, index) => index) };
  const last: StepPlan =
    error === undefined
      ? { ...about, succeed: { output } }
      : { ...about, fail: { code: error, message } };
  const nothing = { description: null, input: null, timeoutMs: null };
  return { definition: { name, ...nothing, steps: [...before, last] }, version: 1 };
}
