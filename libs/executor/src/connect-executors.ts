import {
  Catch,
  type ExceptionFilter,
  type INestApplication,
  type INestMicroservice,
} from '@nestjs/common';
import { ApplicationConfig, NestFactory } from '@nestjs/core';
import type { MicroserviceOptions, NestMicroservice } from '@nestjs/microservices';
import { type Observable, throwError } from 'rxjs';
import { usePlainArguments } from '#seams/nest';
import type { ExecutorServer } from './executor.server.js';

/**
 * Gives a web application's executors to the server. They have enhancers of their own, not those
 * of the web: call `useGlobalGuards` and its like on what is returned, before
 * `app.startAllMicroservices()`, which fills the server.
 */
export function connectExecutors(app: INestApplication, server: ExecutorServer): INestMicroservice {
  usePlainArguments();
  const options: MicroserviceOptions = { strategy: server };
  const executors = app.connectMicroservice(options, {
    inheritAppConfig: false,
    deferInitialization: true,
  });
  // Deferred, it would run the hooks of the application's modules a second time.
  (executors as NestMicroservice).setIsInitHookCalled(true);
  return executors.useGlobalFilters(new LastResortFilter());
}

/**
 * An application that has nothing but executors, without a port to listen on. Filled when it is
 * initialised (`app.init()` or `app.listen()`).
 */
export async function createExecutorApp(
  module: Parameters<typeof NestFactory.createMicroservice>[0],
  server: ExecutorServer,
): Promise<INestMicroservice> {
  usePlainArguments();
  const app = await NestFactory.createMicroservice<MicroserviceOptions>(module, {
    strategy: server,
  });
  // Filters are asked last one first, and the application's own were added while it was made.
  app.get(ApplicationConfig).getGlobalFilters().unshift(new LastResortFilter());
  return app;
}

/**
 * Hands on what no other filter caught. Nest's own last resort would log it and reply "Internal
 * server error"; a command's error belongs into its task, with its message.
 */
@Catch()
class LastResortFilter implements ExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}
