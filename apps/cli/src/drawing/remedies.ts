import type { CauseReport } from '../client/types.js';
import type { Session } from '../session.js';
import { shellWord } from '../terminal/shell-word.js';

type Remedy = CauseReport['next'][number];

/** Says what to do about the first cause, each remedy with its command where it has one. */
export function sayRemedies(
  session: Session,
  taskId: string,
  [first]: readonly CauseReport[],
): void {
  for (const remedy of first?.next ?? []) {
    const command = first === undefined ? undefined : commandOf(remedy, taskId, first);
    session.say(`  ${remedy.action}: ${remedy.label}`);
    if (command !== undefined) session.say(`    ${session.typed(command)}`);
  }
}

/** The command line of a remedy, without the program; undefined: it is none of Backstep's. */
function commandOf(remedy: Remedy, own: string, cause: CauseReport): string | undefined {
  const { action } = remedy;
  const task = remedy.taskId ?? own;
  const step = shellWord(remedy.step ?? '<step>');
  switch (action) {
    case 'retry':
    case 'resume':
    case 'terminate':
    case 'undo':
    case 'restart':
      return `task ${action} ${task} ${REASON}`;
    case 'rollback':
      return `task rollback ${task}${down(remedy.to)} ${REASON}`;
    case 'reset':
      return `task reset ${task} --to '<step>' ${REASON}`;
    case 'skip':
      return `task skip ${task} --step ${step} ${REASON}`;
    case 'complete':
      return `task complete ${task} ${step} ${REASON}`;
    case 'approve':
    case 'reject':
      return `task ${action} ${task} --step ${step} --comment "..."`;
    case 'signal':
      return `task signal ${task} ${shellWord(signalOf(cause))}`;
    case 'why':
      return `task why ${task}`;
    case 'wait':
      return `task watch ${task}`;
    case 'start_flow':
      return `task start ${shellWord(textIn(cause.evidence['flow']) ?? '<flow>')}`;
    case 'children':
      return `task children ${own}`;
    default:
      return ELSEWHERE[action];
  }
}

const REASON = '--reason "..."';

/** Commands that are about no task. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  check_broker: 'doctor',
  check_executor: 'executor list',
  check_secrets: 'doctor',
  check_store: 'doctor',
  locks: 'lock list',
  start_executor: 'executor list',
};

function down(to: string | undefined): string {
  return to === undefined ? '' : ` --to ${shellWord(to)}`;
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The signal that a task, or one below it, waits for. */
function signalOf({ evidence }: CauseReport): string {
  const { cause, signal } = evidence as {
    readonly signal?: string;
    readonly cause?: { readonly evidence: { readonly signal?: string } };
  };
  return signal ?? cause?.evidence.signal ?? '<signal>';
}
