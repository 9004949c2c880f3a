import { Inject, Injectable } from '@nestjs/common';
import { hasRightsOf, type Principal, seesTask, usesModule } from '#access';
import type { EventOf, JsonObject, Task } from '#core';
import { actionOf } from '#core/scopes';
import { type Foreseen, orderedEvent, type OperateResult, type PersonsEvent } from '#engine';
import { forbidden, lacking, Problem } from '#http-server';
import type { ApprovalRule, OperationAction } from '#ports';
import { ruleFor } from '../operations/consent.js';
import { ruleForFamily } from '../operations/family-rule.js';
import { type CommonParts, type FlowParts, OSS_OPTIONS, type TaskParts } from '../options.js';
import type { CreateTaskRequest } from '../requests/create-task.request.js';
import { deleteTask, expectDeletable } from '../tasks/delete-task.js';
import { findTask, taskNotFound } from '../tasks/find-task.js';
import { expectSize } from '../tasks/member-size.js';
import { expectNoMasks, expectPlain } from '../tasks/plain-values.js';
import { expectRestartable, requestAnew, takenOver } from '../tasks/request-anew.js';
import { expectSecrets } from '../tasks/secret-parameters.js';
import { type RequestOrigin, type TakenTask, TaskIntake } from '../tasks/task-intake.js';
import { expectSizes, outputIn, type Verb } from '../tasks/task-verbs.js';
import { expectFitting } from '../work/unfit-output.js';
import { expectMayAnswer, isUndo } from './may-answer.js';
import { expectMayReset } from './may-reset.js';
import { expectSeesChild } from './named-child.js';

/** An action of a caller on a task. */
export interface TaskAct {
  readonly principal: Principal;
  /** As it was read for the caller. */
  readonly task: Task;
  readonly verb: Verb;
  readonly event: PersonsEvent;
}

/** The end of a final task's life in the store. */
type Deletion = Pick<TaskAct, 'principal' | 'task'>;

/** The start of another task like one that has ended. */
interface Restart {
  readonly task: Task;
  /** Merged into those of the task; undefined: none. */
  readonly parameters: JsonObject | undefined;
  /** Its caller, and where it comes from. */
  readonly origin: Omit<RequestOrigin, 'bodyBytes' | 'handed' | 'limits' | 'restartOf'>;
}

/** How an action is carried out. */
interface Terms {
  /** The only revision of the task that it may be applied to. Default: any. */
  readonly revision?: number | undefined;
  /** A second person has approved it. Default: nobody has. */
  readonly isApproved?: boolean;
  /** Has it wait for a second person. Default: what needs two is refused. */
  readonly wait?: (rule: ApprovalRule) => Promise<void>;
}

/** How often a task is read again at most for an action that its state allows. */
const READS_MAX = 5;

/**
 * The gate between callers and tasks. Every action on a task passes it: one by itself, one of an
 * operation, and one that a second person has approved. It checks the role and the limits of the
 * caller, answers to approvals, the values that come along, and what needs two people. No other
 * file acts on tasks: `test/architecture` sees to that.
 */
@Injectable()
export class TaskActs {
  constructor(
    @Inject(OSS_OPTIONS)
    private readonly options: CommonParts & TaskParts & Pick<FlowParts, 'announced'>,
    private readonly intake: TaskIntake,
  ) {}

  /**
   * Carries out an action. Null: it waits for a second person. Throws the `Problem` that the caller
   * may not do it, and `StoreUnavailable`.
   */
  async operate(act: TaskAct, terms: Terms = {}): Promise<OperateResult | null> {
    const { event, task, verb } = act;
    await this.expect(act);
    if (await this.waits({ action: verb, event, task }, terms)) return null;
    const { engine, store } = this.options;
    // A rollback that failed may be under way again by now: then the skip is another one.
    const isBound = event.kind === 'skip_requested' && isUndo(task, event.step);
    if (!isBound) return engine.operate(task.plan.taskId, event, terms.revision);
    let now = task;
    for (let reads = 0; ; reads += 1) {
      const { taskId } = task.plan;
      const result = await engine.operate(taskId, event, terms.revision ?? now.revision);
      const isOver = terms.revision !== undefined || reads === READS_MAX;
      if (result.kind !== 'moved' || isOver) return result;
      now = await findTask(store, taskId);
      await this.expect({ ...act, task: now });
    }
  }

