import type { ActionRef, ActionRun, Direction, JsonObject, JsonValue, Outcome, Task } from '#core';
import { copyJson } from '#core/json';
import { actionOf, runIdOf, stepAt } from '#core/scopes';
import { referencesIn, referencesKnownTo } from '#core/secrets';
import { parametersFor, resultsFor } from '#core/values';
import type { AbortSignalLike, AttemptOutput, AttemptPlace, Clock } from '#ports';
import type { CommandContext, CommandLine, CommandLog } from '#ports';
import type { CompletionTokens, LineDetails, Tracer } from '#ports';
import { isKept, levelOf, lineOf, progressOf, textOfLine } from './command-line.js';
import type { OpenedSecrets } from './opened-secrets.js';
import type { AttemptWords } from './work-desk.js';
import type { AbortSource } from './parts.js';
import type { SecretKeeper } from './secret-keeper.js';

const NO_NAMES: readonly string[] = Object.freeze([]);

/** Why a command's signal was aborted. */
export type AbortReason = 'lease_lost' | 'called_off' | 'stopping' | 'time_over';

/** Options of a context. */
interface StepContextOptions {
  readonly task: Task;
  readonly ref: ActionRef;
  readonly run: ActionRun;
  /** From the time of day to the monotonic clock, as it was when the attempt was claimed. */
  readonly shift: number;
  readonly renew: () => Promise<boolean>;
  readonly terms: StepTerms;
}

/** The terms that all contexts of a process share. */
export interface StepTerms {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** A last look gets this long, though the deadline has come. */
  readonly leaseMs: number;
  readonly createAbort: () => AbortSource;
  readonly completionTokens: CompletionTokens;
  /** Undefined: this process traces nothing. */
  readonly tracer?: Pick<Tracer, 'traceparentOf'> | undefined;
  /** Opens the secrets of tasks that have some. */
  readonly keeper: Pick<SecretKeeper, 'opener'>;
  /** Takes the lines that commands log; undefined: nobody does. */
  readonly commandLog?: CommandLog | undefined;
  /** Keeps what attempts say; undefined: nobody does. */
  readonly output?: AttemptOutput | undefined;
}

const SENTENCES: Readonly<Record<AbortReason, string>> = {
  lease_lost: 'the lease was lost: another executor may be running this step',
  called_off: 'cancelled: the step is not wanted any more',
  stopping: 'this executor is stopping',
  time_over: 'this attempt timed out',
};

/** Why a task calls off a step, from the document that no longer wants it. */
export function callOffText({
  outcome,
  turned,
  way,
}: Pick<Task, 'outcome' | 'turned' | 'way'>): string {
  if (outcome === 'terminated') return 'cancelled: the task was terminated';
  if (way === 'forward') return 'cancelled: the steps around it are undone';
  if (turned?.why === 'requested') return 'cancelled: rollback was requested';
  return turned?.why === 'reset'
    ? 'cancelled: a reset was requested'
    : 'cancelled: the task rolls back';
}

/**
 * The context of one attempt of a command. The signal is made when a command first asks for it:
 * most never do.
 */
export class StepContext implements CommandContext {
  readonly taskId: string;
  readonly flow: string;
  readonly step: string;
  readonly cursor: number;
  readonly run: string;
  readonly direction: Direction;
  readonly module: string;
  readonly command: string;
  readonly fencingToken: number;
  readonly attempt: number;
  readonly deadline: number;
  readonly attemptDeadline: number;
  abortReason: AbortReason | null = null;
  private abortText: string | null = null;
  private source: AbortSource | null = null;
  private merged: JsonObject | null = null;
  /** Null: the task has no secrets. */
  private opened: OpenedSecrets | null = null;
  /** Something that it said is kept: so its end must be told. */
  private hasSaid = false;
  private isOver = false;
  /** When it was made, by the monotonic clock. */
  private readonly madeAt: number;

  constructor(private readonly options: StepContextOptions) {
    const { task, ref, run, shift, terms } = options;
    this.madeAt = terms.clock.monotonic();
    const now = this.madeAt - shift;
    const action = actionOf(task, ref);
    this.taskId = task.plan.taskId;
    this.flow = task.plan.flow;
    this.step = stepAt(task, ref.step)?.name ?? '';
    this.cursor = ref.step;
    this.run = runIdOf(task, ref.step);
    this.direction = ref.direction;
    this.module = action?.module ?? '';
    this.command = action?.command ?? '';
    this.fencingToken = run.lease?.token ?? 0;
    this.attempt = run.attempts;
    const end = run.deadline ?? Number.MAX_SAFE_INTEGER;
    this.deadline = run.look === 'last' ? Math.max(end, now + terms.leaseMs) : end;
    if (task.hasSecrets) this.opened = terms.keeper.opener(task);
    this.attemptDeadline = Math.min(this.deadline, now + (action?.attemptTimeoutMs ?? Infinity));
  }

  /** Merged when they are first asked for: they stay the same for the whole attempt. */
  get parameters(): JsonObject {
    this.merged ??= this.shown(parametersFor(this.options.task, this.options.ref));
    return this.merged;
  }

  get results(): Readonly<Record<string, JsonObject>> {
    const results = resultsFor(this.options.task, this.options.ref);
    return this.shown(results) as Readonly<Record<string, JsonObject>>;
  }

  get output(): JsonObject | null {
    const { ref, task } = this.options;
    const output = ref.direction === 'normal' ? null : task.runs[ref.step]?.normal.output;
    return output ? this.shown(output) : null;
  }

