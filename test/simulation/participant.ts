import type { CommandContext } from '#ports';
import type { Mutant } from './mutant.js';
import type { World } from './world.js';

/** The participant's memory of one run. */
interface Mark {
  token: number;
  isApplied: boolean;
  isBarred: boolean;
}

/** An attempt that may not have an effect any more. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** A domain's own system: its effects, behind a barrier, and a plain count for the checks. */
export class Participant {
  /** By task and run: effects that are there. Kept by no rule but counting. */
  readonly net = new Map<string, number>();
  private readonly marks = new Map<string, Mark>();
  /** By task and run: whose rollback has come. */
  private readonly undoing = new Set<string>();

  constructor(private readonly world: World) {}

  netOf(taskId: string, run: string): number {
    return this.net.get(`${taskId} ${run}`) ?? 0;
  }

  /** One call of a command, at the moment it reaches the participant. */
  act(context: CommandContext): void {
    const { mutant } = this.world;
    const id = mutant?.participant === 'no_generation' ? context.step : context.run;
    const key = `${context.taskId} ${id}`;
    const mark = this.marks.get(key) ?? { token: 0, isApplied: false, isBarred: false };
    this.marks.set(key, mark);
    const { fencingToken: token, direction } = context;
    this.world.tell(`participant ${key} ${direction} t${token}`);
    if (direction === 'normal') {
      this.refuseFor(context, mark);
      this.apply(key, mark, token);
    } else {
      this.undoing.add(`${context.taskId} ${context.run}`);
      this.undo(key, mark, token);
    }
  }

  /** Only a run's own rollback may keep its effect out. */
  private refuseFor({ run, taskId }: CommandContext, { isBarred }: Mark): void {
    if (!isBarred || this.undoing.has(`${taskId} ${run}`)) return;
    this.world.violate('I23', `${taskId} ${run} is barred by the undoing of another run`);
  }

  private apply(key: string, mark: Mark, token: number): void {
    const { mutant } = this.world;
    const checks = checksOf(mutant);
    if (checks === 'everything' || checks === 'no_repetition') this.refuseBarred(mark);
    if (checks === 'everything' || checks === 'no_repetition') this.refuseStale(mark, token);
    mark.token = Math.max(mark.token, token);
    if (mark.isApplied && checks !== 'nothing' && checks !== 'no_repetition') {
      this.world.see('effect repeated');
      return;
    }
    mark.isApplied = true;
    this.count(key, 1);
  }

  private undo(key: string, mark: Mark, token: number): void {
    const checks = checksOf(this.world.mutant);
    if (checks === 'everything' || checks === 'no_repetition') this.refuseStale(mark, token);
    mark.token = Math.max(mark.token, token);
    mark.isBarred = true;
    if (!mark.isApplied) {
      this.world.see('empty rollback');
      return;
    }
    mark.isApplied = false;
    this.count(key, -1);
  }

  private refuseBarred(mark: Mark): void {
    if (!mark.isBarred) return;
    this.world.see('effect after its rollback refused');
    throw new Refused('rolled back');
  }

  private refuseStale(mark: Mark, token: number): void {
    if (token >= mark.token) return;
    this.world.see('stale token refused');
    throw new Refused(`token ${token} is older than ${mark.token}`);
  }

  private count(key: string, by: number): void {
    const net = (this.net.get(key) ?? 0) + by;
    this.net.set(key, net);
    if (net < 0 || net > 1) this.world.violate('I2', `${key} has ${net} effects`);
  }
}

/** The checks that a participant makes; which run it looks at is another matter. */
function checksOf(mutant: Mutant | null): string {
  const { participant = 'everything' } = mutant ?? {};
  return participant === 'no_generation' ? 'everything' : participant;
}
