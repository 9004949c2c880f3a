import { ModuleMocker } from 'jest-mock';

/** The environment of specs for jest: none, as they run in the realm of their process. */
export default class SpecEnvironment {
  global = {};
  moduleMocker = new ModuleMocker(globalThis);

  async setup() {}

  async teardown() {}

  exportConditions() {
    return ['node', 'import'];
  }

  getVmContext() {
    return null;
  }
}
