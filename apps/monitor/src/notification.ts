import { createHash } from 'node:crypto';
import type { StoredEvent } from './event-log.js';

/** How Alertmanager writes that something has not ended. */
const NOT_ENDED = '0001-01-01T00:00:00Z';

/**
 * An event as a webhook of Alertmanager (its version 4), which on-call tools read, with a `task` of
 * its own for programs that know Backstep. `publicUrl`: origin of the gateway; null: not known.
 */
export function notificationOf(event: StoredEvent, publicUrl: string | null = null): object {
  const { at, direction, flow, kind, message, severity, step, taskId } = event;
  const alertname = kind === 'alert' ? 'BackstepRollbackFailed' : 'BackstepEvent';
  const labels = { alertname, severity, flow, step, task_id: taskId };
  const annotations = { summary: message, description: descriptionOf(event) };
  const page = publicUrl === null ? '' : `${publicUrl}/console/tasks/${encodeURIComponent(taskId)}`;
  return {
    version: '4',
    groupKey: `{}:{task_id="${taskId}"}`,
    truncatedAlerts: 0,
    status: 'firing',
    receiver: 'backstep',
    groupLabels: { task_id: taskId },
    commonLabels: labels,
    commonAnnotations: annotations,
    externalURL: publicUrl ?? '',
    alerts: [
      {
        status: 'firing',
        labels,
        annotations,
        startsAt: at,
        endsAt: NOT_ENDED,
        generatorURL: page,
        fingerprint: createHash('sha256').update(JSON.stringify(labels)).digest('hex').slice(0, 16),
      },
    ],
    task: { taskId, flow, step, direction, event: kind, message },
  };
}

function descriptionOf({ flow, kind, step, taskId }: StoredEvent): string {
  const where = `Task ${taskId} of flow ${flow}, step ${step}.`;
  if (kind !== 'alert') return where;
  return (
    `${where} Its rollback failed and waits for a person: ` +
    `\`backstep task retry ${taskId}\`, or \`backstep task skip ${taskId}\`.`
  );
}
