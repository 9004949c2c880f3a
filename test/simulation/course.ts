import type { World } from './world.js';

/** How one attempt of a command goes. */
export interface Course {
  readonly beforeMs: number;
  readonly hasEffect: boolean;
  readonly afterMs: number;
  readonly end: 'done' | 'fails' | 'gives_up' | 'looks_again';
  /** Does not obey its signal. */
  readonly isDeaf: boolean;
  /** How long its effect is under way. */
  readonly effectMs: number;
}

/** Draws how an attempt goes; once the trouble is over, well. */
export function drawCourse(world: World, direction: string): Course {
  const { faults, random } = world;
  const hangs = world.chance(faults.hangingCommand);
  return {
    beforeMs: drawWork(world),
    hasEffect: world.isHealed || hangs || random.next() < 0.8,
    afterMs: hangs ? 5 * world.scenario.leaseMs : drawWork(world),
    end: drawEnd(world, direction),
    isDeaf: world.chance(faults.deafCommand),
    effectMs: world.chance(faults.lateEffect)
      ? random.between(100, 3 * world.scenario.leaseMs)
      : random.between(1, 8),
  };
}

function drawWork(world: World): number {
  const { faults, random } = world;
  if (!world.chance(faults.slowCommand)) return random.between(1, 40);
  return random.between(100, 5 * world.scenario.leaseMs);
}

function drawEnd(world: World, direction: string): Course['end'] {
  const { faults, random } = world;
  const isBack = direction === 'rollback';
  if (world.chance(isBack ? faults.failingRollback : faults.failingCommand)) {
    return random.next() < 0.3 ? 'gives_up' : 'fails';
  }
  return world.chance(faults.lookingCommand) ? 'looks_again' : 'done';
}
