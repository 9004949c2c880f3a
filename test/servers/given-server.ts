import { URL_VARIABLES } from './find-server.js';
import type { RunningServer, ServerName } from './server.js';

/** A server that a URL in the environment names: others use it too, so it is never harmed. */
export class GivenServer implements RunningServer {
  readonly origin = 'url';

  constructor(
    readonly name: ServerName,
    readonly url: string,
  ) {}

  kill(): Promise<void> {
    return this.#refuse('killed');
  }

  restart(): Promise<void> {
    return this.#refuse('restarted');
  }

  wipe(): Promise<void> {
    return this.#refuse('wiped');
  }

  pause(): Promise<void> {
    return this.#refuse('paused');
  }

  resume(): Promise<void> {
    return this.#refuse('resumed');
  }

  async stop(): Promise<void> {}

  #refuse(done: string): Promise<never> {
    const where = `the ${this.name} of ${URL_VARIABLES[this.name]}`;
    return Promise.reject(new Error(`${where} must not be ${done}: start one with { own: true }`));
  }
}
