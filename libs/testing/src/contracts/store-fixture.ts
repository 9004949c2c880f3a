import type {
  ChangeStore,
  ChildStore,
  DefinitionStore,
  ExecutorRegistry,
  FinalStore,
  FlowStore,
  LockStore,
  RecordStore,
  SessionStore,
  StartedTasks,
  TaskStore,
} from '#ports';

/** A store under test: the store ports, however many objects the adapter has for them. */
export interface StoreFixture {
  readonly tasks: TaskStore;
  readonly started: StartedTasks;
  readonly flows: FlowStore;
  readonly definitions: DefinitionStore;
  readonly executors: ExecutorRegistry;
  readonly sessions: SessionStore;
  readonly children: ChildStore;
  readonly locks: LockStore;
  readonly records: RecordStore;
  readonly finals: FinalStore;
  readonly changes: ChangeStore;
  /** Closes this store and opens the same data again, as a restarted process would. */
  reopen(): Promise<StoreFixture>;
  /** Lets go of everything and removes the data, also where the test has closed the store. */
  dispose(): Promise<void>;
}

/** Opens a store without any data. */
export type OpenStore = () => Promise<StoreFixture>;

/** The body of a rule, run on a store of its own. */
type StoreBody = (store: StoreFixture) => Promise<void>;

/** Declares one rule; its store is opened and disposed of around the body. */
export type StoreRule = (name: string, body: StoreBody) => void;
