import { DockerServer } from './docker-server.js';
import type { ContainerPlan } from './docker-server.js';
import { findServer } from './find-server.js';
import type { Programs } from './find-server.js';
import { GivenServer } from './given-server.js';
import { MachineServer } from './machine-server.js';
import type { MachinePlan } from './machine-server.js';
import { isMissing } from './server.js';
import type { Missing, ServerName, ServerOptions } from './server.js';

/** The two ways in which a kind of server is started. */
export interface StartPlans {
  readonly container: () => Promise<ContainerPlan>;
  readonly machine: (programs: Programs) => Promise<MachinePlan>;
}

/** Starts a server where {@link findServer} finds one; resolves when it really serves. */
export async function startServer(
  name: ServerName,
  options: ServerOptions,
  plans: StartPlans,
): Promise<GivenServer | DockerServer | MachineServer | Missing> {
  const place = findServer(name, options);
  if (isMissing(place)) return place;
  if (place.kind === 'url') return new GivenServer(name, place.url);
  const server =
    place.kind === 'docker'
      ? new DockerServer(await plans.container())
      : new MachineServer(await plans.machine(place.programs));
  await server.start();
  return server;
}
