import type {
  Clock,
  Consumer,
  DeliveryHandler,
  Places,
  StepTransport,
  Timer,
  WaitingLine,
} from '#ports';

/** How long messages come after the last poll has left, in milliseconds: workers come back. */
export const KEPT_MS = 2_000;

/** Messages beside those that are asked for, where a poll asks for some commands alone. */
const UNASKED = 16;

/** Most messages of a module that are in hand at once. */
const IN_HAND_MAX = 256;

/** The dependencies of a feed. */
interface FeedParts {
  readonly clock: Clock;
  readonly transport: StepTransport;
  readonly handler: DeliveryHandler;
  /** Places of the polls that ask for the module. */
  readonly freeOf: (module: string, upTo?: number) => number;
  /** The feed has ended. */
  readonly ended: (module: string) => void;
  /** The messages do not come. */
  readonly failed: (module: string, error: unknown) => void;
}

/** Has the messages of one module delivered, for as long as polls ask for them. */
export class ModuleFeed implements Places {
  count = 0;
  /** No message comes while a poll chooses among its modules. */
  isHalted = false;
  private line: WaitingLine | null = null;
  private consumer: Promise<Consumer | null> | null = null;
  private leaving: Timer | null = null;

  constructor(
    private readonly module: string,
    private readonly parts: FeedParts,
  ) {}

  get free(): number {
    return this.isHalted ? 0 : this.parts.freeOf(this.module, 1);
  }

  /** Order time of what comes next; infinite: nothing waits, null: the broker does not tell. */
  get nextAt(): number | null {
    return this.line?.nextAt ?? null;
  }

  join(line: WaitingLine): void {
    this.line = line;
  }

  leave(line: WaitingLine): void {
    if (this.line === line) this.line = null;
  }

  /** Has what comes next delivered, where it waits in this process. */
  serve(): void {
    this.line?.serve();
  }

  /**
   * A poll has come: messages are to come for all who wait. `isPicky`: it does not ask for every
   * action of the module.
   */
  open(isPicky: boolean): void {
    this.leaving?.cancel();
    this.leaving = null;
    const asked = this.parts.freeOf(this.module, IN_HAND_MAX);
    const wanted = Math.min(IN_HAND_MAX, isPicky ? asked + UNASKED : asked);
    if (this.consumer !== null && wanted < 2 * this.count) return;
    // A broker sends as many as were asked for once: more polls need another subscription.
    const former = this.consumer;
    this.count = Math.max(1, wanted);
    this.consumer = this.consume();
    void former?.then((consumer) => consumer?.stop());
  }

  /** No poll asks for the module any more. */
  close(ms = KEPT_MS): void {
    this.leaving?.cancel();
    this.leaving = this.parts.clock.after(ms, () => void this.end());
  }

  /** Resolves when no message comes any more. */
  async end(): Promise<void> {
    this.leaving?.cancel();
    const { consumer } = this;
    this.consumer = null;
    this.parts.ended(this.module);
    await (await consumer)?.stop();
  }

  private consume(): Promise<Consumer | null> {
    const { handler, transport } = this.parts;
    return transport.consume(this.module, this, handler).catch((error: unknown) => {
      this.consumer = null;
      this.parts.failed(this.module, error);
      return null;
    });
  }
}
