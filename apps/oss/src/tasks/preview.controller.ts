import { Controller, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import {
  type ActionRef,
  DEFAULT_TIMING,
  type Moment,
  type Refusal,
  statusName,
  type Task,
  type TaskEvent,
} from '#core';
import { calledOffIn } from '#core/read';
import { actionOf } from '#core/scopes';
import { askedIn, type Moved, transition } from '#core/transitions';
import { orderedEvent, type PersonsEvent } from '#engine';
import { invalidRequest, Problem } from '#http-server';
import { hiddenIn } from '../access/hidden-tasks.js';
import { expectSeesChild } from '../access/named-child.js';
import { RequestWork } from '../access/request-work.js';
import { findVisible } from '../access/visible.js';
import { estimateUndos } from '../estimate/estimate.js';
import { presentEstimate } from '../estimate/estimate.presenter.js';
import { PastTasks } from '../estimate/past-tasks.js';
import { type CommonParts, type ExecutorParts, OSS_OPTIONS } from '../options.js';
import type { ChildrenForm } from '../requests/limits.js';
import { plannerFor, type Viewer } from './family-plan.js';
import { presentPlace, presentUndos, type PublicPlace } from './plan.presenter.js';
import { ACTION, type Previewed } from './preview.query.js';
import { sendWithout } from './answer-task.js';
import { refusal, VERBS } from './task-verbs.js';
import { OUTLOOK_ROUTES } from './outlook.routes.js';
import { type Asked, Handles } from '../requests/asked.js';
import type { Shown } from '../requests/shown.js';

/** The details of an action that is previewed. */
interface Details {
  readonly to?: string | undefined;
  readonly step?: string | undefined;
  readonly children?: ChildrenForm | undefined;
}

type PreviewAsked = Details & { readonly action: Previewed };

const NOBODY = { actor: 'preview', reason: 'preview', key: null } as const;

/** Most actions that an answer names as started. */
const STARTS_MAX = 1_000;

/** One action that would be started as HTTP shows it. */
type PublicStart = PublicPreview['starts'][number];

/** The course of an action, if it were done now, as HTTP shows it. */
type PublicPreview = Shown<'Preview'>;

/** Says what an action of a person would do before anybody asks for it. */
@Controller()
export class PreviewController {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: CommonParts & ExecutorParts,
    @Inject(PastTasks) private readonly past: PastTasks,
    private readonly work: RequestWork,
  ) {}

  /** The action as it would be done now, on a copy of the task. */
  @Handles(OUTLOOK_ROUTES.previewAction)
  async preview(
    { path: { taskId }, query, principal, request }: Asked<typeof OUTLOOK_ROUTES.previewAction>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const task = await findVisible(this.options.store, taskId, principal);
    const asked = expectWhole(query);
    await expectSeesChild(asked.children, principal, this.options);
    const shown = await this.work.run(request, 'plan', (draft) => {
      return this.of(task, asked, { principal, draft });
    });
    sendWithout(reply, shown, await hiddenIn(task, principal, this.options));
  }

  private async of(
    task: Task,
    { action, ...asked }: PreviewAsked,
    viewer: Viewer,
  ): Promise<PublicPreview> {
    const { plan, revision } = task;
    const { taskId } = plan;
    const now = this.options.clock.now();
    const event = { ...VERBS[action].wish(asked), ...NOBODY } as PersonsEvent;
    const moment = { now, chance: 0.5, timing: DEFAULT_TIMING };
    const known = await orderedEvent(this.options.store, taskId, event);
    if (known.kind === 'refused') throw refusalOf(known, action);
    const decision = transition(task, known, { moment });
    if (decision.kind === 'refused') throw refusalOf(decision, action);
    const status = { before: statusName(task.status), after: statusName(task.status) };
    if (decision.kind === 'ignored') return { action, revision, status, ...NOTHING };
    const after = statusName(decision.task.status);
    const undone = undoneBy(task, known, asked);
    const course = await this.courseOf(decision, viewer, {
      undone,
      seen: task.paused === null ? decision.task : resumed(decision.task, moment),
    });
    return { action, revision, status: { ...status, after }, ...course };
  }

  private async courseOf(
    { effects, queued, task }: Moved,
    viewer: Viewer,
    { seen, undone }: Followed,
  ): Promise<Omit<PublicPreview, 'action' | 'revision' | 'status'>> {
    const now = this.options.clock.now();
    const planner = plannerFor(this.options, viewer);
    const { isCut, leftOver, obstacle, own, undos } =
      undone === null
        ? await planner.planAsItStands(seen)
        : await planner.planWithChild(seen, undone);
    const isTold = undos.length > 0 && obstacle === null && !isCut && undone === null;
    const told = { now, past: this.past.seenBy(viewer.principal), undos: own.undos };
    const estimate = isTold ? await estimateUndos(seen, told) : null;
    const refs = [...queued.map(({ ref }) => ref), ...askedIn(effects)];
    const show = (ref: ActionRef): PublicPlace => presentPlace({ task, place: ref.step });
    return {
      calledOff: calledOffIn(task).map(show),
      starts: startsOf(task, refs).slice(0, STARTS_MAX),
      undoes: await presentUndos(this.options, undos, viewer.draft),
      leftOver: leftOver.map(presentPlace),
      obstacle,
      isCut: isCut || refs.length > STARTS_MAX,
      estimate: estimate && presentEstimate(estimate),
    };
  }
}

