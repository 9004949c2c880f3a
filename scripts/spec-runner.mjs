/**
 * A runner of jest that runs specs natively, in processes of Node beside it, instead of in a VM
 * context for each file: nothing that they import is loaded once more for every one of them, and
 * the code runs as it does in production.
 *
 * Specs of a project with `testEnvironmentOptions.isShared` share a process with others; else each
 * has one of its own.
 */
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import JestRunner from 'jest-runner';

const PROGRAM = fileURLToPath(new URL('spec-process.mjs', import.meta.url));
/** Only the VM contexts of jest can do this. */
const OF_JEST = /\bjest\.(isolateModules|useFakeTimers)/;

export default class SpecRunner {
  supportsEventEmitters = true;
  #globalConfig;
  #context;
  #listeners = new Map();

  constructor(globalConfig, context) {
    this.#globalConfig = globalConfig;
    this.#context = context;
  }

  /** The interface of a runner of jest that tells by events how it goes. */
  on(name, listener) {
    this.#listeners.set(name, listener);
    return () => this.#listeners.delete(name);
  }

  async runTests(tests, watcher, { serial }) {
    const ofJest = tests.filter(({ path }) => OF_JEST.test(readFileSync(path, 'utf8')));
    const queue = tests.filter((test) => !ofJest.includes(test));
    const places = serial ? 1 : Math.max(1, this.#globalConfig.maxWorkers);
    const work = () => this.#work(queue, watcher);
    await Promise.all(Array.from({ length: Math.min(places, queue.length) }, work));
    if (ofJest.length > 0) await this.#leaveToJest(ofJest, watcher);
  }

  async #work(queue, watcher) {
    const place = new Place();
    while (queue.length > 0 && !watcher.isInterrupted()) {
      const test = queue.shift();
      await this.#tell('test-file-start', [test]);
      await this.#run(test, place).then(
        (result) => this.#tell('test-file-success', [test, result]),
        (error) => this.#tell('test-file-failure', [test, error]),
      );
    }
    await place.end();
  }

  async #run({ context: { config }, path: file }, place) {
    if (!config.testEnvironmentOptions.isShared) await place.end();
    return place.run({ file, config: plain(config), globalConfig: plain(this.#globalConfig) });
  }

  async #leaveToJest(tests, watcher) {
    const runner = new JestRunner(this.#globalConfig, this.#context);
    for (const [name, listener] of this.#listeners) runner.on(name, listener);
    await runner.runTests(tests, watcher, { serial: true });
  }

  #tell(name, event) {
    return this.#listeners.get(name)?.(event);
  }
}

/** Where specs run: a process that is started when it is needed, and again when it is gone. */
class Place {
  #child;

  async run(order) {
    const child = (this.#child ??= await start());
    return new Promise((resolve, reject) => {
      const gone = (code, signal) => {
        this.#child = undefined;
        const how = signal ?? `code ${code}`;
        reject({ message: `the process of the spec ended: ${how}`, stack: '' });
      };
      child.once('exit', gone);
      child.once('message', ({ error, isFull, result }) => {
        child.off('exit', gone);
        // A spec that could not be loaded may have left something half done.
        if (error !== undefined) return this.end().then(() => reject(error));
        return isFull ? this.end().then(() => resolve(result)) : resolve(result);
      });
      child.send(order);
    });
  }

  async end() {
    const child = this.#child;
    if (child === undefined) return;
    this.#child = undefined;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.disconnect();
    await ended;
  }
}

function start() {
  return new Promise((resolve, reject) => {
    const child = fork(PROGRAM, { execArgv: [], serialization: 'advanced' });
    child.once('message', () => resolve(child));
    child.once('error', reject);
    child.once('exit', () => reject(new Error('a process of specs cannot be started')));
  });
}

/** Configurations have members that do not travel between processes. */
function plain(config) {
  return JSON.parse(JSON.stringify(config));
}
