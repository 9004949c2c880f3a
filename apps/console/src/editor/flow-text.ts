import { CATCH, mapObjects, type Member, OWN_MEMBERS } from '#kinds';
import { applyEdits, format } from 'jsonc-parser';
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

/** A member of a step, or of an object in it. */
function memberOf(name: string, value: unknown): unknown {
  const member = name === 'catch' ? CATCH : OWN_MEMBERS.get(name);
  const isPlain = member === undefined || value === null || value === true;
  return isPlain ? value : valueOf(member, value);
}

function valueOf(member: Member, value: unknown): unknown {
  switch (member.type) {
    case 'steps':
      return listOf(value);
    case 'branches': {
      const branches = Object.entries(value as Members);
      return Object.fromEntries(branches.map(([name, steps]) => [name, listOf(steps)]));
    }
    case 'object of':
      return mapObjects(member, value, ({ fields, members }) => {
        const kept = Object.entries(fields).filter(([, part]) => part !== null);
        const written = kept.map(([name, part]) => {
          return [name, members[name]?.type === 'steps' ? listOf(part) : part];
        });
        return Object.fromEntries(written) as Members;
      });
    case 'action':
      return actionOf('normal', value as Members);
    case 'undo':
      return actionOf('rollback', value as Members);
    default:
      return value;
  }
}

function actionOf(half: keyof typeof RESTARTS, action: Members): Members {
  const { onCrash, ...rest } = action;
  const isUsual = (onCrash as { readonly restarts?: number } | null)?.restarts === RESTARTS[half];
  return isUsual ? rest : { ...rest, onCrash };
}

/** The text of a version, spread over lines where a program has written it in one. */
export function laidOut(text: string): string {
  if (text.trim().includes('\n')) return text;
  return applyEdits(text, format(text, undefined, { insertSpaces: true, tabSize: 2 }));
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