  /**
   * Tries an action out, and changes nothing. A rule about the task itself is passed over: by that
   * an operation waits as a whole. Throws as `operate` does.
   */
  async foresee(act: TaskAct, terms: Pick<Terms, 'isApproved'> = {}): Promise<Foreseen> {
    const { event, task, verb } = act;
    await this.expect(act);
    await this.expectFamily({ action: verb, event, task }, terms);
    return this.options.engine.foresee(task.plan.taskId, event);
  }

  /** Starts another task like one that has ended. Null, and throws: as `operate`. */
  async restart(order: Restart, terms: Terms = {}): Promise<TakenTask | null> {
    const { body, origin } = this.anew(order);
    if (await this.waits({ action: 'restart', task: order.task }, terms)) return null;
    return this.intake.take(body, origin);
  }

  /** Tries that out. Throws as `foresee` does. */
  async foreseeRestart(order: Restart, terms: Pick<Terms, 'isApproved'> = {}): Promise<void> {
    const { body, origin } = this.anew(order);
    expectRestartable(order.task);
    await this.expectFamily({ action: 'restart', task: order.task }, terms);
    await this.intake.expectTakes(body, origin);
  }

  /**
   * Deletes a task that has ended. False: it waits for a second person. Throws as `operate` does,
   * and the `Problem` that the task must stay.
   */
  async delete(order: Deletion, terms: Omit<Terms, 'revision'> = {}): Promise<boolean> {
    expectMayDelete(order);
    const { task } = order;
    if (await this.waits({ action: 'delete', task }, terms)) return false;
    await deleteTask(this.options.removal, task);
    return true;
  }

  /** Tries that out. Throws as `delete` does. */
  async foreseeDelete(order: Deletion): Promise<void> {
    expectMayDelete(order);
    await expectDeletable(this.options.removal, order.task);
  }

  /** Takes the outcome of an attempt, as reported from outside. Throws as `operate` does. */
  async complete(
    {
      event,
      principal,
      task,
    }: Pick<TaskAct, 'principal' | 'task'> & { readonly event: EventOf<'completed'> },
    { revision }: Pick<Terms, 'revision'>,
  ): Promise<OperateResult> {
    if (!seesTask(principal, task.plan)) throw taskNotFound(task.plan.taskId);
    const { role } = principal;
    if (!hasRightsOf(role, 'worker')) expectRole(principal, 'operator');
    expectUsesModule(principal, task, event);
    const { result } = event;
    const output = 'output' in result ? result.output : null;
    if (output !== null) {
      expectSize(output, this.options.maxParameters, 'output');
      expectPlain(output, '/output');
    }
    await expectFitting(task, event, this.options);
    return this.options.engine.operate(task.plan.taskId, event, revision);
  }

  private async expect({ event, principal, task }: TaskAct): Promise<void> {
    if (!seesTask(principal, task.plan)) throw taskNotFound(task.plan.taskId);
    expectRole(principal, 'operator');
    expectSizes(event, this.options.maxParameters);
    await expectMayAnswer({ event, principal, task }, this.options.flowStore);
    if (event.kind === 'signal_received') expectPlain(event.payload, '/payload');
    expectPlain(outputIn(event) ?? {}, '/output');
    await this.expectCompletion({ event, principal, task });
    const parameters = 'parameters' in event ? event.parameters : undefined;
    if (parameters !== undefined) await this.expectEdit(task, parameters);
    if ('children' in event) await expectSeesChild(event.children, principal, this.options);
    await expectMayReset(task, event, this.options);
  }

