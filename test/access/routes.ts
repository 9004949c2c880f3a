/** The routes of a process, in the writing of OpenAPI. */
export interface RouteList {
  list(): readonly string[];
}

/** File in which a process of this app writes its routes down. */
export function routesFile(app: string): string {
  return `routes-of-${app}.json`;
}
