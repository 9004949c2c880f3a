import path from 'node:path';
import { REPOSITORY } from '../stack/repository.js';

/** The variable that says where a process writes which modules it had loaded when it ended. */
export const LOADED_FILE = 'BACKSTEP_TEST_LOADED_FILE';

/** A module that was loaded, and the file that asked for it first; null: none did. */
export interface LoadedModule {
  readonly name: string;
  readonly by: string | null;
}

/** Has a process write that list: for its `NODE_OPTIONS`. */
export const PRELOAD = `--require=${path.join(REPOSITORY, 'test/tracing/list-modules.cjs')}`;
