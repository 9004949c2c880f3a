/** Where a flow is. */
export function flowPath(name: string): string {
  return `v1/flows/${encodeURIComponent(name)}`;
}

/** Where an operation is. */
export function operationPath(operationId: string): string {
  return `v1/operations/${encodeURIComponent(operationId)}`;
}

/** Where a task is. */
export function taskPath(taskId: string): string {
  return `v1/tasks/${encodeURIComponent(taskId)}`;
}
