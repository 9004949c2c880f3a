import type { BarrierContext, TaskMarks } from '#ports';

/** How much of a host: cores, GiB of memory, GiB of storage. Three decimals count. */
export interface Size {
  readonly cpu: number;
  readonly memory: number;
  readonly storage: number;
}

/** One host of the inventory with its whole size. */
export interface Host extends Size {
  readonly host: string;
}

/** A part of a host, and what it is for. `instance` is empty where the task named none. */
export interface Allocation extends Host {
  readonly taskId: string;
  readonly run: string;
  readonly instance: string;
}

/** The demand of a step: each instance gets this size on one host. */
export interface Demand {
  readonly instances: readonly string[];
  /** A host to take if it still has room. */
  readonly preferred: string | null;
  readonly size: Size;
}

/** A host as people see it. */
export interface HostReport {
  readonly host: string;
  readonly cpu: { readonly total: number; readonly free: number };
  readonly memory: { readonly total: number; readonly free: number };
  readonly storage: { readonly total: number; readonly free: number };
  readonly allocations: readonly Omit<Allocation, 'host'>[];
}

/**
 * The hosts and what is taken of them. No host is ever taken below zero; whatever a step does here
 * happens once however often it is attempted, and not at all once its rollback has been.
 */
export interface Inventory {
  /** The marks that the barrier keeps. */
  readonly marks: TaskMarks;
  /** The host that fits best, or null. Takes nothing. */
  findRoom(size: Size): Promise<string | null>;
  /** Takes what a step asks for, all or nothing. Throws `NoRoom`. */
  take(context: BarrierContext, demand: Demand): Promise<readonly Allocation[]>;
  /** Undoes `take` of the same step. */
  undoTake(context: BarrierContext): Promise<void>;
  /** Gives back everything that is taken for an instance, by any task. */
  release(context: BarrierContext, instance: string): Promise<readonly Allocation[]>;
  /**
   * Undoes `release` of the same step. Throws `NoRoom` where others have taken the place meanwhile.
   */
  undoRelease(context: BarrierContext): Promise<void>;
  listHosts(): Promise<readonly HostReport[]>;
  close(): Promise<void>;
}

/** No host has room. The message names what lacks. */
export class NoRoom extends Error {
  override readonly name = 'NoRoom';
}

/** Says that no host has room, and what the hosts have at most. */
export function noRoom(size: Size, free: readonly Size[]): NoRoom {
  const lacking = (['cpu', 'memory', 'storage'] as const).filter(
    (kind) => !free.some((host) => host[kind] >= size[kind]),
  );
  const wanted = `${size.cpu} cores, ${size.memory} GiB memory and ${size.storage} GiB storage`;
  if (lacking.length === 0) return new NoRoom(`no single host has room for ${wanted}`);
  const most = lacking.map((kind) => {
    const best = Math.max(0, ...free.map((host) => host[kind]));
    return `${kind} (most free on one host: ${best})`;
  });
  return new NoRoom(`no host has room for ${wanted}: not enough ${most.join(', ')}`);
}
