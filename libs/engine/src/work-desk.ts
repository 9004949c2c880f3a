import type { AttemptFailure, JournalEntry, JsonObject, LostReason, TaskStatus } from '#core';
import type { AbortSignalLike, OutputLine, Progress } from '#ports';

/**
 * The place where workers fetch actions, keep them and tell how they ended. A worker is a program
 * that asks for work by itself; its claims have a lease with an end in the task's document. All
 * times are durations in milliseconds. Every method may throw `StoreUnavailable`, which says
 * nothing about what took effect: the same call may be made again. Requests are taken as checked:
 * bounds and rights are the caller's part.
 */
export interface WorkDesk {
  /** Polls that wait now. */
  readonly parked: number;
  /**
   * A worker tells what it serves. Its modules are *served* until it is silent for 35 s or says
   * good-bye. Optional: a poll registers what it names. Like `goodBye` it throws
   * `WorkerNameTaken` where a worker of another key has the name, until that is silent.
   */
  register(registration: WorkerRegistration): Promise<WorkerTerms>;
  /** The worker has stopped: its claims are handed back, its modules are served no more by it. */
  goodBye(worker: string, keyMark?: string): Promise<void>;
  /**
   * From now on the worker's polls get nothing, and `isDraining`; or again what there is. False:
   * no such worker is known.
   */
  drain(worker: string, isDraining: boolean): Promise<boolean>;
  /**
   * Resolves with the first item and what else is ready then, or with no item once the wait is
   * over, the worker drains, a newer poll of the same worker and modules has come, or the desk
   * closes. It waits for a store that is away; without a wait that is thrown. An abort of `closed`
   * ends it at once: what it claimed is handed back.
   */
  poll(order: PollOrder, closed: AbortSignalLike): Promise<PollAnswer>;
  /** The answer with these claims could not be written: nobody has them. Never throws. */
  handBack(claims: readonly WorkClaim[]): Promise<void>;
  /** Renews claims. One answer for each, in their order. */
  heartbeat(beats: readonly Heartbeat[]): Promise<readonly HeartbeatAnswer[]>;
  /**
   * Keeps what the attempt of a claim says; of one that the worker has lost, its lines, unless the
   * task has secrets. Resolves to whether some of its lines are missing by now. Never rejects.
   */
  say(claim: WorkClaim, words: AttemptWords): Promise<boolean>;
  /** The rules for the output of a claim, as its worker has declared them; null: it has none. */
  outputRules(claim: WorkClaim): Promise<OutputRules | null>;
  /** Takes the outcome of a claim; `next` asks for further items, without a wait. */
  report(claim: WorkClaim, outcome: WorkOutcome, next?: NextPoll): Promise<ReportAnswer>;
  /** The modules that a worker serves which was heard of within an hour; empty: it was not. */
  modulesOf(worker: string): Promise<readonly string[]>;
  /** Ends all polls that wait; each gets an empty answer. Safe to call twice. */
  close(): Promise<void>;
}

/** A command as a worker registers it. */
export interface WorkerCommand {
  /** JSON Schema of what it takes; absent: it does not say. */
  readonly parameters?: JsonObject;
  /** JSON Schema that its output fits; absent: it does not say. */
  readonly output?: JsonObject;
  /** Members of its output that are sealed before they are kept; absent: none. */
  readonly secrets?: readonly string[];
}

/** The rules that an output is checked by before it is reported. */
export interface OutputRules {
  /** A JSON Schema. */
  readonly schema: JsonObject;
  /** Members of the output whose faults tell nothing but that there is one. */
  readonly secrets: readonly string[];
}

/** A worker tells its name and the commands that it serves. */
export interface WorkerRegistration {
  /** New with each start of the worker: 1 to 128 of `A-Za-z0-9._:/-`. */
  readonly worker: string;
  /** Commands by their names, by module. */
  readonly modules: Readonly<Record<string, Readonly<Record<string, WorkerCommand>>>>;
  /** Actions that it runs at once, at least 1. */
  readonly slots: number;
  /** The name that its owners give to the build of their code. */
  readonly build?: string;
  readonly host?: string;
  /** Name and version of the library by which it speaks. */
  readonly sdk?: string;
  /** Tells its key apart from others; absent: nothing does. */
  readonly keyMark?: string;
}

/** The terms on which a worker is served. */
export interface WorkerTerms {
  /** How often it is to renew its claims. */
  readonly heartbeatMs: number;
}

/** The directions in which a worker may run actions. */
export type WorkDirection = 'normal' | 'rollback';

/** The members that every poll has. */
export interface NextPoll {
  /** Most items, 1 to 100. */
  readonly max: number;
}

/** A poll. */
export interface PollOrder extends NextPoll {
  readonly worker: string;
  /** 1 to 16. */
  readonly modules: readonly string[];
  /** Absent: all of these modules. */
  readonly commands?: readonly string[];
  /** 0: only what is ready now. */
  readonly waitMs: number;
  /** The lease of each claim, once it is held. */
  readonly leaseMs: number;
  /** Makes the poll repeatable within 60 s. */
  readonly pollId?: string;
  /** Absent: both. */
  readonly directions?: readonly WorkDirection[];
  readonly build?: string;
}

