import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { REPOSITORY } from './repository.js';

/** A service of `docker-compose.yml`. */
export interface ComposeService {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly profiles?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly stop_grace_period?: string;
  readonly security_opt?: readonly string[];
}

interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: object;
}

/** `docker-compose.yml` as it is written. */
export const COMPOSE_TEXT = readFileSync(path.join(REPOSITORY, 'docker-compose.yml'), 'utf8');

/** As `docker compose` reads it where only the required variables are set. */
const given = COMPOSE_TEXT.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1').replaceAll(
  /\$\{(\w+):\?[^}]*\}/g,
  'given-as-$1',
);
const emptied = (_key: unknown, value: unknown): unknown => value ?? '';

/** `docker-compose.yml`, read; a required variable has its name as its value: `given-as-NAME`. */
export const COMPOSE = parse(given, emptied, { merge: true }) as ComposeFile;

/** The processes of Backstep in it. */
export const COMPOSE_PROCESSES = Object.entries(COMPOSE.services).filter(
  ([, { image }]) => image === 'backstep:local',
);
