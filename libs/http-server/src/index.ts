export { roomsOf } from './connection-rooms.js';
export { contextOptions, type TlsPair } from './server-options.js';
export {
  callerOf,
  credentialOf,
  expectMayChange,
  expectRole,
  forbidden,
  lacking,
  principalOf,
  subjectOf,
} from './access-gate.js';
export {
  isOverTls,
  noSessionCookie,
  noTicketCookie,
  sessionCookie,
  ticketCookie,
  ticketOf,
} from './session-cookie.js';
export { HealthModule, readiness, type ReadinessCheck } from './health.js';
export { createHttpApp, type HttpApp, type HttpAppOptions } from './http-adapter.js';
export { emptyBody, nextTurn } from './json-body.js';
export { problemOf } from './problem-of.js';
export {
  type InputFault,
  InputFaults,
  invalidRequest,
  Problem,
  problemBody,
  type ProblemBody,
} from './problems.js';
export { type ProblemCode, PROBLEMS } from './problem-catalogue.js';
export { clientAddress, RateBuckets, RequestLimits } from './request-limits.js';
export { expectNoParameters, QueryReader } from './query-reader.js';
export { acceptedEncodings, knowsTag, varyBy } from './answer-form.js';
export { PROBLEM_TYPE } from './send-problem.js';
