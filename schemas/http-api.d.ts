/**
 * Generated from the OpenAPI document by npm run docs.
 */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json;
}

/** The members of all types of a union; those that not every type has may be absent. */
export type Members<Union> = Pick<Union, keyof Union> & {
  readonly [Name in Exclude<NameOf<Union>, keyof Union>]?: ValueOf<Union, Name>;
};

type NameOf<Union> = Union extends unknown ? keyof Union : never;

type ValueOf<Union, Name> = Union extends unknown
  ? Name extends keyof Union
    ? Union[Name]
    : never
  : never;

/** What the HTTP interface takes and answers, by the names of the schemas in its document. */
export interface HttpApi {
  readonly CreateTask: {
    /** Name of the flow, or `name@3` for a version of it. */
    readonly flow: string;
    /** Checked against the flow's `input`. Default: {}. */
    readonly parameters?: JsonObject;
    /** Labels to find the task by. Default: {}. */
    readonly labels?: Readonly<Record<string, string>>;
    /** Its steps are ordered as if they were due so many seconds earlier. Default: 0. */
    readonly priority?: number;
    /** A request that is repeated with its key creates no second task. */
    readonly idempotencyKey?: string;
    /** The only step of the flow to run. Default: all steps run. */
    readonly only?: string;
    /** Outputs of the steps before `only`, by name, as if they had run. Default: {}. */
    readonly given?: Readonly<Record<string, JsonObject>>;
  };
  readonly Batch: {
    readonly tasks: readonly HttpApi['CreateTask'][];
  };
  readonly Reason: {
    /** `reason` says why, in 1 to 1000 characters; it is kept in the journal. */
    readonly reason: string;
  };
  readonly Rollback: {
    /** The step to go back to; the task then waits on hold. Default: undo everything. */
    readonly to?: string;
    /** `reason` says why, in 1 to 1000 characters; it is kept in the journal. */
    readonly reason: string;
  };
  readonly Retry: {
    /** Merged into the parameters; they count for retried steps and for those that start later. */
    readonly parameters?: JsonObject;
    /** Child tasks of a failed `foreach` to start again: `failed` keeps the others; `all` undoes those that succeeded first; `{"id": ...}` names one that failed. Default: `failed` if one has succeeded, else `all`. */
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
    /** Output of a step that counts as done. Default: none. */
    readonly output?: JsonObject;
    /** `reason` says why, in 1 to 1000 characters; it is kept in the journal. */
    readonly reason: string;
  };
  readonly Signal: {
    /** Name of the signal that a step waits for, now or later. */
    readonly name: string;
    /** Output of the step that waits. Default: {}. */
    readonly payload?: JsonObject;
    /** The signal is delivered once per key. */
    readonly key?: string;
  };
  readonly Judge: {
    /** Its name, or the id of its run. */
    readonly step: string;
    /** Kept with the answer. */
    readonly comment: string;
  };
  readonly Reset: {
    /** The step to undo and run again. */
    readonly to: string;
    /** Merged into the parameters; they count for steps that start later. */
    readonly parameters?: JsonObject;
    /** If `to` is an ended `foreach`, its child tasks to start again: those that failed, or one, which is undone first if it succeeded. The others stay, and only steps that need `to` are undone. Default: `all`, which undoes the step like any other. */
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
    /** The `completionToken` that the command got. Without it, an operator gives a `reason`. */
    readonly token?: string;
    /** Without a token: `reason` says why, in 1 to 1000 characters; it is kept in the journal. */
    readonly reason?: string;
    /** Output of the step. Default: none. */
    readonly output?: JsonObject;
    /** Instead of an output: the attempt failed. */
    readonly error?: {
      /** Such as `QUOTA`. */
      readonly code: string;
      readonly message: string;
      /** Another attempt may help. Default: false. */
      readonly retryable?: boolean;
    };
  };
  readonly Caller: {
    /** Name of the caller, as journals show it. */
    readonly name: string;
    readonly role: HttpApi['Role'];
    /** Roles whose rights the caller has. */
    readonly may: readonly HttpApi['Role'][];
    /** The caller has no limits to flows, labels or modules. */
    readonly seesEverything: boolean;
    /** Null: all. */
    readonly flows: readonly string[] | null;
    readonly labels: Readonly<Record<string, string>> | null;
    /** Null: all. */
    readonly modules: readonly string[] | null;
    /** The gateway asks for no credential. */
    readonly everybody: boolean;
  };
  readonly Role: 'viewer' | 'starter' | 'operator' | 'author' | 'worker' | 'admin';
  readonly CreateKey: {
    /** The actor in journals. */
    readonly name: string;
    /** Its role, which says what it may do. */
    readonly role: 'viewer' | 'starter' | 'operator' | 'author' | 'worker' | 'admin';
    /** Names of flows in which * stands for any text. Default: all. */
    readonly flows?: readonly string[] | string;
    /** Labels that a task must have; * stands for any text in values. Default: none. */
    readonly labels?: Readonly<Record<string, string>>;
    /** Names of modules in which * stands for any text. Default: all. */
    readonly modules?: readonly string[] | string;
    /** `90d`, `12h`. Default: never. */
    readonly expires?: string;
  };
  readonly SignedIn: {
    /** Name of the caller, as journals show it. */
    readonly name: string;
    readonly role: HttpApi['Role'];
    /** Roles whose rights the caller has. */
    readonly may: readonly HttpApi['Role'][];
    /** The caller has no limits to flows, labels or modules. */
    readonly seesEverything: boolean;
    /** Null: all. */
    readonly flows: readonly string[] | null;
    readonly labels: Readonly<Record<string, string>> | null;
    /** Null: all. */
    readonly modules: readonly string[] | null;
    /** The gateway asks for no credential. */
    readonly everybody: boolean;
    /** For `X-Backstep-Console` of further requests with the cookie; null: any text will do. */
    readonly proof: string | null;
  };
  readonly Key: {
    readonly id: string;
    readonly name: string;
    readonly role: HttpApi['Role'];
    /** Null: all. */
    readonly flows: readonly string[] | null;
    readonly labels: Readonly<Record<string, string>> | null;
    /** Null: all. */
    readonly modules: readonly string[] | null;
    readonly createdAt: string;
    /** The actor who made it; null: it was written into the store. */
    readonly madeBy: string | null;
    readonly expiresAt: string | null;
    readonly usedAt: string | null;
  };
  readonly MadeKey: {
    readonly id: string;
    readonly name: string;
    readonly role: HttpApi['Role'];
    /** Null: all. */
    readonly flows: readonly string[] | null;
    readonly labels: Readonly<Record<string, string>> | null;
    /** Null: all. */
    readonly modules: readonly string[] | null;
    readonly createdAt: string;
    /** The actor who made it; null: it was written into the store. */
    readonly madeBy: string | null;
    readonly expiresAt: string | null;
    readonly usedAt: string | null;
    /** Shown only once. */
    readonly key: string;
  };
  readonly Keys: {
    readonly items: readonly HttpApi['Key'][];
    readonly page: {
      /** The `cursor` of the next page; null: there is none. */
      readonly nextCursor: string | null;
    };
  };
  readonly AuditEntry: {
    /** Number from 1 up, without gaps. Retention removes the first ones. */
    readonly seq: number;
    readonly at: string;
    readonly actor: string;
    readonly keyId: string | null;
    /** Method and path, as in this document. */
    readonly operation: string;
    /** The requested address. */
    readonly target: string;
    /** Status of the answer. 400 and up: the request was refused. */
    readonly status: number;
    readonly reason: string | null;
    readonly requestId: string;
    /** Hash of the previous entry, or of entry `prevSeq`. */
    readonly prev: string;
    /** SHA-256 of everything else, with `at` in milliseconds. */
    readonly hash: string;
    /** In an entry about the removal of old entries: the last one removed. */
    readonly anchor?: {
      readonly seq: number;
      readonly hash: string;
      /** Entries up to this one had been removed before, without a signature. */
      readonly unsigned?: number;
      /** How long entries are kept, in milliseconds. */
      readonly kept?: number;
      /** Ed25519 over `backstep audit anchor <seq> <hash> <unsigned> <at> <kept>`, in base64. */
      readonly signature?: string;
    };
    /** Number of the entry whose hash is `prev`, if it is not the previous one; 0: none. The hashes of the entries between could not be read when this one was written. */
    readonly prevSeq?: number;
  };
  readonly UnreadableEntry: {
    /** Number from 1 up, without gaps. Retention removes the first ones. */
    readonly seq: number;
    /** Why the stored entry cannot be read. */
    readonly unreadable: string;
    /** Its hash, if that can be read. */
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
    /** Null: the gateway has no signing key, or the log has no entry. */
    readonly head: HttpApi['AuditHead'] | null;
  };
  readonly AuditPage: {
    readonly items: readonly (HttpApi['AuditEntry'] | HttpApi['UnreadableEntry'])[];
    readonly page: {
      /** Null: there are no more. A request looks at 20,000 entries, so a page of a search may have few entries or none and still have a next one. */
      readonly nextCursor: string | null;
    };
  };
  readonly PutBack: {
    /** Lines of an archive as they stand there. */
    readonly lines: readonly string[];
  };
  readonly PutBackReports: {
    readonly results: readonly {
      /** Index of the line in the request. */
      readonly index: number;
      /** present: a task with this id exists, and is unchanged. */
      readonly result: 'imported' | 'present' | 'refused';
      /** Null: the line is no task. */
      readonly taskId: string | null;
      /** Why it was refused. */
      readonly message: string | null;
    }[];
  };
  readonly ArchivePage: {
    readonly items: readonly string[];
    readonly page: {
      /** The `cursor` of the next page; null: there is none. */
      readonly nextCursor: string | null;
    };
  };
  readonly RollbackPlan: {
    readonly items: readonly {
      /** The task, or a task below it. */
      readonly taskId: string;
      readonly step: string;
      /** Id of the run. */
      readonly id: string;
      readonly module: string;
      readonly command: string;
      readonly parameters: JsonObject;
      /** Why expressions in the parameters are shown unevaluated. */
      readonly unresolved: string | null;
      /** An executor that was seen lately has the command. */
      readonly served: boolean;
    }[];
    /** The point of no return: the rollback does not pass this step. */
    readonly pivot: string | null;
    /** Steps that may have had an effect and have no rollback. */
    readonly leftOver: readonly {
      /** The task, or a task below it. */
      readonly taskId: string;
      readonly step: string;
      /** Id of the run. */
      readonly id: string;
    }[];
    /** Why a rollback would not undo everything. */
    readonly obstacle: string | null;
    /** With an obstacle: the step to roll back to, where the items end; null: there is none. */
    readonly to: string | null;
    /** There are more than 1,000 items or 200 child tasks, or hidden ones. */
    readonly isCut: boolean;
    /** Null: there is nothing to undo, or too much to estimate. */
    readonly estimate: HttpApi['Estimate'] | null;
  };
  readonly Preview: {
    readonly action:
      | 'rollback'
      | 'terminate'
      | 'retry'
      | 'skip'
      | 'complete'
      | 'pause'
      | 'resume'
      | 'reset'
      | 'undo'
      | 'approve'
      | 'reject';
    /** Of the task; for `If-Match` of the action. */
    readonly revision: number;
    readonly status: {
      readonly before: HttpApi['TaskStatus'];
      readonly after: HttpApi['TaskStatus'];
    };
    /** Running steps that are cancelled. */
    readonly calledOff: readonly {
      /** The task, or a task below it. */
      readonly taskId: string;
      readonly step: string;
      /** Id of the run. */
      readonly id: string;
    }[];
    /** Steps and undos that start at once. Steps that hold others have no command. */
    readonly starts: readonly {
      /** The task, or a task below it. */
      readonly taskId: string;
      readonly step: string;
      /** Id of the run. */
      readonly id: string;
      readonly direction: 'normal' | 'rollback';
      readonly module: string | null;
      readonly command: string | null;
    }[];
    /** Undos that follow, in order, if each succeeds; of a paused task, once it is resumed. */
    readonly undoes: readonly {
      /** The task, or a task below it. */
      readonly taskId: string;
      readonly step: string;
      /** Id of the run. */
      readonly id: string;
      readonly module: string;
      readonly command: string;
      readonly parameters: JsonObject;
      /** Why expressions in the parameters are shown unevaluated. */
      readonly unresolved: string | null;
      /** An executor that was seen lately has the command. */
      readonly served: boolean;
    }[];
    /** Steps that may have had an effect and are not undone. */
    readonly leftOver: readonly {
      /** The task, or a task below it. */
      readonly taskId: string;
      readonly step: string;
      /** Id of the run. */
      readonly id: string;
    }[];
    /** Why not everything is undone. */
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
    /** Seconds within which 95 of 100 past tasks were done; null: not known. */
    readonly p95: number | null;
    /** Number of past tasks that it is based on. */
    readonly tasks: number;
    /** Flow version of those tasks; null: several. */
    readonly flowVersion: number | null;
    /** Steps without a past run to estimate from. */
    readonly unknown: readonly string[];
    /** Waits that the figures do not include. */
    readonly uncounted: readonly {
      /** Null: the task itself. */
      readonly step: string | null;
      readonly why: 'approval' | 'signal' | 'time' | 'late' | 'paused' | 'hold' | 'children';
    }[];
    /** The time at which the task times out, and the risk of missing it. */
    readonly deadline: {
      readonly at: string;
      readonly risk: 'likely' | 'possible' | 'none' | 'unknown';
      /** The latest time to start a rollback that ends by `at` in 95 of 100 cases. */
      readonly abortBy: string | null;
    } | null;
  };
  readonly Provenance: Readonly<
    Record<
      string,
      readonly {
        /** The last value is the current one. */
        readonly value: Json;
        readonly writer: HttpApi['Writer'];
        /** Seconds since 1970. */
        readonly at: number | null;
      }[]
    >
  >;
  readonly Writer: HttpApi['WriterPlain'] | HttpApi['WriterStep'] | HttpApi['WriterPerson'];
  readonly WriterPlain: {
    readonly kind: 'constant' | 'request';
  };
  readonly WriterStep: {
    readonly kind: 'step';
    readonly step: string;
    readonly id: string;
  };
  readonly WriterPerson: {
    readonly kind: 'person';
    readonly actor: string;
  };
  readonly TaskCounts: {
    readonly by: string;
    readonly total: number;
    /** Number of tasks by value; an empty text stands for tasks without the label. */
    readonly counts: Readonly<Record<string, number>>;
    /** With `every`: tasks by the interval in which they were created, with their present values. The oldest interval comes first; empty ones are left out. */
    readonly intervals?: readonly {
      /** Start of the interval, in seconds since 1970. */
      readonly at: number;
      readonly total: number;
      /** Number of tasks by value; an empty text stands for tasks without the label. */
      readonly counts: Readonly<Record<string, number>>;
    }[];
    /** True: all matching tasks were counted. False: only matches among the newest 20,000 tasks, or of the newest 1,000 intervals. */
    readonly isComplete: boolean;
  };
  readonly Explanation: {
    /** The task makes progress, or will without help. */
    readonly moving: boolean;
    /** Nothing more happens unless a person acts, or sends a signal: on the task, or on each child task that it waits for. */
    readonly standsStill: boolean;
    readonly causes: readonly {
      /** For programs. */
      readonly code: string;
      /** For people. */
      readonly message: string;
      readonly since: string | null;
      /** The facts behind it. */
      readonly evidence: JsonObject;
      readonly next: readonly {
        readonly action: string;
        readonly label: string;
        /** Of a rollback: the step to roll back to. */
        readonly to?: string;
        /** The run of the step that it is about. */
        readonly step?: string;
        /** The child task, or the holder of a lock. Default: the task. */
        readonly taskId?: string;
      }[];
    }[];
    /** There are more than the 50 that are shown. */
    readonly isCut: boolean;
    /** Null: the task has ended, or has too much to undo to estimate. */
    readonly estimate: HttpApi['Estimate'] | null;
  };
  readonly PutLimits: {
    /** Most actions that run at a time. Default: any number. */
    readonly maxConcurrency?: number;
    /** Most actions that start in a second, evenly. Default: any number. */
    readonly ratePerSecond?: number;
    /** The label whose values take turns among what waits. Default: order time decides. */
    readonly fairBy?: string;
  };
  readonly ModuleLimits: {
    readonly module: string;
    /** Null: any number. */
    readonly maxConcurrency: number | null;
    /** Null: any number. */
    readonly ratePerSecond: number | null;
    /** Null: order time decides. */
    readonly fairBy: string | null;
    /** Actions that count against `maxConcurrency`; null: there is none. */
    readonly running: number | null;
    /** Actions that wait for the limits. At most 100 in each direction are counted. */
    readonly waiting: number;
    /** 1, and one more with every change. */
    readonly generation: number;
    readonly updatedAt: string;
    readonly updatedBy: string;
  };
  readonly ModuleLimitsPage: {
    readonly items: readonly HttpApi['ModuleLimits'][];
    readonly page: {
      /** The `cursor` of the next page; null: there is none. */
      readonly nextCursor: string | null;
    };
  };
  readonly Locks: {
    readonly items: readonly {
      readonly name: string;
      /** Number of holders at a time. */
      readonly slots: number;
      readonly holders: readonly {
        readonly taskId: string;
        readonly since: string;
        /** Null: the task cannot be read. */
        readonly flow: string | null;
        /** Null: the task cannot be read. */
        readonly status: string | null;
        /** Id of the run that asked; null: the task did, or it is behind the first 20. */
        readonly step: string | null;
      }[];
      /** The first one is next. */
      readonly waiting: readonly {
        readonly taskId: string;
        readonly since: string;
        /** Null: the task cannot be read. */
        readonly flow: string | null;
        /** Null: the task cannot be read. */
        readonly status: string | null;
        /** Id of the run that asked; null: the task did, or it is behind the first 20. */
        readonly step: string | null;
      }[];
    }[];
    readonly page: {
      /** The `cursor` of the next page; null: there is none. */
      readonly nextCursor: string | null;
    };
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
      /** Since when it is not ready, as this process has seen it. */
      readonly since?: string;
    }[];
    /** `off`, `token`, or `keys`, `oidc`, `mtls` and `proxy` with commas, in this order. */
    readonly auth: string;
    /** Path that sends a browser to the identity provider; null: there is none. */
    readonly signIn: string | null;
    readonly notes: readonly string[];
  };
  readonly Attempts: {
    readonly items: readonly {
      readonly taskId: string;
      readonly step: string;
      /** Id of the run. */
      readonly id: string;
      readonly flow: string;
      readonly direction: 'normal' | 'rollback';
      readonly module: string;
      readonly command: string;
      /** Its number, from 1 on. */
      readonly attempt: number;
      /** The instance that runs it. */
      readonly executor: string;
      /** The build of the code that runs it; null: not known. */
      readonly build: string | null;
      /** When it began. */
      readonly since: string;
      /** Seconds since then. */
      readonly age: number;
      /** End of the time for all attempts together; null: there is none. */
      readonly deadline: string | null;
      readonly progress?: HttpApi['Progress'];
    }[];
    /** More than 10,000 tasks run; others are left out. */
    readonly isCut: boolean;
    readonly page: {
      /** The `cursor` of the next page; null: there is none. */
      readonly nextCursor: string | null;
    };
  };
  readonly Executors: {
    readonly items: readonly {
      readonly module: string;
      readonly instance: string;
      readonly host: string;
      /** Version of Backstep. */
      readonly version: string;
      /** The build of the code that it runs (`BACKSTEP_BUILD`); null: not known. */
      readonly build: string | null;
      readonly commands: readonly {
        readonly name: string;
        /** JSON Schema of its parameters; null: none is declared. */
        readonly parameters: JsonObject | null;
        /** JSON Schema that its output fits; null: none is declared. */
        readonly output: JsonObject | null;
      }[];
      readonly since: string;
      readonly lastSeen: string;
      /** Since when its process has been silent; null: it is not. */
      readonly silentSince: string | null;
      /** Commands that it was running when last seen. */
      readonly busy: number;
      /** Commands that it may run at a time. */
      readonly slots: number;
      /** Of a worker that asks for work over HTTP. Null: it is at the broker. */
      readonly worker: null | {
        /** Name and version of its library; null: it did not say. */
        readonly sdk: string | null;
        /** Its polls get no actions any more. */
        readonly draining: boolean;
      };
    }[];
    /** Modules that no executor serves now, and the flows whose tasks wait for them. */
    readonly unserved: readonly {
      readonly module: string;
      readonly flows: readonly string[];
    }[];
    /** Commands that no executor of their module has now, and the flows that use them. */
    readonly unservedCommands: readonly {
      readonly module: string;
      readonly command: string;
      readonly flows: readonly string[];
    }[];
    /** This gateway has the switches of module `lab` that make steps fail. */
    readonly faultSwitches: boolean;
    readonly page: {
      /** The `cursor` of the next page; null: there is none. */
      readonly nextCursor: string | null;
    };
  };
  readonly StartOperationRollback: {
    readonly action: 'rollback';
    /** Which tasks, as `GET /v1/tasks?q=` takes it: `flow:create-* status:failed`. */
    readonly q: string;
    /** Tasks a second. Default: 100; no limit in a dry run. */
    readonly ratePerSecond?: number;
    /** Report what would happen to each task, and change none. */
    readonly dryRun?: boolean;
    /** `reason` says why, in 1 to 1000 characters; it is kept in the journal. */
    readonly reason: string;
    /** The step to go back to; the task then waits on hold. Default: undo everything. */
    readonly to?: string;
  };
  readonly StartOperationTerminate: {
    readonly action: 'terminate';
    /** Which tasks, as `GET /v1/tasks?q=` takes it: `flow:create-* status:failed`. */
    readonly q: string;
    /** Tasks a second. Default: 100; no limit in a dry run. */
    readonly ratePerSecond?: number;
    /** Report what would happen to each task, and change none. */
    readonly dryRun?: boolean;
    /** `reason` says why, in 1 to 1000 characters; it is kept in the journal. */
    readonly reason: string;
  };
  readonly StartOperationRetry: {
    readonly action: 'retry';
    /** Which tasks, as `GET /v1/tasks?q=` takes it: `flow:create-* status:failed`. */
    readonly q: string;
    /** Tasks a second. Default: 100; no limit in a dry run. */
    readonly ratePerSecond?: number;
    /** Report what would happen to each task, and change none. */
    readonly dryRun?: boolean;
    /** `reason` says why, in 1 to 1000 characters; it is kept in the journal. */
    readonly reason: string;
    /** Merged into the parameters; they count for retried steps and for those that start later. */
    readonly parameters?: JsonObject;
    /** Child tasks of a failed `foreach` to start again: `failed` keeps the others; `all` undoes those that succeeded first; `{"id": ...}` names one that failed. Default: `failed` if one has succeeded, else `all`. */
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
    /** Tasks a second. Default: 100; no limit in a dry run. */
    readonly ratePerSecond?: number;
    /** Report what would happen to each task, and change none. */
    readonly dryRun?: boolean;
    /** `reason` says why, in 1 to 1000 characters; it is kept in the journal. */
    readonly reason: string;
    /** Its name, or the id of its run. */
    readonly step: string;
    /** Output of a step that counts as done. Default: none. */
    readonly output?: JsonObject;
  };
  readonly StartOperationComplete: {
    readonly action: 'complete';
    /** Which tasks, as `GET /v1/tasks?q=` takes it: `flow:create-* status:failed`. */
    readonly q: string;
    /** Tasks a second. Default: 100; no limit in a dry run. */
    readonly ratePerSecond?: number;
    /** Report what would happen to each task, and change none. */
    readonly dryRun?: boolean;
    /** `reason` says why, in 1 to 1000 characters; it is kept in the journal. */
    readonly reason: string;
    /** Its name, or the id of its run. */
    readonly step: string;
    /** Output of the step. Default: none. */
    readonly output?: JsonObject;
    /** Instead of an output: the attempt failed. */
    readonly error?: {
      /** Such as `QUOTA`. */
      readonly code: string;
      readonly message: string;
      /** Another attempt may help. Default: false. */
      readonly retryable?: boolean;
    };
  };
  readonly StartOperationPause: {
    readonly action: 'pause';
    /** Which tasks, as `GET /v1/tasks?q=` takes it: `flow:create-* status:failed`. */
    readonly q: string;
    /** Tasks a second. Default: 100; no limit in a dry run. */
    readonly ratePerSecond?: number;
    /** Report what would happen to each task, and change none. */
    readonly dryRun?: boolean;
    /** `reason` says why, in 1 to 1000 characters; it is kept in the journal. */
    readonly reason: string;
  };
  readonly StartOperationResume: {
    readonly action: 'resume';
    /** Which tasks, as `GET /v1/tasks?q=` takes it: `flow:create-* status:failed`. */
    readonly q: string;
    /** Tasks a second. Default: 100; no limit in a dry run. */
    readonly ratePerSecond?: number;
    /** Report what would happen to each task, and change none. */
    readonly dryRun?: boolean;
    /** `reason` says why, in 1 to 1000 characters; it is kept in the journal. */
    readonly reason: string;
  };
  readonly StartOperationReset: {
    readonly action: 'reset';
    /** Which tasks, as `GET /v1/tasks?q=` takes it: `flow:create-* status:failed`. */
    readonly q: string;
    /** Tasks a second. Default: 100; no limit in a dry run. */
    readonly ratePerSecond?: number;
    /** Report what would happen to each task, and change none. */
    readonly dryRun?: boolean;
    /** `reason` says why, in 1 to 1000 characters; it is kept in the journal. */
    readonly reason: string;
    /** The step to undo and run again. */
    readonly to: string;
    /** Merged into the parameters; they count for steps that start later. */
    readonly parameters?: JsonObject;
    /** If `to` is an ended `foreach`, its child tasks to start again: those that failed, or one, which is undone first if it succeeded. The others stay, and only steps that need `to` are undone. Default: `all`, which undoes the step like any other. */
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
    /** Tasks a second. Default: 100; no limit in a dry run. */
    readonly ratePerSecond?: number;
    /** Report what would happen to each task, and change none. */
    readonly dryRun?: boolean;
    /** `reason` says why, in 1 to 1000 characters; it is kept in the journal. */
    readonly reason: string;
  };
  readonly StartOperationRestart: {
    readonly action: 'restart';
    /** Which tasks, as `GET /v1/tasks?q=` takes it: `flow:create-* status:failed`. */
    readonly q: string;
    /** Tasks a second. Default: 100; no limit in a dry run. */
    readonly ratePerSecond?: number;
    /** Report what would happen to each task, and change none. */
    readonly dryRun?: boolean;
    /** `reason` says why, in 1 to 1000 characters; it is kept in the journal. */
    readonly reason: string;
    /** Merged into the parameters that the task was created with. */
    readonly parameters?: JsonObject;
  };
  readonly StartOperationDelete: {
    readonly action: 'delete';
    /** Which tasks, as `GET /v1/tasks?q=` takes it: `flow:create-* status:failed`. */
    readonly q: string;
    /** Tasks a second. Default: 100; no limit in a dry run. */
    readonly ratePerSecond?: number;
    /** Report what would happen to each task, and change none. */
    readonly dryRun?: boolean;
    /** `reason` says why, in 1 to 1000 characters; it is kept in the journal. */
    readonly reason: string;
  };
  readonly StartOperation:
    | HttpApi['StartOperationRollback']
    | HttpApi['StartOperationTerminate']
    | HttpApi['StartOperationRetry']
    | HttpApi['StartOperationSkip']
    | HttpApi['StartOperationComplete']
    | HttpApi['StartOperationPause']
    | HttpApi['StartOperationResume']
    | HttpApi['StartOperationReset']
    | HttpApi['StartOperationUndo']
    | HttpApi['StartOperationRestart']
    | HttpApi['StartOperationDelete'];
  readonly CancelOperation: {
    /** `reason` says why, in 1 to 1000 characters; it is kept with the operation. */
    readonly reason?: string;
  };
  readonly DecideOperation: {
    /** `comment` says why, in 1 to 1000 characters; it is kept with the operation. */
    readonly comment?: string;
  };
  readonly OperationConsent: {
    /** The rule that demands a second person, as written. */
    readonly rule: string;
    /** After this time it cannot be approved. */
    readonly expiresAt: string;
    /** Null: not decided yet. */
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
      | 'complete'
      | 'pause'
      | 'resume'
      | 'reset'
      | 'undo'
      | 'restart'
      | 'delete';
    /** Empty: the operation is about one task, `taskId`. */
    readonly q: string;
    readonly taskId: string | null;
    /** Flow of that task. */
    readonly flow: string | null;
    /** Revision of that task at the request. */
    readonly taskRevision: number | null;
    readonly reason: string;
    /** Null: no limit. */
    readonly ratePerSecond: number | null;
    readonly dryRun: boolean;
    /** The person who started it. */
    readonly actor: string;
    readonly status:
      | 'waiting'
      | 'running'
      | 'cancelling'
      | 'finished'
      | 'cancelled'
      | 'rejected'
      | 'expired';
    /** Tasks that matched at the start; after the end, tasks that it looked at. */
    readonly matched: number;
    /** False: more tasks match than `matched`, which grows as they are found. */
    readonly isCounted: boolean;
    /** Tasks acted on. Of a dry run: 0. */
    readonly done: number;
    /** Tasks whose state does not allow the action. */
    readonly refused: number;
    /** Tasks that are gone or cannot be read. */
    readonly failed: number;
    /** Of a dry run: tasks that would be acted on. */
    readonly wouldDo: number | null;
    /** Number of tasks by error code. */
    readonly counts: Readonly<Record<string, number>>;
    /** Null: one person is enough. */
    readonly consent: HttpApi['OperationConsent'] | null;
    readonly createdAt: string;
    readonly endedAt: string | null;
    /** The person who cancelled it. */
    readonly cancel: {
      readonly actor: string;
      readonly reason: string | null;
      readonly at: string;
    } | null;
    /** Arguments of the action besides the reason. */
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
        | 'complete'
        | 'pause'
        | 'resume'
        | 'reset'
        | 'undo'
        | 'restart'
        | 'delete';
      /** Empty: the operation is about one task, `taskId`. */
      readonly q: string;
      readonly taskId: string | null;
      /** Flow of that task. */
      readonly flow: string | null;
      /** Revision of that task at the request. */
      readonly taskRevision: number | null;
      readonly reason: string;
      /** Null: no limit. */
      readonly ratePerSecond: number | null;
      readonly dryRun: boolean;
      /** The person who started it. */
      readonly actor: string;
      readonly status:
        | 'waiting'
        | 'running'
        | 'cancelling'
        | 'finished'
        | 'cancelled'
        | 'rejected'
        | 'expired';
      /** Tasks that matched at the start; after the end, tasks that it looked at. */
      readonly matched: number;
      /** False: more tasks match than `matched`, which grows as they are found. */
      readonly isCounted: boolean;
      /** Tasks acted on. Of a dry run: 0. */
      readonly done: number;
      /** Tasks whose state does not allow the action. */
      readonly refused: number;
      /** Tasks that are gone or cannot be read. */
      readonly failed: number;
      /** Of a dry run: tasks that would be acted on. */
      readonly wouldDo: number | null;
      /** Number of tasks by error code. */
      readonly counts: Readonly<Record<string, number>>;
      /** Null: one person is enough. */
      readonly consent: HttpApi['OperationConsent'] | null;
      readonly createdAt: string;
      readonly endedAt: string | null;
      /** The person who cancelled it. */
      readonly cancel: {
        readonly actor: string;
        readonly reason: string | null;
        readonly at: string;
      } | null;
    }[];
    readonly page: {
      /** The `cursor` of the next page; null: there is none. */
      readonly nextCursor: string | null;
    };
  };
  readonly WorkTerms: {
    /** Numbers of the protocols that are served. */
    readonly protocols: readonly number[];
    readonly limits: {
      readonly claimsPerPoll: number;
      readonly waitMs: number;
      readonly leaseMs: {
        readonly min: number;
        readonly default: number;
        readonly max: number;
      };
      /** Of the lines that are kept of an attempt. */
      readonly logBytes: number;
    };
  };
  readonly PutWorker: {
    /** Commands by their names, by module. */
    readonly modules?: Readonly<
      Record<
        string,
        Readonly<
          Record<
            string,
            {
              /** JSON Schema of its parameters. */
              readonly parameters?: JsonObject;
              /** JSON Schema that its output must fit. */
              readonly output?: JsonObject;
              readonly secrets?: readonly string[];
            }
          >
        >
      >
    >;
    /** Actions that the worker runs at once. */
    readonly slots?: number;
    /** The build of its code, kept with its attempts. */
    readonly build?: string;
    /** The machine that it runs on. */
    readonly host?: string;
    /** Name and version of its library. */
    readonly sdk?: string;
    /** Instead of all others, and for operators: whether its polls get no items any more. */
    readonly state?: 'active' | 'draining';
  };
  readonly WorkerTerms: {
    /** How often to renew claims, in milliseconds. */
    readonly heartbeatMs: number;
  };
  readonly PollWork: {
    /** The name of this start of the worker, such as `host/pid/random`. */
    readonly worker: string;
    /** The modules whose actions are wanted. */
    readonly modules?: readonly string[];
    /** Instead of `modules`: the only one. */
    readonly module?: string;
    /** The commands that are wanted. Default: all of these modules. */
    readonly commands?: readonly string[];
    /** Most items; never more than the free slots of the worker. Default: 1. */
    readonly max?: number;
    /** How long the answer may wait for a first item: up to 30s. Default: 20s. */
    readonly wait?: string | number;
    /** The lease of a claim, renewed by heartbeats: 10s to 10m. Default: 30s. */
    readonly lease?: string | number;
    /** Makes the poll repeatable: again within 60 seconds it gives the same items. */
    readonly pollId?: string;
    /** Only actions of these directions. Default: both. */
    readonly directions?: readonly ('normal' | 'rollback')[];
    /** The build of the code of the worker, kept with its attempts. */
    readonly build?: string;
  };
  readonly WorkItem: {
    /** For the addresses of its outcomes. */
    readonly claim: string;
    readonly taskId: string;
    readonly flow: string;
    readonly step: string;
    /** Id of the run of the step, unique in the task. */
    readonly run: string;
    readonly direction: 'normal' | 'rollback';
    readonly module: string;
    readonly command: string;
    /** With secrets in clear. */
    readonly parameters: JsonObject;
    readonly labels: Readonly<Record<string, string>>;
    /** Outputs of the steps that this one needs, by their names. */
    readonly results: Readonly<Record<string, JsonObject>>;
    readonly attempt: number;
    /** The same for every attempt: give it to what must not happen twice. */
    readonly idempotencyKey: string;
    /** Of an undo: the key that the action used. */
    readonly forwardKey: string;
    /** Of an undo: the action that it undoes. */
    readonly forward?: {
      /** What is known of it. */
      readonly state: string;
      readonly output: JsonObject | null;
    };
    /** Grows with every claim of the task. */
    readonly fencingToken: number;
    /** For a completion from outside: a secret. */
    readonly completionToken: string;
    /** How long the request had waited for the item, in milliseconds. Count the times of the item from that long after the sending of the request. */
    readonly waitedMs: number;
    /** Until its first heartbeat, in milliseconds. */
    readonly leaseMs: number;
    /** For all attempts together, in milliseconds. */
    readonly timeLeftMs: number;
    /** For this attempt, in milliseconds. */
    readonly attemptTimeLeftMs: number;
    /** Do nothing before a heartbeat has answered `held`. */
    readonly confirm: boolean;
    /** W3C trace context. */
    readonly traceparent: string | null;
  };
  readonly WorkItems: {
    readonly items: readonly HttpApi['WorkItem'][];
    /** An operator has the worker drain: it gets nothing more. */
    readonly drain?: boolean;
    /** When to poll again, in milliseconds. Absent: at once. */
    readonly retryAfterMs?: number;
  };
  readonly RenewWork: {
    /** The name of the worker. */
    readonly worker: string;
    readonly claims: readonly {
      /** The `claim` of the item. */
      readonly claim: string;
      /** Lines that the attempt wrote, the oldest first. The oldest beyond 64 KiB go. */
      readonly log?:
        | string
        | readonly (
            | string
            | {
                readonly message: string;
                readonly level?: 'debug' | 'info' | 'warn' | 'error';
                /** How long before the request it was. */
                readonly agoMs?: number;
              }
          )[];
      /** Lines that the worker left out itself since it sent some last. */
      readonly logDropped?: number;
      /** How far the attempt is, in the place of what it said before. */
      readonly progress?: {
        readonly percent?: number;
        readonly message?: string;
        /** A state that the command names, such as `copying`. */
        readonly state?: string;
      };
    }[];
  };
  readonly WorkRenewed: {
    readonly claims: readonly {
      readonly claim: string;
      /** `held`: go on. `cancelled`: stop within `stopWithinMs`, and report or release. `lost`: stop, it is not yours any more. `ended`: its outcome is known. */
      readonly state: string;
      /** Why it is cancelled or lost. */
      readonly reason?: string;
      /** The lease from the sending of the request on, in milliseconds. */
      readonly leaseMs?: number;
      /** When the undo begins at the latest, in milliseconds. */
      readonly stopWithinMs?: number;
      /** Lines of the attempt are missing by now. */
      readonly logTruncated?: boolean;
    }[];
    /** How often to renew claims, in milliseconds. */
    readonly heartbeatMs: number;
  };
  readonly RenewClaim: {
    /** Lines that the attempt wrote, the oldest first. The oldest beyond 64 KiB go. */
    readonly log?:
      | string
      | readonly (
          | string
          | {
              readonly message: string;
              readonly level?: 'debug' | 'info' | 'warn' | 'error';
              /** How long before the request it was. */
              readonly agoMs?: number;
            }
        )[];
    /** Lines that the worker left out itself since it sent some last. */
    readonly logDropped?: number;
    /** How far the attempt is, in the place of what it said before. */
    readonly progress?: {
      readonly percent?: number;
      readonly message?: string;
      /** A state that the command names, such as `copying`. */
      readonly state?: string;
    };
  };
  readonly ClaimRenewed: {
    /** `held`: go on. `cancelled`: stop within `stopWithinMs`, and report or release. `lost`: stop, it is not yours any more. `ended`: its outcome is known. */
    readonly state: string;
    /** Why it is cancelled or lost. */
    readonly reason?: string;
    /** The lease from the sending of the request on, in milliseconds. */
    readonly leaseMs?: number;
    /** When the undo begins at the latest, in milliseconds. */
    readonly stopWithinMs?: number;
    /** Lines of the attempt are missing by now. */
    readonly logTruncated?: boolean;
    /** How often to renew claims, in milliseconds. */
    readonly heartbeatMs: number;
  };
  readonly WorkDone: {
    /** Output of the step, an object. Default: none. */
    readonly output: JsonObject | null;
    /** What the action has made outside: kept with its attempt. */
    readonly creates?: readonly {
      readonly type: string;
      readonly id: string;
    }[];
    /** What it has removed outside: kept with its attempt. */
    readonly released?: readonly {
      readonly type: string;
      readonly id: string;
    }[];
    /** Lines that the attempt wrote, the oldest first. The oldest beyond 64 KiB go. */
    readonly log?:
      | string
      | readonly (
          | string
          | {
              readonly message: string;
              readonly level?: 'debug' | 'info' | 'warn' | 'error';
              /** How long before the request it was. */
              readonly agoMs?: number;
            }
        )[];
    /** Lines that the worker left out itself since it sent some last. */
    readonly logDropped?: number;
    /** How far the attempt is, in the place of what it said before. */
    readonly progress?: {
      readonly percent?: number;
      readonly message?: string;
      /** A state that the command names, such as `copying`. */
      readonly state?: string;
    };
    /** Asks for further items, by the newest poll of the worker and without a wait. */
    readonly poll?: {
      /** Most items; never more than the free slots of the worker. */
      readonly max: number;
    };
  };
  readonly WorkFailed: {
    /** The code of the error, as `catch` and `retry` of flows name it, such as `QUOTA`. */
    readonly code?: string;
    /** One sentence for people, of up to 8192 bytes. */
    readonly message: string;
    /** Whether another attempt may help. */
    readonly retryable: boolean;
    /** The wait before the next attempt. Default: that of the flow. */
    readonly after?: string | number;
    /** Lines that the attempt wrote, the oldest first. The oldest beyond 64 KiB go. */
    readonly log?:
      | string
      | readonly (
          | string
          | {
              readonly message: string;
              readonly level?: 'debug' | 'info' | 'warn' | 'error';
              /** How long before the request it was. */
              readonly agoMs?: number;
            }
        )[];
    /** Lines that the worker left out itself since it sent some last. */
    readonly logDropped?: number;
    /** How far the attempt is, in the place of what it said before. */
    readonly progress?: {
      readonly percent?: number;
      readonly message?: string;
      /** A state that the command names, such as `copying`. */
      readonly state?: string;
    };
    /** Asks for further items, by the newest poll of the worker and without a wait. */
    readonly poll?: {
      /** Most items; never more than the free slots of the worker. */
      readonly max: number;
    };
  };
  readonly WorkAgain: {
    /** When to look again. */
    readonly after: string | number;
    /** Lines that the attempt wrote, the oldest first. The oldest beyond 64 KiB go. */
    readonly log?:
      | string
      | readonly (
          | string
          | {
              readonly message: string;
              readonly level?: 'debug' | 'info' | 'warn' | 'error';
              /** How long before the request it was. */
              readonly agoMs?: number;
            }
        )[];
    /** Lines that the worker left out itself since it sent some last. */
    readonly logDropped?: number;
    /** How far the attempt is, in the place of what it said before. */
    readonly progress?: {
      readonly percent?: number;
      readonly message?: string;
      /** A state that the command names, such as `copying`. */
      readonly state?: string;
    };
    /** Asks for further items, by the newest poll of the worker and without a wait. */
    readonly poll?: {
      /** Most items; never more than the free slots of the worker. */
      readonly max: number;
    };
  };
  readonly WorkLater: {
    /** How long to wait for the completion. Default: while there is time for the action. */
    readonly timeout?: string | number;
    /** Lines that the attempt wrote, the oldest first. The oldest beyond 64 KiB go. */
    readonly log?:
      | string
      | readonly (
          | string
          | {
              readonly message: string;
              readonly level?: 'debug' | 'info' | 'warn' | 'error';
              /** How long before the request it was. */
              readonly agoMs?: number;
            }
        )[];
    /** Lines that the worker left out itself since it sent some last. */
    readonly logDropped?: number;
    /** How far the attempt is, in the place of what it said before. */
    readonly progress?: {
      readonly percent?: number;
      readonly message?: string;
      /** A state that the command names, such as `copying`. */
      readonly state?: string;
    };
    /** Asks for further items, by the newest poll of the worker and without a wait. */
    readonly poll?: {
      /** Most items; never more than the free slots of the worker. */
      readonly max: number;
    };
  };
  readonly WorkReleased: {
    /** Why it is handed back, in 1 to 1000 characters. */
    readonly reason?: string;
    /** Lines that the attempt wrote, the oldest first. The oldest beyond 64 KiB go. */
    readonly log?:
      | string
      | readonly (
          | string
          | {
              readonly message: string;
              readonly level?: 'debug' | 'info' | 'warn' | 'error';
              /** How long before the request it was. */
              readonly agoMs?: number;
            }
        )[];
    /** Lines that the worker left out itself since it sent some last. */
    readonly logDropped?: number;
    /** How far the attempt is, in the place of what it said before. */
    readonly progress?: {
      readonly percent?: number;
      readonly message?: string;
      /** A state that the command names, such as `copying`. */
      readonly state?: string;
    };
    /** Asks for further items, by the newest poll of the worker and without a wait. */
    readonly poll?: {
      /** Most items; never more than the free slots of the worker. */
      readonly max: number;
    };
  };
  readonly WorkTaken: {
    readonly taskStatus: HttpApi['TaskStatusNumber'];
    readonly status: HttpApi['TaskStatus'];
    /** Where `poll` asked for some. */
    readonly items?: readonly HttpApi['WorkItem'][];
    /** Lines of the attempt are missing by now. */
    readonly logTruncated?: boolean;
  };
  readonly TaskReceipt: {
    readonly taskId: string;
    readonly flow: string;
    readonly flowVersion: number;
    readonly taskStatus: HttpApi['TaskStatusNumber'];
    readonly status: HttpApi['TaskStatus'];
    /** Seconds since 1970. */
    readonly timeCreate: number;
  };
  readonly TaskSummary: {
    readonly taskId: string;
    readonly flow: string;
    readonly flowVersion: number;
    readonly taskStatus: HttpApi['TaskStatusNumber'];
    readonly status: HttpApi['TaskStatus'];
    /** Seconds since 1970. */
    readonly timeCreate: number;
    readonly taskMessage: string | null;
    /** Index of the furthest step that was reached. */
    readonly taskCursor: number;
    /** Seconds since 1970. */
    readonly timeStart: number | null;
    /** Seconds since 1970. */
    readonly timeEnd: number | null;
    readonly labels: Readonly<Record<string, string>>;
    readonly priority: number;
    /** Grows with every change. */
    readonly revision: number;
    /** When the task is checked next. */
    readonly wakeAt: number | null;
    /** Of a child task: its parent, the run of the step there (null: it is the failure flow), and its index. */
    readonly parent: HttpApi['Parent'] | null;
    /** The request that it was made for; null: a task around it made it. */
    readonly origin: HttpApi['Origin'] | null;
    /** The first ten steps that wait for an approval. */
    readonly approvals: readonly HttpApi['Approval'][];
    /** The event without which a task that is under way does not go on; null: it goes on, it has ended, or a person has to act. */
    readonly awaits: HttpApi['Awaited'] | null;
  };
  readonly Task: {
    readonly taskId: string;
    readonly flow: string;
    readonly flowVersion: number;
    readonly taskStatus: HttpApi['TaskStatusNumber'];
    readonly status: HttpApi['TaskStatus'];
    /** Seconds since 1970. */
    readonly timeCreate: number;
    readonly taskMessage: string | null;
    /** Index of the furthest step that was reached. */
    readonly taskCursor: number;
    /** Seconds since 1970. */
    readonly timeStart: number | null;
    /** Seconds since 1970. */
    readonly timeEnd: number | null;
    readonly labels: Readonly<Record<string, string>>;
    readonly priority: number;
    /** Grows with every change. */
    readonly revision: number;
    /** When the task is checked next. */
    readonly wakeAt: number | null;
    /** Of a child task: its parent, the run of the step there (null: it is the failure flow), and its index. */
    readonly parent: HttpApi['Parent'] | null;
    /** The request that it was made for; null: a task around it made it. */
    readonly origin: HttpApi['Origin'] | null;
    /** The first ten steps that wait for an approval. */
    readonly approvals: readonly HttpApi['Approval'][];
    /** The event without which a task that is under way does not go on; null: it goes on, it has ended, or a person has to act. */
    readonly awaits: HttpApi['Awaited'] | null;
    /** The pause, while the task is paused. */
    readonly paused: HttpApi['Pause'] | null;
    /** On hold: `by` a person, or `flow`; `until` when the task rolls back by itself. */
    readonly hold: HttpApi['Hold'] | null;
    /** Why the task goes or went back; null: it does not. `requested`, with `by`, if a person or the parent asked for it: so a task that failed differs from one that was undone later. */
    readonly turned: HttpApi['Turn'] | null;
    /** The step that failed last and has not succeeded since; `step` is null if the task as a whole timed out. */
    readonly lastError: HttpApi['LastError'] | null;
    /** The task that runs the failure flow, or why it could not be started. */
    readonly failureFlow: HttpApi['FailureFlow'] | null;
    /** Id of the task that this one restarts. */
    readonly restartOf: string | null;
    /** The only step that it runs; null: it runs all. */
    readonly only: string | null;
    /** The parameters that were sent. */
    readonly input: JsonObject;
    /** The parameters sent, results of steps so far, and changes by people. */
    readonly parameters: JsonObject;
    /** Output of the flow, after the task has succeeded; else null. */
    readonly output: Json;
    readonly steps: readonly HttpApi['Step'][];
  };
  /** With `wait` the whole task; without it the members that are always there. */
  readonly CreatedTask: {
    readonly taskId: string;
    readonly flow: string;
    readonly flowVersion: number;
    readonly taskStatus: HttpApi['TaskStatusNumber'];
    readonly status: HttpApi['TaskStatus'];
    /** Seconds since 1970. */
    readonly timeCreate: number;
    readonly taskMessage?: string | null;
    /** Index of the furthest step that was reached. */
    readonly taskCursor?: number;
    /** Seconds since 1970. */
    readonly timeStart?: number | null;
    /** Seconds since 1970. */
    readonly timeEnd?: number | null;
    readonly labels?: Readonly<Record<string, string>>;
    readonly priority?: number;
    /** Grows with every change. */
    readonly revision?: number;
    /** When the task is checked next. */
    readonly wakeAt?: number | null;
    /** Of a child task: its parent, the run of the step there (null: it is the failure flow), and its index. */
    readonly parent?: HttpApi['Parent'] | null;
    /** The request that it was made for; null: a task around it made it. */
    readonly origin?: HttpApi['Origin'] | null;
    /** The first ten steps that wait for an approval. */
    readonly approvals?: readonly HttpApi['Approval'][];
    /** The event without which a task that is under way does not go on; null: it goes on, it has ended, or a person has to act. */
    readonly awaits?: HttpApi['Awaited'] | null;
    /** The pause, while the task is paused. */
    readonly paused?: HttpApi['Pause'] | null;
    /** On hold: `by` a person, or `flow`; `until` when the task rolls back by itself. */
    readonly hold?: HttpApi['Hold'] | null;
    /** Why the task goes or went back; null: it does not. `requested`, with `by`, if a person or the parent asked for it: so a task that failed differs from one that was undone later. */
    readonly turned?: HttpApi['Turn'] | null;
    /** The step that failed last and has not succeeded since; `step` is null if the task as a whole timed out. */
    readonly lastError?: HttpApi['LastError'] | null;
    /** The task that runs the failure flow, or why it could not be started. */
    readonly failureFlow?: HttpApi['FailureFlow'] | null;
    /** Id of the task that this one restarts. */
    readonly restartOf?: string | null;
    /** The only step that it runs; null: it runs all. */
    readonly only?: string | null;
    /** The parameters that were sent. */
    readonly input?: JsonObject;
    /** The parameters sent, results of steps so far, and changes by people. */
    readonly parameters?: JsonObject;
    /** Output of the flow, after the task has succeeded; else null. */
    readonly output?: Json;
    readonly steps?: readonly HttpApi['Step'][];
  };
  /** With `full=true` the whole task; without it the members that are always there. */
  readonly ListedTask: {
    readonly taskId: string;
    readonly flow: string;
    readonly flowVersion: number;
    readonly taskStatus: HttpApi['TaskStatusNumber'];
    readonly status: HttpApi['TaskStatus'];
    /** Seconds since 1970. */
    readonly timeCreate: number;
    readonly taskMessage: string | null;
    /** Index of the furthest step that was reached. */
    readonly taskCursor: number;
    /** Seconds since 1970. */
    readonly timeStart: number | null;
    /** Seconds since 1970. */
    readonly timeEnd: number | null;
    readonly labels: Readonly<Record<string, string>>;
    readonly priority: number;
    /** Grows with every change. */
    readonly revision: number;
    /** When the task is checked next. */
    readonly wakeAt: number | null;
    /** Of a child task: its parent, the run of the step there (null: it is the failure flow), and its index. */
    readonly parent: HttpApi['Parent'] | null;
    /** The request that it was made for; null: a task around it made it. */
    readonly origin: HttpApi['Origin'] | null;
    /** The first ten steps that wait for an approval. */
    readonly approvals: readonly HttpApi['Approval'][];
    /** The event without which a task that is under way does not go on; null: it goes on, it has ended, or a person has to act. */
    readonly awaits: HttpApi['Awaited'] | null;
    /** The pause, while the task is paused. */
    readonly paused?: HttpApi['Pause'] | null;
    /** On hold: `by` a person, or `flow`; `until` when the task rolls back by itself. */
    readonly hold?: HttpApi['Hold'] | null;
    /** Why the task goes or went back; null: it does not. `requested`, with `by`, if a person or the parent asked for it: so a task that failed differs from one that was undone later. */
    readonly turned?: HttpApi['Turn'] | null;
    /** The step that failed last and has not succeeded since; `step` is null if the task as a whole timed out. */
    readonly lastError?: HttpApi['LastError'] | null;
    /** The task that runs the failure flow, or why it could not be started. */
    readonly failureFlow?: HttpApi['FailureFlow'] | null;
    /** Id of the task that this one restarts. */
    readonly restartOf?: string | null;
    /** The only step that it runs; null: it runs all. */
    readonly only?: string | null;
    /** The parameters that were sent. */
    readonly input?: JsonObject;
    /** The parameters sent, results of steps so far, and changes by people. */
    readonly parameters?: JsonObject;
    /** Output of the flow, after the task has succeeded; else null. */
    readonly output?: Json;
    readonly steps?: readonly HttpApi['Step'][];
    readonly progress?: HttpApi['TaskProgress'];
  };
  readonly TaskStatus:
    | 'succeeded'
    | 'not_started'
    | 'running'
    | 'rolling_back'
    | 'rolled_back'
    | 'rollback_failed'
    | 'terminated'
    | 'on_hold'
    | 'paused';
  readonly TaskStatusNumber: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;
  readonly UnreadableTask: {
    readonly taskId: string;
    readonly status: 'unreadable';
    /** The member of the stored document that is wrong. */
    readonly reason: string;
  };
  readonly Awaited: {
    /** `retry`: the next attempt of an action that has failed. */
    readonly kind: 'retry' | 'signal' | 'completion' | 'lock' | 'time';
    /** Attempts so far, if it is a `retry`; else 0. */
    readonly attempts: number;
  };
  readonly Approval: {
    /** Id of the run of the step, for `:approve` and `:reject`. */
    readonly step: string;
    readonly title: string;
    /** Roles that may answer; empty: any that may act on the task. */
    readonly roles: readonly string[];
    /** Seconds since 1970. */
    readonly since: number;
  };
  readonly Parent: {
    readonly taskId: string;
    readonly step: string | null;
    readonly index: number;
  };
  readonly Origin: {
    /** Its `X-Request-Id`, which logs and the audit log have too. */
    readonly requestId?: string;
    /** Address that it came from; of IPv6 the network. */
    readonly client?: string;
    /** Name of the person, program or schedule that asked for it. */
    readonly operator?: string;
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
  readonly Turn: {
    readonly why:
      | 'step_failed'
      | 'step_timed_out'
      | 'task_timed_out'
      | 'requested'
      | 'reset'
      | 'hold_ended';
    readonly by: string | null;
    readonly reason: string;
    /** Seconds since 1970. */
    readonly since: number;
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
    | HttpApi['StepForeach']
    | HttpApi['StepFlow']
    | HttpApi['StepDynamic'];
  readonly StepNormal: {
    readonly name: string;
    /** Kind of the step: the member of the flow that defines it. */
    readonly kind: 'normal';
    readonly needs: readonly string[];
    /** Id of the present run, never used twice in the task. */
    readonly id: string;
    /** 1, plus 1 with every reset. */
    readonly generation: number;
    readonly state: HttpApi['StepState'];
    /** 0: no error; else 1 FAILED, 2 TIMED_OUT, 3 LEASE_LOST, 4 UNKNOWN_COMMAND, 5 INVALID_PARAMETERS, 6 CALLED_OFF, 7 OUTPUT_TOO_LARGE, 8 TERMINATED, 9 EXPRESSION_FAILED, 10 LOOP_LIMIT, 11 SIGNAL_TIMEOUT, 12 REJECTED, 13 CHILDREN_FAILED, 14 CHILD_FAILED, 15 INVALID_STEPS, 16 TASK_TOO_LARGE, 17 SECRET_NOT_ALLOWED, 18 SECRET_NOT_FOUND, 19 SECRET_STORE_AWAY, 20 NOT_ALLOWED, 21 EXPIRED. */
    readonly code: number;
    readonly message: string | null;
    /** Seconds since 1970. */
    readonly timeStart: number | null;
    /** Seconds since 1970. */
    readonly timeEnd: number | null;
    readonly attempts: number;
    readonly progress?: HttpApi['Progress'];
    /** Of a waiting action: what people or other systems have to say. Absent: it goes on by itself. */
    readonly waitsFor?: 'approval' | 'signal' | 'completion';
    /** Results of the expressions. */
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
    /** Seconds; null: no limit. */
    readonly expiresAfter?: number | null;
    readonly priority?: number;
    readonly rollback: HttpApi['UndoAction'] | null;
    /** Empty until the step is entered. Of a group: its present try. */
    readonly scopes?: readonly HttpApi['Scope'][];
  };
  readonly StepGroup: {
    readonly name: string;
    /** Kind of the step: the member of the flow that defines it. */
    readonly kind: 'group';
    readonly needs: readonly string[];
    /** Id of the present run, never used twice in the task. */
    readonly id: string;
    /** 1, plus 1 with every reset. */
    readonly generation: number;
    readonly state: HttpApi['StepState'];
    /** 0: no error; else 1 FAILED, 2 TIMED_OUT, 3 LEASE_LOST, 4 UNKNOWN_COMMAND, 5 INVALID_PARAMETERS, 6 CALLED_OFF, 7 OUTPUT_TOO_LARGE, 8 TERMINATED, 9 EXPRESSION_FAILED, 10 LOOP_LIMIT, 11 SIGNAL_TIMEOUT, 12 REJECTED, 13 CHILDREN_FAILED, 14 CHILD_FAILED, 15 INVALID_STEPS, 16 TASK_TOO_LARGE, 17 SECRET_NOT_ALLOWED, 18 SECRET_NOT_FOUND, 19 SECRET_STORE_AWAY, 20 NOT_ALLOWED, 21 EXPIRED. */
    readonly code: number;
    readonly message: string | null;
    /** Seconds since 1970. */
    readonly timeStart: number | null;
    /** Seconds since 1970. */
    readonly timeEnd: number | null;
    readonly attempts: number;
    readonly progress?: HttpApi['Progress'];
    /** Of a waiting action: what people or other systems have to say. Absent: it goes on by itself. */
    readonly waitsFor?: 'approval' | 'signal' | 'completion';
    /** Results of the expressions. */
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
    /** When it is tried again, after it was undone. */
    readonly retry: number | HttpApi['RetryPolicy'] | HttpApi['RetryForEach'];
    /** Seconds; null: no limit. */
    readonly timeout: number | null;
    /** Empty until the step is entered. Of a group: its present try. */
    readonly scopes: readonly HttpApi['Scope'][];
  };
  readonly StepChoice: {
    readonly name: string;
    /** Kind of the step: the member of the flow that defines it. */
    readonly kind: 'choice';
    readonly needs: readonly string[];
    /** Id of the present run, never used twice in the task. */
    readonly id: string;
    /** 1, plus 1 with every reset. */
    readonly generation: number;
    readonly state: HttpApi['StepState'];
    /** 0: no error; else 1 FAILED, 2 TIMED_OUT, 3 LEASE_LOST, 4 UNKNOWN_COMMAND, 5 INVALID_PARAMETERS, 6 CALLED_OFF, 7 OUTPUT_TOO_LARGE, 8 TERMINATED, 9 EXPRESSION_FAILED, 10 LOOP_LIMIT, 11 SIGNAL_TIMEOUT, 12 REJECTED, 13 CHILDREN_FAILED, 14 CHILD_FAILED, 15 INVALID_STEPS, 16 TASK_TOO_LARGE, 17 SECRET_NOT_ALLOWED, 18 SECRET_NOT_FOUND, 19 SECRET_STORE_AWAY, 20 NOT_ALLOWED, 21 EXPIRED. */
    readonly code: number;
    readonly message: string | null;
    /** Seconds since 1970. */
    readonly timeStart: number | null;
    /** Seconds since 1970. */
    readonly timeEnd: number | null;
    readonly attempts: number;
    readonly progress?: HttpApi['Progress'];
    /** Of a waiting action: what people or other systems have to say. Absent: it goes on by itself. */
    readonly waitsFor?: 'approval' | 'signal' | 'completion';
    /** Results of the expressions. */
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
    /** Empty until the step is entered. Of a group: its present try. */
    readonly scopes: readonly HttpApi['Scope'][];
  };
  readonly StepParallel: {
    readonly name: string;
    /** Kind of the step: the member of the flow that defines it. */
    readonly kind: 'parallel';
    readonly needs: readonly string[];
    /** Id of the present run, never used twice in the task. */
    readonly id: string;
    /** 1, plus 1 with every reset. */
    readonly generation: number;
    readonly state: HttpApi['StepState'];
    /** 0: no error; else 1 FAILED, 2 TIMED_OUT, 3 LEASE_LOST, 4 UNKNOWN_COMMAND, 5 INVALID_PARAMETERS, 6 CALLED_OFF, 7 OUTPUT_TOO_LARGE, 8 TERMINATED, 9 EXPRESSION_FAILED, 10 LOOP_LIMIT, 11 SIGNAL_TIMEOUT, 12 REJECTED, 13 CHILDREN_FAILED, 14 CHILD_FAILED, 15 INVALID_STEPS, 16 TASK_TOO_LARGE, 17 SECRET_NOT_ALLOWED, 18 SECRET_NOT_FOUND, 19 SECRET_STORE_AWAY, 20 NOT_ALLOWED, 21 EXPIRED. */
    readonly code: number;
    readonly message: string | null;
    /** Seconds since 1970. */
    readonly timeStart: number | null;
    /** Seconds since 1970. */
    readonly timeEnd: number | null;
    readonly attempts: number;
    readonly progress?: HttpApi['Progress'];
    /** Of a waiting action: what people or other systems have to say. Absent: it goes on by itself. */
    readonly waitsFor?: 'approval' | 'signal' | 'completion';
    /** Results of the expressions. */
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
    readonly parallel: Readonly<Record<string, readonly Json[]>>;
    readonly onBranchFailure: 'cancel' | 'wait';
    /** Empty until the step is entered. Of a group: its present try. */
    readonly scopes: readonly HttpApi['Scope'][];
  };
  readonly StepLoop: {
    readonly name: string;
    /** Kind of the step: the member of the flow that defines it. */
    readonly kind: 'loop';
    readonly needs: readonly string[];
    /** Id of the present run, never used twice in the task. */
    readonly id: string;
    /** 1, plus 1 with every reset. */
    readonly generation: number;
    readonly state: HttpApi['StepState'];
    /** 0: no error; else 1 FAILED, 2 TIMED_OUT, 3 LEASE_LOST, 4 UNKNOWN_COMMAND, 5 INVALID_PARAMETERS, 6 CALLED_OFF, 7 OUTPUT_TOO_LARGE, 8 TERMINATED, 9 EXPRESSION_FAILED, 10 LOOP_LIMIT, 11 SIGNAL_TIMEOUT, 12 REJECTED, 13 CHILDREN_FAILED, 14 CHILD_FAILED, 15 INVALID_STEPS, 16 TASK_TOO_LARGE, 17 SECRET_NOT_ALLOWED, 18 SECRET_NOT_FOUND, 19 SECRET_STORE_AWAY, 20 NOT_ALLOWED, 21 EXPIRED. */
    readonly code: number;
    readonly message: string | null;
    /** Seconds since 1970. */
    readonly timeStart: number | null;
    /** Seconds since 1970. */
    readonly timeEnd: number | null;
    readonly attempts: number;
    readonly progress?: HttpApi['Progress'];
    /** Of a waiting action: what people or other systems have to say. Absent: it goes on by itself. */
    readonly waitsFor?: 'approval' | 'signal' | 'completion';
    /** Results of the expressions. */
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
    /** Empty until the step is entered. Of a group: its present try. */
    readonly scopes: readonly HttpApi['Scope'][];
  };
  readonly StepSet: {
    readonly name: string;
    /** Kind of the step: the member of the flow that defines it. */
    readonly kind: 'set';
    readonly needs: readonly string[];
    /** Id of the present run, never used twice in the task. */
    readonly id: string;
    /** 1, plus 1 with every reset. */
    readonly generation: number;
    readonly state: HttpApi['StepState'];
    /** 0: no error; else 1 FAILED, 2 TIMED_OUT, 3 LEASE_LOST, 4 UNKNOWN_COMMAND, 5 INVALID_PARAMETERS, 6 CALLED_OFF, 7 OUTPUT_TOO_LARGE, 8 TERMINATED, 9 EXPRESSION_FAILED, 10 LOOP_LIMIT, 11 SIGNAL_TIMEOUT, 12 REJECTED, 13 CHILDREN_FAILED, 14 CHILD_FAILED, 15 INVALID_STEPS, 16 TASK_TOO_LARGE, 17 SECRET_NOT_ALLOWED, 18 SECRET_NOT_FOUND, 19 SECRET_STORE_AWAY, 20 NOT_ALLOWED, 21 EXPIRED. */
    readonly code: number;
    readonly message: string | null;
    /** Seconds since 1970. */
    readonly timeStart: number | null;
    /** Seconds since 1970. */
    readonly timeEnd: number | null;
    readonly attempts: number;
    readonly progress?: HttpApi['Progress'];
    /** Of a waiting action: what people or other systems have to say. Absent: it goes on by itself. */
    readonly waitsFor?: 'approval' | 'signal' | 'completion';
    /** Results of the expressions. */
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
    /** Empty until the step is entered. Of a group: its present try. */
    readonly scopes?: readonly HttpApi['Scope'][];
  };
  readonly StepWait: {
    readonly name: string;
    /** Kind of the step: the member of the flow that defines it. */
    readonly kind: 'wait';
    readonly needs: readonly string[];
    /** Id of the present run, never used twice in the task. */
    readonly id: string;
    /** 1, plus 1 with every reset. */
    readonly generation: number;
    readonly state: HttpApi['StepState'];
    /** 0: no error; else 1 FAILED, 2 TIMED_OUT, 3 LEASE_LOST, 4 UNKNOWN_COMMAND, 5 INVALID_PARAMETERS, 6 CALLED_OFF, 7 OUTPUT_TOO_LARGE, 8 TERMINATED, 9 EXPRESSION_FAILED, 10 LOOP_LIMIT, 11 SIGNAL_TIMEOUT, 12 REJECTED, 13 CHILDREN_FAILED, 14 CHILD_FAILED, 15 INVALID_STEPS, 16 TASK_TOO_LARGE, 17 SECRET_NOT_ALLOWED, 18 SECRET_NOT_FOUND, 19 SECRET_STORE_AWAY, 20 NOT_ALLOWED, 21 EXPIRED. */
    readonly code: number;
    readonly message: string | null;
    /** Seconds since 1970. */
    readonly timeStart: number | null;
    /** Seconds since 1970. */
    readonly timeEnd: number | null;
    readonly attempts: number;
    readonly progress?: HttpApi['Progress'];
    /** Of a waiting action: what people or other systems have to say. Absent: it goes on by itself. */
    readonly waitsFor?: 'approval' | 'signal' | 'completion';
    /** Results of the expressions. */
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
    /** Empty until the step is entered. Of a group: its present try. */
    readonly scopes?: readonly HttpApi['Scope'][];
  };
  readonly StepApprove: {
    readonly name: string;
    /** Kind of the step: the member of the flow that defines it. */
    readonly kind: 'approve';
    readonly needs: readonly string[];
    /** Id of the present run, never used twice in the task. */
    readonly id: string;
    /** 1, plus 1 with every reset. */
    readonly generation: number;
    readonly state: HttpApi['StepState'];
    /** 0: no error; else 1 FAILED, 2 TIMED_OUT, 3 LEASE_LOST, 4 UNKNOWN_COMMAND, 5 INVALID_PARAMETERS, 6 CALLED_OFF, 7 OUTPUT_TOO_LARGE, 8 TERMINATED, 9 EXPRESSION_FAILED, 10 LOOP_LIMIT, 11 SIGNAL_TIMEOUT, 12 REJECTED, 13 CHILDREN_FAILED, 14 CHILD_FAILED, 15 INVALID_STEPS, 16 TASK_TOO_LARGE, 17 SECRET_NOT_ALLOWED, 18 SECRET_NOT_FOUND, 19 SECRET_STORE_AWAY, 20 NOT_ALLOWED, 21 EXPIRED. */
    readonly code: number;
    readonly message: string | null;
    /** Seconds since 1970. */
    readonly timeStart: number | null;
    /** Seconds since 1970. */
    readonly timeEnd: number | null;
    readonly attempts: number;
    readonly progress?: HttpApi['Progress'];
    /** Of a waiting action: what people or other systems have to say. Absent: it goes on by itself. */
    readonly waitsFor?: 'approval' | 'signal' | 'completion';
    /** Results of the expressions. */
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
      readonly notBy?: 'starter';
      /** Seconds; null: no limit. */
      readonly timeout: number | null;
      readonly onTimeout: 'fail' | 'continue';
    };
    readonly rollback: HttpApi['UndoAction'] | null;
    /** Empty until the step is entered. Of a group: its present try. */
    readonly scopes?: readonly HttpApi['Scope'][];
  };
  readonly StepSucceed: {
    readonly name: string;
    /** Kind of the step: the member of the flow that defines it. */
    readonly kind: 'succeed';
    readonly needs: readonly string[];
    /** Id of the present run, never used twice in the task. */
    readonly id: string;
    /** 1, plus 1 with every reset. */
    readonly generation: number;
    readonly state: HttpApi['StepState'];
    /** 0: no error; else 1 FAILED, 2 TIMED_OUT, 3 LEASE_LOST, 4 UNKNOWN_COMMAND, 5 INVALID_PARAMETERS, 6 CALLED_OFF, 7 OUTPUT_TOO_LARGE, 8 TERMINATED, 9 EXPRESSION_FAILED, 10 LOOP_LIMIT, 11 SIGNAL_TIMEOUT, 12 REJECTED, 13 CHILDREN_FAILED, 14 CHILD_FAILED, 15 INVALID_STEPS, 16 TASK_TOO_LARGE, 17 SECRET_NOT_ALLOWED, 18 SECRET_NOT_FOUND, 19 SECRET_STORE_AWAY, 20 NOT_ALLOWED, 21 EXPIRED. */
    readonly code: number;
    readonly message: string | null;
    /** Seconds since 1970. */
    readonly timeStart: number | null;
    /** Seconds since 1970. */
    readonly timeEnd: number | null;
    readonly attempts: number;
    readonly progress?: HttpApi['Progress'];
    /** Of a waiting action: what people or other systems have to say. Absent: it goes on by itself. */
    readonly waitsFor?: 'approval' | 'signal' | 'completion';
    /** Results of the expressions. */
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
    /** Empty until the step is entered. Of a group: its present try. */
    readonly scopes?: readonly HttpApi['Scope'][];
  };
  readonly StepFail: {
    readonly name: string;
    /** Kind of the step: the member of the flow that defines it. */
    readonly kind: 'fail';
    readonly needs: readonly string[];
    /** Id of the present run, never used twice in the task. */
    readonly id: string;
    /** 1, plus 1 with every reset. */
    readonly generation: number;
    readonly state: HttpApi['StepState'];
    /** 0: no error; else 1 FAILED, 2 TIMED_OUT, 3 LEASE_LOST, 4 UNKNOWN_COMMAND, 5 INVALID_PARAMETERS, 6 CALLED_OFF, 7 OUTPUT_TOO_LARGE, 8 TERMINATED, 9 EXPRESSION_FAILED, 10 LOOP_LIMIT, 11 SIGNAL_TIMEOUT, 12 REJECTED, 13 CHILDREN_FAILED, 14 CHILD_FAILED, 15 INVALID_STEPS, 16 TASK_TOO_LARGE, 17 SECRET_NOT_ALLOWED, 18 SECRET_NOT_FOUND, 19 SECRET_STORE_AWAY, 20 NOT_ALLOWED, 21 EXPIRED. */
    readonly code: number;
    readonly message: string | null;
    /** Seconds since 1970. */
    readonly timeStart: number | null;
    /** Seconds since 1970. */
    readonly timeEnd: number | null;
    readonly attempts: number;
    readonly progress?: HttpApi['Progress'];
    /** Of a waiting action: what people or other systems have to say. Absent: it goes on by itself. */
    readonly waitsFor?: 'approval' | 'signal' | 'completion';
    /** Results of the expressions. */
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
    /** Empty until the step is entered. Of a group: its present try. */
    readonly scopes?: readonly HttpApi['Scope'][];
  };
  readonly StepForeach: {
    readonly name: string;
    /** Kind of the step: the member of the flow that defines it. */
    readonly kind: 'foreach';
    readonly needs: readonly string[];
    /** Id of the present run, never used twice in the task. */
    readonly id: string;
    /** 1, plus 1 with every reset. */
    readonly generation: number;
    readonly state: HttpApi['StepState'];
    /** 0: no error; else 1 FAILED, 2 TIMED_OUT, 3 LEASE_LOST, 4 UNKNOWN_COMMAND, 5 INVALID_PARAMETERS, 6 CALLED_OFF, 7 OUTPUT_TOO_LARGE, 8 TERMINATED, 9 EXPRESSION_FAILED, 10 LOOP_LIMIT, 11 SIGNAL_TIMEOUT, 12 REJECTED, 13 CHILDREN_FAILED, 14 CHILD_FAILED, 15 INVALID_STEPS, 16 TASK_TOO_LARGE, 17 SECRET_NOT_ALLOWED, 18 SECRET_NOT_FOUND, 19 SECRET_STORE_AWAY, 20 NOT_ALLOWED, 21 EXPIRED. */
    readonly code: number;
    readonly message: string | null;
    /** Seconds since 1970. */
    readonly timeStart: number | null;
    /** Seconds since 1970. */
    readonly timeEnd: number | null;
    readonly attempts: number;
    readonly progress?: HttpApi['Progress'];
    /** Of a waiting action: what people or other systems have to say. Absent: it goes on by itself. */
    readonly waitsFor?: 'approval' | 'signal' | 'completion';
    /** Results of the expressions. */
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
    /** Counts of the child tasks of the step, as of the last look. */
    readonly children: {
      readonly total: number;
      readonly started: number;
      readonly succeeded: number;
      readonly failed: number;
      readonly active: number;
      /** `back`: they are undone, and those that are undone count as failed. */
      readonly way: 'forward' | 'back';
    };
    /** Empty until the step is entered. Of a group: its present try. */
    readonly scopes?: readonly HttpApi['Scope'][];
  };
  readonly StepFlow: {
    readonly name: string;
    /** Kind of the step: the member of the flow that defines it. */
    readonly kind: 'flow';
    readonly needs: readonly string[];
    /** Id of the present run, never used twice in the task. */
    readonly id: string;
    /** 1, plus 1 with every reset. */
    readonly generation: number;
    readonly state: HttpApi['StepState'];
    /** 0: no error; else 1 FAILED, 2 TIMED_OUT, 3 LEASE_LOST, 4 UNKNOWN_COMMAND, 5 INVALID_PARAMETERS, 6 CALLED_OFF, 7 OUTPUT_TOO_LARGE, 8 TERMINATED, 9 EXPRESSION_FAILED, 10 LOOP_LIMIT, 11 SIGNAL_TIMEOUT, 12 REJECTED, 13 CHILDREN_FAILED, 14 CHILD_FAILED, 15 INVALID_STEPS, 16 TASK_TOO_LARGE, 17 SECRET_NOT_ALLOWED, 18 SECRET_NOT_FOUND, 19 SECRET_STORE_AWAY, 20 NOT_ALLOWED, 21 EXPIRED. */
    readonly code: number;
    readonly message: string | null;
    /** Seconds since 1970. */
    readonly timeStart: number | null;
    /** Seconds since 1970. */
    readonly timeEnd: number | null;
    readonly attempts: number;
    readonly progress?: HttpApi['Progress'];
    /** Of a waiting action: what people or other systems have to say. Absent: it goes on by itself. */
    readonly waitsFor?: 'approval' | 'signal' | 'completion';
    /** Results of the expressions. */
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
    /** Counts of the child tasks of the step, as of the last look. */
    readonly children: {
      readonly total: number;
      readonly started: number;
      readonly succeeded: number;
      readonly failed: number;
      readonly active: number;
      /** `back`: they are undone, and those that are undone count as failed. */
      readonly way: 'forward' | 'back';
    };
    /** Empty until the step is entered. Of a group: its present try. */
    readonly scopes?: readonly HttpApi['Scope'][];
  };
  readonly StepDynamic: {
    readonly name: string;
    /** Kind of the step: the member of the flow that defines it. */
    readonly kind: 'dynamic';
    readonly needs: readonly string[];
    /** Id of the present run, never used twice in the task. */
    readonly id: string;
    /** 1, plus 1 with every reset. */
    readonly generation: number;
    readonly state: HttpApi['StepState'];
    /** 0: no error; else 1 FAILED, 2 TIMED_OUT, 3 LEASE_LOST, 4 UNKNOWN_COMMAND, 5 INVALID_PARAMETERS, 6 CALLED_OFF, 7 OUTPUT_TOO_LARGE, 8 TERMINATED, 9 EXPRESSION_FAILED, 10 LOOP_LIMIT, 11 SIGNAL_TIMEOUT, 12 REJECTED, 13 CHILDREN_FAILED, 14 CHILD_FAILED, 15 INVALID_STEPS, 16 TASK_TOO_LARGE, 17 SECRET_NOT_ALLOWED, 18 SECRET_NOT_FOUND, 19 SECRET_STORE_AWAY, 20 NOT_ALLOWED, 21 EXPIRED. */
    readonly code: number;
    readonly message: string | null;
    /** Seconds since 1970. */
    readonly timeStart: number | null;
    /** Seconds since 1970. */
    readonly timeEnd: number | null;
    readonly attempts: number;
    readonly progress?: HttpApi['Progress'];
    /** Of a waiting action: what people or other systems have to say. Absent: it goes on by itself. */
    readonly waitsFor?: 'approval' | 'signal' | 'completion';
    /** Results of the expressions. */
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
    /** Empty until the step is entered. Of a group: its present try. */
    readonly scopes: readonly HttpApi['Scope'][];
  };
  readonly StepState:
    | 'pending'
    | 'queued'
    | 'running'
    | 'waiting'
    | 'succeeded'
    | 'failed'
    | 'timed_out'
    | 'terminated'
    | 'skipped';
  readonly UndoState:
    | 'none'
    | 'pending'
    | 'queued'
    | 'running'
    | 'waiting'
    | 'failed'
    | 'succeeded'
    | 'skipped';
  readonly TaskGraph: {
    /** In the order of the steps; the steps in a step follow it. */
    readonly nodes: readonly HttpApi['GraphNode'][];
    /** Between steps of one list, and from a step to those with which a scope in it begins. */
    readonly edges: readonly HttpApi['GraphEdge'][];
  };
  readonly GraphNode: {
    /** Id of the present run of the step. */
    readonly id: string;
    readonly name: string;
    readonly kind:
      | 'normal'
      | 'group'
      | 'choice'
      | 'parallel'
      | 'loop'
      | 'set'
      | 'wait'
      | 'approve'
      | 'succeed'
      | 'fail'
      | 'foreach'
      | 'flow'
      | 'dynamic';
    readonly state: HttpApi['StepState'];
    /** The scope that the step stands in; null: it is one of the task itself. */
    readonly in: HttpApi['GraphScope'] | null;
    /** Null: the step has no command. */
    readonly action: HttpApi['GraphAction'] | null;
    /** Null: the step has no undo. */
    readonly undo: HttpApi['GraphUndo'] | null;
    /** It is a point of no return. */
    readonly pivot: boolean;
    /** 1, plus 1 with every reset. */
    readonly generation: number;
    readonly attempts: number;
    /** Seconds since 1970. */
    readonly timeStart: number | null;
    /** Seconds since 1970. */
    readonly timeEnd: number | null;
    /** Null: it has no child tasks. */
    readonly children: {
      readonly total: number;
      readonly started: number;
      readonly succeeded: number;
      readonly failed: number;
      readonly active: number;
      /** `back`: they are undone, and those that are undone count as failed. */
      readonly way: 'forward' | 'back';
    } | null;
  };
  readonly GraphEdge: {
    /** Id of a node. */
    readonly from: string;
    /** Id of a node. */
    readonly to: string;
    /** Whether the task went this way. */
    readonly used: boolean;
  };
  readonly GraphScope: {
    /** Id of the step that has the scope. */
    readonly step: string;
    readonly kind: 'try' | 'case' | 'branch' | 'round' | 'catch' | 'dynamic';
    readonly name: string;
    /** Kind and name, as drawings show them. */
    readonly title: string;
    readonly way: 'forward' | 'back';
  };
  readonly GraphAction: {
    readonly module: string;
    readonly command: string;
  };
  readonly GraphUndo: {
    readonly state: HttpApi['UndoState'];
    /** Null: the steps or child tasks in it are undone. */
    readonly action: HttpApi['GraphAction'] | null;
    /** The part that is undone, such as a try. Absent: all of it. */
    readonly of?: string;
  };
  readonly Scope: {
    readonly kind: 'try' | 'case' | 'branch' | 'round' | 'catch' | 'dynamic';
    /** Name of the scope. Of a try or a round: its number, from 1. */
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
    | HttpApi['FlowStepForeach']
    | HttpApi['FlowStepFlow']
    | HttpApi['FlowStepDynamic'];
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
    /** Seconds; null: no limit. */
    readonly expiresAfter?: number | null;
    readonly priority?: number;
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
    /** When it is tried again, after it was undone. */
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
      readonly notBy?: 'starter';
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
  readonly Action: {
    readonly module: string;
    readonly command: string;
    /** Seconds, for all attempts together. */
    readonly timeout: number;
    /** Seconds, for one attempt. */
    readonly attemptTimeout?: number;
    /** Number of immediate retries after the first attempt, or a policy. */
    readonly retry: number | HttpApi['RetryPolicy'];
    /** If its process dies: restarts that use up no retry, or `fail`. */
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
    /** Number of immediate retries after the first attempt, or a policy. */
    readonly retry: number | HttpApi['RetryPolicy'];
    /** If its process dies: restarts that use up no retry, or `fail`. */
    readonly onCrash: HttpApi['Restarts'] | 'fail';
    readonly parameters?: JsonObject;
    readonly state: HttpApi['UndoState'];
    /** 0: no error; else 1 FAILED, 2 TIMED_OUT, 3 LEASE_LOST, 4 UNKNOWN_COMMAND, 5 INVALID_PARAMETERS, 6 CALLED_OFF, 7 OUTPUT_TOO_LARGE, 8 TERMINATED, 9 EXPRESSION_FAILED, 10 LOOP_LIMIT, 11 SIGNAL_TIMEOUT, 12 REJECTED, 13 CHILDREN_FAILED, 14 CHILD_FAILED, 15 INVALID_STEPS, 16 TASK_TOO_LARGE, 17 SECRET_NOT_ALLOWED, 18 SECRET_NOT_FOUND, 19 SECRET_STORE_AWAY, 20 NOT_ALLOWED, 21 EXPIRED. */
    readonly code: number;
    readonly message: string | null;
    /** Seconds since 1970. */
    readonly timeStart: number | null;
    /** Seconds since 1970. */
    readonly timeEnd: number | null;
    readonly attempts: number;
    readonly progress?: HttpApi['Progress'];
    /** Of a waiting action: what people or other systems have to say. Absent: it goes on by itself. */
    readonly waitsFor?: 'approval' | 'signal' | 'completion';
    /** Results of the expressions. */
    readonly values?: JsonObject;
  };
  readonly RetryPolicy: {
    readonly attempts: number;
    readonly backoff: 'none' | 'fixed' | 'exponential';
    readonly delay: number;
    readonly maxDelay: number | null;
    readonly jitter: boolean;
    /** Only errors with these codes are retried. */
    readonly only?: readonly string[];
    /** Errors with these codes are never retried. */
    readonly never?: readonly string[];
  };
  readonly Restarts: {
    readonly restarts: number;
  };
  readonly CompletedRun: {
    readonly taskId: string;
    /** Id of the run. */
    readonly step: string;
    /** Of the action of the run that the token belongs to. */
    readonly state:
      | 'pending'
      | 'queued'
      | 'running'
      | 'waiting'
      | 'succeeded'
      | 'failed'
      | 'timed_out'
      | 'terminated'
      | 'skipped'
      | 'none';
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
  readonly Completed: HttpApi['Task'] | HttpApi['CompletedRun'];
  /** OpenAPI 3.1. */
  readonly OpenApi: JsonObject;
  readonly TaskPage: {
    readonly items: readonly (HttpApi['ListedTask'] | HttpApi['UnreadableTask'])[];
    readonly page: {
      /** The `cursor` of the next page; null: there is none. */
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
    /** `lastEventId` of the next request. */
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
    /** Id of the run, if it differs from the name of the step. */
    readonly run?: string;
    readonly direction?: 'normal' | 'rollback';
    readonly attempt?: number;
    readonly actor: string;
    readonly message?: string;
    /** Of a failed attempt: where its error was thrown, with its causes. Only for roles from `operator` on. */
    readonly stack?: string;
    /** Of a failed attempt: its command threw the error on purpose, and no other error caused it. */
    readonly intended?: true;
    /** It had no effect: refused before its command was entered, or given up. */
    readonly refused?: true;
    /** Of a start by a worker: the build of its code. */
    readonly build?: string;
    /** Of an outcome of a worker: what its command has made. */
    readonly creates?: readonly {
      readonly type: string;
      readonly id: string;
    }[];
    /** Of an outcome of a worker: what its command has removed. */
    readonly released?: readonly {
      readonly type: string;
      readonly id: string;
    }[];
    /** A skip that counts as done what asks people, without their yes. */
    readonly unapproved?: true;
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
    /** What happens to a task when a step has failed for good; `hold` in seconds. */
    readonly onFailure: 'rollback' | 'hold' | HttpApi['HoldPolicy'];
    readonly steps: readonly HttpApi['FlowStep'][];
    /** Running commands go on to their end when its time is over; absent: they are told to stop. */
    readonly onTimeout?: 'wait';
    /** Parameters of every task; those that are sent win over them. */
    readonly constants?: JsonObject;
    /** Output of its tasks, with its expressions. */
    readonly output?: Json;
    /** Labels of its tasks; those that are sent win over them. */
    readonly labels?: JsonObject;
    readonly locks?: readonly {
      readonly name: string;
      readonly slots: number;
    }[];
    readonly failureFlow?: string;
    /** At this number of tasks that are not final, no further one is created. */
    readonly maxLive?: number;
    /** The last drill of this version, or else of the newest drilled one before it; null: none. */
    readonly drill: HttpApi['Drill'] | null;
    /** Path of its flow file within the folder; null: it was stored by a request. */
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
      /** What happens to a task when a step has failed for good; `hold` in seconds. */
      readonly onFailure: 'rollback' | 'hold' | HttpApi['HoldPolicy'];
      readonly steps: readonly HttpApi['FlowStep'][];
      /** Running commands go on to their end when its time is over; absent: they are told to stop. */
      readonly onTimeout?: 'wait';
      /** Parameters of every task; those that are sent win over them. */
      readonly constants?: JsonObject;
      /** Output of its tasks, with its expressions. */
      readonly output?: Json;
      /** Labels of its tasks; those that are sent win over them. */
      readonly labels?: JsonObject;
      readonly locks?: readonly {
        readonly name: string;
        readonly slots: number;
      }[];
      readonly failureFlow?: string;
      /** At this number of tasks that are not final, no further one is created. */
      readonly maxLive?: number;
      /** The last drill of this version, or else of the newest drilled one before it; null: none. */
      readonly drill: HttpApi['Drill'] | null;
      /** Path of its flow file within the folder; null: it was stored by a request. */
      readonly file: string | null;
      readonly startable: boolean;
      /** Why a task of it would be refused now: no executor can run a step. Null: nothing. */
      readonly obstacle: {
        readonly code: string;
        readonly message: string;
      } | null;
      readonly retired: boolean;
    }[];
    readonly files: {
      /** Mistakes in flow files. A flow with mistakes stays as it was last loaded. */
      readonly problems: readonly {
        /** Null: all flows of the file. */
        readonly flow: string | null;
        /** Path within the folder; null: the folder itself. */
        readonly file: string | null;
        readonly pointer: string;
        readonly line: number;
        readonly column: number;
        readonly code: string;
        /** Path of the page about the code. */
        readonly type: string;
        readonly message: string;
        readonly hint: string;
      }[];
    };
    readonly page: {
      /** The `cursor` of the next page; null: there is none. */
      readonly nextCursor: string | null;
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
    /** What happens to a task when a step has failed for good; `hold` in seconds. */
    readonly onFailure: 'rollback' | 'hold' | HttpApi['HoldPolicy'];
    readonly steps: readonly HttpApi['FlowStep'][];
    /** Running commands go on to their end when its time is over; absent: they are told to stop. */
    readonly onTimeout?: 'wait';
    /** Parameters of every task; those that are sent win over them. */
    readonly constants?: JsonObject;
    /** Output of its tasks, with its expressions. */
    readonly output?: Json;
    /** Labels of its tasks; those that are sent win over them. */
    readonly labels?: JsonObject;
    readonly locks?: readonly {
      readonly name: string;
      readonly slots: number;
    }[];
    readonly failureFlow?: string;
    /** At this number of tasks that are not final, no further one is created. */
    readonly maxLive?: number;
    readonly revived: boolean;
    readonly warnings: readonly {
      readonly pointer: string;
      readonly line: number;
      readonly column: number;
      readonly code: string;
      /** Path of the page about the code. */
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
    /** Used by steps without a rollback of their own; null: there is nothing to undo. */
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
    /** Used by steps without a rollback of their own; null: there is nothing to undo. */
    readonly rollback?: {
      readonly module: string;
      readonly command: string;
    } | null;
  };
  readonly Commands: {
    readonly items: readonly HttpApi['Command'][];
    readonly page: {
      /** The `cursor` of the next page; null: there is none. */
      readonly nextCursor: string | null;
    };
  };
  readonly StatisticsDuration: {
    /** Seconds; half of them took no longer, within 20 %. */
    readonly p50: number;
    /** The same of 95 in 100. */
    readonly p95: number;
    /** Seconds that the longest took. */
    readonly max: number;
  };
  readonly StatisticsInterval: {
    /** Seconds since 1970. */
    readonly at: number;
    /** Tasks that were created. */
    readonly started: number;
    /** Tasks that ended, by status. A task that is undone later ends twice. */
    readonly ended: {
      readonly succeeded: number;
      readonly rolled_back: number;
      readonly terminated: number;
    };
    /** Rollbacks of steps that failed for good, so that a person was called. */
    readonly rollbackFailed: number;
    /** Share of the tasks that ended, those that succeeded, from 0 to 1; null: there are none. */
    readonly successRate: number | null;
    /** Null: nothing ended. */
    readonly duration: HttpApi['StatisticsDuration'] | null;
  };
  readonly StepStatistics: {
    /** Its name, after the names of the steps around it; `*`: all further steps. */
    readonly step: string;
    readonly direction: 'normal' | 'rollback';
    readonly succeeded: number;
    /** They failed, timed out or were lost, with no attempt left. */
    readonly failed: number;
    readonly cancelled: number;
    /** Attempts that were followed by another one. */
    readonly retries: number;
    /** Share of those that succeeded or failed, those that failed, from 0 to 1; null: there are none. */
    readonly failureRate: number | null;
    /** From the first start to the end, with all retries. */
    readonly duration: HttpApi['StatisticsDuration'] | null;
    /** The most frequent error codes of attempts that failed; `*`: all codes that are rare. */
    readonly errors: readonly {
      readonly code: string;
      readonly count: number;
    }[];
  };
  readonly FlowStatistics: {
    readonly flow: string;
    readonly over: 'hour' | 'day' | 'month';
    /** Begin of the first interval, in seconds since 1970. */
    readonly from: number;
    /** Seconds since 1970. */
    readonly to: number;
    /** Length of an interval, in seconds. */
    readonly every: number;
    /** False: there is more than can be added up; the newest is shown. */
    readonly isComplete: boolean;
    /** Tasks that were created. */
    readonly started: number;
    /** Tasks that ended, by status. A task that is undone later ends twice. */
    readonly ended: {
      readonly succeeded: number;
      readonly rolled_back: number;
      readonly terminated: number;
    };
    /** Rollbacks of steps that failed for good, so that a person was called. */
    readonly rollbackFailed: number;
    /** Share of the tasks that ended, those that succeeded, from 0 to 1; null: there are none. */
    readonly successRate: number | null;
    /** Null: nothing ended. */
    readonly duration: HttpApi['StatisticsDuration'] | null;
    /** The oldest first. */
    readonly intervals: readonly HttpApi['StatisticsInterval'][];
    readonly steps: readonly HttpApi['StepStatistics'][];
  };
  readonly Validation: {
    readonly valid: boolean;
    readonly problems: readonly {
      readonly pointer: string;
      readonly line: number;
      readonly column: number;
      readonly code: string;
      /** Path of the page about the code. */
      readonly type: string;
      readonly message: string;
      readonly hint: string;
    }[];
    readonly warnings: readonly {
      readonly pointer: string;
      readonly line: number;
      readonly column: number;
      readonly code: string;
      /** Path of the page about the code. */
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
    /** The drilled version. */
    readonly version: number;
    /** Seconds since 1970. */
    readonly at: number;
    /** Every play came out as expected. */
    readonly passed: boolean;
    /** Plays that did not come out as expected. */
    readonly failures: number;
    /** Plays in all. */
    readonly total: number;
  };
  /** A flow as flow files write it, without its name: an object, or a list of steps. */
  readonly FlowText: readonly Json[] | JsonObject;
  /** A flow file: an object of flows by their names. Anything else has mistakes. */
  readonly FlowFileText: Json;
  readonly PlanFlow: {
    /** Parameters as of a task. Default: {}. */
    readonly parameters?: JsonObject;
  };
  readonly PlanDraft: {
    /** The flow as in flow files, without its name. */
    readonly flow: readonly Json[] | JsonObject;
    /** Parameters as of a task. Default: {}. */
    readonly parameters?: JsonObject;
  };
  readonly PlannedStep: {
    readonly step: string;
    /** Id of its run. */
    readonly id: string;
    readonly kind: string;
    readonly module?: string;
    readonly command?: string;
    /** Expressions without a value yet are shown as written. */
    readonly parameters?: JsonObject;
    /** The child tasks of the step. */
    readonly children?: {
      /** Null: known only when it runs. */
      readonly count: number | null;
      /** Null: steps of the flow itself. */
      readonly flow: string | null;
      /** The plan of one of them; null: its flow is unknown, or is a flow around it. */
      readonly items: readonly HttpApi['PlannedStep'][] | null;
      readonly ends: 'succeeded' | 'fails' | 'open';
    };
    /** Ids of the runs that are undone, in order, if this step fails. */
    readonly back: readonly string[];
  };
  readonly FlowPlan: {
    readonly flow: string;
    /** 0: it is not stored. */
    readonly version: number;
    readonly items: readonly HttpApi['PlannedStep'][];
    /** Ids of the runs that are undone, in order, by a rollback at the very end. */
    readonly back: readonly string[];
    /** `open`: the plan is cut, or stops at a step that cannot be planned. */
    readonly ends: 'succeeded' | 'fails' | 'open';
    /** Members that depend on results of a run, and the values assumed for them. */
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
      /** The `cursor` of the next page; null: there is none. */
      readonly nextCursor: string | null;
    };
  };
  readonly FlowDiff: {
    readonly flow: string;
    readonly from: number;
    readonly to: number;
    readonly added: readonly {
      /** Its name, after the names of the steps around it. */
      readonly step: string;
      /** JSON Pointer into the version that has it, as `GET` shows it. */
      readonly pointer: string;
    }[];
    readonly removed: readonly {
      /** Its name, after the names of the steps around it. */
      readonly step: string;
      /** JSON Pointer into the version that has it, as `GET` shows it. */
      readonly pointer: string;
    }[];
    readonly changed: readonly {
      /** Its name, after the names of the steps around it. */
      readonly step: string;
      /** JSON Pointer into the version that has it, as `GET` shows it. */
      readonly pointer: string;
      readonly members: readonly {
        readonly pointer: string;
        /** Absent: the member is new. */
        readonly from?: Json;
        /** Absent: the member is gone. */
        readonly to?: Json;
      }[];
    }[];
    /** Changed members of the flow itself. */
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
    /** Cron expression of five or six fields. */
    readonly cron?: string;
    /** Interval: 15m, or seconds; at least one second. */
    readonly every?: string | number;
    /** One moment: ISO 8601, or seconds since 1970. */
    readonly at?: string | number;
    /** IANA time zone of `cron`, and of `at` without an offset. Default: UTC. */
    readonly timezone?: string;
    /** What to do at a moment while the previous run has not ended. Default: skip. */
    readonly overlap?: 'skip' | 'queue' | 'allow';
    /** Which moments to run later that passed while no gateway ran. Default: last. */
    readonly catchUp?: 'none' | 'last' | 'all';
    /** Default: unchanged; false for a new schedule. */
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
    /** What to do at a moment while the previous run has not ended. Default: skip. */
    readonly overlap: 'skip' | 'queue' | 'allow';
    /** Which moments to run later that passed while no gateway ran. Default: last. */
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
      /** Id of the key, or `<issuer>#<subject>` of a token. */
      readonly keyId: string;
      /** The key was revoked or has expired. */
      readonly gone: boolean;
    };
    /** Null: the schedule is paused or over. */
    readonly nextAt: string | null;
    /** Moments that wait for the end of the previous run. */
    readonly waiting: readonly string[];
    readonly lastRun: null | {
      /** Null: triggered by hand. */
      readonly moment: string | null;
      /** Null: a task that the caller does not see. */
      readonly taskId: string | null;
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
    /** Its next moments, as many as requested. */
    readonly next?: readonly string[];
  };
  readonly ScheduleExplanation: {
    /** The schedule continues without help. */
    readonly active: boolean;
    readonly causes: readonly {
      /** For programs. */
      readonly code: string;
      /** For people. */
      readonly message: string;
      readonly since: string | null;
      /** The facts behind it. */
      readonly evidence: JsonObject;
      readonly next: readonly {
        readonly action: string;
        readonly label: string;
      }[];
    }[];
    /** Consecutive moments with the same result, newest first; 50 at most. */
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
      /** When the last of them was handled. */
      readonly at: string;
      readonly message: string;
      /** Task of the last one, if it has one. */
      readonly taskId: string | null;
    }[];
  };
  readonly SchedulePage: {
    readonly items: readonly HttpApi['Schedule'][];
    readonly page: {
      /** The `cursor` of the next page; null: there is none. */
      readonly nextCursor: string | null;
    };
  };
  readonly PutNotification: {
    /** Kinds of events that it reports. */
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
    /** A search for its tasks. Default: all. */
    readonly q?: string;
    readonly channel: HttpApi['Channel'];
    /** At most one message in this time, such as 10m. Default: no limit. */
    readonly throttle?: string | number;
  };
  /** Secrets are shown as `***`, which leaves them as they are where it is sent back. */
  readonly Channel:
    | HttpApi['ChannelWebhook']
    | HttpApi['ChannelSlack']
    | HttpApi['ChannelPagerduty']
    | HttpApi['ChannelEmail'];
  readonly ChannelWebhook: {
    readonly type: 'webhook';
    /** Address that messages are sent to, as https: or http:. */
    readonly url: string;
    /** The key that signs messages, by Standard Webhooks: 24 characters or more. */
    readonly secret?: string;
  };
  readonly ChannelSlack: {
    readonly type: 'slack';
    /** Address that messages are sent to, as https: or http:. */
    readonly url: string;
  };
  readonly ChannelPagerduty: {
    readonly type: 'pagerduty';
    /** The integration key. */
    readonly routingKey: string;
    /** Address that messages are sent to, as https: or http:. */
    readonly url?: string;
  };
  readonly ChannelEmail: {
    readonly type: 'email';
    /** The server, as smtp://user:password@host:587 or smtps:. */
    readonly server: string;
    /** The address of the sender. */
    readonly from: string;
    /** Addresses of the receivers. */
    readonly to: readonly string[];
  };
  readonly Redeliver: {
    /** `deliveryId` is the id of a message, as the list of deliveries shows it. */
    readonly deliveryId: string;
  };
  readonly Notification: {
    readonly name: string;
    /** Kinds of events that it reports. */
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
    readonly channel: HttpApi['Channel'];
    /** Seconds; 0: no limit. */
    readonly throttle: number;
    /** One more with every change. */
    readonly generation: number;
    readonly createdAt: string;
    readonly updatedAt: string;
    readonly updatedBy: string;
    readonly author: null | {
      /** Id of the key, or `<issuer>#<subject>` of a token. */
      readonly keyId: string;
      /** The key was revoked or has expired. */
      readonly gone: boolean;
    };
  };
  readonly NotificationPage: {
    readonly items: readonly HttpApi['Notification'][];
    readonly page: {
      /** The `cursor` of the next page; null: there is none. */
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
    /** Id of the message that it resolves, or of the one that counts it. */
    readonly of: string | null;
    readonly state: 'pending' | 'delivered' | 'failed' | 'counted' | 'needless';
    readonly message: string;
    readonly flow: string | null;
    /** Number of other messages that it stands for. */
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
      /** The `cursor` of the next page; null: there is none. */
      readonly nextCursor: string | null;
    };
  };
  /** How far a running attempt is, as it says itself. Absent: it has said nothing. */
  readonly Progress: {
    /** A state that the command names, such as `copying`. */
    readonly state?: string;
    readonly percent?: number;
    readonly message?: string;
    /** When it said so. */
    readonly at: string;
  };
  /** The same of a task: of its running attempts, the one that spoke last. Absent: none has. */
  readonly TaskProgress: {
    readonly step: string;
    /** A state that the command names, such as `copying`. */
    readonly state?: string;
    readonly percent?: number;
    readonly message?: string;
    /** When it said so. */
    readonly at: string;
  };
  readonly LogLines: {
    readonly items: readonly HttpApi['LogLine'][];
    /** Lines that were cut and stood before these. */
    readonly dropped: number;
    readonly page: {
      readonly nextCursor: string | null;
    };
  };
  readonly LogLine: {
    readonly step: string;
    /** Id of the run. */
    readonly run: string;
    readonly direction: 'normal' | 'rollback';
    readonly attempt: number;
    /** Its number in the attempt, from 1 on. */
    readonly line: number;
    readonly at: string;
    /** As its author gave it. */
    readonly level?: 'debug' | 'info' | 'warn' | 'error';
    /** Without control characters and secrets. */
    readonly message: string;
    /** So many lines right before it were cut. */
    readonly dropped?: number;
  };
  readonly Problem: {
    readonly type: string;
    readonly title: string;
    readonly status: number;
    readonly detail: string;
    readonly instance: string;
    /** Stable name of the error; `/docs/errors` explains each. */
    readonly code: string;
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
    /** Numbers of worker protocols. */
    readonly supported?: readonly number[];
    /** Of `LEASE_LOST`: why the claim ended. */
    readonly reason?: string;
    /** Of `LEASE_LOST`: the report was kept. */
    readonly recorded?: boolean;
  };
}

/** The parts of a request to each route, and its answer in JSON, by method and path. */
export interface HttpRoutes {
  /** Create a task; answers once it is stored */
  'POST /v1/tasks': {
    readonly query?: {
      readonly wait?: string | undefined;
    };
    readonly body: HttpApi['CreateTask'];
    readonly answer: HttpApi['CreatedTask'];
  };
  /** List tasks by when they were created: summaries, or whole tasks with `full=true` */
  'GET /v1/tasks': {
    readonly query?: {
      readonly flow?: string | undefined;
      readonly status?: string | undefined;
      readonly label?: string | readonly string[] | undefined;
      readonly createdAfter?: string | undefined;
      readonly createdBefore?: string | undefined;
      readonly q?: string | undefined;
      readonly parent?: string | undefined;
      readonly idPrefix?: string | undefined;
      readonly order?: string | undefined;
      readonly limit?: number | string | undefined;
      readonly cursor?: string | undefined;
      readonly full?: string | undefined;
    };
    readonly answer: HttpApi['TaskPage'];
  };
  /** Create up to 1,000 tasks; each entry gets its own answer */
  'POST /v1/tasks:batch': {
    readonly body: HttpApi['Batch'];
    readonly answer: HttpApi['BatchResults'];
  };
  /** The whole task */
  'GET /v1/tasks/{taskId}': {
    readonly path: {
      readonly taskId: string;
    };
    readonly answer: HttpApi['Task'];
  };
  /** Delete a final task with its journal, the output of its attempts and its key */
  'DELETE /v1/tasks/{taskId}': {
    readonly path: {
      readonly taskId: string;
    };
    readonly answer: HttpApi['Operation'];
  };
  /** The steps of a task as nodes and edges */
  'GET /v1/tasks/{taskId}/graph': {
    readonly path: {
      readonly taskId: string;
    };
    readonly answer: HttpApi['TaskGraph'];
  };
  /** The journal of a task, as a list or live */
  'GET /v1/tasks/{taskId}/events': {
    readonly path: {
      readonly taskId: string;
    };
    readonly query?: {
      readonly lastEventId?: number | string | undefined;
    };
    readonly answer: HttpApi['Events'];
  };
  /** Summaries of changed tasks: live, or a page after the last event */
  'GET /v1/events': {
    readonly query?: {
      readonly flow?: string | undefined;
      readonly status?: string | undefined;
      readonly label?: string | readonly string[] | undefined;
      readonly createdAfter?: string | undefined;
      readonly createdBefore?: string | undefined;
      readonly q?: string | undefined;
      readonly parent?: string | undefined;
      readonly lastEventId?: number | string | undefined;
    };
    readonly answer: HttpApi['Changes'];
  };
  /** What the attempts of a task wrote, as a list or live */
  'GET /v1/tasks/{taskId}/logs': {
    readonly path: {
      readonly taskId: string;
    };
    readonly query?: {
      readonly step?: string | undefined;
      readonly run?: string | undefined;
      readonly direction?: string | undefined;
      readonly attempt?: number | string | undefined;
      readonly limit?: number | string | undefined;
      readonly cursor?: string | undefined;
      readonly lastEventId?: string | undefined;
    };
    readonly answer: HttpApi['LogLines'];
  };
  /** Roll back: undo everything that ran, or everything down to a step */
  'POST /v1/tasks/{taskId}:rollback': {
    readonly path: {
      readonly taskId: string;
    };
    readonly body: HttpApi['Rollback'];
    readonly answer: HttpApi['Task'] | HttpApi['Operation'];
  };
  /** Stop the task for good, without undoing */
  'POST /v1/tasks/{taskId}:terminate': {
    readonly path: {
      readonly taskId: string;
    };
    readonly body: HttpApi['Reason'];
    readonly answer: HttpApi['Task'] | HttpApi['Operation'];
  };
  /** Retry what failed, on hold or after a failed rollback */
  'POST /v1/tasks/{taskId}:retry': {
    readonly path: {
      readonly taskId: string;
    };
    readonly body: HttpApi['Retry'];
    readonly answer: HttpApi['Task'] | HttpApi['Operation'];
  };
  /** Count a step as done, or as undone by hand */
  'POST /v1/tasks/{taskId}:skip': {
    readonly path: {
      readonly taskId: string;
    };
    readonly body: HttpApi['Skip'];
    readonly answer: HttpApi['Task'] | HttpApi['Operation'];
  };
  /** Start no further step, in either direction; running steps end */
  'POST /v1/tasks/{taskId}:pause': {
    readonly path: {
      readonly taskId: string;
    };
    readonly body: HttpApi['Reason'];
    readonly answer: HttpApi['Task'] | HttpApi['Operation'];
  };
  /** Resume a paused task */
  'POST /v1/tasks/{taskId}:resume': {
    readonly path: {
      readonly taskId: string;
    };
    readonly body: HttpApi['Reason'];
    readonly answer: HttpApi['Task'] | HttpApi['Operation'];
  };
  /** Undo a step and the steps that need it, then run them again */
  'POST /v1/tasks/{taskId}:reset': {
    readonly path: {
      readonly taskId: string;
    };
    readonly body: HttpApi['Reset'];
    readonly answer: HttpApi['Task'] | HttpApi['Operation'];
  };
  /** Undo a task that succeeded */
  'POST /v1/tasks/{taskId}:undo': {
    readonly path: {
      readonly taskId: string;
    };
    readonly body: HttpApi['Reason'];
    readonly answer: HttpApi['Task'] | HttpApi['Operation'];
  };
  /** Send a signal to a task, for a step that waits for it now or later */
  'POST /v1/tasks/{taskId}:signal': {
    readonly path: {
      readonly taskId: string;
    };
    readonly body: HttpApi['Signal'];
    readonly answer: HttpApi['Task'];
  };
  /** Approve a step that waits for an approval */
  'POST /v1/tasks/{taskId}:approve': {
    readonly path: {
      readonly taskId: string;
    };
    readonly body: HttpApi['Judge'];
    readonly answer: HttpApi['Task'];
  };
  /** Reject a step that waits for an approval */
  'POST /v1/tasks/{taskId}:reject': {
    readonly path: {
      readonly taskId: string;
    };
    readonly body: HttpApi['Judge'];
    readonly answer: HttpApi['Task'];
  };
  /** Create a new task with the flow and parameters of an ended one */
  'POST /v1/tasks/{taskId}:restart': {
    readonly path: {
      readonly taskId: string;
    };
    readonly body: HttpApi['Restart'];
    readonly answer: HttpApi['Task'] | HttpApi['Operation'];
  };
  /** Report how an attempt ended that completes from outside, by its token or by right */
  'POST /v1/tasks/{taskId}/steps/{run}:complete': {
    readonly path: {
      readonly taskId: string;
      readonly run: string;
    };
    readonly body: HttpApi['Complete'];
    readonly answer: HttpApi['Completed'] | HttpApi['Operation'];
  };
  /** What a rollback would undo now, in order */
  'GET /v1/tasks/{taskId}/rollback-plan': {
    readonly path: {
      readonly taskId: string;
    };
    readonly answer: HttpApi['RollbackPlan'];
  };
  /** What an action would do if it were done now */
  'GET /v1/tasks/{taskId}/preview': {
    readonly path: {
      readonly taskId: string;
    };
    readonly query: {
      readonly action: string;
      readonly to?: string | undefined;
      readonly step?: string | undefined;
      readonly children?: string | undefined;
    };
    readonly answer: HttpApi['Preview'];
  };
  /** The origin of each parameter of a task, with earlier values */
  'GET /v1/tasks/{taskId}/provenance': {
    readonly path: {
      readonly taskId: string;
    };
    readonly answer: HttpApi['Provenance'];
  };
  /** Count tasks by status, flow or label, also over time */
  'GET /v1/tasks:count': {
    readonly query?: {
      readonly flow?: string | undefined;
      readonly status?: string | undefined;
      readonly label?: string | readonly string[] | undefined;
      readonly createdAfter?: string | undefined;
      readonly createdBefore?: string | undefined;
      readonly q?: string | undefined;
      readonly by?: string | undefined;
      readonly every?: number | string | undefined;
    };
    readonly answer: HttpApi['TaskCounts'];
  };
  /** Why a task does not move, and what to do about it */
  'GET /v1/tasks/{taskId}/why': {
    readonly path: {
      readonly taskId: string;
    };
    readonly answer: HttpApi['Explanation'];
  };
  /** List the executors that were seen lately */
  'GET /v1/executors': {
    readonly query?: {
      readonly limit?: number | string | undefined;
      readonly cursor?: string | undefined;
    };
    readonly answer: HttpApi['Executors'];
  };
  /** List the attempts of steps that run now, the oldest first */
  'GET /v1/attempts': {
    readonly query?: {
      readonly executor?: string | undefined;
      readonly step?: string | undefined;
      readonly module?: string | undefined;
      readonly flow?: string | undefined;
      readonly direction?: string | undefined;
      readonly age?: string | undefined;
      readonly limit?: number | string | undefined;
      readonly cursor?: string | undefined;
    };
    readonly answer: HttpApi['Attempts'];
  };
  /** The worker protocols that are served, and their bounds */
  'GET /v1/work': {
    readonly answer: HttpApi['WorkTerms'];
  };
  /** Register a worker, or have it drain */
  'PUT /v1/workers/{worker}': {
    readonly path: {
      readonly worker: string;
    };
    readonly body: HttpApi['PutWorker'];
    readonly answer: HttpApi['WorkerTerms'];
  };
  /** Say good-bye: the claims of the worker are handed back */
  'DELETE /v1/workers/{worker}': {
    readonly path: {
      readonly worker: string;
    };
    readonly answer: undefined;
  };
  /** Take actions of modules; waits for a first one */
  'POST /v1/work:poll': {
    readonly body: HttpApi['PollWork'];
    readonly answer: HttpApi['WorkItems'];
  };
  /** Renew the claims of a worker */
  'POST /v1/work:heartbeat': {
    readonly body: HttpApi['RenewWork'];
    readonly answer: HttpApi['WorkRenewed'];
  };
  /** Renew one claim */
  'POST /v1/work/{claim}:heartbeat': {
    readonly path: {
      readonly claim: string;
    };
    readonly body?: HttpApi['RenewClaim'];
    readonly answer: HttpApi['ClaimRenewed'];
  };
  /** Report that the action is done, with its output */
  'POST /v1/work/{claim}:complete': {
    readonly path: {
      readonly claim: string;
    };
    readonly body?: HttpApi['WorkDone'];
    readonly answer: HttpApi['WorkTaken'];
  };
  /** Report that the action failed */
  'POST /v1/work/{claim}:fail': {
    readonly path: {
      readonly claim: string;
    };
    readonly body: HttpApi['WorkFailed'];
    readonly answer: HttpApi['WorkTaken'];
  };
  /** Report that the action goes on elsewhere, and is to be looked at again */
  'POST /v1/work/{claim}:again': {
    readonly path: {
      readonly claim: string;
    };
    readonly body: HttpApi['WorkAgain'];
    readonly answer: HttpApi['WorkTaken'];
  };
  /** Report that somebody outside completes the action */
  'POST /v1/work/{claim}:later': {
    readonly path: {
      readonly claim: string;
    };
    readonly body?: HttpApi['WorkLater'];
    readonly answer: HttpApi['WorkTaken'];
  };
  /** Hand an action back unfinished */
  'POST /v1/work/{claim}:release': {
    readonly path: {
      readonly claim: string;
    };
    readonly body?: HttpApi['WorkReleased'];
    readonly answer: HttpApi['WorkTaken'];
  };
  /** List the modules with limits */
  'GET /v1/limits': {
    readonly query?: {
      readonly limit?: number | string | undefined;
      readonly cursor?: string | undefined;
    };
    readonly answer: HttpApi['ModuleLimitsPage'];
  };
  /** Set the limits of a module in the place of earlier ones; equal ones change nothing */
  'PUT /v1/limits/{module}': {
    readonly path: {
      readonly module: string;
    };
    readonly body: HttpApi['PutLimits'];
    readonly answer: HttpApi['ModuleLimits'];
  };
  /** Remove the limits of a module */
  'DELETE /v1/limits/{module}': {
    readonly path: {
      readonly module: string;
    };
    readonly answer: undefined;
  };
  /** List the locks that tasks hold or wait for */
  'GET /v1/locks': {
    readonly query?: {
      readonly limit?: number | string | undefined;
      readonly cursor?: string | undefined;
    };
    readonly answer: HttpApi['Locks'];
  };
  /** Apply an action to all tasks that match; answers once the order is stored */
  'POST /v1/operations': {
    readonly body: HttpApi['StartOperation'];
    readonly answer: HttpApi['Operation'];
  };
  /** List operations, newest first */
  'GET /v1/operations': {
    readonly query?: {
      readonly limit?: number | string | undefined;
      readonly cursor?: string | undefined;
      readonly status?: string | undefined;
    };
    readonly answer: HttpApi['OperationPage'];
  };
  /** Progress of an operation, with refused and failed tasks */
  'GET /v1/operations/{operationId}': {
    readonly path: {
      readonly operationId: string;
    };
    readonly answer: HttpApi['Operation'];
  };
  /** Cancel an operation: act on no further task; finished actions stay */
  'POST /v1/operations/{operationId}:cancel': {
    readonly path: {
      readonly operationId: string;
    };
    readonly body?: HttpApi['CancelOperation'];
    readonly answer: HttpApi['Operation'];
  };
  /** Approve an operation that waits for a second person */
  'POST /v1/operations/{operationId}:approve': {
    readonly path: {
      readonly operationId: string;
    };
    readonly body?: HttpApi['DecideOperation'];
    readonly answer: HttpApi['Operation'];
  };
  /** Reject an operation that waits for a second person */
  'POST /v1/operations/{operationId}:reject': {
    readonly path: {
      readonly operationId: string;
    };
    readonly body?: HttpApi['DecideOperation'];
    readonly answer: HttpApi['Operation'];
  };
  /** List flows, each at its newest version, and the mistakes in flow files */
  'GET /v1/flows': {
    readonly query?: {
      readonly limit?: number | string | undefined;
      readonly cursor?: string | undefined;
    };
    readonly answer: HttpApi['Flows'];
  };
  /** The newest version of a flow */
  'GET /v1/flows/{name}': {
    readonly path: {
      readonly name: string;
    };
    readonly answer: HttpApi['Flow'];
  };
  /** Store a flow as the newest version of its name; the body is the flow without its name */
  'PUT /v1/flows/{name}': {
    readonly path: {
      readonly name: string;
    };
    readonly body?: HttpApi['FlowText'];
    readonly text?: string;
    readonly answer: HttpApi['StoredFlow'];
  };
  /** Retire a flow: it takes no new task, and its versions stay readable */
  'DELETE /v1/flows/{name}': {
    readonly path: {
      readonly name: string;
    };
    readonly answer: undefined;
  };
  /** The versions of a flow, newest first */
  'GET /v1/flows/{name}/versions': {
    readonly path: {
      readonly name: string;
    };
    readonly query?: {
      readonly limit?: number | string | undefined;
      readonly cursor?: number | string | undefined;
    };
    readonly answer: HttpApi['FlowVersions'];
  };
  /** Compare two versions of a flow */
  'GET /v1/flows/{name}/versions/{version}:diff': {
    readonly path: {
      readonly name: string;
      readonly version: number | string;
    };
    readonly query?: {
      readonly to?: number | string | undefined;
    };
    readonly answer: HttpApi['FlowDiff'];
  };
  /** A version of a flow; every version is kept for ever */
  'GET /v1/flows/{name}/versions/{version}': {
    readonly path: {
      readonly name: string;
      readonly version: number | string;
    };
    readonly answer: HttpApi['Flow'];
  };
  /** A version of a flow as its author wrote it, with comments */
  'GET /v1/flows/{name}/versions/{version}/source': {
    readonly path: {
      readonly name: string;
      readonly version: number | string;
    };
    readonly answer: undefined;
  };
  /** Store the result of a drill of a version; it replaces the last one */
  'PUT /v1/flows/{name}/versions/{version}/drill': {
    readonly path: {
      readonly name: string;
      readonly version: number | string;
    };
    readonly body: HttpApi['RecordDrill'];
    readonly answer: HttpApi['Drill'];
  };
  /** How tasks and steps of a flow ended in the last hours or days */
  'GET /v1/flows/{name}/statistics': {
    readonly path: {
      readonly name: string;
    };
    readonly query?: {
      readonly over?: string | undefined;
    };
    readonly answer: HttpApi['FlowStatistics'];
  };
  /** Plan a task: its steps in order, and the rollback at each point; creates no task */
  'POST /v1/flows/{name}:plan': {
    readonly path: {
      readonly name: string;
    };
    readonly body: HttpApi['PlanFlow'];
    readonly answer: HttpApi['FlowPlan'];
  };
  /** Plan a task of a flow that is not stored; stores nothing */
  'POST /v1/flows:plan': {
    readonly body: HttpApi['PlanDraft'];
    readonly answer: HttpApi['FlowPlan'];
  };
  /** Check a flow file; the body is the file, comments included */
  'POST /v1/flows:validate': {
    readonly body?: HttpApi['FlowFileText'];
    readonly text?: string;
    readonly answer: HttpApi['Validation'];
  };
  /** List schedules, by name */
  'GET /v1/schedules': {
    readonly query?: {
      readonly limit?: number | string | undefined;
      readonly cursor?: string | undefined;
    };
    readonly answer: HttpApi['SchedulePage'];
  };
  /** A schedule: its flow, its next moments and its last runs */
  'GET /v1/schedules/{name}': {
    readonly path: {
      readonly name: string;
    };
    readonly query?: {
      readonly next?: number | string | undefined;
    };
    readonly answer: HttpApi['Schedule'];
  };
  /** Store a schedule; an equal one changes nothing */
  'PUT /v1/schedules/{name}': {
    readonly path: {
      readonly name: string;
    };
    readonly body: HttpApi['PutSchedule'];
    readonly answer: HttpApi['Schedule'];
  };
  /** Remove a schedule; the tasks that it started stay */
  'DELETE /v1/schedules/{name}': {
    readonly path: {
      readonly name: string;
    };
    readonly answer: undefined;
  };
  /** Why a schedule starts no task, and the results of its latest moments */
  'GET /v1/schedules/{name}/why': {
    readonly path: {
      readonly name: string;
    };
    readonly answer: HttpApi['ScheduleExplanation'];
  };
  /** Pause a schedule: its moments pass without a task */
  'POST /v1/schedules/{name}:pause': {
    readonly path: {
      readonly name: string;
    };
    readonly body: HttpApi['Reason'];
    readonly answer: HttpApi['Schedule'];
  };
  /** Resume a schedule from its next moment */
  'POST /v1/schedules/{name}:resume': {
    readonly path: {
      readonly name: string;
    };
    readonly body: HttpApi['Reason'];
    readonly answer: HttpApi['Schedule'];
  };
  /** Start a task of the schedule now, even if it is paused or a task of it runs */
  'POST /v1/schedules/{name}:trigger': {
    readonly path: {
      readonly name: string;
    };
    readonly body?: HttpApi['TriggerSchedule'];
    readonly answer: HttpApi['TaskReceipt'];
  };
  /** List notifications, by name */
  'GET /v1/notifications': {
    readonly query?: {
      readonly limit?: number | string | undefined;
      readonly cursor?: string | undefined;
    };
    readonly answer: HttpApi['NotificationPage'];
  };
  /** A notification: its events, its tasks and its channel */
  'GET /v1/notifications/{name}': {
    readonly path: {
      readonly name: string;
    };
    readonly answer: HttpApi['Notification'];
  };
  /** Store a notification; an equal one changes nothing */
  'PUT /v1/notifications/{name}': {
    readonly path: {
      readonly name: string;
    };
    readonly body: HttpApi['PutNotification'];
    readonly answer: HttpApi['Notification'];
  };
  /** Remove a notification; its unsent messages are dropped */
  'DELETE /v1/notifications/{name}': {
    readonly path: {
      readonly name: string;
    };
    readonly answer: undefined;
  };
  /** Send a test message now; answers whether it was delivered */
  'POST /v1/notifications/{name}:test': {
    readonly path: {
      readonly name: string;
    };
    readonly answer: HttpApi['Delivery'];
  };
  /** List the messages of a notification, newest first */
  'GET /v1/notifications/{name}/deliveries': {
    readonly path: {
      readonly name: string;
    };
    readonly query?: {
      readonly limit?: number | string | undefined;
      readonly cursor?: string | undefined;
    };
    readonly answer: HttpApi['DeliveryPage'];
  };
  /** Send a message again, under the same id */
  'POST /v1/notifications/{name}:redeliver': {
    readonly path: {
      readonly name: string;
    };
    readonly body: HttpApi['Redeliver'];
    readonly answer: HttpApi['Delivery'];
  };
  /** List commands with stored defaults, which flows inherit */
  'GET /v1/commands': {
    readonly query?: {
      readonly limit?: number | string | undefined;
      readonly cursor?: string | undefined;
    };
    readonly answer: HttpApi['Commands'];
  };
  /** The defaults of a command, which flows inherit */
  'GET /v1/commands/{module}/{command}': {
    readonly path: {
      readonly module: string;
      readonly command: string;
    };
    readonly answer: HttpApi['Command'];
  };
  /** Store the defaults of a command, which flows inherit; they replace earlier ones */
  'PUT /v1/commands/{module}/{command}': {
    readonly path: {
      readonly module: string;
      readonly command: string;
    };
    readonly body: HttpApi['CommandDefaults'];
    readonly answer: HttpApi['Command'];
  };
  /** Remove the defaults of a command */
  'DELETE /v1/commands/{module}/{command}': {
    readonly path: {
      readonly module: string;
      readonly command: string;
    };
    readonly answer: undefined;
  };
  /** Make an API key; only this answer has the key itself */
  'POST /v1/keys': {
    readonly body: HttpApi['CreateKey'];
    readonly answer: HttpApi['MadeKey'];
  };
  /** List API keys, without the keys themselves */
  'GET /v1/keys': {
    readonly query?: {
      readonly limit?: number | string | undefined;
      readonly cursor?: string | undefined;
    };
    readonly answer: HttpApi['Keys'];
  };
  /** An API key, without the key itself */
  'GET /v1/keys/{id}': {
    readonly path: {
      readonly id: string;
    };
    readonly answer: HttpApi['Key'];
  };
  /** Revoke an API key; its open streams end within seconds */
  'DELETE /v1/keys/{id}': {
    readonly path: {
      readonly id: string;
    };
    readonly answer: undefined;
  };
  /** Keep the credential of this request in a cookie for the console */
  'POST /v1/session': {
    readonly answer: HttpApi['SignedIn'];
  };
  /** The caller of this request, with roles and limits */
  'GET /v1/session': {
    readonly answer: HttpApi['Caller'];
  };
  /** Remove the cookie of the console */
  'DELETE /v1/session': {
    readonly answer: undefined;
  };
  /** Send a browser to the identity provider, to sign in to the console */
  'GET /v1/session/oidc': {
    readonly query?: {
      readonly returnTo?: string | undefined;
    };
    readonly answer: undefined;
  };
  /** Finish the sign-in: the identity provider sends the browser here */
  'GET /v1/session/oidc/callback': {
    readonly query?: {
      readonly state?: string | undefined;
      readonly code?: string | undefined;
      readonly error?: string | undefined;
      readonly iss?: string | undefined;
    };
    readonly answer: undefined;
  };
  /** List requests that change something, done or refused, as a chain of hashes */
  'GET /v1/audit': {
    readonly query?: {
      readonly first?: string | undefined;
      readonly limit?: number | string | undefined;
      readonly cursor?: string | undefined;
      readonly actor?: string | undefined;
      readonly operation?: string | undefined;
      readonly target?: string | undefined;
      readonly createdAfter?: string | undefined;
      readonly createdBefore?: string | undefined;
    };
    readonly answer: HttpApi['AuditPage'];
  };
  /** The newest entry of the audit log, signed */
  'GET /v1/audit/head': {
    readonly answer: HttpApi['AuditHeadAnswer'];
  };
  /** Export matching final tasks as lines of an archive, newest first; none is removed */
  'GET /v1/archive': {
    readonly query?: {
      readonly flow?: string | undefined;
      readonly status?: string | undefined;
      readonly label?: string | readonly string[] | undefined;
      readonly createdAfter?: string | undefined;
      readonly createdBefore?: string | undefined;
      readonly q?: string | undefined;
      readonly limit?: number | string | undefined;
      readonly cursor?: string | undefined;
    };
    readonly answer: HttpApi['ArchivePage'];
  };
  /** Import final tasks from an archive; each line gets its own answer */
  'POST /v1/archive': {
    readonly body: HttpApi['PutBack'];
    readonly answer: HttpApi['PutBackReports'];
  };
  /** Take a backup of a standalone process while it works */
  'POST /v1/backup': {
    readonly answer: undefined;
  };
  /** Whether the process runs */
  'GET /livez': {
    readonly answer: HttpApi['Live'];
  };
  /** Whether the process can do its work; if not, what is missing */
  'GET /readyz': {
    readonly answer: HttpApi['Readiness'];
  };
  /** Metrics, in the text format of Prometheus */
  'GET /metrics': {
    readonly answer: undefined;
  };
  /** This document */
  'GET /openapi.json': {
    readonly answer: HttpApi['OpenApi'];
  };
  /** This document as a page, with requests to try */
  'GET /docs': {
    readonly answer: undefined;
  };
  /** What each error code means */
  'GET /docs/errors': {
    readonly answer: undefined;
  };
  /** What each finding in a flow means, with an example and its fix */
  'GET /docs/findings': {
    readonly answer: undefined;
  };
  /** A page of the documentation; `contents` leads to all of them */
  'GET /docs/{page}': {
    readonly path: {
      readonly page: string;
    };
    readonly answer: undefined;
  };
  /** The record of a decision about the design */
  'GET /docs/adr/{page}': {
    readonly path: {
      readonly page: string;
    };
    readonly answer: undefined;
  };
  /** Links to the pages and documents of the gateway */
  'GET /': {
    readonly answer: undefined;
  };
}
