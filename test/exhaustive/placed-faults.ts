import { isFinal } from '#core';
import type { CommandContext } from '#ports';
import type { Course } from '../simulation/course.js';
import type { History } from '../simulation/history.js';
import type { Faults } from '../simulation/scenario.js';
import type { Operation, Script } from '../simulation/script.js';
import type { SimProcess } from '../simulation/sim-process.js';
import type { Case } from './cases.js';
import { FAULT_KINDS, type FaultKind, possibleFaults, type Spot } from './fault-kinds.js';
import type { Placement } from './placement.js';
import type { SteadyChance } from './steady-chance.js';

/** Long enough for its lease to be renewed, in milliseconds. */
const LONG_WORK_MS = 2_600;

/** The run to play. */
export interface Plan {
  readonly task: Case;
  readonly placements: readonly Placement[];
  /** Find out where one more fault could strike. */
  readonly looksAhead: boolean;
}

/** Counts the operations of a run and has the placed faults strike. */
export class PlacedFaults implements Script {
  /** Where a further fault could strike, after all that are placed. */
  readonly next: Placement[] = [];
  /** How many operations there were. */
  count = 0;
  private struck = 0;
  private inHand: FaultKind | null = null;

  constructor(
    private readonly history: History,
    private readonly chance: SteadyChance,
    private readonly plan: Plan,
  ) {}

  reach(operation: Operation, process: SimProcess): void {
    const at = this.count++;
    this.inHand = null;
    this.chance.isLong = false;
    const spot = { operation, process, history: this.history };
    const placed = this.plan.placements[this.struck];
    if (placed?.at === at) this.strike(spot, placed);
    else if (placed === undefined && this.plan.looksAhead) this.lookAhead(spot, at);
  }

  private lookAhead(spot: Spot, at: number): void {
    if (this.isOver()) return;
    for (const fault of possibleFaults(spot)) this.next.push({ at, fault });
  }

  private strike(spot: Spot, { at, fault }: Placement): void {
    const { operation, process } = spot;
    this.struck += 1;
    const { world } = this.history;
    world.tell(`FAULT ${fault} at operation ${at}: ${operation} of ${process.owner}`);
    world.see(fault);
    const kind: FaultKind = FAULT_KINDS[fault];
    this.inHand = kind;
    this.chance.isLong = kind.isLong === true;
    kind.act?.(spot);
    if (this.hasStruck()) this.onLast();
  }

  /** All faults have happened. */
  hasStruck(): boolean {
    return this.struck === this.plan.placements.length;
  }

  /** Called when the last fault happens. */
  onLast: () => void = () => {};

  strikes(fault: keyof Faults): boolean {
    if (this.inHand?.says !== fault) return false;
    this.inHand = null;
    return true;
  }

  course({ attempt, direction, run, step }: CommandContext): Course {
    const { ending, last } = this.plan.task;
    const isLast = step === last;
    const isFailing = ending === 'tried-again' ? !run.includes('#2/') : ending !== 'succeeds';
    const failsForward = direction === 'normal' && isLast && isFailing;
    const isFirstBack = direction === 'rollback' && step === 's0' && attempt === 1;
    const failsBack = isFirstBack && ending === 'rollback-fails';
    return {
      beforeMs: 1,
      hasEffect: true,
      afterMs: direction === 'normal' && isLast ? LONG_WORK_MS : 1,
      end: failsForward || failsBack ? 'gives_up' : 'done',
      isDeaf: false,
      effectMs: 1,
      ...this.inHand?.course,
    };
  }

  /** Nothing that comes can change the task any more, or have an effect. */
  private isOver(): boolean {
    const { cluster, world } = this.history;
    const tasks = [...cluster.server.tasks.values()];
    return world.pending === 0 && tasks.length > 0 && tasks.every((t) => isFinal(t.status));
  }
}
