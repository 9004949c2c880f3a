import type { Task } from '#core';
import { Admissions } from './admissions.js';
import { Claims } from './claims.js';
import { Effects } from './effects.js';
import { ModuleLimits } from './module-limits.js';
import type { EngineParts, EngineSettings } from './parts.js';
import { PriorityLine } from './priority-line.js';
import { SecretKeeper } from './secret-keeper.js';
import { Sender } from './sender.js';
import { Session } from './session.js';
import { Slots } from './slots.js';
import { TaskWriter } from './task-writer.js';

/**
 * Shared by the pieces of one engine: its session, its claims and the slots they take, and the ways
 * to write a task and to send its messages.
 */
export class EngineState {
  readonly admissions: Admissions;
  readonly claims: Claims;
  readonly effects = new Effects();
  readonly keeper: SecretKeeper;
  readonly limits: ModuleLimits;
  readonly line: PriorityLine;
  readonly sender: Sender;
  readonly session: Session;
  readonly slots: Slots;
  readonly writer: TaskWriter;
  /** Nothing new is taken over from now on. */
  isStopping = false;

  constructor(
    parts: EngineParts,
    { concurrency, timing, ...settings }: EngineSettings,
    governs: boolean,
  ) {
    const { clock, observer, store, transport } = parts;
    this.claims = new Claims(store);
    this.keeper = new SecretKeeper(parts);
    this.session = new Session(
      parts,
      { ...settings, governs },
      { ended: () => this.claims.loseAll(), renewed: () => this.slots.fill() },
    );
    this.slots = new Slots(concurrency, clock, (limit) => this.session.slotsOf(limit));
    this.limits = new ModuleLimits(parts);
    this.line = new PriorityLine(parts, this.limits);
    const { line } = this;
    this.sender = new Sender({ clock, line, observer, transport });
    const { effects, sender } = this;
    const moved = (before: Task, after: Task): void => this.admissions.moved(before, after);
    const own = { effects, sender, moved, observer: this.watched(observer) };
    this.writer = new TaskWriter({ ...parts, ...own }, timing);
    const { writer } = this;
    this.admissions = new Admissions(parts, this.limits, { writer, self: settings.owner });
  }

  private watched(observer: EngineParts['observer']): EngineParts['observer'] {
    return {
      committed: (task, entries) => {
        this.claims.taskMoved(task);
        observer.committed(task, entries);
      },
      noticed: (notice) => observer.noticed(notice),
    };
  }
}
