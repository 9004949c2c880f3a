import type { JSX } from 'preact';
import { useRights } from '../access/session.js';
import type { Explanation, Task } from '../api/shapes.js';
import { legalActions, roleOf, type Verb } from './actions.js';

type Cause = Explanation['causes'][number];
type NextStep = Cause['next'][number];

interface NextStepsProps extends Pick<Cause, 'evidence' | 'next'> {
  readonly task: Task;
  readonly onBegin: (verb: Verb) => void;
}

/** The remedies for one cause, each with its dialog or its page, where it has one. */
export function NextSteps({ evidence, next, onBegin, task }: NextStepsProps): JSX.Element {
  const { may } = useRights();
  const legal = legalActions(task).filter((action) => may(roleOf(action)));
  return (
    <span class="faint">
      {next.map((step, at) => {
        // A remedy for another task is begun on that task's own page.
        const isOwn = step.taskId === undefined;
        const action = isOwn ? legal.find(({ verb }) => verb === step.action) : undefined;
        const page = isOwn ? pageOf(step, evidence, task) : `/console/tasks/${step.taskId}`;
        return (
          <>
            {at > 0 && '; '}
            {action !== undefined && (
              <a
                href="#actions"
                onClick={(event) => {
                  event.preventDefault();
                  onBegin(action.verb);
                }}>
                {step.label}
              </a>
            )}
            {action === undefined && page !== null && <a href={page}>{step.label}</a>}
            {action === undefined && page === null && step.label}
          </>
        );
      })}
      .
    </span>
  );
}

/** The page on which one looks into it; null: there is none. */
function pageOf(
  { action }: NextStep,
  evidence: Cause['evidence'],
  { taskId }: Pick<Task, 'taskId'>,
): string | null {
  switch (action) {
    case 'children':
      return `/console/tasks?q=parent%3A${taskId}`;
    case 'locks': {
      const { lock } = evidence as { readonly lock?: unknown };
      const search = typeof lock === 'string' ? `?lock=${encodeURIComponent(lock)}` : '';
      return `/console/locks${search}`;
    }
    case 'start_executor':
    case 'check_executor':
      return '/console/executors';
    case 'check_broker':
    case 'check_store':
      return '/console/';
    default:
      return null;
  }
}
