import { hash } from 'node:crypto';
import { canonicalJson } from '#core/json';
import type { Secrets } from '#ports';
import type { CreateTaskRequest } from '../requests/create-task.request.js';

/** Tells a repeated request from a different one: what is left out counts as its default. */
export function requestHash(request: CreateTaskRequest): string {
  const { flow, given, only, parameters = {}, labels = {}, priority = 0 } = request;
  const text = canonicalJson({ flow, parameters, labels, priority, only, given });
  return hash('sha256', text, 'hex');
}

/** Tells what was said from anything else; it helps nobody to guess a secret that is part of it. */
export function fingerprintOf(secrets: Pick<Secrets, 'fingerprints'>, said: unknown): string {
  const text = canonicalJson(said);
  const [fingerprint] = secrets.fingerprints(text);
  return fingerprint ?? hash('sha256', text, 'base64url');
}
