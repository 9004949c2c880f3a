import { Inject } from '@nestjs/common';
import { Command, type CommandContext, Executor, RetryableError } from '#executor';
import type { Announcer } from './announcer.js';
import type { ReportedEvent } from './event-log.js';
import { AlertParameters, EventParameters } from './monitor.parameters.js';
import { ANNOUNCER } from './monitor.tokens.js';
import { NotDelivered } from './webhook.js';

/** The subject of an event, and the attempt that reports it. */
type Source = Pick<CommandContext, 'flow' | 'idempotencyKey' | 'signal' | 'step' | 'taskId'> & {
  readonly direction: ReportedEvent['direction'];
};

/** Tells people what happens to tasks. */
@Executor('monitor')
export class EventExecutor {
  constructor(@Inject(ANNOUNCER) private readonly announcer: Announcer) {}

  /** Reports that a task has come here, forward or on its way back. */
  @Command('report_event')
  reportEvent({ message, severity }: EventParameters, context: CommandContext): Promise<void> {
    const isBack = context.direction === 'rollback';
    const said = isBack ? 'was rolled back to' : 'has reached';
    return this.#announce(context, {
      kind: 'event',
      severity: severity ?? (isBack ? 'warning' : 'info'),
      message: message ?? `task ${context.taskId} of flow ${context.flow} ${said} ${context.step}`,
    });
  }

  /** Run by the engine when a rollback failed: a person must look at the task. */
  @Command('raise_alert')
  raiseAlert(about: AlertParameters, context: CommandContext): Promise<void> {
    const { idempotencyKey, signal } = context;
    const flow = about.flow ?? context.flow;
    const step = about.step ?? context.step;
    const taskId = about.taskId ?? context.taskId;
    return this.#announce(
      { direction: 'alert', flow, idempotencyKey, signal, step, taskId },
      {
        kind: 'alert',
        severity: 'critical',
        message: `the rollback of step ${step} of task ${taskId} failed`,
      },
    );
  }

  async #announce(
    { direction, flow, idempotencyKey, signal, step, taskId }: Source,
    event: Pick<ReportedEvent, 'kind' | 'message' | 'severity'>,
  ): Promise<void> {
    const reported = { ...event, id: idempotencyKey, direction, flow, step, taskId };
    try {
      await this.announcer.announce(reported, signal);
    } catch (error) {
      if (!(error instanceof NotDelivered)) throw error;
      throw new RetryableError(error.message, { cause: error });
    }
  }
}
