import type { StepTransport } from '#ports';

/** A transport under test. */
export interface TransportFixture {
  readonly transport: StepTransport;
  /** Another transport on the same broker, as another process would have. Absent: there is none. */
  openAnother?(): Promise<StepTransport>;
  /** Lets go of everything, also where the test has closed the transport. */
  dispose(): Promise<void>;
}

/** The body of a rule, run on a transport of its own. */
type Body = (transport: StepTransport, fixture: TransportFixture) => Promise<void>;

/** Declares one rule; its transport is opened and disposed of around the body. */
export type Rule = (name: string, body: Body) => void;
