import type { Role } from '#ports';

/** The rights that an operation asks of its caller. */
export interface Need {
  /** `none`: not even a key. `any`: a key, of whatever role. */
  readonly role: Role | 'any' | 'none';
  /**
   * The subject of the operation. `task`: one that the caller may not even see, so that the lack of
   * a role is told only of a task that is seen. `module`: one that its address names. `all`:
   * everything at once, so that a key with limits does not do. Absent: nothing, or the operation
   * leaves out by itself what the caller does not see.
   */
  readonly about?: 'task' | 'module' | 'all';
  /** A role that may do it besides, without the rights of `role`. */
  readonly or?: Role;
}

const OPEN: Need = { role: 'none' };
const ANY: Need = { role: 'any' };
const READS: Need = { role: 'viewer' };
const STARTS: Need = { role: 'starter' };
const ACTS: Need = { role: 'operator', about: 'task' };
const OPERATES: Need = { role: 'operator' };
const WRITES: Need = { role: 'author' };
const RULES: Need = { role: 'admin', about: 'all' };

/**
 * The rights that each operation of the gateway needs, by method and address as the OpenAPI
 * document writes them. A test finds every operation that is not listed here.
 */
export const OPERATION_NEEDS: Readonly<Record<string, Need>> = {
  'GET /livez': OPEN,
  'GET /readyz': OPEN,
  'GET /metrics': { role: 'viewer', about: 'all' },
  'GET /openapi.json': ANY,
  'GET /docs': ANY,
  'GET /docs/errors': ANY,
  'GET /docs/findings': ANY,
  'GET /docs/{page}': ANY,
  'GET /docs/adr/{page}': ANY,
  'GET /': OPEN,
  'POST /v1/tasks': STARTS,
  'POST /v1/tasks:batch': STARTS,
  'GET /v1/tasks': READS,
  'GET /v1/tasks/{taskId}': READS,
  'GET /v1/tasks/{taskId}/events': READS,
  'POST /v1/tasks/{taskId}:rollback': ACTS,
  'POST /v1/tasks/{taskId}:terminate': ACTS,
  'POST /v1/tasks/{taskId}:retry': ACTS,
  'POST /v1/tasks/{taskId}:skip': ACTS,
  'POST /v1/tasks/{taskId}:pause': ACTS,
  'POST /v1/tasks/{taskId}:resume': ACTS,
  'POST /v1/tasks/{taskId}:reset': ACTS,
  'POST /v1/tasks/{taskId}:undo': ACTS,
  'POST /v1/tasks/{taskId}:signal': ACTS,
  'POST /v1/tasks/{taskId}:approve': ACTS,
  'POST /v1/tasks/{taskId}:reject': ACTS,
  'POST /v1/tasks/{taskId}/steps/{run}:complete': { ...ACTS, or: 'worker' },
  'POST /v1/tasks/{taskId}:restart': { role: 'starter', about: 'task' },
  'GET /v1/tasks/{taskId}/rollback-plan': READS,
  'GET /v1/tasks/{taskId}/preview': READS,
  'GET /v1/tasks/{taskId}/provenance': READS,
  'GET /v1/tasks/{taskId}/why': READS,
  'GET /v1/tasks:count': READS,
  'GET /v1/events': READS,
  'GET /v1/executors': READS,
  'GET /v1/locks': READS,
  'POST /v1/operations': OPERATES,
  'GET /v1/operations': READS,
  'GET /v1/operations/{operationId}': READS,
  'POST /v1/operations/{operationId}:cancel': OPERATES,
  'POST /v1/operations/{operationId}:approve': OPERATES,
  'POST /v1/operations/{operationId}:reject': OPERATES,
  'GET /v1/flows': READS,
  'GET /v1/flows/{name}': READS,
  'GET /v1/flows/{name}/versions/{version}': READS,
  'PUT /v1/flows/{name}': WRITES,
  'DELETE /v1/flows/{name}': WRITES,
  'GET /v1/flows/{name}/statistics': READS,
  'GET /v1/flows/{name}/versions': READS,
  'GET /v1/flows/{name}/versions/{version}:diff': READS,
  'PUT /v1/flows/{name}/versions/{version}/drill': WRITES,
  'POST /v1/flows/{name}:plan': READS,
  'POST /v1/flows:plan': WRITES,
  'POST /v1/flows:validate': READS,
  'GET /v1/schedules': READS,
  'GET /v1/schedules/{name}': READS,
  'GET /v1/schedules/{name}/why': READS,
  'PUT /v1/schedules/{name}': WRITES,
  'DELETE /v1/schedules/{name}': WRITES,
  'POST /v1/schedules/{name}:pause': WRITES,
  'POST /v1/schedules/{name}:resume': WRITES,
  'POST /v1/schedules/{name}:trigger': STARTS,
  'GET /v1/notifications': READS,
  'GET /v1/notifications/{name}': READS,
  'PUT /v1/notifications/{name}': WRITES,
  'DELETE /v1/notifications/{name}': WRITES,
  'POST /v1/notifications/{name}:test': WRITES,
  'GET /v1/notifications/{name}/deliveries': READS,
  'POST /v1/notifications/{name}:redeliver': WRITES,
  'GET /v1/commands': READS,
  'GET /v1/commands/{module}/{command}': READS,
  'PUT /v1/commands/{module}/{command}': WRITES,
  'DELETE /v1/commands/{module}/{command}': WRITES,
  'POST /v1/keys': RULES,
  'GET /v1/keys': RULES,
  'GET /v1/keys/{id}': RULES,
  'DELETE /v1/keys/{id}': RULES,
  'POST /v1/session': ANY,
  'GET /v1/session': ANY,
  'DELETE /v1/session': ANY,
  'GET /v1/session/oidc': OPEN,
  'GET /v1/session/oidc/callback': OPEN,
  'GET /v1/audit': RULES,
  'GET /v1/audit/head': RULES,
  'GET /v1/archive': RULES,
  'POST /v1/archive': RULES,
  'POST /v1/backup': RULES,
};

const MODULE_PAGE: Need = { role: 'viewer', about: 'module' };
const MODULE_ACT: Need = { role: 'operator', about: 'module' };

/** The operations of operators on a module. */
const MODULE_ACTS: Readonly<Record<string, Need>> = {
  'PUT /modules/lab/faults/{flow}/{step}': MODULE_ACT,
  'DELETE /modules/lab/faults/{flow}/{step}': MODULE_ACT,
};
const CONSOLE = /^\/console(?:\/|$)/;

/**
 * The rights that a route needs. Pages of modules are not listed one by one. Those of the console
 * are open: they hold no data, and a browser has no key to send before its reader has given one.
 * Any other route that is not listed, such as a page of a user's executor, is for viewers to
 * read and for admins to use.
 */
export function needOf(method: string, path: string): Need {
  const verb = method === 'HEAD' ? 'GET' : method;
  const route = `${verb} ${path}`;
  const listed = OPERATION_NEEDS[route] ?? MODULE_ACTS[route];
  if (listed !== undefined) return listed;
  if (verb !== 'GET') return RULES;
  if (path.startsWith('/modules/')) return MODULE_PAGE;
  return CONSOLE.test(path) ? OPEN : { role: 'viewer', about: 'all' };
}
