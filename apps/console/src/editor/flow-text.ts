import type { FlowStep } from '../api/shapes.js';

type Members = Readonly<Record<string, unknown>>;

/** Members that say how a version is stored, and nothing about the flow. */
const STORED = new Set([
  ...['name', 'version', 'hash', 'timeCreate', 'startable', 'retired', 'file'],
  ...['drill', 'revived', 'warnings'],
]);
/** Members that are shown as null where the author wrote none. */
const ABSENT = new Set(['description', 'input', 'timeout', 'maxDelay']);
/** How often an action is started again after a crash, where its author does not say. */
const RESTARTS = { normal: 3, rollback: 10 } as const;

/** A version of a flow as its author would write it: members that say nothing are left out. */
export function flowText(flow: object): string {
  const own = Object.entries(flow).filter(([name]) => !STORED.has(name));
  const kept = own.filter(([name, value]) => {
    return !(ABSENT.has(name) && value === null) && !(name === 'onFailure' && value === 'rollback');
  });
  const written = kept.map(([name, value]) => [name, name === 'steps' ? listOf(value) : value]);
  return JSON.stringify(Object.fromEntries(written), null, 2);
}

/** A list of steps; as a chain it needs no `needs`. */
function listOf(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const steps = value as readonly FlowStep[];
  const isChain = steps.every(({ needs }, index) => {
    return JSON.stringify(needs) === JSON.stringify(index === 0 ? [] : [steps[index - 1]?.name]);
  });
  return steps.map((step) => stepOf(step, isChain));
}

function stepOf({ needs, ...step }: FlowStep, isChain: boolean): Members {
  const written = Object.entries(step).map(([name, value]) => [name, memberOf(name, value)]);
  const { name, ...rest } = Object.fromEntries(written) as Members;
  if (rest['timeout'] === null) delete (rest as Record<string, unknown>)['timeout'];
  return { name, ...(!isChain && { needs }), ...rest };
}

/** A member of a step. */
function memberOf(name: string, value: unknown): unknown {
  if (name === 'group' || name === 'otherwise') return listOf(value);
  if (name === 'choice' || name === 'catch') return (value as readonly Members[]).map(withSteps);
  if (name === 'loop' || name === 'foreach') return withSteps(value as Members);
  if (name === 'parallel') {
    const branches = Object.entries(value as Members);
    return Object.fromEntries(branches.map(([branch, steps]) => [branch, listOf(steps)]));
  }
  if (name === 'wait' || name === 'approve') return withoutNull(value as Members);
  if (name === 'normal' || name === 'rollback') return actionOf(name, value as Members | null);
  return value;
}

function withSteps(holder: Members): Members {
  return 'steps' in holder ? { ...holder, steps: listOf(holder['steps']) } : holder;
}

function withoutNull(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}

function actionOf(half: keyof typeof RESTARTS, action: Members | null): Members | null {
  if (action === null) return null;
  const { onCrash, ...rest } = action;
  const isUsual = (onCrash as { readonly restarts?: number } | null)?.restarts === RESTARTS[half];
  return isUsual ? rest : { ...rest, onCrash };
}

/** The beginning of a flow that is not there yet. */
export const NEW_FLOW = `{
  "description": "",
  "input": { "type": "object", "properties": {} },
  "steps": [
    {
      "name": "first",
      "normal": { "module": "", "command": "" },
      "rollback": null
    }
  ]
}
`;