const NOTHING = {
  calledOff: [],
  starts: [],
  undoes: [],
  leftOver: [],
  obstacle: null,
  isCut: false,
  estimate: null,
} as const;

/** The task whose undos follow, and the child task that is undone by itself; null: none is. */
interface Followed {
  readonly seen: Task;
  readonly undone: UndoneChild | null;
}

/** A paused task as a person will have it go on: before that, nothing of it would follow. */
function resumed(task: Task, moment: Moment): Task {
  const event = { kind: 'resume_requested', ...NOBODY } as const;
  const decision = transition(task, event, { moment });
  // It is refused where the action itself has ended the pause.
  return decision.kind === 'moved' ? decision.task : task;
}

/** A child task that is undone by itself, and the place of its step. */
interface UndoneChild {
  readonly place: number;
  readonly taskId: string;
}

/** The child task that a reset has undone before its item begins again; null: there is none. */
function undoneBy(task: Task, event: TaskEvent, { children }: Details): UndoneChild | null {
  if (event.kind !== 'reset_requested' || typeof event.children !== 'object') return null;
  if (event.children.isDone !== true || typeof children !== 'object') return null;
  const place = task.plan.steps.findIndex(({ name }) => name === event.to);
  return { place, taskId: children.id };
}

function startsOf(task: Task, refs: readonly ActionRef[]): readonly PublicStart[] {
  return refs.flatMap((ref) => {
    const { direction, step } = ref;
    const { command = null, module = null } = actionOf(task, ref) ?? {};
    return [{ ...presentPlace({ task, place: step }), direction, module, command }];
  });
}

/** Throws the `Problem` that the action is not named, or not its step. */
function expectWhole({
  action,
  ...asked
}: Asked<typeof OUTLOOK_ROUTES.previewAction>['query']): PreviewAsked {
  if (action !== undefined) {
    expectStep(action, asked);
    return { action, ...asked };
  }
  const message = `The parameter \`action\` is missing: it is ${ACTION}.`;
  throw invalidRequest({ pointer: '/action', message });
}

function expectStep(action: Previewed, asked: Pick<Details, 'step' | 'to'>): void {
  const { required = [] } = VERBS[action].reader.schema;
  const name = (['step', 'to'] as const).find((one) => required.includes(one));
  if (name === undefined || asked[name] !== undefined) return;
  const message = `The parameter \`${name}\` is missing: \`${action}\` takes a step.`;
  throw new Problem('INVALID_PARAMETERS', message, { errors: [{ pointer: `/${name}`, message }] });
}

/** The refusal of an action, with pointers to parameters of a query instead of a body. */
function refusalOf(refused: Refusal, action: Previewed): Problem {
  const { code, errors, headers, message } = refusal(refused, action);
  const named = errors?.map((fault) => {
    return { ...fault, pointer: fault.pointer.replace(/(?<=.)\/.*/, '') };
  });
  return new Problem(code, message, { headers, ...(named !== undefined && { errors: named }) });
}
