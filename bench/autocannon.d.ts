/** The part of autocannon's API that the bench uses; the package comes without types. */
declare module 'autocannon' {
  export interface Request {
    readonly method: string;
    readonly path?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly setupRequest?: (request: Request) => Request;
  }
  export interface Options {
    readonly url: string;
    readonly connections: number;
    /** Seconds. */
    readonly duration?: number;
    readonly amount?: number;
    readonly sampleInt?: number;
    readonly requests?: readonly Request[];
  }
  export interface Outcome {
    readonly '2xx': number;
    readonly non2xx: number;
    readonly statusCodeStats: Readonly<Record<string, unknown>>;
    readonly errors: number;
    /** Seconds. */
    readonly duration: number;
  }
  export default function autocannon(options: Options): Promise<Outcome>;
}
