import { afterEach } from '@jest/globals';
import { EngineWorld, type WorldOptions } from '#testing';

const worlds: EngineWorld[] = [];

/** A process of Backstep that has started, and is stopped after the test. */
export async function world(options: WorldOptions = {}): Promise<EngineWorld> {
  const made = new EngineWorld(options);
  worlds.push(made);
  await made.engine.start();
  return made;
}

/** Stops the worlds of each test of a file. */
export function stopWorlds(): void {
  afterEach(async () => {
    for (const { clock, engine } of worlds.splice(0)) {
      const stopped = engine.stop();
      await clock.advance(10_000);
      await stopped;
    }
  });
}
