import type { DrillGateway } from '#workshop/drill';
import { BackstepClient } from '../client/backstep-client.js';
import { followTask, type Sight, standsStill } from '../client/follow-task.js';
import type { TaskReport } from '../client/types.js';
import { CliError, EXIT } from '../exit.js';

/** The requests of a drill to the gateway of its stage. */
export class DrillClient extends BackstepClient implements DrillGateway {
  constructor(url: string, signal: AbortSignal) {
    super({ url, signal, actor: 'drill', token: undefined, program: 'backstep' });
  }

  followTask(taskId: string, onTask: (task: TaskReport) => void): Promise<Sight> {
    return followTask(this, taskId, { onTask: ({ task }) => onTask(task) });
  }

  standsStill(task: TaskReport): boolean {
    return standsStill(task);
  }

  isUnreachable(error: unknown): boolean {
    return error instanceof CliError && error.exitCode === EXIT.unreachable;
  }
}
