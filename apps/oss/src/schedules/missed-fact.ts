import type { Fact } from '#notifications';
import type { MomentSpell } from '#ports';

/** The latest trouble of a schedule. Times are milliseconds since 1970. */
interface MissedFact {
  readonly fact: Fact;
  /** When the last of its moments was seen to. */
  readonly at: number;
  /** Grows with what becomes of moments. */
  readonly mark: number;
}

/**
 * The fact that moments passed without a task though nobody wanted that: no gateway lived, or a
 * task could not be made. It is over once a later moment has its task. Null: there is none.
 */
export function missedFact(name: string, past: readonly MomentSpell[]): MissedFact | null {
  const spell = past.findLast(({ result }) => isTrouble(result));
  const mark = past.at(-1)?.at;
  if (spell === undefined || mark === undefined) return null;
  const isOver = past.slice(past.indexOf(spell)).some(({ result }) => result === 'started');
  const { at, from, result } = spell;
  // A spell grows at its end alone, so its beginning names it.
  const key = `${result} ${from}`;
  return { at, mark, fact: { kind: 'schedule_missed', key, message: textOf(name, spell), isOver } };
}

function isTrouble(result: MomentSpell['result']): boolean {
  return result === 'missed' || result === 'made_up' || result === 'failed';
}

function textOf(name: string, { count, detail, result, to }: MomentSpell): string {
  const time = new Date(to).toISOString();
  const which = count === 1 ? `The moment ${time}` : `${count} moments up to ${time}`;
  const what = `${which} of the schedule ${name}`;
  if (result === 'failed') return `${what} started no task: ${detail}`;
  const rest = result === 'missed' ? 'without a task' : 'and a task is started late';
  return `${what} passed while no gateway ran, ${rest}`;
}
