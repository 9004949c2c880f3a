import type { FastifyRequest } from 'fastify';
import type { Need } from '#access';

/** Options of a route, set by `@RouteConfig`. */
export interface RouteWishes {
  /** Takes bodies that are this many times as large as others. */
  readonly bodyFactor?: number;
  /** Gets the body as text, not as what JSON makes of it; JSON with comments will do. */
  readonly takesText?: boolean;
  /** Gets the `Problem` of a body that cannot be read, in the place of the body. */
  readonly takesFaults?: boolean;
  /** Its bodies may hold sealed secrets: of tasks that ended, which open nothing any more. */
  readonly takesSealed?: boolean;
  /** Answered also where nothing else is, because there is no room. */
  readonly isHealth?: boolean;
  /** A page that people may open by a link from anywhere. */
  readonly isPage?: boolean;
  /** Its answers have an `ETag` of their bytes, and are not sent to whom has them. */
  readonly isTagged?: boolean;
  /** The rights that its caller needs. Default: those of `needOf`. */
  readonly need?: Need;
}

/** The wishes of the route of a request; of none where no route is found. */
export function wishesOf(request: FastifyRequest): RouteWishes {
  return (request.routeOptions.config as RouteWishes | undefined) ?? {};
}

/** Whether the route of a request gets its body as text. */
export function takesText(request: FastifyRequest): boolean {
  return wishesOf(request).takesText === true;
}

/** Whether the route of a request gets the fault of its body in the place of that. */
export function takesFaults(request: FastifyRequest): boolean {
  return wishesOf(request).takesFaults === true;
}
