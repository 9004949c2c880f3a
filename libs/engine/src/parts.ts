import type { TaskLimits, Timing } from '#core';
import type {
  AbortSignalLike,
  AttemptOutput,
  ChildStore,
  Clock,
  CommandCatalogue,
  CommandLog,
  CompletionTokens,
  Entropy,
  Evaluator,
  ExecutorRegistry,
  FlowStore,
  LockStore,
  Observer,
  RecordStore,
  SecretResolver,
  SecretRule,
  Secrets,
  SessionStore,
  StepTransport,
  TaskStore,
  Tracer,
} from '#ports';

/** A signal and the right to abort it. */
export interface AbortSource {
  readonly signal: AbortSignalLike;
  abort(reason: Error): void;
}

/** The places where processes run. */
export interface ProcessHomes {
  /** Of this process; see `SessionRecord`. */
  readonly own: string;
  /** Whether the process of a home has certainly ended; false where that cannot be told here. */
  isGone(home: string): boolean;
}

/**
 * Everything the engine works with; which adapter stands behind each is decided by whoever starts a
 * process.
 */
export interface EngineParts {
  readonly store: TaskStore;
  readonly children: ChildStore;
  readonly locks: LockStore;
  readonly flows: Pick<FlowStore, 'getFlow'>;
  readonly sessions: SessionStore;
  /** Tells which processes of this machine have ended; default: only their leases do. */
  readonly homes?: ProcessHomes | undefined;
  readonly registry: ExecutorRegistry;
  /** Where the limits of modules are kept; default: no module has any. */
  readonly records?: RecordStore;
  readonly transport: StepTransport;
  readonly catalogue: CommandCatalogue;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly observer: Observer;
  readonly evaluator: Evaluator;
  /** Makes the tokens by which attempts are completed from outside. */
  readonly completionTokens: CompletionTokens;
  /** Seals and opens the secrets of tasks; default: there is no key. */
  readonly secrets?: Secrets;
  /** Fetch secrets that are kept elsewhere, each by its own name; default: none. */
  readonly secretResolvers?: readonly SecretResolver[];
  /** Which of these secrets go to which modules; default: none to any. */
  readonly secretRules?: readonly SecretRule[];
  /** Names attempts for tracing; default: this process traces nothing. */
  readonly tracer?: Pick<Tracer, 'traceparentOf'>;
  /** Takes the lines that commands log; default: nobody does. */
  readonly commandLog?: CommandLog;
  /** Keeps what running attempts say; default: nobody does. */
  readonly output?: AttemptOutput;
  /** The limits of a task in this store; default: `DEFAULT_LIMITS`. */
  readonly limits?: TaskLimits;
  /**
   * Makes the signal a command is given; the platform's own kind, so that commands can hand it on.
   */
  readonly createAbort: () => AbortSource;
}

/** A command that calls a person. */
export interface AlertAction {
  readonly module: string;
  readonly command: string;
}

/** The settings that an operator may change. */
export interface EngineSettings {
  /** This process instance; new with every start. Its first session has this name. */
  readonly owner: string;
  /** Commands at a time, per module. */
  readonly concurrency: number;
  /** The steps of a process that was not heard of for this long are taken over, in milliseconds. */
  readonly leaseMs: number;
  /** How often governance looks for due tasks, in milliseconds. */
  readonly governanceIntervalMs: number;
  /** How long a stop waits for running commands, in milliseconds. */
  readonly drainMs: number;
  readonly timing: Timing;
  /** The command that calls a person because a rollback failed. */
  readonly alertAction: AlertAction;
  /** Announced to other processes. */
  readonly build: { readonly version: string; readonly host: string; readonly pid: number };
}
