import type { Benchmark } from '../benchmark.js';
import { standaloneConsole } from './console.js';
import { standaloneChildren } from './children.js';
import {
  distributedHandOver,
  distributedHttp,
  distributedPriorities,
  distributedThroughput,
  distributedUnsynced,
} from './distributed.js';
import { distributedFilled, standaloneFilled } from './filled.js';
import { standaloneLoops } from './loops.js';
import { standaloneRetention } from './retention.js';
import { standaloneShapes } from './shapes.js';
import { standaloneWaiting } from './waiting.js';
import { standaloneWorkers } from './workers.js';
import { standaloneHandOver, standaloneHttp, standaloneThroughput } from './standalone.js';

/** Everything that is measured, in the order of the report. */
export const BENCHMARKS: readonly Benchmark[] = [
  standaloneThroughput,
  standaloneHandOver,
  standaloneShapes,
  standaloneLoops,
  standaloneChildren,
  standaloneHttp,
  standaloneWorkers,
  standaloneFilled,
  standaloneWaiting,
  standaloneRetention,
  standaloneConsole,
  distributedThroughput,
  distributedUnsynced,
  distributedHandOver,
  distributedHttp,
  distributedPriorities,
  distributedFilled,
];
