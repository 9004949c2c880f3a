import { RequestExecutor } from '../../../http/src/index.js';
import { EffectExecutor, LaterExecutor, PracticeExecutor } from '../../../lab/src/index.js';
import { EventExecutor, TargetExecutor } from '../../../monitor/src/index.js';
import { MysqlExecutor } from '../../../mysql/src/index.js';
import { ResourceExecutor } from '../../../resource/src/index.js';

/** Backstep's own executors, for what their decorators declare. */
export const BUILT_IN_EXECUTORS = [
  ResourceExecutor,
  MysqlExecutor,
  EventExecutor,
  TargetExecutor,
  RequestExecutor,
  PracticeExecutor,
  EffectExecutor,
  LaterExecutor,
] as const;
