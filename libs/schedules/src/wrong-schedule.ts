/** The faults that the times of a schedule may have. */
type ScheduleFault =
  'WRONG_CRON' | 'WRONG_TIMEZONE' | 'WRONG_DURATION' | 'WRONG_TIME' | 'NO_MOMENT';

/** Where it is at fault. */
type FaultyMember = 'cron' | 'every' | 'at' | 'timezone';

/** The times of a schedule that is not one. The message is a sentence. */
export class WrongSchedule extends Error {
  override readonly name = 'WrongSchedule';

  constructor(
    readonly code: ScheduleFault,
    readonly member: FaultyMember,
    { hint, message }: { readonly message: string; readonly hint: string },
  ) {
    super(message);
    this.hint = hint;
  }

  /** Advice for the author of the schedule: what to write instead. */
  readonly hint: string;
}
