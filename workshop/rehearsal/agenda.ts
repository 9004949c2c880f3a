/** Something that happens at a moment of a play. */
interface Appointment {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** It comes from outside, and the task need not wait for it. */
  readonly isOutside: boolean;
  readonly happen: () => Promise<void>;
}

/** Appointments of a play, by time; those of the same moment in the order they were added. */
export class Agenda {
  readonly #appointments: Appointment[] = [];

  add(appointment: Appointment): void {
    const after = this.#appointments.findIndex(({ at }) => at > appointment.at);
    this.#appointments.splice(after < 0 ? this.#appointments.length : after, 0, appointment);
  }

  /** When the next one is; null: there is none. */
  get nextAt(): number | null {
    return this.#appointments[0]?.at ?? null;
  }

  /** Whether something is under way in the task itself. */
  get isBusy(): boolean {
    return this.#appointments.some(({ isOutside }) => !isOutside);
  }

  take(): Appointment | undefined {
    return this.#appointments.shift();
  }
}
