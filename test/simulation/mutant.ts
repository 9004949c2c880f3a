import type { Dispatch, Task } from '#core';
import type { Duties, Engine, TaskWriter, WorkDesk } from '#engine';
import type {
  ChildStore,
  CommandHandler,
  Evaluator,
  LockStore,
  RecordStore,
  SecretResolver,
  SessionStore,
  TaskStore,
} from '#ports';
import type { SimProcess } from './sim-process.js';
import type { StoreServer } from './store-server.js';

type Slots = Engine['pieces']['state']['slots'];
type Admissions = Engine['pieces']['state']['admissions'];

/** The parts of the simulation that a mutant may reach. */
export interface MutantView {
  readonly process: SimProcess;
  readonly server: StoreServer;
  /** Sends a message on behalf of the process. */
  readonly publish: (dispatch: Dispatch) => void;
}

/**
 * A bug of the protocol, put in around the production code: the checks are worth what they find.
 */
export interface Mutant {
  readonly name: string;
  /** The bug, in words. */
  readonly bug: string;
  /** Found only in histories that this one leaves whole. */
  readonly beyond?: Mutant;
  /** Changes a document on its way to the store. */
  readonly edit?: (previous: Task, next: Task, view: MutantView) => void;
  /** The edit is one of the journal, so that its reader may look at it. */
  readonly isInJournal?: boolean;
  /** Stands between the engine and its store. */
  readonly store?: (inner: TaskStore, view: MutantView) => TaskStore;
  /** Changes how the engine of a process writes decisions. */
  readonly writer?: (writer: TaskWriter) => void;
  /** Changes how the engine of a process hands out slots. */
  readonly slots?: (slots: Slots) => void;
  /** Stands between the engine and the records of the limits of modules. */
  readonly records?: (inner: RecordStore) => RecordStore;
  /** Changes how the engine of a process keeps the limits of modules. */
  readonly admissions?: (admissions: Admissions) => void;
  /** Stands between the engine and the values of templates. */
  readonly evaluator?: (inner: Evaluator) => Evaluator;
  /** Stands between the engine and where secrets are kept. */
  readonly resolver?: (inner: SecretResolver) => SecretResolver;
  /** Stands between the engine and its sessions. */
  readonly sessions?: (inner: SessionStore, process: SimProcess) => SessionStore;
  /** Stands between the engine and what it finds of child tasks. */
  readonly children?: (inner: ChildStore) => ChildStore;
  /** Stands between the engine and the lines of its locks. */
  readonly locks?: (inner: LockStore, server: StoreServer) => LockStore;
  /** Stands before every command. */
  readonly command?: (inner: CommandHandler) => CommandHandler;
  /** Stands between workers and the desk of a gateway. */
  readonly desk?: (inner: WorkDesk, server: StoreServer) => WorkDesk;
  /** Its histories have workers. */
  readonly hasWorkers?: true;
  readonly duties?: Partial<Duties>;
  /** The checks that participants are left with. Default: all. */
  readonly participant?: 'nothing' | 'no_fence_no_bar' | 'no_generation' | 'no_repetition';
  /** The fault of the store. Default: none. */
  readonly server?:
    | 'ignores_revision'
    | 'ignores_key'
    | 'believes_messages'
    | 'checks_early'
    | 'forgets_at_failover'
    | 'ends_sessions_anyway'
    | 'revives_sessions';
  /** A process fails steps whose command it lacks. */
  readonly failsUnknown?: boolean;
  /** Commands are never told to stop. */
  readonly abortsNothing?: boolean;
  /** Processes read whatever a lagging copy has. */
  readonly readsAnything?: boolean;
  /** Tasks may have any number of runs and scopes. */
  readonly ignoresRoom?: boolean;
  /** Messages are sent as if the broker took every one. */
  readonly trustsBroker?: boolean;
  /** Messages name the step of a run for the run. */
  readonly namesNoGeneration?: boolean;
  /** Messages are acknowledged when they are delivered. */
  readonly acksEarly?: boolean;
}
