import type { CommandContext } from '#ports';
import type { World } from './world.js';

/** How one attempt of a command goes. */
export interface Course {
  readonly beforeMs: number;
  readonly hasEffect: boolean;
  readonly afterMs: number;
  readonly end: 'done' | 'fails' | 'gives_up' | 'looks_again' | 'refuses';
  /** Does not obey its signal. */
  readonly isDeaf: boolean;
  /** How long its effect is under way. */
  readonly effectMs: number;
}

/** How an attempt goes: as the script says, or drawn; once the trouble is over, well. */
export function courseOf(world: World, context: CommandContext): Course {
  return world.script?.course(context) ?? drawCourse(world, context.direction);
}

function drawCourse(world: World, direction: string): Course {
  const { random } = world;
  const hangs = world.strikes('hangingCommand');
  return {
    beforeMs: drawWork(world),
    hasEffect: world.isHealed || hangs || random.next() < 0.8,
    afterMs: hangs ? 5 * world.scenario.leaseMs : drawWork(world),
    end: drawEnd(world, direction),
    isDeaf: world.strikes('deafCommand'),
    effectMs: world.strikes('lateEffect')
      ? random.between(100, 3 * world.scenario.leaseMs)
      : random.between(1, 8),
  };
}

function drawWork(world: World): number {
  const { random } = world;
  if (!world.strikes('slowCommand')) return random.between(1, 40);
  return random.between(100, 5 * world.scenario.leaseMs);
}

function drawEnd(world: World, direction: string): Course['end'] {
  const { random } = world;
  const isBack = direction === 'rollback';
  if (direction === 'normal' && world.strikes('refusingCommand')) return 'refuses';
  if (world.strikes(isBack ? 'failingRollback' : 'failingCommand')) {
    return random.next() < 0.3 ? 'gives_up' : 'fails';
  }
  return world.strikes('lookingCommand') ? 'looks_again' : 'done';
}
