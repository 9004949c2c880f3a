import { type DynamicModule, Module } from '@nestjs/common';
import { CheckedResolver, exceptionsOf, type Exchange, HttpClient, type Resolve } from '#outbound';
import type { Clock } from '#ports';
import { HTTP_CLIENT, HTTP_CLOCK, RequestExecutor } from './request.executor.js';

/** Options of the module. */
export interface HttpOptions {
  readonly clock: Clock;
  /** Names of hosts, addresses and networks that may be reached although they are not public. */
  readonly allow: readonly string[];
  /** Bytes of an answer's body. */
  readonly bodyMax: number;
  /** Finds the addresses of a name; by default this machine does. */
  readonly resolve?: Resolve;
  /** Sends a request over a connection of its own; by default this machine's. */
  readonly exchange?: Exchange;
}

/** Module `http`: asking other systems over HTTP. */
@Module({})
export class HttpModule {
  static register({ allow, bodyMax, clock, exchange, resolve }: HttpOptions): DynamicModule {
    const resolver = new CheckedResolver(exceptionsOf(allow), resolve);
    const client = { bodyMax, resolver, ...(exchange && { exchange }) };
    return {
      module: HttpModule,
      controllers: [RequestExecutor],
      providers: [
        { provide: HTTP_CLIENT, useValue: new HttpClient(client) },
        { provide: HTTP_CLOCK, useValue: clock },
      ],
    };
  }
}
