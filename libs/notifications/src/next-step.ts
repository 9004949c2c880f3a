import type { DeliveryRecord } from '#ports';

/** Where the reader of a message goes on. */
export interface NextStep {
  /** The page of the console; null: the public address of the gateway is not known. */
  readonly url: string | null;
  /** To paste into a shell; null: there is nothing to look into. */
  readonly command: string | null;
}

type Told = Pick<DeliveryRecord, 'kind' | 'phase' | 'rule' | 'subject'>;

/** The page and the command of a message. `publicUrl`: origin of the gateway; null: not known. */
export function nextStepOf(told: Told, publicUrl: string | null): NextStep {
  const { command, page } = placesOf(told);
  const url = publicUrl === null ? null : `${publicUrl}/console/${page}`;
  return { url, command: told.phase === 'resolved' ? null : command };
}

function placesOf({ kind, rule, subject }: Told): {
  readonly page: string;
  readonly command: string | null;
} {
  switch (kind) {
    case 'test':
      return { page: 'notifications', command: `backstep notification get ${rule}` };
    case 'executor_gone':
    case 'backlog':
      return { page: 'executors', command: 'backstep executor list' };
    case 'schedule_missed':
      return { page: 'schedules', command: `backstep schedule why ${subject}` };
    case 'succeeded':
      return { page: pageOfTask(subject), command: null };
    case 'failed':
      return { page: pageOfTask(subject), command: `backstep task get ${subject}` };
    default:
      return { page: pageOfTask(subject), command: `backstep task why ${subject}` };
  }
}

function pageOfTask(taskId: string): string {
  return `tasks/${encodeURIComponent(taskId)}`;
}
