import type { EffectView, TaskView } from '../load/index.js';

/** Effects of a practice task that contradict its outcome: missing, repeated, not undone. */
export function effectFaults(task: TaskView, effects: readonly EffectView[]): readonly string[] {
  const undone = task.status === 'rolled_back' ? 1 : 0;
  const wrong = effects
    .filter((effect) => effect.applied !== 1 || effect.undone !== undone)
    .map(({ applied, name, undone: back }) => `effect ${name} happened ${applied}, undone ${back}`);
  const there = new Set(effects.map(({ step }) => step));
  const missing = task.steps
    .filter(({ name, output }) => output?.['name'] !== undefined && !there.has(name))
    .map(({ name }) => `the effect of ${name} is missing`);
  return [...wrong, ...missing].map((fault) => `${task.status} task ${task.taskId}: ${fault}`);
}
