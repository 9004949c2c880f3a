import type { DynamicModule, LoggerService, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { HttpAdapter, type HttpAdapterOptions } from './http-adapter.js';
import { type OnFault, ProblemFilter } from './problem.filter.js';

/** Options of a process's listener. */
export interface HttpAppOptions extends HttpAdapterOptions {
  /** Gets errors that are Backstep's own fault, with the id of the request. */
  readonly onFault: OnFault;
  /** Nest's own log; none by default. */
  readonly logger?: LoggerService | false;
}

/** A Nest application on its listener, and the routes it has. */
export interface HttpApp {
  readonly app: NestFastifyApplication;
  readonly adapter: HttpAdapter;
}

/**
 * Makes the Nest application of a process: every error is a problem of the catalogue, bodies are
 * strict JSON within their limits, every answer has its request's id. It does not listen yet.
 */
export async function createHttpApp(
  module: Type | DynamicModule,
  { onFault, logger = false, ...options }: HttpAppOptions,
): Promise<HttpApp> {
  const filter = new ProblemFilter(onFault);
  const adapter = new HttpAdapter(options, filter);
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger,
    abortOnError: false,
  });
  app.useGlobalFilters(filter);
  return { app, adapter };
}
