export { SystemClock } from '#machine';
export { Command, type CommandMethod, type CommandResult } from './executor/command.decorator.js';
export type { CommandContext } from './executor/command-context.js';
export { RetryableError, type RetryableOptions, TerminalError } from './executor/command-error.js';
export { type CommandFault, type FaultFinder, timeIsOver } from './executor/command-fault.js';
export { connectExecutors, createExecutorApp } from './executor/connect-executors.js';
export { loseAttempt } from './faults/lose-attempt.js';
export { CompleteLater, completeLater } from './executor/complete-later.js';
export { Executor } from './executor/executor.decorator.js';
export { ExecutorServer, type ExecutorServerOptions } from './executor/executor.server.js';
export type { LeaveListener } from './executor/command-call.js';
export { LookAgain, lookAgain } from './executor/look-again.js';
export { KeepsMarks } from './executor/marks.decorator.js';
export {
  type HeldResidue,
  ReportsResidue,
  type Residue,
  type ResidueMethod,
} from './executor/residue.decorator.js';
export {
  type AccessGate,
  expectRole,
  forbidden,
  principalOf,
  subjectOf,
  credentialOf,
} from './http/access-gate.js';
export {
  isOverTls,
  noSessionCookie,
  noTicketCookie,
  sessionCookie,
  ticketCookie,
  ticketOf,
} from './http/session-cookie.js';
export { type CheckResult, type Readiness, type ReadinessCheck } from './http/health.js';
export { HealthModule } from './http/health.module.js';
export type { HealthOptions, MetricsText } from './http/health-options.js';
export { HttpAdapter, type HttpAdapterOptions, type RouteWishes } from './http/http-adapter.js';
export { createHttpApp, type HttpApp, type HttpAppOptions } from './http/http-app.js';
export { nextTurn } from './http/loop-turns.js';
export { type OnFault, ProblemFilter } from './http/problem.filter.js';
export { problemOf } from './http/problem-of.js';
export { InputFaults } from './http/input-faults.js';
export {
  ERRORS_MAX,
  type InputFault,
  invalidRequest,
  Problem,
  problemBody,
  type ProblemBody,
  type ProblemMore,
} from './http/problems.js';
export { type ProblemCode, PROBLEMS } from './http/problem-catalogue.js';
export { RateBuckets } from './http/rate-buckets.js';
export { clientAddress, type LimitOptions, RequestLimits } from './http/request-limits.js';
export { expectNoParameters, QueryReader, type RawQuery } from './http/query-reader.js';
export { pathOf, PROBLEM_TYPE, sendProblem } from './http/send-problem.js';
export { openPorts, openStore, type PortParts, type Ports } from './runtime/open-ports.js';
export {
  type ContextOptions,
  type EnginePorts,
  type ProcessContext,
  VERSION,
} from './runtime/process-context.js';
export { ExecutorsError, loadExecutors } from './runtime/load-executors.js';
export { executorPlan, type ExecutorProcess, runExecutor } from './runtime/run-executor.js';
export { listenerOf, runProcess } from './runtime/run-process.js';
export {
  type Companion,
  type ProcessHandle,
  type ProcessParts,
  type ProcessPlan,
  type RunningProcess,
  startProcess,
} from './runtime/start-process.js';
