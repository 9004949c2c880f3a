import type { CommandContext } from '#ports';
import type { Course } from './course.js';
import type { Faults } from './scenario.js';
import type { SimProcess } from './sim-process.js';

/** A call of a process at its store. */
export type StoreCall =
  | 'claimKey'
  | 'insert'
  | 'commit'
  | 'get'
  | 'findDue'
  | 'walk'
  | 'countLive'
  | 'ping'
  | 'countChildren'
  | 'findChildren'
  | 'getFlow'
  | SessionCall
  | LockCall
  | RecordCall;

/** A call about the lines of locks. */
export type LockCall = 'enterLine' | 'leaveLine' | 'listLines';

/** A call about sessions, and about what they hold. */
export type SessionCall =
  | 'openSession'
  | 'renewSession'
  | 'endSession'
  | 'closeSession'
  | 'listSessions'
  | 'forgetSession'
  | 'findHeld'
  | 'readRevisions';

/** A call about records, which histories have only with limits of modules. */
export type RecordCall = 'readRecords' | 'writeRecord';

/**
 * Operations of a process, as they come. `read`: the store looks for its document; `leave`: a write
 * is about to leave, and its message may leave with it; `landed`: its write is stored, and the
 * answer sets out; `answer`: it settles a message; `start`, `effect`, `end`: of a command.
 */
export type Operation =
  | StoreCall
  | 'read'
  | 'leave'
  | 'landed'
  | 'publish'
  | 'delivery'
  | 'answer'
  | 'start'
  | 'effect'
  | 'end';

/** Faults and the places where they strike: the opposite of chance. */
export interface Script {
  /** A process reaches an operation; the questions that follow at once are about it. */
  reach(operation: Operation, process: SimProcess): void;
  /** Whether a fault happens to the operation in hand. */
  strikes(fault: keyof Faults): boolean;
  /** How an attempt of a command goes. */
  course(context: CommandContext): Course;
}
