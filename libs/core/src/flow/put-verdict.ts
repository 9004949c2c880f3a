/**
 * Where the newest version of a flow is from: a file, or a request that stored it. `retired`: no
 * new task of it is made until a person stores it again.
 */
export type FlowStanding = 'file' | 'stored' | 'retired';

/** The newest version of a flow, as far as it decides what becomes of another one. */
export interface NewestVersion {
  readonly version: number;
  readonly hash: string;
  readonly standing: FlowStanding;
}

/** A definition that is to become the newest of its name, as far as it decides. */
interface PutVersion {
  readonly hash: string;
  /** Only if the newest version is one of these; 0: if there is none. Absent: in any case. */
  readonly expected?: readonly number[] | undefined;
}

/**
 * The decision on storing a definition. `moved`: it is not stored, as the newest version is none
 * that was expected; `kept`: it is the newest already; `taken`: the newest, which was a file's,
 * counts as stored from now on; `added`: it gets the next number.
 */
type PutVerdict = 'moved' | 'kept' | 'taken' | 'added';

/** The one rule that all stores follow. */
export function judgePut(newest: NewestVersion | null, { expected, hash }: PutVersion): PutVerdict {
  if (expected !== undefined && !expected.includes(newest?.version ?? 0)) return 'moved';
  if (newest === null || newest.hash !== hash || newest.standing === 'retired') return 'added';
  return newest.standing === 'stored' ? 'kept' : 'taken';
}