/** The answer to a poll. */
export interface PollAnswer {
  readonly items: readonly WorkItem[];
  /** An operator has the worker drain. */
  readonly isDraining: boolean;
  /** Absent: it may poll again at once. */
  readonly retryAfterMs?: number;
}

/**
 * The right of a worker to one attempt. Everything that a later call needs is in here, so that any
 * gateway can serve it: the caller signs it and gives it to the worker as one text.
 */
export interface WorkClaim {
  readonly taskId: string;
  /** Place of the step in the task. */
  readonly place: number;
  readonly direction: WorkDirection;
  /** 1 for the first. */
  readonly attempt: number;
  /** The fencing token. */
  readonly token: number;
  readonly worker: string;
  readonly module: string;
  readonly command: string;
}

/** An action that was handed out. */
export interface WorkItem {
  readonly claim: WorkClaim;
  readonly taskId: string;
  readonly flow: string;
  /** Name of the step. */
  readonly step: string;
  /** Id of the step's run. */
  readonly run: string;
  readonly direction: WorkDirection;
  readonly module: string;
  readonly command: string;
  /** With secrets in clear. */
  readonly parameters: JsonObject;
  readonly labels: Readonly<Record<string, string>>;
  readonly results: Readonly<Record<string, JsonObject>>;
  /** 1 for the first. */
  readonly attempt: number;
  readonly idempotencyKey: string;
  readonly forwardKey: string;
  /** Of an undo: what is known of the action that it undoes. */
  readonly forward?: {
    readonly state: 'succeeded' | 'failed' | 'unknown';
    readonly output: JsonObject | null;
  };
  readonly fencingToken: number;
  readonly completionToken: string;
  /** Until the first heartbeat, at most 15 s. */
  readonly leaseMs: number;
  /** Of all attempts together, and of this one. */
  readonly timeLeftMs: number;
  readonly attemptTimeLeftMs: number;
  /** The worker must have `held` before it does anything. */
  readonly confirm: boolean;
  readonly traceparent: string | null;
}

/** The words of an attempt as its worker sends them. */
export interface AttemptWords {
  /** The oldest first. `agoMs`: how long before the request the line was written. */
  readonly lines: readonly (Omit<OutputLine, 'at'> & { readonly agoMs: number })[];
  /** Lines that the worker left out itself. */
  readonly dropped: number;
  /** In the place of what it said before; absent: as before. */
  readonly progress?: Progress;
}

/** The signal that a worker still has a claim. */
export interface Heartbeat {
  readonly claim: WorkClaim;
}

/**
 * The answer to one heartbeat. `held`: go on for `leaseMs`. `cancelled`: stop within `stopWithinMs`
 * and tell the outcome or release it; heartbeats renew it no more. `lost`: stop, for `reason`.
 * `ended`: its outcome is known. `gone`: its task was removed.
 */
export type HeartbeatAnswer =
  | { readonly state: 'held'; readonly leaseMs: number }
  | {
      readonly state: 'cancelled';
      /** One sentence. */
      readonly reason: string;
      readonly leaseMs: number;
      readonly stopWithinMs: number;
    }
  | { readonly state: 'lost'; readonly reason: LostReason }
  | { readonly state: 'ended' }
  | { readonly state: 'gone' };

/** How an attempt ended, as a worker tells it. */
export type WorkOutcome =
  | ({ readonly kind: 'complete'; readonly output: JsonObject | null } & Pick<
      JournalEntry,
      'creates' | 'released'
    >)
  | ({ readonly kind: 'fail' } & Omit<AttemptFailure, 'failure' | 'intended' | 'refused'> &
      Partial<Pick<AttemptFailure, 'failure' | 'refused'>>)
  | { readonly kind: 'again'; readonly afterMs: number; readonly message?: string }
  | { readonly kind: 'later'; readonly timeoutMs: number | null }
  | { readonly kind: 'release'; readonly reason?: string };

/**
 * The answer to an outcome. `taken`: it counts, as `taskStatus` says; `isReplayed`: it was known.
 * `differs`: another one is known of this attempt, and stays. `late`: the right was lost for
 * `reason`; it is kept with the attempt. `gone`: its task was removed.
 */
export type ReportAnswer =
  | {
      readonly kind: 'taken';
      readonly taskStatus: TaskStatus;
      readonly isReplayed: boolean;
      /** The step failed for good, as its output is too large for the task. */
      readonly isTooLarge: boolean;
      /** Present where the report asked for some. */
      readonly items?: readonly WorkItem[];
    }
  | { readonly kind: 'differs' }
  | { readonly kind: 'late'; readonly reason: LostReason }
  | { readonly kind: 'gone' };
