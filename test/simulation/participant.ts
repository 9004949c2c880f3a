import type { CommandContext } from '#ports';
import type { World } from './world.js';

/** What the participant remembers of one step. */
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
  /** By task and step: effects that are there. Kept by no rule but counting. */
  readonly net = new Map<string, number>();
  private readonly marks = new Map<string, Mark>();

  constructor(private readonly world: World) {}

  netOf(taskId: string, step: string): number {
    return this.net.get(`${taskId} ${step}`) ?? 0;
  }

  /** One call of a command, at the moment it reaches the participant. */
  act(context: CommandContext): void {
    const key = `${context.taskId} ${context.step}`;
    const mark = this.marks.get(key) ?? { token: 0, isApplied: false, isBarred: false };
    this.marks.set(key, mark);
    const { fencingToken: token, direction } = context;
    this.world.tell(`participant ${key} ${direction} t${token}`);
    if (direction === 'normal') this.apply(key, mark, token);
    else this.undo(key, mark, token);
  }

  private apply(key: string, mark: Mark, token: number): void {
    const { mutant } = this.world;
    const checks = mutant?.participant ?? 'everything';
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
    const checks = this.world.mutant?.participant ?? 'everything';
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