  /**
   * Throws the `Problem` that a completion is of the work of another module, or that its output
   * does not fit.
   */
  private async expectCompletion({ event, principal, task }: Omit<TaskAct, 'verb'>): Promise<void> {
    if (event.kind !== 'complete_ordered') return;
    const known = await orderedEvent(this.options.store, task.plan.taskId, event);
    if (known.kind !== 'completed') return;
    if (principal.modules !== null) expectUsesModule(principal, task, known);
    await expectFitting(task, known, this.options);
  }

  /** Throws a `Problem` unless a person who changes a secret sends the secret itself. */
  private async expectEdit({ hasSecrets, plan }: Task, parameters: JsonObject): Promise<void> {
    const { flowStore, secrets } = this.options;
    if (hasSecrets) expectNoMasks(parameters, '/parameters');
    const flow = await flowStore.getFlow(plan.flow, plan.flowVersion);
    const definition = flow?.definition ?? { name: plan.flow, input: null };
    expectSecrets(secrets, definition, parameters);
  }

  /** The request that a restart is; throws the `Problem` that there is none. */
  private anew({ origin, parameters, task }: Restart): {
    readonly body: CreateTaskRequest;
    readonly origin: RequestOrigin;
  } {
    const { principal } = origin;
    if (!seesTask(principal, task.plan)) throw taskNotFound(task.plan.taskId);
    expectRole(principal, 'starter');
    if (task.hasSecrets) expectNoMasks(parameters ?? {}, '/parameters');
    const body = requestAnew(task, parameters);
    const expectFirst = (): void => {
      origin.expectFirst?.();
      expectRestartable(task);
    };
    const more = { bodyBytes: undefined, expectFirst, ...takenOver(task, body) };
    return { body, origin: { ...origin, ...more } };
  }

  /** Whether an action waits for a second person. Throws the `Problem` that it cannot wait. */
  private async waits(wanted: Wanted, { isApproved = false, wait }: Terms): Promise<boolean> {
    if (isApproved) return false;
    const { approvals } = this.options;
    const own = ruleFor(approvals, wanted.action, wanted.task.plan.flow);
    const rule = own ?? (await ruleForFamily(this.options, wanted));
    if (rule === undefined) return false;
    if (wait === undefined) throw needsTwo(wanted.action, rule);
    await wait(rule);
    return true;
  }

  /** Throws the `Problem` that an action needs two people for what is below the task. */
  private async expectFamily(
    wanted: Wanted,
    { isApproved = false }: Pick<Terms, 'isApproved'>,
  ): Promise<void> {
    const { approvals } = this.options;
    if (isApproved || ruleFor(approvals, wanted.action, wanted.task.plan.flow)) return;
    const rule = await ruleForFamily(this.options, wanted);
    if (rule !== undefined) throw needsTwo(wanted.action, rule);
  }
}

/** An action on a task, as rules about two people see it. */
interface Wanted {
  readonly action: Verb | OperationAction;
  readonly task: Task;
  /** Absent: another task like it is started. */
  readonly event?: PersonsEvent;
}

function expectMayDelete({ principal, task }: Deletion): void {
  if (!seesTask(principal, task.plan)) throw taskNotFound(task.plan.taskId);
  expectRole(principal, 'operator');
}

/** A key for certain modules completes their work, and no other. */
function expectUsesModule(principal: Principal, task: Task, event: EventOf<'completed'>): void {
  const module = actionOf(task, event)?.module ?? '';
  if (usesModule(principal, module)) return;
  throw forbidden(principal, `is not for the module ${module}`);
}

function expectRole(principal: Principal, needed: 'operator' | 'starter'): void {
  if (!hasRightsOf(principal.role, needed)) throw lacking(principal, needed);
}

function needsTwo(action: string, { text }: ApprovalRule): Problem {
  const detail = `This ${action} needs two people by the rule \`${text}\`.`;
  return new Problem('NEEDS_TWO_PEOPLE', detail);
}