  get idempotencyKey(): string {
    return `${this.taskId}:${this.run}:${this.direction}`;
  }

  get forwardKey(): string {
    return `${this.taskId}:${this.run}:normal`;
  }

  /** Made when it is asked for: most commands never do. */
  get completionToken(): string {
    return this.options.terms.completionTokens.tokenOf(this);
  }

  /** Worked out when it is asked for: without tracing, most commands never do. */
  get traceparent(): string | null {
    const { task, terms } = this.options;
    const { attempt, direction, run } = this;
    const own = terms.tracer?.traceparentOf({ task, run, direction, attempt });
    return own ?? task.plan.traceparent;
  }

  get signal(): AbortSignalLike {
    if (this.source === null) {
      this.source = this.options.terms.createAbort();
      if (this.abortText !== null) this.source.abort(new Error(this.abortText));
    }
    return this.source.signal;
  }

  timeLeft(): number {
    const { shift, terms } = this.options;
    return Math.max(0, this.attemptDeadline + shift - terms.clock.monotonic());
  }

  heartbeat(): Promise<boolean> {
    return this.options.renew();
  }

  log(message: string, details?: LineDetails): void {
    const { commandLog, output } = this.options.terms;
    const level = levelOf(details);
    const isLogged = commandLog?.takes(level) === true;
    const isWanted = output !== undefined && (isLogged || isKept(level));
    if (!isLogged && !isWanted) return;
    const line = lineOf(message, details, this.opened);
    if (isLogged) commandLog.write(this, line);
    if (isWanted) this.keep(line, output);
  }

  progress(percent?: number | null, message?: string | null, state?: string | null): void {
    const { output } = this.options.terms;
    if (output === undefined || this.isOver) return;
    this.hasSaid = true;
    output.progress(this.place, progressOf({ percent, message, state }, this.opened));
  }

  /** Keeps what the worker of the attempt says. Tells whether lines are missing by now. */
  say({ dropped, lines, progress }: AttemptWords): boolean {
    const { shift, terms } = this.options;
    if (progress !== undefined) this.progress(progress.percent, progress.message, progress.state);
    if (lines.length === 0 && dropped === 0) return false;
    const now = Math.round(terms.clock.monotonic() - shift);
    const texts = lines.map(({ message }) => message);
    const masked = this.opened?.maskedAll(texts) ?? texts;
    const kept = lines.map(({ agoMs, level }, n) => {
      return { at: now - agoMs, level, message: masked[n] ?? '' };
    });
    return terms.output?.append(this.place, kept, dropped) ?? false;
  }

  /** The attempt is over; lines of a command that goes on all the same are still kept. */
  end(): void {
    this.isOver = true;
    if (this.hasSaid) this.options.terms.output?.end(this.place);
  }

  private keep(line: CommandLine, output: AttemptOutput): void {
    this.hasSaid = true;
    const { shift, terms } = this.options;
    const at = Math.round(terms.clock.monotonic() - shift);
    output.append(this.place, [{ at, level: line.level, message: textOfLine(line) }]);
  }

  private get place(): AttemptPlace {
    const { attempt, direction, run, step, taskId } = this;
    return { taskId, step, run, direction, attempt };
  }

  /**
   * The attempt's outcome without its secrets: the members of its output with these names are
   * sealed, and elsewhere the secrets that it was given are masked.
   */
  close(outcome: Outcome, names: readonly string[] = NO_NAMES): Outcome {
    if (this.opened === null && names.length === 0) return outcome;
    const { task, terms } = this.options;
    this.opened ??= terms.keeper.opener(task);
    return this.opened.close(outcome, names);
  }

  /** References among what the command is given that the task may have resolved. */
  get references(): readonly string[] {
    const { ref, task } = this.options;
    if (this.opened === null) return NO_NAMES;
    const known = referencesKnownTo(task);
    if (known.size === 0) return NO_NAMES;
    const output = task.runs[ref.step]?.normal.output ?? null;
    const given = [parametersFor(task, ref), resultsFor(task, ref) as JsonObject, output];
    return referencesIn(given).filter((each) => known.has(each));
  }

  /** A secret that was fetched for this attempt, before its parameters were asked for. */
  addSecret(reference: string, secret: JsonValue): void {
    this.opened?.add(reference, secret);
  }

  /** For how long this process has had the attempt, in milliseconds. */
  heldMs(): number {
    return this.options.terms.clock.monotonic() - this.madeAt;
  }

  /** Whether the task may have sealed values. */
  get hasSecrets(): boolean {
    return this.opened !== null;
  }

  /** Whether something of what the command gave was sealed. */
  get hasSealed(): boolean {
    return this.opened?.hasSealed ?? false;
  }

  /** In clear for a command, which may change what it gets: the task keeps its own. */
  private shown(values: JsonObject): JsonObject {
    return copyJson(this.opened === null ? values : this.opened.open(values));
  }

  /** Aborts the command's signal; the first reason counts. `text`: the same for people. */
  abort(reason: AbortReason, text = SENTENCES[reason]): void {
    if (this.abortReason !== null) return;
    this.abortReason = reason;
    this.abortText = text;
    this.source?.abort(calledOff(text));
  }
}

/** The reason of a signal. Where it was made says nothing to the author of a command. */
function calledOff(text: string): Error {
  const reason = new Error(text);
  delete reason.stack;
  return reason;
}
