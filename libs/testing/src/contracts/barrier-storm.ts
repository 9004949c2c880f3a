import assert from 'node:assert/strict';

/** Awaited before every operation on the store: an attempt may be stopped there, or die. */
export type StormGate = () => Promise<void>;

/** A step under attack. */
interface StormTarget {
  forward(token: number, gate: StormGate): Promise<unknown>;
  rollback(token: number, gate: StormGate): Promise<unknown>;
  /** How many effects there are now. */
  count(): Promise<number>;
}

/** The course of a storm, in numbers that a property test makes up. */
interface StormPlan {
  /** For each attempt forward: at which gate its process dies; far off: it lives. */
  readonly forwards: readonly number[];
  /** For each attempt back, likewise. Null: the task goes on, nothing is rolled back. */
  readonly rollbacks: readonly number[] | null;
  /** Picks the attempt that goes on next, again and again. */
  readonly choices: readonly number[];
}

/**
 * Plays attempts with growing tokens against each other, stopping each before every operation,
 * until the last one, which nothing stops, has ended; then lets all that were left behind go on.
 * Fails unless one effect is left after success, and none after a rollback.
 */
export async function playStorm(target: StormTarget, plan: StormPlan): Promise<void> {
  const { forwards, rollbacks } = plan;
  const actors = forwards.map((dies, index) => {
    return new Actor((gate) => target.forward(index + 1, gate), dies);
  });
  for (const dies of rollbacks ?? []) {
    const token = actors.length + 1;
    actors.push(new Actor((gate) => target.rollback(token, gate), dies));
  }
  const token = actors.length + 1;
  const last = new Actor((gate) => {
    return rollbacks === null ? target.forward(token, gate) : target.rollback(token, gate);
  }, Infinity);
  await play([...actors, last], plan.choices, last);
  assert.equal(last.failure, null, `the last attempt failed: ${String(last.failure)}`);
  await play(actors, plan.choices, null);
  assert.equal(await target.count(), rollbacks === null ? 1 : 0);
}

/** Attempts begin in order of their tokens; which one goes on is up to the choices. */
async function play(
  actors: readonly Actor[],
  choices: readonly number[],
  until: Actor | null,
): Promise<void> {
  for (let turn = 0; ; turn++) {
    if (until?.hasEnded === true) return;
    const started = actors.filter((actor) => actor.canGoOn);
    const next = actors.find((actor) => !actor.hasStarted);
    const able = next === undefined ? started : [...started, next];
    const chosen = able[(choices[turn % choices.length] ?? 0) % able.length];
    if (chosen === undefined) return;
    await chosen.goOn();
  }
}

/** One attempt in a process of its own, which goes from gate to gate. */
class Actor {
  hasStarted = false;
  hasEnded = false;
  failure: unknown = null;
  private gates = 0;
  private parked: (() => void) | null = null;
  private onStop: () => void = () => undefined;

  constructor(
    private readonly run: (gate: StormGate) => Promise<unknown>,
    private readonly dies: number,
  ) {}

  get canGoOn(): boolean {
    return this.parked !== null;
  }

  /** Resolves when the attempt has come to its next gate, has ended, or has died. */
  goOn(): Promise<void> {
    const stopped = new Promise<void>((resolve) => (this.onStop = resolve));
    const resume = this.parked;
    this.parked = null;
    if (resume !== null) resume();
    else if (!this.hasStarted) this.start();
    return stopped;
  }

  private start(): void {
    this.hasStarted = true;
    const end = (failure: unknown) => {
      this.failure = failure;
      this.hasEnded = true;
      this.onStop();
    };
    this.run(() => this.gate()).then(() => end(null), end);
  }

  private gate(): Promise<void> {
    this.gates += 1;
    return new Promise((resolve) => {
      // The process is dead: nobody ever resolves it.
      if (this.gates <= this.dies) this.parked = resolve;
      this.onStop();
    });
  }
}
