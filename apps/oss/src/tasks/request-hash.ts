import { hash } from 'node:crypto';
import type { CreateTaskRequest } from '../requests/create-task.request.js';

/** Tells a repeated request from a different one: what is left out counts as its default. */
export function requestHash(request: CreateTaskRequest): string {
  const { flow, given, only, parameters = {}, labels = {}, priority = 0 } = request;
  const text = canonicalJson({ flow, parameters, labels, priority, only, given });
  return hash('sha256', text, 'hex');
}

/** JSON with the members of every object in order of their names. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const object = value as Readonly<Record<string, unknown>>;
  const members = Object.keys(object)
    .sort()
    .filter((key) => object[key] !== undefined)
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(object[key])}`);
  return `{${members.join(',')}}`;
}
