/**
 * Generated from the OpenAPI document by npm run docs.
 */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json;
}

/** What the HTTP interface takes and answers, by the names of the schemas in its document. */
export interface HttpApi {
  readonly CreateTask: {
    /** Name of the flow, or `name@3` for a version of it. */
    readonly flow: string;
    /** Checked against the flow's `input`. Default: {}. */
    readonly parameters?: JsonObject;
    /** To find the task by. Default: {}. */
    readonly labels?: Readonly<Record<string, string>>;
    /** Seconds of head start over other tasks. Default: 0. */
    readonly priority?: number;
    /** Repeating a request with its key makes no second task. */
    readonly idempotencyKey?: string;
    /** The one step of the flow to run, by itself. Default: all of them. */
    readonly only?: string;
    /** Outputs of steps before `only`, by their names, as if they had run. Default: {}. */
    readonly given?: Readonly<Record<string, JsonObject>>;
  };
  readonly Batch: {
    readonly tasks: readonly {
      /** Name of the flow, or `name@3` for a version of it. */
      readonly flow: string;
      /** Checked against the flow's `input`. Default: {}. */
      readonly parameters?: JsonObject;
      /** To find the task by. Default: {}. */
      readonly labels?: Readonly<Record<string, string>>;
      /** Seconds of head start over other tasks. Default: 0. */
      readonly priority?: number;
      /** Repeating a request with its key makes no second task. */
      readonly idempotencyKey?: string;
      /** The one step of the flow to run, by itself. Default: all of them. */
      readonly only?: string;
      /** Outputs of steps before `only`, by their names, as if they had run. Default: {}. */
      readonly given?: Readonly<Record<string, JsonObject>>;
    }[];
  };
  readonly Reason: {
    /** `reason` says why, in 1 to 1000 characters; it is kept in the journal. */
    readonly reason: string;
  };
  readonly Rollback: {
    /** The step down to which to go back, and then wait; default: all the way. */
    readonly to?: string;
    /** `reason` says why, in 1 to 1000 characters; it is kept in the journal. */
    readonly reason: string;
  };
  readonly Retry: {
    /** Merged into the parameters, for what is retried and what begins from now on. */
    readonly parameters?: JsonObject;
    /** Of a `foreach` that failed, which child tasks are begun anew: those that failed, while the others stay; all, once those that succeeded are undone; or one that failed. Default: `failed` where one has succeeded, else `all`. */
    readonly children?:
      | 'failed'
      | 'all'
      | {
          /** Id of a child task. */
          readonly id: string;
        };
    /** `reason` says why, in 1 to 1000 characters; it is kept in the journal. */
    readonly reason: string;
  };
  readonly Restart: {
    /** Merged into the parameters that the task was created with. */
    readonly parameters?: JsonObject;
    /** `reason` says why, in 1 to 1000 characters; it is kept in the journal. */
    readonly reason: string;
  };
  readonly Skip: {
    /** Its name, or the id of its run. */
    readonly step: string;
    /** Of a step that counts as done: what it gives; default: nothing. */
    readonly output?: JsonObject;
    /** `reason` says why, in 1 to 1000 characters; it is kept in the journal. */
    readonly reason: string;
  };
  readonly Signal: {
    /** For which a step waits, or will. */
    readonly name: string;
    /** The output of the step that waits; default: {}. */
    readonly payload?: JsonObject;
    /** It is delivered once for each key. */
    readonly key?: string;
  };
  readonly Judge: {
    /** Its name, or the id of its run. */
    readonly step: string;
    /** Kept with the answer. */
    readonly comment: string;
  };
  readonly Reset: {
    /** The step from which to go on anew. */
    readonly to: string;
    /** Merged into the parameters, for what begins from now on. */
    readonly parameters?: JsonObject;
    /** Where `to` is a `foreach` that has ended, which child tasks are begun anew: those that failed, or one, which is undone first if it succeeded. The others stay, and only what needs the step is undone. Default: `all`, of a step that is undone as any other. */
    readonly children?:
      | 'failed'
      | 'all'
      | {
          /** Id of a child task. */
          readonly id: string;
        };
    /** `reason` says why, in 1 to 1000 characters; it is kept in the journal. */
    readonly reason: string;
  };
  readonly Complete: {
    /** The `completionToken` that the command was given. */
    readonly token: string;
    /** What the step gives; default: nothing. */
    readonly output?: JsonObject;
    /** Instead of an output: the attempt came to nothing. */
    readonly error?: {
      /** Such as `QUOTA`. */
      readonly code: string;
      readonly message: string;
      /** Trying again may help; default: false. */
      readonly retryable?: boolean;
    };
  };
  readonly Caller: {
    /** The actor of what is done. */
    readonly name: string;
    readonly role: 'viewer' | 'starter' | 'operator' | 'author' | 'worker' | 'admin';
    /** Roles of which the caller has the rights. */
    readonly may: readonly ('viewer' | 'starter' | 'operator' | 'author' | 'worker' | 'admin')[];
    /** Nothing that the caller may do is limited. */
    readonly seesEverything: boolean;
    /** Null: all. */
    readonly flows: readonly string[] | null;
    readonly labels: Readonly<Record<string, string>> | null;
    /** Null: all. */
    readonly modules: readonly string[] | null;
    /** Nobody is asked for a credential. */
    readonly everybody: boolean;
  };
  readonly CreateKey: {
    /** Who acts, in journals. */
    readonly name: string;
    /** What it may do. */
    readonly role: 'viewer' | 'starter' | 'operator' | 'author' | 'worker' | 'admin';
    /** Names of flows in which * stands for any text. Default: all. */
    readonly flows?: readonly string[] | string;
    /** Labels that a task must have. Default: none. */
    readonly labels?: Readonly<Record<string, string>>;
    /** Names of modules in which * stands for any text. Default: all. */
    readonly modules?: readonly string[] | string;
    /** `90d`, `12h`. Default: never. */
    readonly expires?: string;
  };
  readonly SignedIn: {
    /** The actor of what is done. */
    readonly name: string;
    readonly role: 'viewer' | 'starter' | 'operator' | 'author' | 'worker' | 'admin';
    /** Roles of which the caller has the rights. */
    readonly may: readonly ('viewer' | 'starter' | 'operator' | 'author' | 'worker' | 'admin')[];
    /** Nothing that the caller may do is limited. */
    readonly seesEverything: boolean;
    /** Null: all. */
    readonly flows: readonly string[] | null;
    readonly labels: Readonly<Record<string, string>> | null;
    /** Null: all. */
    readonly modules: readonly string[] | null;
    /** Nobody is asked for a credential. */
    readonly everybody: boolean;
    /** For `X-Backstep-Console` of further requests with the cookie; null: any text will do. */
    readonly proof: string | null;
  };
  readonly Key: {
    readonly id: string;
    readonly name: string;
    readonly role: 'viewer' | 'starter' | 'operator' | 'author' | 'worker' | 'admin';
    /** Null: all. */
    readonly flows: readonly string[] | null;
    readonly labels: Readonly<Record<string, string>> | null;
    /** Null: all. */
    readonly modules: readonly string[] | null;
    readonly createdAt: string;
    /** Who made it; null: it was made in the store itself. */
    readonly madeBy: string | null;
    readonly expiresAt: string | null;
    readonly usedAt: string | null;
  };
  readonly MadeKey: {
    readonly id: string;
    readonly name: string;
    readonly role: 'viewer' | 'starter' | 'operator' | 'author' | 'worker' | 'admin';
    /** Null: all. */
    readonly flows: readonly string[] | null;
    readonly labels: Readonly<Record<string, string>> | null;
    /** Null: all. */
    readonly modules: readonly string[] | null;
    readonly createdAt: string;
    /** Who made it; null: it was made in the store itself. */
    readonly madeBy: string | null;
    readonly expiresAt: string | null;
    readonly usedAt: string | null;
    /** Shown this once. */
    readonly key: string;
  };
  readonly Keys: {
    readonly items: readonly HttpApi['Key'][];
  };
  readonly AuditEntry: {
    /** 1 and up, without gaps behind those that were removed. */
    readonly seq: number;
    readonly at: string;
    readonly actor: string;
    readonly keyId: string | null;
    /** As this document writes it. */
    readonly operation: string;
    /** The address that was asked for. */
    readonly target: string;
    /** Of the answer; from 400 on it was refused. */
    readonly status: number;
    readonly reason: string | null;
    readonly requestId: string;
    /** Hash of the entry before, or of the one of `prevSeq`. */
    readonly prev: string;
    /** SHA-256 of everything else, with `at` in milliseconds. */
    readonly hash: string;
    /** Of an entry about the removal of old entries: the last of these. */
    readonly anchor?: {
      readonly seq: number;
      readonly hash: string;
      /** Entries up to this one were removed before, and no signature said so. */
      readonly unsigned?: number;
      /** Ed25519 over `backstep audit anchor <seq> <hash> <unsigned> <at>`, in base64. */
      readonly signature?: string;
    };
    /** Number of the entry that `prev` is the hash of, where it is not the one before; 0: of none. No hash of those between could be read when this one was written. */
    readonly prevSeq?: number;
  };
  readonly UnreadableEntry: {
    /** 1 and up, without gaps behind those that were removed. */
    readonly seq: number;
    /** Why the stored entry cannot be read. */
    readonly unreadable: string;
    /** Its hash, where that can be read. */
    readonly hash?: string;
  };
  readonly AuditHead: {
    /** Number of the newest entry. */
    readonly seq: number;
    /** The hash of that entry. */
    readonly hash: string;
    /** When it was signed. */
    readonly at: string;
    /** Ed25519 over `backstep audit head <seq> <hash> <at>`, in base64. */
    readonly signature: string;
  };
  readonly AuditHeadAnswer: {
    /** Null: the gateway has no key for this, or the log no entry. */
    readonly head: HttpApi['AuditHead'] | null;
  };
  readonly AuditPage: {
    readonly items: readonly (HttpApi['AuditEntry'] | HttpApi['UnreadableEntry'])[];
    readonly page: {
      /** Null: there are no more. A page of a search may have fewer entries than its limit, or none, and go on: one request looks at 20,000 entries. */
      readonly nextCursor: string | null;
    };
  };
  readonly PutBack: {
    /** Lines of an archive as they stand there. */
    readonly lines: readonly string[];
  };
  readonly PutBackReports: {
    readonly results: readonly {
      /** Of the line in the request. */
      readonly index: number;
      /** present: a task of this id is there, and stays as it is. */
      readonly result: 'imported' | 'present' | 'refused';
      /** Null: the line tells of no task. */
      readonly taskId: string | null;
      /** Why it was refused. */
      readonly message: string | null;
    }[];
  };
  readonly ArchivePage: {
    readonly items: readonly string[];
    readonly page: {
      readonly nextCursor: string | null;
    };
  };
  readonly RollbackPlan: {
    readonly items: readonly {
      /** The task, or a task below it. */
      readonly taskId: string;
      readonly step: string;
      /** Of the run. */
      readonly id: string;
      readonly module: string;
      readonly command: string;
      readonly parameters: JsonObject;
      /** Why expressions in the parameters stand as they were written. */
      readonly unresolved: string | null;
      /** An executor is there that has the command. */
      readonly served: boolean;
    }[];
    /** The step past which nothing goes back. */
    readonly pivot: string | null;
    /** Steps that may have had an effect, and have no rollback. */
    readonly leftOver: readonly {
      /** The task, or a task below it. */
      readonly taskId: string;
      readonly step: string;
      /** Of the run. */
      readonly id: string;
    }[];
    /** Why the task would not go back all the way. */
    readonly obstacle: string | null;
    /** With an obstacle: the step to ask for, down to which the items go; null: there is none. */
    readonly to: string | null;
    /** There are more than 1,000, or more than 200 child tasks, or some are not seen. */
    readonly isCut: boolean;
    /** Null: it would not go back, or by too many undos. */
    readonly estimate: HttpApi['Estimate'] | null;
  };
  readonly Preview: {
    readonly action:
      | 'rollback'
      | 'terminate'
      | 'retry'
      | 'skip'
      | 'pause'
      | 'resume'
      | 'reset'
      | 'undo'
      | 'approve'
      | 'reject';
    readonly status: {
      readonly before:
        | 'succeeded'
        | 'not_started'
        | 'running'
        | 'rolling_back'
        | 'rolled_back'
        | 'rollback_failed'
        | 'terminated'
        | 'on_hold'
        | 'paused';
      readonly after:
        | 'succeeded'
        | 'not_started'
        | 'running'
        | 'rolling_back'
        | 'rolled_back'
        | 'rollback_failed'
        | 'terminated'
        | 'on_hold'
        | 'paused';
    };
    /** Running steps that are told to stop. */
    readonly calledOff: readonly {
      /** The task, or a task below it. */
      readonly taskId: string;
      readonly step: string;
      /** Of the run. */
      readonly id: string;
    }[];
    /** Steps and undos that start at once; without a command where they hold others. */
    readonly starts: readonly {
      /** The task, or a task below it. */
      readonly taskId: string;
      readonly step: string;
      /** Of the run. */
      readonly id: string;
      readonly direction: 'normal' | 'rollback';
      readonly module: string | null;
      readonly command: string | null;
    }[];
    /** The undos that follow if all of them succeed, in that order. */
    readonly undoes: readonly {
      /** The task, or a task below it. */
      readonly taskId: string;
      readonly step: string;
      /** Of the run. */
      readonly id: string;
      readonly module: string;
      readonly command: string;
      readonly parameters: JsonObject;
      /** Why expressions in the parameters stand as they were written. */
      readonly unresolved: string | null;
      /** An executor is there that has the command. */
      readonly served: boolean;
    }[];
    /** Steps that may have had an effect, and stay as they are. */
    readonly leftOver: readonly {
      /** The task, or a task below it. */
      readonly taskId: string;
      readonly step: string;
      /** Of the run. */
      readonly id: string;
    }[];
    /** Why not all of it is undone. */
    readonly obstacle: string | null;
    /** There is more than is listed. */
    readonly isCut: boolean;
    /** How long the undos take; null: there are none. */
    readonly estimate: HttpApi['Estimate'] | null;
  };
  readonly Estimate: {
    readonly direction: 'forward' | 'back';
    /** For people. */
    readonly message: string;
    /** Seconds within which half of the past tasks were done; null: not known. */
    readonly p50: number | null;
    /** The same of 95 in 100. */
    readonly p95: number | null;
    /** So many past tasks tell it. */
    readonly tasks: number;
    /** The version that they ran; null: several. */
    readonly flowVersion: number | null;
    /** Steps of which no past task tells. */
    readonly unknown: readonly string[];
    /** Waits that come on top. */
    readonly uncounted: readonly {
      /** Null: the task itself. */
      readonly step: string | null;
      readonly why: 'approval' | 'signal' | 'time' | 'late' | 'paused' | 'hold';
    }[];
    /** The end of the time for the task, and how likely it is missed. */
    readonly deadline: {
      readonly at: string;
      readonly risk: 'likely' | 'possible' | 'none' | 'unknown';
      /** The last moment from which a rollback would end by `at` in 95 of 100 cases. */
      readonly abortBy: string | null;
    } | null;
  };
  readonly Provenance: Readonly<
    Record<
      string,
      readonly {
        /** The last one holds now. */
        readonly value: Json;
        readonly writer:
          | {
              readonly kind: 'constant' | 'request';
            }
          | {
              readonly kind: 'step';
              readonly step: string;
              readonly id: string;
            }
          | {
              readonly kind: 'person';
              readonly actor: string;
            };
        /** Seconds since 1970. */
        readonly at: number | null;
      }[]
    >
  >;
  readonly TaskCounts: {
    readonly by: string;
    readonly total: number;
    /** By the value; an empty text stands for tasks without the label. */
    readonly counts: Readonly<Record<string, number>>;
    /** With `every`: the tasks that were created in each interval, as they stand now; the oldest first, without intervals that have none. */
    readonly intervals?: readonly {
      /** Its beginning, in seconds since 1970. */
      readonly at: number;
      readonly total: number;
      /** By the value; an empty text stands for tasks without the label. */
      readonly counts: Readonly<Record<string, number>>;
    }[];
    /** All that fit were counted; else the newest 20,000 that were looked at, or those of the newest 1,000 intervals. */
    readonly isComplete: boolean;
  };
  readonly Explanation: {
    /** Something is being done right now, or will be without anybody’s doing. */
    readonly moving: boolean;
    readonly causes: readonly {
      /** For programs. */
      readonly code: string;
      /** For people. */
      readonly message: string;
      readonly since: string | null;
      /** The facts that it was told by. */
      readonly evidence: JsonObject;
      readonly next: readonly {
        readonly action: string;
        readonly label: string;
        /** Of a rollback: the step to ask for. */
        readonly to?: string;
      }[];
    }[];
    /** There are more than the 50 that are shown. */
    readonly isCut: boolean;
    /** Null: the task has ended, or goes back by too many undos. */
    readonly estimate: HttpApi['Estimate'] | null;
  };
  readonly Locks: {
    readonly items: readonly {
      readonly name: string;
      /** How many may hold it at a time. */
      readonly slots: number;
      readonly holders: readonly {
        readonly taskId: string;
        readonly since: string;
      }[];
      /** The first comes next. */
      readonly waiting: readonly {
        readonly taskId: string;
        readonly since: string;
      }[];
    }[];
    /** There are more than the 1,000 that are shown. */
    readonly isCut: boolean;
  };
  readonly Live: {
    readonly status: 'live';
  };
  readonly Readiness: {
    readonly status: 'ready' | 'not_ready';
    readonly checks: readonly {
      readonly name: string;
      readonly ready: boolean;
      readonly message: string | null;
    }[];
    readonly auth: 'off' | 'token' | 'keys' | 'oidc' | 'keys,oidc';
    /** Where a browser signs in at the identity provider; null: nowhere. */
    readonly signIn: string | null;
    readonly notes: readonly string[];
  };
  readonly Executors: {
    readonly items: readonly {
      readonly module: string;
      readonly instance: string;
      readonly host: string;
      readonly version: string;
      readonly commands: readonly {
        readonly name: string;
        /** JSON Schema of what it takes; null: it does not say. */
        readonly parameters: JsonObject | null;
      }[];
      readonly since: string;
      readonly lastSeen: string;
      /** Since when its process has owed a sign of life; null: it owes none. */
      readonly silentSince: string | null;
      /** Commands that it ran when last seen. */
      readonly busy: number;
      /** How many it may run at a time. */
      readonly slots: number;
    }[];
    /** Module `lab` has switches here that make steps go wrong. */
    readonly faultSwitches: boolean;
  };
  readonly StartOperationRollback: {
    readonly action: 'rollback';
    /** Which tasks, as `GET /v1/tasks?q=` takes it: `flow:create-* status:failed`. */
    readonly q: string;
    /** Tasks a second. Default: 100; of a dry run, as many as go. */
    readonly ratePerSecond?: number;
    /** Look at each task, say what would become of it, and change none. */
    readonly dryRun?: boolean;
    /** `reason` says why, in 1 to 1000 characters; it is kept in the journal. */
    readonly reason: string;
    /** The step down to which to go back, and then wait; default: all the way. */
    readonly to?: string;
  };
  readonly StartOperationTerminate: {
    readonly action: 'terminate';
    /** Which tasks, as `GET /v1/tasks?q=` takes it: `flow:create-* status:failed`. */
    readonly q: string;
    /** Tasks a second. Default: 100; of a dry run, as many as go. */
    readonly ratePerSecond?: number;
    /** Look at each task, say what would become of it, and change none. */
    readonly dryRun?: boolean;
    /** `reason` says why, in 1 to 1000 characters; it is kept in the journal. */
    readonly reason: string;
  };
  readonly StartOperationRetry: {
    readonly action: 'retry';
    /** Which tasks, as `GET /v1/tasks?q=` takes it: `flow:create-* status:failed`. */
    readonly q: string;
    /** Tasks a second. Default: 100; of a dry run, as many as go. */
    readonly ratePerSecond?: number;
    /** Look at each task, say what would become of it, and change none. */
    readonly dryRun?: boolean;
    /** `reason` says why, in 1 to 1000 characters; it is kept in the journal. */
    readonly reason: string;
    /** Merged into the parameters, for what is retried and what begins from now on. */
    readonly parameters?: JsonObject;
    /** Of a `foreach` that failed, which child tasks are begun anew: those that failed, while the others stay; all, once those that succeeded are undone; or one that failed. Default: `failed` where one has succeeded, else `all`. */
    readonly children?:
      | 'failed'
      | 'all'
      | {
          /** Id of a child task. */
          readonly id: string;
        };
  };
  readonly StartOperationSkip: {
    readonly action: 'skip';
    /** Which tasks, as `GET /v1/tasks?q=` takes it: `flow:create-* status:failed`. */
    readonly q: string;
    /** Tasks a second. Default: 100; of a dry run, as many as go. */
    readonly ratePerSecond?: number;
    /** Look at each task, say what would become of it, and change none. */
    readonly dryRun?: boolean;
    /** `reason` says why, in 1 to 1000 characters; it is kept in the journal. */
    readonly reason: string;
    /** Its name, or the id of its run. */
    readonly step: string;
    /** Of a step that counts as done: what it gives; default: nothing. */
    readonly output?: JsonObject;
  };
  readonly StartOperationPause: {
    readonly action: 'pause';
    /** Which tasks, as `GET /v1/tasks?q=` takes it: `flow:create-* status:failed`. */
    readonly q: string;
    /** Tasks a second. Default: 100; of a dry run, as many as go. */
    readonly ratePerSecond?: number;
    /** Look at each task, say what would become of it, and change none. */
    readonly dryRun?: boolean;
    /** `reason` says why, in 1 to 1000 characters; it is kept in the journal. */
    readonly reason: string;
  };
  readonly StartOperationResume: {
    readonly action: 'resume';
    /** Which tasks, as `GET /v1/tasks?q=` takes it: `flow:create-* status:failed`. */
    readonly q: string;
    /** Tasks a second. Default: 100; of a dry run, as many as go. */
    readonly ratePerSecond?: number;
    /** Look at each task, say what would become of it, and change none. */
    readonly dryRun?: boolean;
    /** `reason` says why, in 1 to 1000 characters; it is kept in the journal. */
    readonly reason: string;
  };
  readonly StartOperationReset: {
    readonly action: 'reset';
    /** Which tasks, as `GET /v1/tasks?q=` takes it: `flow:create-* status:failed`. */
    readonly q: string;
    /** Tasks a second. Default: 100; of a dry run, as many as go. */
    readonly ratePerSecond?: number;
    /** Look at each task, say what would become of it, and change none. */
    readonly dryRun?: boolean;
    /** `reason` says why, in 1 to 1000 characters; it is kept in the journal. */
    readonly reason: string;
    /** The step from which to go on anew. */
    readonly to: string;
    /** Merged into the parameters, for what begins from now on. */
    readonly parameters?: JsonObject;
    /** Where `to` is a `foreach` that has ended, which child tasks are begun anew: those that failed, or one, which is undone first if it succeeded. The others stay, and only what needs the step is undone. Default: `all`, of a step that is undone as any other. */
    readonly children?:
      | 'failed'
      | 'all'
      | {
          /** Id of a child task. */
          readonly id: string;
        };
  };
  readonly StartOperationUndo: {
    readonly action: 'undo';
    /** Which tasks, as `GET /v1/tasks?q=` takes it: `flow:create-* status:failed`. */
    readonly q: string;
    /** Tasks a second. Default: 100; of a dry run, as many as go. */
    readonly ratePerSecond?: number;
    /** Look at each task, say what would become of it, and change none. */
    readonly dryRun?: boolean;
    /** `reason` says why, in 1 to 1000 characters; it is kept in the journal. */
    readonly reason: string;
  };
  readonly StartOperationRestart: {
    readonly action: 'restart';
    /** Which tasks, as `GET /v1/tasks?q=` takes it: `flow:create-* status:failed`. */
    readonly q: string;
    /** Tasks a second. Default: 100; of a dry run, as many as go. */
    readonly ratePerSecond?: number;
    /** Look at each task, say what would become of it, and change none. */
    readonly dryRun?: boolean;
    /** `reason` says why, in 1 to 1000 characters; it is kept in the journal. */
    readonly reason: string;
    /** Merged into the parameters that the task was created with. */
    readonly parameters?: JsonObject;
  };
  readonly StartOperation:
    | HttpApi['StartOperationRollback']
    | HttpApi['StartOperationTerminate']
    | HttpApi['StartOperationRetry']
    | HttpApi['StartOperationSkip']
    | HttpApi['StartOperationPause']
    | HttpApi['StartOperationResume']
    | HttpApi['StartOperationReset']
    | HttpApi['StartOperationUndo']
    | HttpApi['StartOperationRestart'];
  readonly CancelOperation: {
    /** `reason` says why, in 1 to 1000 characters; it is kept with the operation. */
    readonly reason?: string;
  };
  readonly DecideOperation: {
    /** `comment` says why, in 1 to 1000 characters; it is kept with the operation. */
    readonly comment?: string;
  };
  readonly OperationConsent: {
    /** By which it needs two people, as it was written. */
    readonly rule: string;
    /** From then on nobody can approve it. */
    readonly expiresAt: string;
    /** Null: nobody has said anything yet. */
    readonly decision: HttpApi['OperationDecision'] | null;
  };
  readonly OperationDecision: {
    readonly actor: string;
    readonly approved: boolean;
    readonly comment: string | null;
    readonly at: string;
  };
  readonly Operation: {
    readonly operationId: string;
    readonly action:
      | 'rollback'
      | 'terminate'
      | 'retry'
      | 'skip'
      | 'pause'
      | 'resume'
      | 'reset'
      | 'undo'
      | 'restart';
    /** Empty: it is about one task, `taskId`. */
    readonly q: string;
    readonly taskId: string | null;
    /** Of that task. */
    readonly flow: string | null;
    /** Of that task, when somebody asked. */
    readonly taskRevision: number | null;
    readonly reason: string;
    /** Null: as many as go. */
    readonly ratePerSecond: number | null;
    readonly dryRun: boolean;
    /** Who asked. */
    readonly actor: string;
    readonly status:
      'waiting' | 'running' | 'cancelling' | 'finished' | 'cancelled' | 'rejected' | 'expired';
    /** Tasks that matched at the start; once it has finished, those that it came to. */
    readonly matched: number;
    /** False: there are more than `matched`, which grows while they are found. */
    readonly isCounted: boolean;
    /** Acted on. Of a dry run: 0. */
    readonly done: number;
    /** Not acted on, because of the state they were in. */
    readonly refused: number;
    /** Gone, or not to be read. */
    readonly failed: number;
    /** Of a dry run: how many would be acted on. */
    readonly wouldDo: number | null;
    /** What was in the way, by the code of the error. */
    readonly counts: Readonly<Record<string, number>>;
    /** Null: one person is enough. */
    readonly consent: HttpApi['OperationConsent'] | null;
    readonly createdAt: string;
    readonly endedAt: string | null;
    /** Who called it off. */
    readonly cancel: {
      readonly actor: string;
      readonly reason: string | null;
      readonly at: string;
    } | null;
    /** What the action was given besides the reason. */
    readonly details: JsonObject;
    /** The first tasks that were not acted on. */
    readonly examples: readonly {
      readonly taskId: string;
      readonly outcome: 'refused' | 'failed';
      readonly code: string;
      readonly message: string;
    }[];
    /** Ids of the first tasks that were acted on, or would be. */
    readonly sample: readonly string[];
  };
  readonly OperationPage: {
    readonly items: readonly {
      readonly operationId: string;
      readonly action:
        | 'rollback'
        | 'terminate'
        | 'retry'
        | 'skip'
        | 'pause'
        | 'resume'
        | 'reset'
        | 'undo'
        | 'restart';
      /** Empty: it is about one task, `taskId`. */
      readonly q: string;
      readonly taskId: string | null;
      /** Of that task. */
      readonly flow: string | null;
      /** Of that task, when somebody asked. */
      readonly taskRevision: number | null;
      readonly reason: string;
      /** Null: as many as go. */
      readonly ratePerSecond: number | null;
      readonly dryRun: boolean;
      /** Who asked. */
      readonly actor: string;
      readonly status:
        'waiting' | 'running' | 'cancelling' | 'finished' | 'cancelled' | 'rejected' | 'expired';
      /** Tasks that matched at the start; once it has finished, those that it came to. */
      readonly matched: number;
      /** False: there are more than `matched`, which grows while they are found. */
      readonly isCounted: boolean;
      /** Acted on. Of a dry run: 0. */
      readonly done: number;
      /** Not acted on, because of the state they were in. */
      readonly refused: number;
      /** Gone, or not to be read. */
      readonly failed: number;
      /** Of a dry run: how many would be acted on. */
      readonly wouldDo: number | null;
      /** What was in the way, by the code of the error. */
      readonly counts: Readonly<Record<string, number>>;
      /** Null: one person is enough. */
      readonly consent: HttpApi['OperationConsent'] | null;
      readonly createdAt: string;
      readonly endedAt: string | null;
      /** Who called it off. */
      readonly cancel: {
        readonly actor: string;
        readonly reason: string | null;
        readonly at: string;
      } | null;
    }[];
    readonly page: {
      readonly nextCursor: string | null;
    };
  };
  readonly TaskReceipt: {
    readonly taskId: string;
    readonly flow: string;
    readonly flowVersion: number;
    readonly taskStatus: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;
    readonly status:
      | 'succeeded'
      | 'not_started'
      | 'running'
      | 'rolling_back'
      | 'rolled_back'
      | 'rollback_failed'
      | 'terminated'
      | 'on_hold'
      | 'paused';
    /** Seconds since 1970. */
    readonly timeCreate: number;
  };
  readonly TaskSummary: {
    readonly taskId: string;
    readonly flow: string;
    readonly flowVersion: number;
    readonly taskStatus: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;
    readonly status:
      | 'succeeded'
      | 'not_started'
      | 'running'
      | 'rolling_back'
      | 'rolled_back'
      | 'rollback_failed'
      | 'terminated'
      | 'on_hold'
      | 'paused';
    /** Seconds since 1970. */
    readonly timeCreate: number;
    readonly taskMessage: string | null;
    /** The furthest step that was reached. */
    readonly taskCursor: number;
    /** Seconds since 1970. */
    readonly timeStart: number | null;
    /** Seconds since 1970. */
    readonly timeEnd: number | null;
    readonly labels: Readonly<Record<string, string>>;
    readonly priority: number;
    /** Grows with every change. */
    readonly revision: number;
    /** When the task is looked at again. */
    readonly wakeAt: number | null;
    /** Of a child task: whose it is, of which run of a step (null: a failure flow), and which. */
    readonly parent: HttpApi['Parent'] | null;
    /** What it waits for a person to say yes or no to, the first ten. */
    readonly approvals: readonly HttpApi['Approval'][];
  };
  readonly Task: {
    readonly taskId: string;
    readonly flow: string;
    readonly flowVersion: number;
    readonly taskStatus: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;
    readonly status:
      | 'succeeded'
      | 'not_started'
      | 'running'
      | 'rolling_back'
      | 'rolled_back'
      | 'rollback_failed'
      | 'terminated'
      | 'on_hold'
      | 'paused';
    /** Seconds since 1970. */
    readonly timeCreate: number;
    readonly taskMessage: string | null;
    /** The furthest step that was reached. */
    readonly taskCursor: number;
    /** Seconds since 1970. */
    readonly timeStart: number | null;
    /** Seconds since 1970. */
    readonly timeEnd: number | null;
    readonly labels: Readonly<Record<string, string>>;
    readonly priority: number;
    /** Grows with every change. */
    readonly revision: number;
    /** When the task is looked at again. */
    readonly wakeAt: number | null;
    /** Of a child task: whose it is, of which run of a step (null: a failure flow), and which. */
    readonly parent: HttpApi['Parent'] | null;
    /** What it waits for a person to say yes or no to, the first ten. */
    readonly approvals: readonly HttpApi['Approval'][];
    /** Who paused the task. */
    readonly paused: HttpApi['Pause'] | null;
    /** On hold: `by` a person, or `flow`; `until` when the task rolls back by itself. */
    readonly hold: HttpApi['Hold'] | null;
    /** The step that failed last, of those that have not succeeded since; `step` is null when the time for the whole task was over. */
    readonly lastError: HttpApi['LastError'] | null;
    /** The task that runs the failure flow, or why it could not be started. */
    readonly failureFlow: HttpApi['FailureFlow'] | null;
    /** Id of the task that this one starts anew. */
    readonly restartOf: string | null;
    /** The one step that it runs by itself; null: all run. */
    readonly only: string | null;
    /** The parameters that were sent. */
    readonly input: JsonObject;
    /** What was sent, the results of steps so far, and what persons changed. */
    readonly parameters: JsonObject;
    /** What the flow gives, once the task has succeeded; else null. */
    readonly output: Json;
    readonly steps: readonly HttpApi['Step'][];
  };
  readonly UnreadableTask: {
    readonly taskId: string;
    readonly status: 'unreadable';
    /** The member of the stored document that is wrong. */
    readonly reason: string;
  };
  readonly Approval: {
    /** By which `:approve` and `:reject` address it. */
    readonly step: string;
    readonly title: string;
    /** Roles that may answer; empty: whoever may act. */
    readonly roles: readonly string[];
    /** Seconds since 1970. */
    readonly since: number;
  };
  readonly Parent: {
    readonly taskId: string;
    readonly step: string | null;
    readonly index: number;
  };
  readonly Pause: {
    readonly by: string;
    readonly reason: string;
    /** Seconds since 1970. */
    readonly since: number;
  };
  readonly Hold: {
    readonly by: string;
    readonly reason: string;
    /** Seconds since 1970. */
    readonly until: number | null;
  };
  readonly HoldPolicy: {
    readonly hold: number;
  };
  readonly LastError: {
    readonly step: string | null;
    readonly code: string;
    readonly message: string | null;
  };
  readonly FailureFlow: {
    readonly name: string;
    readonly taskId: string | null;
    readonly message: string | null;
  };
  readonly Step:
    | HttpApi['StepNormal']
    | HttpApi['StepGroup']
    | HttpApi['StepChoice']
    | HttpApi['StepParallel']
    | HttpApi['StepLoop']
    | HttpApi['StepSet']
    | HttpApi['StepWait']
    | HttpApi['StepApprove']
    | HttpApi['StepSucceed']
    | HttpApi['StepFail']
    | HttpApi['StepDynamic']
    | HttpApi['StepForeach']
    | HttpApi['StepFlow'];
  readonly StepNormal: {
    readonly name: string;
    /** The member of the flow that makes the step. */
    readonly kind: 'normal';
    readonly needs: readonly string[];
    /** Of the present run: unique in the task for ever. */
    readonly id: string;
    /** 1; one more with every reset. */
    readonly generation: number;
    readonly state:
      | 'pending'
      | 'queued'
      | 'running'
      | 'waiting'
      | 'succeeded'
      | 'failed'
      | 'timed_out'
      | 'skipped';
    /** 0: nothing went wrong; else 1 FAILED, 2 TIMED_OUT, 3 LEASE_LOST, 4 UNKNOWN_COMMAND, 5 INVALID_PARAMETERS, 6 CALLED_OFF, 7 OUTPUT_TOO_LARGE, 8 TERMINATED, 9 EXPRESSION_FAILED, 10 LOOP_LIMIT, 11 SIGNAL_TIMEOUT, 12 REJECTED, 13 CHILDREN_FAILED, 14 CHILD_FAILED, 15 INVALID_STEPS, 16 TASK_TOO_LARGE, 17 SECRET_NOT_ALLOWED, 18 SECRET_NOT_FOUND, 19 SECRET_STORE_AWAY. */
    readonly code: number;
    readonly message: string | null;
    /** Seconds since 1970. */
    readonly timeStart: number | null;
    /** Seconds since 1970. */
    readonly timeEnd: number | null;
    readonly attempts: number;
    /** What the expressions came to. */
    readonly values?: JsonObject;
    readonly output: JsonObject | null;
    /** JSON in which a text `{% ... %}` is an expression. */
    readonly if?: Json;
    readonly optional?: true;
    readonly pivot?: true;
    readonly catch?: readonly {
      readonly errors: readonly string[];
      readonly as?: string;
    }[];
    readonly locks?: readonly {
      readonly name: string;
      readonly slots: number;
    }[];
    readonly normal: HttpApi['Action'];
    readonly rollback: HttpApi['UndoAction'] | null;
    /** Empty until it is entered; of a group its present try. */
    readonly scopes?: readonly HttpApi['Scope'][];
  };
  readonly StepGroup: {
    readonly name: string;
    /** The member of the flow that makes the step. */
    readonly kind: 'group';
    readonly needs: readonly string[];
    /** Of the present run: unique in the task for ever. */
    readonly id: string;
    /** 1; one more with every reset. */
    readonly generation: number;
    readonly state:
      | 'pending'
      | 'queued'
      | 'running'
      | 'waiting'
      | 'succeeded'
      | 'failed'
      | 'timed_out'
      | 'skipped';
    /** 0: nothing went wrong; else 1 FAILED, 2 TIMED_OUT, 3 LEASE_LOST, 4 UNKNOWN_COMMAND, 5 INVALID_PARAMETERS, 6 CALLED_OFF, 7 OUTPUT_TOO_LARGE, 8 TERMINATED, 9 EXPRESSION_FAILED, 10 LOOP_LIMIT, 11 SIGNAL_TIMEOUT, 12 REJECTED, 13 CHILDREN_FAILED, 14 CHILD_FAILED, 15 INVALID_STEPS, 16 TASK_TOO_LARGE, 17 SECRET_NOT_ALLOWED, 18 SECRET_NOT_FOUND, 19 SECRET_STORE_AWAY. */
    readonly code: number;
    readonly message: string | null;
    /** Seconds since 1970. */
    readonly timeStart: number | null;
    /** Seconds since 1970. */
    readonly timeEnd: number | null;
    readonly attempts: number;
    /** What the expressions came to. */
    readonly values?: JsonObject;
    readonly output: JsonObject | null;
    /** JSON in which a text `{% ... %}` is an expression. */
    readonly if?: Json;
    readonly optional?: true;
    readonly pivot?: true;
    readonly catch?: readonly {
      readonly errors: readonly string[];
      readonly as?: string;
    }[];
    readonly locks?: readonly {
      readonly name: string;
      readonly slots: number;
    }[];
    /** When it is tried again, once it is undone. */
    readonly retry: number | HttpApi['RetryPolicy'] | HttpApi['RetryForEach'];
    /** Seconds; null: no limit. */
    readonly timeout: number | null;
    /** Empty until it is entered; of a group its present try. */
    readonly scopes: readonly HttpApi['Scope'][];
  };
  readonly StepChoice: {
    readonly name: string;
    /** The member of the flow that makes the step. */
    readonly kind: 'choice';
    readonly needs: readonly string[];
    /** Of the present run: unique in the task for ever. */
    readonly id: string;
    /** 1; one more with every reset. */
    readonly generation: number;
    readonly state:
      | 'pending'
      | 'queued'
      | 'running'
      | 'waiting'
      | 'succeeded'
      | 'failed'
      | 'timed_out'
      | 'skipped';
    /** 0: nothing went wrong; else 1 FAILED, 2 TIMED_OUT, 3 LEASE_LOST, 4 UNKNOWN_COMMAND, 5 INVALID_PARAMETERS, 6 CALLED_OFF, 7 OUTPUT_TOO_LARGE, 8 TERMINATED, 9 EXPRESSION_FAILED, 10 LOOP_LIMIT, 11 SIGNAL_TIMEOUT, 12 REJECTED, 13 CHILDREN_FAILED, 14 CHILD_FAILED, 15 INVALID_STEPS, 16 TASK_TOO_LARGE, 17 SECRET_NOT_ALLOWED, 18 SECRET_NOT_FOUND, 19 SECRET_STORE_AWAY. */
    readonly code: number;
    readonly message: string | null;
    /** Seconds since 1970. */
    readonly timeStart: number | null;
    /** Seconds since 1970. */
    readonly timeEnd: number | null;
    readonly attempts: number;
    /** What the expressions came to. */
    readonly values?: JsonObject;
    readonly output: JsonObject | null;
    /** JSON in which a text `{% ... %}` is an expression. */
    readonly if?: Json;
    readonly optional?: true;
    readonly pivot?: true;
    readonly catch?: readonly {
      readonly errors: readonly string[];
      readonly as?: string;
    }[];
    readonly locks?: readonly {
      readonly name: string;
      readonly slots: number;
    }[];
    readonly choice: readonly {
      readonly name: string;
      /** JSON in which a text `{% ... %}` is an expression. */
      readonly when: Json;
    }[];
    /** Empty until it is entered; of a group its present try. */
    readonly scopes: readonly HttpApi['Scope'][];
  };
  readonly StepParallel: {
    readonly name: string;
    /** The member of the flow that makes the step. */
    readonly kind: 'parallel';
    readonly needs: readonly string[];
    /** Of the present run: unique in the task for ever. */
    readonly id: string;
    /** 1; one more with every reset. */
    readonly generation: number;
    readonly state:
      | 'pending'
      | 'queued'
      | 'running'
      | 'waiting'
      | 'succeeded'
      | 'failed'
      | 'timed_out'
      | 'skipped';
    /** 0: nothing went wrong; else 1 FAILED, 2 TIMED_OUT, 3 LEASE_LOST, 4 UNKNOWN_COMMAND, 5 INVALID_PARAMETERS, 6 CALLED_OFF, 7 OUTPUT_TOO_LARGE, 8 TERMINATED, 9 EXPRESSION_FAILED, 10 LOOP_LIMIT, 11 SIGNAL_TIMEOUT, 12 REJECTED, 13 CHILDREN_FAILED, 14 CHILD_FAILED, 15 INVALID_STEPS, 16 TASK_TOO_LARGE, 17 SECRET_NOT_ALLOWED, 18 SECRET_NOT_FOUND, 19 SECRET_STORE_AWAY. */
    readonly code: number;
    readonly message: string | null;
    /** Seconds since 1970. */
    readonly timeStart: number | null;
    /** Seconds since 1970. */
    readonly timeEnd: number | null;
    readonly attempts: number;
    /** What the expressions came to. */
    readonly values?: JsonObject;
    readonly output: JsonObject | null;
    /** JSON in which a text `{% ... %}` is an expression. */
    readonly if?: Json;
    readonly optional?: true;
    readonly pivot?: true;
    readonly catch?: readonly {
      readonly errors: readonly string[];
      readonly as?: string;
    }[];
    readonly locks?: readonly {
      readonly name: string;
      readonly slots: number;
    }[];
    readonly parallel: Readonly<Record<string, Json>>;
    readonly onBranchFailure: 'cancel' | 'wait';
    /** Empty until it is entered; of a group its present try. */
    readonly scopes: readonly HttpApi['Scope'][];
  };
  readonly StepLoop: {
    readonly name: string;
    /** The member of the flow that makes the step. */
    readonly kind: 'loop';
    readonly needs: readonly string[];
    /** Of the present run: unique in the task for ever. */
    readonly id: string;
    /** 1; one more with every reset. */
    readonly generation: number;
    readonly state:
      | 'pending'
      | 'queued'
      | 'running'
      | 'waiting'
      | 'succeeded'
      | 'failed'
      | 'timed_out'
      | 'skipped';
    /** 0: nothing went wrong; else 1 FAILED, 2 TIMED_OUT, 3 LEASE_LOST, 4 UNKNOWN_COMMAND, 5 INVALID_PARAMETERS, 6 CALLED_OFF, 7 OUTPUT_TOO_LARGE, 8 TERMINATED, 9 EXPRESSION_FAILED, 10 LOOP_LIMIT, 11 SIGNAL_TIMEOUT, 12 REJECTED, 13 CHILDREN_FAILED, 14 CHILD_FAILED, 15 INVALID_STEPS, 16 TASK_TOO_LARGE, 17 SECRET_NOT_ALLOWED, 18 SECRET_NOT_FOUND, 19 SECRET_STORE_AWAY. */
    readonly code: number;
    readonly message: string | null;
    /** Seconds since 1970. */
    readonly timeStart: number | null;
    /** Seconds since 1970. */
    readonly timeEnd: number | null;
    readonly attempts: number;
    /** What the expressions came to. */
    readonly values?: JsonObject;
    readonly output: JsonObject | null;
    /** JSON in which a text `{% ... %}` is an expression. */
    readonly if?: Json;
    readonly optional?: true;
    readonly pivot?: true;
    readonly catch?: readonly {
      readonly errors: readonly string[];
      readonly as?: string;
    }[];
    readonly locks?: readonly {
      readonly name: string;
      readonly slots: number;
    }[];
    readonly loop: {
      /** JSON in which a text `{% ... %}` is an expression. */
      readonly while?: Json;
      /** JSON in which a text `{% ... %}` is an expression. */
      readonly until?: Json;
      readonly max: number;
      /** Seconds, or an expression. */
      readonly delay?: number | string;
    };
    /** Empty until it is entered; of a group its present try. */
    readonly scopes: readonly HttpApi['Scope'][];
  };
  readonly StepSet: {
    readonly name: string;
    /** The member of the flow that makes the step. */
    readonly kind: 'set';
    readonly needs: readonly string[];
    /** Of the present run: unique in the task for ever. */
    readonly id: string;
    /** 1; one more with every reset. */
    readonly generation: number;
    readonly state:
      | 'pending'
      | 'queued'
      | 'running'
      | 'waiting'
      | 'succeeded'
      | 'failed'
      | 'timed_out'
      | 'skipped';
    /** 0: nothing went wrong; else 1 FAILED, 2 TIMED_OUT, 3 LEASE_LOST, 4 UNKNOWN_COMMAND, 5 INVALID_PARAMETERS, 6 CALLED_OFF, 7 OUTPUT_TOO_LARGE, 8 TERMINATED, 9 EXPRESSION_FAILED, 10 LOOP_LIMIT, 11 SIGNAL_TIMEOUT, 12 REJECTED, 13 CHILDREN_FAILED, 14 CHILD_FAILED, 15 INVALID_STEPS, 16 TASK_TOO_LARGE, 17 SECRET_NOT_ALLOWED, 18 SECRET_NOT_FOUND, 19 SECRET_STORE_AWAY. */
    readonly code: number;
    readonly message: string | null;
    /** Seconds since 1970. */
    readonly timeStart: number | null;
    /** Seconds since 1970. */
    readonly timeEnd: number | null;
    readonly attempts: number;
    /** What the expressions came to. */
    readonly values?: JsonObject;
    readonly output: JsonObject | null;
    /** JSON in which a text `{% ... %}` is an expression. */
    readonly if?: Json;
    readonly optional?: true;
    readonly pivot?: true;
    readonly catch?: readonly {
      readonly errors: readonly string[];
      readonly as?: string;
    }[];
    readonly locks?: readonly {
      readonly name: string;
      readonly slots: number;
    }[];
    readonly set: JsonObject;
    readonly rollback: HttpApi['UndoAction'] | null;
    /** Empty until it is entered; of a group its present try. */
    readonly scopes?: readonly HttpApi['Scope'][];
  };
  readonly StepWait: {
    readonly name: string;
    /** The member of the flow that makes the step. */
    readonly kind: 'wait';
    readonly needs: readonly string[];
    /** Of the present run: unique in the task for ever. */
    readonly id: string;
    /** 1; one more with every reset. */
    readonly generation: number;
    readonly state:
      | 'pending'
      | 'queued'
      | 'running'
      | 'waiting'
      | 'succeeded'
      | 'failed'
      | 'timed_out'
      | 'skipped';
    /** 0: nothing went wrong; else 1 FAILED, 2 TIMED_OUT, 3 LEASE_LOST, 4 UNKNOWN_COMMAND, 5 INVALID_PARAMETERS, 6 CALLED_OFF, 7 OUTPUT_TOO_LARGE, 8 TERMINATED, 9 EXPRESSION_FAILED, 10 LOOP_LIMIT, 11 SIGNAL_TIMEOUT, 12 REJECTED, 13 CHILDREN_FAILED, 14 CHILD_FAILED, 15 INVALID_STEPS, 16 TASK_TOO_LARGE, 17 SECRET_NOT_ALLOWED, 18 SECRET_NOT_FOUND, 19 SECRET_STORE_AWAY. */
    readonly code: number;
    readonly message: string | null;
    /** Seconds since 1970. */
    readonly timeStart: number | null;
    /** Seconds since 1970. */
    readonly timeEnd: number | null;
    readonly attempts: number;
    /** What the expressions came to. */
    readonly values?: JsonObject;
    readonly output: JsonObject | null;
    /** JSON in which a text `{% ... %}` is an expression. */
    readonly if?: Json;
    readonly optional?: true;
    readonly pivot?: true;
    readonly catch?: readonly {
      readonly errors: readonly string[];
      readonly as?: string;
    }[];
    readonly locks?: readonly {
      readonly name: string;
      readonly slots: number;
    }[];
    readonly wait: HttpApi['WaitFor'] | HttpApi['WaitUntil'] | HttpApi['WaitSignal'];
    readonly rollback: HttpApi['UndoAction'] | null;
    /** Empty until it is entered; of a group its present try. */
    readonly scopes?: readonly HttpApi['Scope'][];
  };
  readonly StepApprove: {
    readonly name: string;
    /** The member of the flow that makes the step. */
    readonly kind: 'approve';
    readonly needs: readonly string[];
    /** Of the present run: unique in the task for ever. */
    readonly id: string;
    /** 1; one more with every reset. */
    readonly generation: number;
    readonly state:
      | 'pending'
      | 'queued'
      | 'running'
      | 'waiting'
      | 'succeeded'
      | 'failed'
      | 'timed_out'
      | 'skipped';
    /** 0: nothing went wrong; else 1 FAILED, 2 TIMED_OUT, 3 LEASE_LOST, 4 UNKNOWN_COMMAND, 5 INVALID_PARAMETERS, 6 CALLED_OFF, 7 OUTPUT_TOO_LARGE, 8 TERMINATED, 9 EXPRESSION_FAILED, 10 LOOP_LIMIT, 11 SIGNAL_TIMEOUT, 12 REJECTED, 13 CHILDREN_FAILED, 14 CHILD_FAILED, 15 INVALID_STEPS, 16 TASK_TOO_LARGE, 17 SECRET_NOT_ALLOWED, 18 SECRET_NOT_FOUND, 19 SECRET_STORE_AWAY. */
    readonly code: number;
    readonly message: string | null;
    /** Seconds since 1970. */
    readonly timeStart: number | null;
    /** Seconds since 1970. */
    readonly timeEnd: number | null;
    readonly attempts: number;
    /** What the expressions came to. */
    readonly values?: JsonObject;
    readonly output: JsonObject | null;
    /** JSON in which a text `{% ... %}` is an expression. */
    readonly if?: Json;
    readonly optional?: true;
    readonly pivot?: true;
    readonly catch?: readonly {
      readonly errors: readonly string[];
      readonly as?: string;
    }[];
    readonly locks?: readonly {
      readonly name: string;
      readonly slots: number;
    }[];
    readonly approve: {
      readonly title: string;
      readonly roles: readonly string[];
      /** Seconds; null: no limit. */
      readonly timeout: number | null;
      readonly onTimeout: 'fail' | 'continue';
    };
    readonly rollback: HttpApi['UndoAction'] | null;
    /** Empty until it is entered; of a group its present try. */
    readonly scopes?: readonly HttpApi['Scope'][];
  };
  readonly StepSucceed: {
    readonly name: string;
    /** The member of the flow that makes the step. */
    readonly kind: 'succeed';
    readonly needs: readonly string[];
    /** Of the present run: unique in the task for ever. */
    readonly id: string;
    /** 1; one more with every reset. */
    readonly generation: number;
    readonly state:
      | 'pending'
      | 'queued'
      | 'running'
      | 'waiting'
      | 'succeeded'
      | 'failed'
      | 'timed_out'
      | 'skipped';
    /** 0: nothing went wrong; else 1 FAILED, 2 TIMED_OUT, 3 LEASE_LOST, 4 UNKNOWN_COMMAND, 5 INVALID_PARAMETERS, 6 CALLED_OFF, 7 OUTPUT_TOO_LARGE, 8 TERMINATED, 9 EXPRESSION_FAILED, 10 LOOP_LIMIT, 11 SIGNAL_TIMEOUT, 12 REJECTED, 13 CHILDREN_FAILED, 14 CHILD_FAILED, 15 INVALID_STEPS, 16 TASK_TOO_LARGE, 17 SECRET_NOT_ALLOWED, 18 SECRET_NOT_FOUND, 19 SECRET_STORE_AWAY. */
    readonly code: number;
    readonly message: string | null;
    /** Seconds since 1970. */
    readonly timeStart: number | null;
    /** Seconds since 1970. */
    readonly timeEnd: number | null;
    readonly attempts: number;
    /** What the expressions came to. */
    readonly values?: JsonObject;
    readonly output: JsonObject | null;
    /** JSON in which a text `{% ... %}` is an expression. */
    readonly if?: Json;
    readonly optional?: true;
    readonly pivot?: true;
    readonly catch?: readonly {
      readonly errors: readonly string[];
      readonly as?: string;
    }[];
    readonly locks?: readonly {
      readonly name: string;
      readonly slots: number;
    }[];
    readonly succeed: true | HttpApi['SucceedOutput'];
    readonly rollback: HttpApi['UndoAction'] | null;
    /** Empty until it is entered; of a group its present try. */
    readonly scopes?: readonly HttpApi['Scope'][];
  };
  readonly StepFail: {
    readonly name: string;
    /** The member of the flow that makes the step. */
    readonly kind: 'fail';
    readonly needs: readonly string[];
    /** Of the present run: unique in the task for ever. */
    readonly id: string;
    /** 1; one more with every reset. */
    readonly generation: number;
    readonly state:
      | 'pending'
      | 'queued'
      | 'running'
      | 'waiting'
      | 'succeeded'
      | 'failed'
      | 'timed_out'
      | 'skipped';
    /** 0: nothing went wrong; else 1 FAILED, 2 TIMED_OUT, 3 LEASE_LOST, 4 UNKNOWN_COMMAND, 5 INVALID_PARAMETERS, 6 CALLED_OFF, 7 OUTPUT_TOO_LARGE, 8 TERMINATED, 9 EXPRESSION_FAILED, 10 LOOP_LIMIT, 11 SIGNAL_TIMEOUT, 12 REJECTED, 13 CHILDREN_FAILED, 14 CHILD_FAILED, 15 INVALID_STEPS, 16 TASK_TOO_LARGE, 17 SECRET_NOT_ALLOWED, 18 SECRET_NOT_FOUND, 19 SECRET_STORE_AWAY. */
    readonly code: number;
    readonly message: string | null;
    /** Seconds since 1970. */
    readonly timeStart: number | null;
    /** Seconds since 1970. */
    readonly timeEnd: number | null;
    readonly attempts: number;
    /** What the expressions came to. */
    readonly values?: JsonObject;
    readonly output: JsonObject | null;
    /** JSON in which a text `{% ... %}` is an expression. */
    readonly if?: Json;
    readonly optional?: true;
    readonly pivot?: true;
    readonly catch?: readonly {
      readonly errors: readonly string[];
      readonly as?: string;
    }[];
    readonly locks?: readonly {
      readonly name: string;
      readonly slots: number;
    }[];
    readonly fail: {
      readonly code: string;
      readonly message: string;
    };
    readonly rollback: HttpApi['UndoAction'] | null;
    /** Empty until it is entered; of a group its present try. */
    readonly scopes?: readonly HttpApi['Scope'][];
  };
  readonly StepDynamic: {
    readonly name: string;
    /** The member of the flow that makes the step. */
    readonly kind: 'dynamic';
    readonly needs: readonly string[];
    /** Of the present run: unique in the task for ever. */
    readonly id: string;
    /** 1; one more with every reset. */
    readonly generation: number;
    readonly state:
      | 'pending'
      | 'queued'
      | 'running'
      | 'waiting'
      | 'succeeded'
      | 'failed'
      | 'timed_out'
      | 'skipped';
    /** 0: nothing went wrong; else 1 FAILED, 2 TIMED_OUT, 3 LEASE_LOST, 4 UNKNOWN_COMMAND, 5 INVALID_PARAMETERS, 6 CALLED_OFF, 7 OUTPUT_TOO_LARGE, 8 TERMINATED, 9 EXPRESSION_FAILED, 10 LOOP_LIMIT, 11 SIGNAL_TIMEOUT, 12 REJECTED, 13 CHILDREN_FAILED, 14 CHILD_FAILED, 15 INVALID_STEPS, 16 TASK_TOO_LARGE, 17 SECRET_NOT_ALLOWED, 18 SECRET_NOT_FOUND, 19 SECRET_STORE_AWAY. */
    readonly code: number;
    readonly message: string | null;
    /** Seconds since 1970. */
    readonly timeStart: number | null;
    /** Seconds since 1970. */
    readonly timeEnd: number | null;
    readonly attempts: number;
    /** What the expressions came to. */
    readonly values?: JsonObject;
    readonly output: JsonObject | null;
    /** JSON in which a text `{% ... %}` is an expression. */
    readonly if?: Json;
    readonly optional?: true;
    readonly pivot?: true;
    readonly catch?: readonly {
      readonly errors: readonly string[];
      readonly as?: string;
    }[];
    readonly locks?: readonly {
      readonly name: string;
      readonly slots: number;
    }[];
    readonly dynamic: {
      /** JSON in which a text `{% ... %}` is an expression. */
      readonly steps: Json;
    };
    /** Empty until it is entered; of a group its present try. */
    readonly scopes: readonly HttpApi['Scope'][];
  };
  readonly StepForeach: {
    readonly name: string;
    /** The member of the flow that makes the step. */
    readonly kind: 'foreach';
    readonly needs: readonly string[];
    /** Of the present run: unique in the task for ever. */
    readonly id: string;
    /** 1; one more with every reset. */
    readonly generation: number;
    readonly state:
      | 'pending'
      | 'queued'
      | 'running'
      | 'waiting'
      | 'succeeded'
      | 'failed'
      | 'timed_out'
      | 'skipped';
    /** 0: nothing went wrong; else 1 FAILED, 2 TIMED_OUT, 3 LEASE_LOST, 4 UNKNOWN_COMMAND, 5 INVALID_PARAMETERS, 6 CALLED_OFF, 7 OUTPUT_TOO_LARGE, 8 TERMINATED, 9 EXPRESSION_FAILED, 10 LOOP_LIMIT, 11 SIGNAL_TIMEOUT, 12 REJECTED, 13 CHILDREN_FAILED, 14 CHILD_FAILED, 15 INVALID_STEPS, 16 TASK_TOO_LARGE, 17 SECRET_NOT_ALLOWED, 18 SECRET_NOT_FOUND, 19 SECRET_STORE_AWAY. */
    readonly code: number;
    readonly message: string | null;
    /** Seconds since 1970. */
    readonly timeStart: number | null;
    /** Seconds since 1970. */
    readonly timeEnd: number | null;
    readonly attempts: number;
    /** What the expressions came to. */
    readonly values?: JsonObject;
    readonly output: JsonObject | null;
    /** JSON in which a text `{% ... %}` is an expression. */
    readonly if?: Json;
    readonly optional?: true;
    readonly pivot?: true;
    readonly catch?: readonly {
      readonly errors: readonly string[];
      readonly as?: string;
    }[];
    readonly locks?: readonly {
      readonly name: string;
      readonly slots: number;
    }[];
    readonly foreach: {
      /** JSON in which a text `{% ... %}` is an expression. */
      readonly in: Json;
      readonly as: string;
      readonly concurrency: number;
      readonly successPercent: number;
      readonly flow?: string;
      /** JSON in which a text `{% ... %}` is an expression. */
      readonly parameters?: Json;
    };
    /** How the child tasks of the step stand, as it last heard. */
    readonly children: {
      readonly total: number;
      readonly started: number;
      readonly succeeded: number;
      readonly failed: number;
      readonly active: number;
    };
    /** Empty until it is entered; of a group its present try. */
    readonly scopes?: readonly HttpApi['Scope'][];
  };
  readonly StepFlow: {
    readonly name: string;
    /** The member of the flow that makes the step. */
    readonly kind: 'flow';
    readonly needs: readonly string[];
    /** Of the present run: unique in the task for ever. */
    readonly id: string;
    /** 1; one more with every reset. */
    readonly generation: number;
    readonly state:
      | 'pending'
      | 'queued'
      | 'running'
      | 'waiting'
      | 'succeeded'
      | 'failed'
      | 'timed_out'
      | 'skipped';
    /** 0: nothing went wrong; else 1 FAILED, 2 TIMED_OUT, 3 LEASE_LOST, 4 UNKNOWN_COMMAND, 5 INVALID_PARAMETERS, 6 CALLED_OFF, 7 OUTPUT_TOO_LARGE, 8 TERMINATED, 9 EXPRESSION_FAILED, 10 LOOP_LIMIT, 11 SIGNAL_TIMEOUT, 12 REJECTED, 13 CHILDREN_FAILED, 14 CHILD_FAILED, 15 INVALID_STEPS, 16 TASK_TOO_LARGE, 17 SECRET_NOT_ALLOWED, 18 SECRET_NOT_FOUND, 19 SECRET_STORE_AWAY. */
    readonly code: number;
    readonly message: string | null;
    /** Seconds since 1970. */
    readonly timeStart: number | null;
    /** Seconds since 1970. */
    readonly timeEnd: number | null;
    readonly attempts: number;
    /** What the expressions came to. */
    readonly values?: JsonObject;
    readonly output: JsonObject | null;
    /** JSON in which a text `{% ... %}` is an expression. */
    readonly if?: Json;
    readonly optional?: true;
    readonly pivot?: true;
    readonly catch?: readonly {
      readonly errors: readonly string[];
      readonly as?: string;
    }[];
    readonly locks?: readonly {
      readonly name: string;
      readonly slots: number;
    }[];
    readonly flow: {
      readonly name: string;
      readonly version?: number;
      /** JSON in which a text `{% ... %}` is an expression. */
      readonly parameters?: Json;
    };
    /** How the child tasks of the step stand, as it last heard. */
    readonly children: {
      readonly total: number;
      readonly started: number;
      readonly succeeded: number;
      readonly failed: number;
      readonly active: number;
    };
    /** Empty until it is entered; of a group its present try. */
    readonly scopes?: readonly HttpApi['Scope'][];
  };
  readonly Scope: {
    readonly kind: 'try' | 'case' | 'branch' | 'round' | 'catch' | 'dynamic';
    /** Of a try or a round its number, counted from 1. */
    readonly name: string;
    readonly way: 'forward' | 'back';
    readonly steps: readonly HttpApi['Step'][];
  };
  readonly FlowStep:
    | HttpApi['FlowStepNormal']
    | HttpApi['FlowStepGroup']
    | HttpApi['FlowStepChoice']
    | HttpApi['FlowStepParallel']
    | HttpApi['FlowStepLoop']
    | HttpApi['FlowStepSet']
    | HttpApi['FlowStepWait']
    | HttpApi['FlowStepApprove']
    | HttpApi['FlowStepSucceed']
    | HttpApi['FlowStepFail']
    | HttpApi['FlowStepDynamic']
    | HttpApi['FlowStepForeach']
    | HttpApi['FlowStepFlow'];
  readonly FlowStepNormal: {
    readonly name: string;
    readonly needs: readonly string[];
    /** JSON in which a text `{% ... %}` is an expression. */
    readonly if?: Json;
    readonly optional?: true;
    readonly pivot?: true;
    readonly catch?: readonly {
      readonly errors: readonly string[];
      readonly as?: string;
      readonly steps: readonly HttpApi['FlowStep'][];
    }[];
    readonly locks?: readonly {
      readonly name: string;
      readonly slots: number;
    }[];
    readonly normal: HttpApi['Action'];
    readonly rollback: HttpApi['Action'] | null;
  };
  readonly FlowStepGroup: {
    readonly name: string;
    readonly needs: readonly string[];
    /** JSON in which a text `{% ... %}` is an expression. */
    readonly if?: Json;
    readonly optional?: true;
    readonly pivot?: true;
    readonly catch?: readonly {
      readonly errors: readonly string[];
      readonly as?: string;
      readonly steps: readonly HttpApi['FlowStep'][];
    }[];
    readonly locks?: readonly {
      readonly name: string;
      readonly slots: number;
    }[];
    /** When it is tried again, once it is undone. */
    readonly retry: number | HttpApi['RetryPolicy'] | HttpApi['RetryForEach'];
    /** Seconds; null: no limit. */
    readonly timeout: number | null;
    readonly group: readonly HttpApi['FlowStep'][];
  };
  readonly FlowStepChoice: {
    readonly name: string;
    readonly needs: readonly string[];
    /** JSON in which a text `{% ... %}` is an expression. */
    readonly if?: Json;
    readonly optional?: true;
    readonly pivot?: true;
    readonly catch?: readonly {
      readonly errors: readonly string[];
      readonly as?: string;
      readonly steps: readonly HttpApi['FlowStep'][];
    }[];
    readonly locks?: readonly {
      readonly name: string;
      readonly slots: number;
    }[];
    readonly choice: readonly {
      readonly name: string;
      /** JSON in which a text `{% ... %}` is an expression. */
      readonly when: Json;
      readonly steps: readonly HttpApi['FlowStep'][];
    }[];
    readonly otherwise?: readonly HttpApi['FlowStep'][];
  };
  readonly FlowStepParallel: {
    readonly name: string;
    readonly needs: readonly string[];
    /** JSON in which a text `{% ... %}` is an expression. */
    readonly if?: Json;
    readonly optional?: true;
    readonly pivot?: true;
    readonly catch?: readonly {
      readonly errors: readonly string[];
      readonly as?: string;
      readonly steps: readonly HttpApi['FlowStep'][];
    }[];
    readonly locks?: readonly {
      readonly name: string;
      readonly slots: number;
    }[];
    readonly parallel: Readonly<Record<string, readonly HttpApi['FlowStep'][]>>;
    readonly onBranchFailure: 'cancel' | 'wait';
  };
  readonly FlowStepLoop: {
    readonly name: string;
    readonly needs: readonly string[];
    /** JSON in which a text `{% ... %}` is an expression. */
    readonly if?: Json;
    readonly optional?: true;
    readonly pivot?: true;
    readonly catch?: readonly {
      readonly errors: readonly string[];
      readonly as?: string;
      readonly steps: readonly HttpApi['FlowStep'][];
    }[];
    readonly locks?: readonly {
      readonly name: string;
      readonly slots: number;
    }[];
    readonly loop: {
      /** JSON in which a text `{% ... %}` is an expression. */
      readonly while?: Json;
      /** JSON in which a text `{% ... %}` is an expression. */
      readonly until?: Json;
      readonly max: number;
      /** Seconds, or an expression. */
      readonly delay?: number | string;
      readonly steps: readonly HttpApi['FlowStep'][];
    };
  };
  readonly FlowStepSet: {
    readonly name: string;
    readonly needs: readonly string[];
    /** JSON in which a text `{% ... %}` is an expression. */
    readonly if?: Json;
    readonly optional?: true;
    readonly pivot?: true;
    readonly catch?: readonly {
      readonly errors: readonly string[];
      readonly as?: string;
      readonly steps: readonly HttpApi['FlowStep'][];
    }[];
    readonly locks?: readonly {
      readonly name: string;
      readonly slots: number;
    }[];
    readonly set: JsonObject;
    readonly rollback: HttpApi['Action'] | null;
  };
  readonly FlowStepWait: {
    readonly name: string;
    readonly needs: readonly string[];
    /** JSON in which a text `{% ... %}` is an expression. */
    readonly if?: Json;
    readonly optional?: true;
    readonly pivot?: true;
    readonly catch?: readonly {
      readonly errors: readonly string[];
      readonly as?: string;
      readonly steps: readonly HttpApi['FlowStep'][];
    }[];
    readonly locks?: readonly {
      readonly name: string;
      readonly slots: number;
    }[];
    readonly wait: HttpApi['WaitFor'] | HttpApi['WaitUntil'] | HttpApi['WaitSignal'];
    readonly rollback: HttpApi['Action'] | null;
  };
  readonly FlowStepApprove: {
    readonly name: string;
    readonly needs: readonly string[];
    /** JSON in which a text `{% ... %}` is an expression. */
    readonly if?: Json;
    readonly optional?: true;
    readonly pivot?: true;
    readonly catch?: readonly {
      readonly errors: readonly string[];
      readonly as?: string;
      readonly steps: readonly HttpApi['FlowStep'][];
    }[];
    readonly locks?: readonly {
      readonly name: string;
      readonly slots: number;
    }[];
    readonly approve: {
      readonly title: string;
      readonly roles: readonly string[];
      /** Seconds; null: no limit. */
      readonly timeout: number | null;
      readonly onTimeout: 'fail' | 'continue';
    };
    readonly rollback: HttpApi['Action'] | null;
  };
  readonly FlowStepSucceed: {
    readonly name: string;
    readonly needs: readonly string[];
    /** JSON in which a text `{% ... %}` is an expression. */
    readonly if?: Json;
    readonly optional?: true;
    readonly pivot?: true;
    readonly catch?: readonly {
      readonly errors: readonly string[];
      readonly as?: string;
      readonly steps: readonly HttpApi['FlowStep'][];
    }[];
    readonly locks?: readonly {
      readonly name: string;
      readonly slots: number;
    }[];
    readonly succeed: true | HttpApi['SucceedOutput'];
  };
  readonly FlowStepFail: {
    readonly name: string;
    readonly needs: readonly string[];
    /** JSON in which a text `{% ... %}` is an expression. */
    readonly if?: Json;
    readonly optional?: true;
    readonly pivot?: true;
    readonly catch?: readonly {
      readonly errors: readonly string[];
      readonly as?: string;
      readonly steps: readonly HttpApi['FlowStep'][];
    }[];
    readonly locks?: readonly {
      readonly name: string;
      readonly slots: number;
    }[];
    readonly fail: {
      readonly code: string;
      readonly message: string;
    };
  };
  readonly FlowStepDynamic: {
    readonly name: string;
    readonly needs: readonly string[];
    /** JSON in which a text `{% ... %}` is an expression. */
    readonly if?: Json;
    readonly optional?: true;
    readonly pivot?: true;
    readonly catch?: readonly {
      readonly errors: readonly string[];
      readonly as?: string;
      readonly steps: readonly HttpApi['FlowStep'][];
    }[];
    readonly locks?: readonly {
      readonly name: string;
      readonly slots: number;
    }[];
    readonly dynamic: {
      /** JSON in which a text `{% ... %}` is an expression. */
      readonly steps: Json;
    };
  };
  readonly FlowStepForeach: {
    readonly name: string;
    readonly needs: readonly string[];
    /** JSON in which a text `{% ... %}` is an expression. */
    readonly if?: Json;
    readonly optional?: true;
    readonly pivot?: true;
    readonly catch?: readonly {
      readonly errors: readonly string[];
      readonly as?: string;
      readonly steps: readonly HttpApi['FlowStep'][];
    }[];
    readonly locks?: readonly {
      readonly name: string;
      readonly slots: number;
    }[];
    readonly foreach: {
      /** JSON in which a text `{% ... %}` is an expression. */
      readonly in: Json;
      readonly as: string;
      readonly concurrency: number;
      readonly successPercent: number;
      readonly flow?: string;
      /** JSON in which a text `{% ... %}` is an expression. */
      readonly parameters?: Json;
      readonly steps?: readonly HttpApi['FlowStep'][];
    };
  };
  readonly FlowStepFlow: {
    readonly name: string;
    readonly needs: readonly string[];
    /** JSON in which a text `{% ... %}` is an expression. */
    readonly if?: Json;
    readonly optional?: true;
    readonly pivot?: true;
    readonly catch?: readonly {
      readonly errors: readonly string[];
      readonly as?: string;
      readonly steps: readonly HttpApi['FlowStep'][];
    }[];
    readonly locks?: readonly {
      readonly name: string;
      readonly slots: number;
    }[];
    readonly flow: {
      readonly name: string;
      readonly version?: number;
      /** JSON in which a text `{% ... %}` is an expression. */
      readonly parameters?: Json;
    };
  };
  readonly Action: {
    readonly module: string;
    readonly command: string;
    /** Seconds, for all attempts together. */
    readonly timeout: number;
    /** Seconds, for one attempt. */
    readonly attemptTimeout?: number;
    /** Retries at once, after the first attempt; or when they come. */
    readonly retry: number | HttpApi['RetryPolicy'];
    /** When its process dies: restarts that use up no retry, or that it has failed. */
    readonly onCrash: HttpApi['Restarts'] | 'fail';
    readonly parameters?: JsonObject;
  };
  readonly UndoAction: {
    readonly module: string;
    readonly command: string;
    /** Seconds, for all attempts together. */
    readonly timeout: number;
    /** Seconds, for one attempt. */
    readonly attemptTimeout?: number;
    /** Retries at once, after the first attempt; or when they come. */
    readonly retry: number | HttpApi['RetryPolicy'];
    /** When its process dies: restarts that use up no retry, or that it has failed. */
    readonly onCrash: HttpApi['Restarts'] | 'fail';
    readonly parameters?: JsonObject;
    readonly state:
      'none' | 'pending' | 'queued' | 'running' | 'waiting' | 'failed' | 'succeeded' | 'skipped';
    /** 0: nothing went wrong; else 1 FAILED, 2 TIMED_OUT, 3 LEASE_LOST, 4 UNKNOWN_COMMAND, 5 INVALID_PARAMETERS, 6 CALLED_OFF, 7 OUTPUT_TOO_LARGE, 8 TERMINATED, 9 EXPRESSION_FAILED, 10 LOOP_LIMIT, 11 SIGNAL_TIMEOUT, 12 REJECTED, 13 CHILDREN_FAILED, 14 CHILD_FAILED, 15 INVALID_STEPS, 16 TASK_TOO_LARGE, 17 SECRET_NOT_ALLOWED, 18 SECRET_NOT_FOUND, 19 SECRET_STORE_AWAY. */
    readonly code: number;
    readonly message: string | null;
    /** Seconds since 1970. */
    readonly timeStart: number | null;
    /** Seconds since 1970. */
    readonly timeEnd: number | null;
    readonly attempts: number;
    /** What the expressions came to. */
    readonly values?: JsonObject;
  };
  readonly RetryPolicy: {
    readonly attempts: number;
    readonly backoff: 'none' | 'fixed' | 'exponential';
    readonly delay: number;
    readonly maxDelay: number | null;
    readonly jitter: boolean;
    /** Codes of the only errors that are tried again. */
    readonly only?: readonly string[];
    /** Codes of errors that are never tried again. */
    readonly never?: readonly string[];
  };
  readonly Restarts: {
    readonly restarts: number;
  };
  readonly RetryForEach: {
    /** JSON in which a text `{% ... %}` is an expression. */
    readonly forEach: Json;
    readonly as: string;
  };
  readonly WaitFor: {
    /** Seconds, or an expression. */
    readonly for: number | string;
  };
  readonly WaitUntil: {
    /** Seconds, or an expression. */
    readonly until: number | string;
  };
  readonly WaitSignal: {
    readonly signal: string;
    /** Seconds; null: no limit. */
    readonly timeout: number | null;
    readonly onTimeout: 'fail' | 'continue';
  };
  readonly SucceedOutput: {
    /** JSON in which a text `{% ... %}` is an expression. */
    readonly output: Json;
  };
  readonly TaskPage: {
    readonly items: readonly (
      HttpApi['Task'] | HttpApi['TaskSummary'] | HttpApi['UnreadableTask']
    )[];
    readonly page: {
      readonly nextCursor: string | null;
    };
  };
  readonly BatchResults: {
    readonly results: readonly {
      readonly index: number;
      readonly status: number;
      readonly taskId?: string;
      readonly problem?: HttpApi['Problem'];
    }[];
  };
  readonly Changes: {
    readonly items: readonly (HttpApi['TaskSummary'] | HttpApi['UnreadableTask'])[];
    /** Where the next request goes on. */
    readonly lastEventId: string;
  };
  readonly Events: {
    readonly items: readonly HttpApi['Event'][];
  };
  readonly Event: {
    readonly seq: number;
    readonly at: string;
    readonly kind: string;
    readonly step?: string;
    /** Id of the run, where it is not the name of the step. */
    readonly run?: string;
    readonly direction?: 'normal' | 'rollback' | 'alert';
    readonly attempt?: number;
    readonly actor: string;
    readonly message?: string;
    /** Refused before its command was entered. */
    readonly refused?: true;
  };
  readonly Flow: {
    readonly name: string;
    readonly version: number;
    readonly hash: string;
    /** Seconds since 1970. */
    readonly timeCreate: number;
    readonly description: string | null;
    /** JSON Schema of the parameters. */
    readonly input: JsonObject | null;
    /** Seconds. */
    readonly timeout: number | null;
    /** What becomes of a task once a step has failed for good; `hold` in seconds. */
    readonly onFailure: 'rollback' | 'hold' | HttpApi['HoldPolicy'];
    readonly steps: readonly HttpApi['FlowStep'][];
    /** Join the parameters, below those that are sent. */
    readonly constants?: JsonObject;
    /** What tasks of the flow give, expressions in it included. */
    readonly output?: Json;
    /** Of its tasks, besides those that are sent, which win. */
    readonly labels?: JsonObject;
    readonly locks?: readonly {
      readonly name: string;
      readonly slots: number;
    }[];
    readonly failureFlow?: string;
    /** While so many of its tasks are not final, no further one is started. */
    readonly maxLive?: number;
    /** The last drill of this version, else of the newest before it that was drilled; null: none. */
    readonly drill: HttpApi['Drill'] | null;
    /** The flow file that defines it, by its name in the folder; null: requests store it. */
    readonly file?: string | null;
  };
  readonly Flows: {
    readonly items: readonly {
      readonly name: string;
      readonly version: number;
      readonly hash: string;
      /** Seconds since 1970. */
      readonly timeCreate: number;
      readonly description: string | null;
      /** JSON Schema of the parameters. */
      readonly input: JsonObject | null;
      /** Seconds. */
      readonly timeout: number | null;
      /** What becomes of a task once a step has failed for good; `hold` in seconds. */
      readonly onFailure: 'rollback' | 'hold' | HttpApi['HoldPolicy'];
      readonly steps: readonly HttpApi['FlowStep'][];
      /** Join the parameters, below those that are sent. */
      readonly constants?: JsonObject;
      /** What tasks of the flow give, expressions in it included. */
      readonly output?: Json;
      /** Of its tasks, besides those that are sent, which win. */
      readonly labels?: JsonObject;
      readonly locks?: readonly {
        readonly name: string;
        readonly slots: number;
      }[];
      readonly failureFlow?: string;
      /** While so many of its tasks are not final, no further one is started. */
      readonly maxLive?: number;
      /** The last drill of this version, else of the newest before it that was drilled; null: none. */
      readonly drill: HttpApi['Drill'] | null;
      /** The flow file that defines it, by its name in the folder; null: requests store it. */
      readonly file: string | null;
      readonly startable: boolean;
      readonly retired: boolean;
    }[];
    readonly files: {
      /** Mistakes in flow files. What they spoil stays as it was loaded last. */
      readonly problems: readonly {
        /** Null: all flows of the file. */
        readonly flow: string | null;
        /** Within the folder; null: the folder itself. */
        readonly file: string | null;
        readonly pointer: string;
        readonly line: number;
        readonly column: number;
        readonly code: string;
        /** The address, within the gateway, of the page about the code. */
        readonly type: string;
        readonly message: string;
        readonly hint: string;
      }[];
    };
  };
  readonly StoredFlow: {
    readonly name: string;
    readonly version: number;
    readonly hash: string;
    /** Seconds since 1970. */
    readonly timeCreate: number;
    readonly description: string | null;
    /** JSON Schema of the parameters. */
    readonly input: JsonObject | null;
    /** Seconds. */
    readonly timeout: number | null;
    /** What becomes of a task once a step has failed for good; `hold` in seconds. */
    readonly onFailure: 'rollback' | 'hold' | HttpApi['HoldPolicy'];
    readonly steps: readonly HttpApi['FlowStep'][];
    /** Join the parameters, below those that are sent. */
    readonly constants?: JsonObject;
    /** What tasks of the flow give, expressions in it included. */
    readonly output?: Json;
    /** Of its tasks, besides those that are sent, which win. */
    readonly labels?: JsonObject;
    readonly locks?: readonly {
      readonly name: string;
      readonly slots: number;
    }[];
    readonly failureFlow?: string;
    /** While so many of its tasks are not final, no further one is started. */
    readonly maxLive?: number;
    readonly revived: boolean;
    readonly warnings: readonly {
      readonly pointer: string;
      readonly line: number;
      readonly column: number;
      readonly code: string;
      /** The address, within the gateway, of the page about the code. */
      readonly type: string;
      readonly message: string;
      readonly hint: string;
    }[];
  };
  readonly CommandDefaults: {
    /** For readers. */
    readonly description?: string;
    /** As a flow file writes it. */
    readonly timeout?: string | number;
    /** As a flow file writes it. */
    readonly attemptTimeout?: string | number;
    /** As a flow file writes it. */
    readonly retry?: number | JsonObject;
    /** As a flow file writes it. */
    readonly onCrash?: Json;
    /** Of steps that say nothing about one; null: there is nothing to undo. */
    readonly rollback?: {
      readonly module: string;
      readonly command: string;
    } | null;
  };
  readonly Command: {
    readonly module: string;
    readonly command: string;
    readonly timeUpdate: number;
    /** For readers. */
    readonly description?: string;
    /** As a flow file writes it. */
    readonly timeout?: string | number;
    /** As a flow file writes it. */
    readonly attemptTimeout?: string | number;
    /** As a flow file writes it. */
    readonly retry?: number | JsonObject;
    /** As a flow file writes it. */
    readonly onCrash?: Json;
    /** Of steps that say nothing about one; null: there is nothing to undo. */
    readonly rollback?: {
      readonly module: string;
      readonly command: string;
    } | null;
  };
  readonly Commands: {
    readonly items: readonly HttpApi['Command'][];
  };
  readonly Validation: {
    readonly valid: boolean;
    readonly problems: readonly {
      readonly pointer: string;
      readonly line: number;
      readonly column: number;
      readonly code: string;
      /** The address, within the gateway, of the page about the code. */
      readonly type: string;
      readonly message: string;
      readonly hint: string;
    }[];
    readonly warnings: readonly {
      readonly pointer: string;
      readonly line: number;
      readonly column: number;
      readonly code: string;
      /** The address, within the gateway, of the page about the code. */
      readonly type: string;
      readonly message: string;
      readonly hint: string;
    }[];
  };
  readonly RecordDrill: {
    /** Plays that did not come out as expected, at most `total`. */
    readonly failures: number;
    /** Plays in all. */
    readonly total: number;
  };
  readonly Drill: {
    /** The one that was drilled. */
    readonly version: number;
    /** Seconds since 1970. */
    readonly at: number;
    /** Every play came out as expected. */
    readonly passed: boolean;
    /** Plays that did not. */
    readonly failures: number;
    /** Plays in all. */
    readonly total: number;
  };
  readonly PlanFlow: {
    /** As a task would be given them. Default: {}. */
    readonly parameters?: JsonObject;
  };
  readonly PlanDraft: {
    /** As flow files write it, without its name. */
    readonly flow: readonly Json[] | JsonObject;
    /** As a task would be given them. Default: {}. */
    readonly parameters?: JsonObject;
  };
  readonly PlannedStep: {
    readonly step: string;
    /** Of its run. */
    readonly id: string;
    readonly kind: string;
    readonly module?: string;
    readonly command?: string;
    /** What has no value yet stands as it was written. */
    readonly parameters?: JsonObject;
    /** The child tasks of the step. */
    readonly children?: {
      /** Null: only a run tells. */
      readonly count: number | null;
      /** Null: steps of the flow itself. */
      readonly flow: string | null;
      /** The plan of one of them; null: its flow is not known, or stands around it. */
      readonly items: readonly HttpApi['PlannedStep'][] | null;
      readonly ends: 'succeeded' | 'fails' | 'open';
    };
    /** Ids of what is undone, in this order, if it fails here. */
    readonly back: readonly string[];
  };
  readonly FlowPlan: {
    readonly flow: string;
    /** 0: it is not stored. */
    readonly version: number;
    readonly items: readonly HttpApi['PlannedStep'][];
    /** Undone in this order if it went back at its very end. */
    readonly back: readonly string[];
    /** `open`: there is more than is shown, or something that a plan cannot pass. */
    readonly ends: 'succeeded' | 'fails' | 'open';
    /** Members that need what only a run gives, and what was taken for them. */
    readonly assumptions: readonly {
      readonly step: string;
      readonly member: string;
      readonly template: Json;
      readonly taken: Json;
    }[];
  };
  readonly FlowVersions: {
    readonly items: readonly {
      readonly version: number;
      readonly hash: string;
      /** Seconds since 1970. */
      readonly timeCreate: number;
    }[];
    readonly page: {
      readonly nextCursor: string | null;
    };
  };
  readonly FlowDiff: {
    readonly flow: string;
    readonly from: number;
    readonly to: number;
    readonly added: readonly {
      /** Its name, after those of the steps that hold it. */
      readonly step: string;
      /** Into the version that has it, as `GET` shows it. */
      readonly pointer: string;
    }[];
    readonly removed: readonly {
      /** Its name, after those of the steps that hold it. */
      readonly step: string;
      /** Into the version that has it, as `GET` shows it. */
      readonly pointer: string;
    }[];
    readonly changed: readonly {
      /** Its name, after those of the steps that hold it. */
      readonly step: string;
      /** Into the version that has it, as `GET` shows it. */
      readonly pointer: string;
      readonly members: readonly {
        readonly pointer: string;
        /** Absent: the member is new. */
        readonly from?: Json;
        /** Absent: the member is gone. */
        readonly to?: Json;
      }[];
    }[];
    /** Of the flow itself. */
    readonly members: readonly {
      readonly pointer: string;
      /** Absent: the member is new. */
      readonly from?: Json;
      /** Absent: the member is gone. */
      readonly to?: Json;
    }[];
  };
  readonly PutSchedule: {
    /** As for a task. */
    readonly flow: string;
    /** As for a task. Default: {}. */
    readonly parameters?: JsonObject;
    /** As for a task; `schedule` and `moment` are added. Default: {}. */
    readonly labels?: Readonly<Record<string, string>>;
    /** As for a task. Default: 0. */
    readonly priority?: number;
    /** Five or six fields. */
    readonly cron?: string;
    /** 15m, or seconds; at least one. */
    readonly every?: string | number;
    /** Once: ISO 8601, or seconds since 1970. */
    readonly at?: string | number;
    /** IANA name, for `cron` and for `at` without an offset. Default: UTC. */
    readonly timezone?: string;
    /** While the run before has not ended. Default: skip. */
    readonly overlap?: 'skip' | 'queue' | 'allow';
    /** What is made up for that passed while no gateway lived. Default: last. */
    readonly catchUp?: 'none' | 'last' | 'all';
    /** Default: as it is; of a new schedule false. */
    readonly paused?: boolean;
  };
  readonly TriggerSchedule: {
    /** `reason` says why, in 1 to 1000 characters; it is kept in the audit log. */
    readonly reason?: string;
  };
  readonly Schedule: {
    readonly name: string;
    readonly flow: string;
    readonly parameters: JsonObject;
    readonly labels: Readonly<Record<string, string>>;
    readonly priority: number;
    readonly cron?: string;
    readonly every?: string | number;
    readonly at?: string | number;
    readonly timezone: string;
    /** While the run before has not ended. Default: skip. */
    readonly overlap: 'skip' | 'queue' | 'allow';
    /** What is made up for that passed while no gateway lived. Default: last. */
    readonly catchUp: 'none' | 'last' | 'all';
    readonly paused: boolean;
    readonly pause: null | {
      readonly by: string;
      readonly reason: string | null;
      readonly since: string;
    };
    /** One more with every change. */
    readonly generation: number;
    readonly createdAt: string;
    readonly updatedAt: string;
    readonly updatedBy: string;
    readonly author: null | {
      /** Or `<issuer>#<subject>` of a token. */
      readonly keyId: string;
      /** The key was revoked or has expired. */
      readonly gone: boolean;
    };
    /** Null: paused, or there is none. */
    readonly nextAt: string | null;
    /** Moments that wait for the end of the run before. */
    readonly waiting: readonly string[];
    readonly lastRun: null | {
      /** Null: by hand. */
      readonly moment: string | null;
      readonly taskId: string;
      readonly at: string;
    };
    readonly lastSkipped: null | {
      readonly moment: string;
      readonly at: string;
      readonly reason: 'overlap' | 'queue_full' | 'missed' | 'paused' | 'too_many_live';
    };
    readonly lastError: null | {
      readonly moment: string;
      readonly at: string;
      readonly code: string;
      readonly message: string;
      /** Whether it is tried again. */
      readonly retried: boolean;
    };
    readonly counts: {
      readonly started: number;
      readonly skipped: number;
      readonly failed: number;
    };
    /** As many as were asked for, or as there are. */
    readonly next?: readonly string[];
  };
  readonly ScheduleExplanation: {
    /** It goes on without anybody’s doing. */
    readonly active: boolean;
    readonly causes: readonly {
      /** For programs. */
      readonly code: string;
      /** For people. */
      readonly message: string;
      readonly since: string | null;
      /** The facts that it was told by. */
      readonly evidence: JsonObject;
      readonly next: readonly {
        readonly action: string;
        readonly label: string;
      }[];
    }[];
    /** Moments in a row that fared alike, the newest first; 50 at most. */
    readonly past: readonly {
      readonly result:
        | 'started'
        | 'failed'
        | 'made_up'
        | 'overlap'
        | 'queue_full'
        | 'missed'
        | 'paused'
        | 'too_many_live';
      readonly from: string;
      readonly to: string;
      readonly count: number;
      /** When the last of them was seen to. */
      readonly at: string;
      readonly message: string;
      /** Of the last one, where it has a task. */
      readonly taskId: string | null;
    }[];
  };
  readonly SchedulePage: {
    readonly items: readonly HttpApi['Schedule'][];
    readonly page: {
      readonly nextCursor: string | null;
    };
  };
  readonly PutNotification: {
    /** The kinds of news that are told. */
    readonly on: readonly (
      | 'succeeded'
      | 'failed'
      | 'held'
      | 'stuck'
      | 'waiting'
      | 'deadline_at_risk'
      | 'executor_gone'
      | 'backlog'
      | 'schedule_missed'
    )[];
    /** A search for the tasks; default: all. */
    readonly q?: string;
    readonly channel: {
      readonly type: 'webhook' | 'slack' | 'pagerduty' | 'email';
      /** Of webhook, slack; of pagerduty it may be left out. */
      readonly url?: string;
      /** Of webhook: signs, as Standard Webhooks describe it. */
      readonly secret?: string;
      /** Of pagerduty: the integration key. */
      readonly routingKey?: string;
      /** Of email: smtp://user:password@host:587, or smtps:. */
      readonly server?: string;
      /** Of email: an address. */
      readonly from?: string;
      /** Of email: addresses. */
      readonly to?: readonly string[];
    };
    /** At most one message in this time, such as 10m. Default: as many as come. */
    readonly throttle?: string | number;
  };
  readonly Redeliver: {
    /** `deliveryId` is the id of a message, as the list of deliveries tells it. */
    readonly deliveryId: string;
  };
  readonly Notification: {
    readonly name: string;
    /** The kinds of news that are told. */
    readonly on: readonly (
      | 'succeeded'
      | 'failed'
      | 'held'
      | 'stuck'
      | 'waiting'
      | 'deadline_at_risk'
      | 'executor_gone'
      | 'backlog'
      | 'schedule_missed'
    )[];
    /** Null: all tasks. */
    readonly q: string | null;
    /** What only the receiver knows is `***`. */
    readonly channel: {
      readonly type: 'webhook' | 'slack' | 'pagerduty' | 'email';
      /** Of webhook, slack; of pagerduty it may be left out. */
      readonly url?: string;
      /** Of webhook: signs, as Standard Webhooks describe it. */
      readonly secret?: string;
      /** Of pagerduty: the integration key. */
      readonly routingKey?: string;
      /** Of email: smtp://user:password@host:587, or smtps:. */
      readonly server?: string;
      /** Of email: an address. */
      readonly from?: string;
      /** Of email: addresses. */
      readonly to?: readonly string[];
    };
    /** Seconds; 0: as many as come. */
    readonly throttle: number;
    /** One more with every change. */
    readonly generation: number;
    readonly createdAt: string;
    readonly updatedAt: string;
    readonly updatedBy: string;
    readonly author: null | {
      /** Or `<issuer>#<subject>` of a token. */
      readonly keyId: string;
      /** The key was revoked or has expired. */
      readonly gone: boolean;
    };
  };
  readonly NotificationPage: {
    readonly items: readonly HttpApi['Notification'][];
    readonly page: {
      readonly nextCursor: string | null;
    };
  };
  readonly Delivery: {
    readonly deliveryId: string;
    readonly on:
      | 'succeeded'
      | 'failed'
      | 'held'
      | 'stuck'
      | 'waiting'
      | 'deadline_at_risk'
      | 'executor_gone'
      | 'backlog'
      | 'schedule_missed'
      | 'test';
    /** Id of the task, or name of the module or schedule. */
    readonly subject: string;
    readonly phase: 'firing' | 'resolved';
    /** Of `resolved`: what began. Of `counted`: what tells of it. */
    readonly of: string | null;
    readonly state: 'pending' | 'delivered' | 'failed' | 'counted' | 'needless';
    readonly message: string;
    readonly flow: string | null;
    /** How many others it tells of besides. */
    readonly counted: number;
    readonly attempts: number;
    readonly lastError: string | null;
    readonly createdAt: string;
    readonly deliveredAt: string | null;
    readonly nextAttemptAt: string | null;
  };
  readonly DeliveryPage: {
    readonly items: readonly HttpApi['Delivery'][];
    readonly page: {
      readonly nextCursor: string | null;
    };
  };
  readonly Problem: {
    readonly type: string;
    readonly title: string;
    readonly status: number;
    readonly detail: string;
    readonly instance: string;
    readonly code:
      | 'MALFORMED_JSON'
      | 'INVALID_REQUEST'
      | 'SIGN_IN_FAILED'
      | 'UNAUTHENTICATED'
      | 'FORBIDDEN'
      | 'WRONG_COMPLETION_TOKEN'
      | 'FOREIGN_ORIGIN'
      | 'NOT_FOUND'
      | 'FLOW_NOT_FOUND'
      | 'TASK_NOT_FOUND'
      | 'OPERATION_NOT_FOUND'
      | 'KEY_NOT_FOUND'
      | 'SCHEDULE_NOT_FOUND'
      | 'NOTIFICATION_NOT_FOUND'
      | 'DELIVERY_NOT_FOUND'
      | 'METHOD_NOT_ALLOWED'
      | 'BODY_TOO_SLOW'
      | 'ILLEGAL_ACTION'
      | 'OPERATION_ENDED'
      | 'NOT_WAITING'
      | 'FLOW_IN_FILE'
      | 'TASK_UNREADABLE'
      | 'RECORD_UNREADABLE'
      | 'REVISION_CHANGED'
      | 'PAYLOAD_TOO_LARGE'
      | 'UNSUPPORTED_MEDIA_TYPE'
      | 'WRONG_HOST'
      | 'INVALID_PARAMETERS'
      | 'INVALID_FLOW'
      | 'INVALID_SCHEDULE'
      | 'INVALID_NOTIFICATION'
      | 'EXPRESSION_FAILED'
      | 'FLOW_FILE_TOO_COSTLY'
      | 'FLOW_CANNOT_RUN'
      | 'MODULE_NOT_SERVED'
      | 'IDEMPOTENCY_KEY_REUSED'
      | 'TOO_MANY_REQUESTS'
      | 'TOO_MANY_LIVE'
      | 'INTERNAL'
      | 'OVERLOADED'
      | 'ISSUER_UNAVAILABLE'
      | 'SECRET_KEY_MISSING'
      | 'STORE_UNAVAILABLE';
    readonly requestId?: string;
    readonly errors?: readonly {
      readonly pointer: string;
      readonly message: string;
      readonly hint?: string;
      readonly code?: string;
      readonly type?: string;
      readonly line?: number;
      readonly column?: number;
    }[];
    readonly moreErrors?: number;
  };
}
