import type { FlowDefinition, JsonObject, JsonValue } from '#core';
import { canonicalJson } from '#core/json';
import {
  changeSecrets,
  claimsReference,
  isReference,
  isSealed,
  mapTexts,
  REFERENCE_FORM,
  REFERENCE_MEMBER,
} from '#core/secrets';
import { type InputFault, Problem } from '#http-server';
import { pointerPart } from '#json';
import { CannotOpenSecret, type Secrets } from '#ports';
import { CreateTaskRequest } from '../requests/create-task.request.js';
import { masksIn, refuseFaults } from './plain-values.js';
import { requestHash } from './request-hash.js';

type Inputs = Pick<FlowDefinition, 'input'>;

/** A value that is sent where a flow's input says that a secret stands. */
interface Given {
  readonly value: JsonValue;
  readonly pointer: string;
}

/** Faults that are told at once. */
const FAULTS_MAX = 20;

/**
 * Throws the `Problem` that parameters in clear cannot be taken by a flow: there is no key for a
 * secret among them, what is sent is no secret but what stands for one, or a reference to one
 * stands where it cannot.
 */
export function expectSecrets(
  secrets: Pick<Secrets, 'canSeal'>,
  definition: Inputs & Pick<FlowDefinition, 'name'>,
  parameters: JsonObject,
): void {
  const given: Given[] = [];
  const others = changeSecrets(definition, parameters, (value, pointer) => {
    given.push({ value, pointer: `/parameters${pointer}` });
    return null;
  });
  expectReferences(given, others);
  const clear = given.filter(({ value }) => value !== null && !isReference(value));
  if (clear.length > 0 && !secrets.canSeal) {
    throw noSecretKey(`Flow ${definition.name} takes secrets`);
  }
  refuseFaults(clear.flatMap(({ pointer, value }) => masksIn(value, pointer)));
}

/** Parameters with the values in clear that are sealed for an owner. Throws a `Problem`. */
export function openParameters(
  secrets: Pick<Secrets, 'open'>,
  parameters: JsonObject,
  owner: string,
): JsonObject {
  try {
    return mapTexts(parameters, (text) => opened(secrets, text, owner)) as JsonObject;
  } catch (error) {
    if (!(error instanceof CannotOpenSecret)) throw error;
    if (error.isKeyMissing) throw noSecretKey('A secret was sealed with another key');
    const message = `A secret among the parameters cannot be opened: ${error.message}.`;
    const hint = 'Send its member again.';
    throw new Problem('INVALID_PARAMETERS', message, {
      errors: [{ pointer: '/parameters', message, hint }],
    });
  }
}

function opened(secrets: Pick<Secrets, 'open'>, text: string, owner: string): JsonValue {
  if (!isSealed(text)) return text;
  return mapTexts(secrets.open(text, owner), (inner) => opened(secrets, inner, owner));
}

/** The same request with other parameters. */
export function withParameters(
  request: CreateTaskRequest,
  parameters: JsonObject,
): CreateTaskRequest {
  return Object.assign(new CreateTaskRequest(), request, { parameters });
}

/** A request for a task, in clear, and what of it may be secret. */
interface HashedRequest {
  readonly request: CreateTaskRequest;
  readonly definition: Inputs;
}

/**
 * Hashes that tell a repeated request from a different one. The first is stored; any of them may
 * match, as keys for secrets come and go. Secrets are in them as fingerprints. Empty: it cannot be
 * told.
 */
export function requestHashes(
  secrets: Pick<Secrets, 'fingerprints'>,
  { definition, request }: HashedRequest,
): readonly string[] {
  const { given, parameters = {} } = request;
  const count = secrets.fingerprints('').length;
  // Which outputs of commands are secret is not known here: all that is given may be.
  const mayHaveSecrets = hasSecrets(definition, parameters) || (given !== undefined && count > 0);
  if (!mayHaveSecrets) return [requestHash(request)];
  return Array.from({ length: count }, (_, key) => {
    const told = (value: JsonValue) => ({
      $secret: secrets.fingerprints(canonicalJson(value))[key] ?? '',
    });
    const own = withParameters(request, changeClear(definition, parameters, told));
    return requestHash(given === undefined ? own : Object.assign(own, { given: told(given) }));
  });
}

function hasSecrets(definition: Inputs, parameters: JsonObject): boolean {
  return changeClear(definition, parameters, () => false) !== parameters;
}

/** Something else in the place of each secret that is there; a reference to one is none. */
function changeClear(
  definition: Inputs,
  parameters: JsonObject,
  change: (value: JsonValue) => JsonValue,
): JsonObject {
  return changeSecrets(definition, parameters, (value) => {
    return isReference(value) ? value : change(value);
  });
}

/** There is no key, so that secrets can neither be taken nor read. */
export function noSecretKey(what: string): Problem {
  return new Problem('SECRET_KEY_MISSING', `${what}, but BACKSTEP_SECRET_KEY has no key for it.`);
}

/**
 * Throws the `Problem` that what is sent in the place of secrets claims to be a reference and is
 * none, or that one stands among the other parameters, where it would be fetched for nobody.
 */
function expectReferences(given: readonly Given[], others: JsonObject): void {
  const faults: InputFault[] = [];
  for (const { pointer, value } of given) {
    if (isReference(value)) continue;
    if (claimsReference(value)) faults.push(wrongForm(pointer));
    else findIn(value, pointer, (at) => faults.push(notWhole(at)));
  }
  findIn(others, '/parameters', (at) => faults.push(notSecret(at)));
  const [first] = faults;
  if (first === undefined) return;
  throw new Problem('INVALID_PARAMETERS', first.message, { errors: faults.slice(0, FAULTS_MAX) });
}

/** Calls for each value that claims to be a reference. */
function findIn(value: JsonValue, pointer: string, found: (pointer: string) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (claimsReference(value)) return found(pointer);
  for (const [name, part] of Object.entries(value) as [string, JsonValue | undefined][]) {
    if (typeof part !== 'object' || part === null) continue;
    findIn(part, `${pointer}${pointerPart(name)}`, found);
  }
}

function wrongForm(pointer: string): InputFault {
  const message = `\`${REFERENCE_MEMBER}\` must be ${REFERENCE_FORM}, and stand alone.`;
  const hint = `Write for example {"${REFERENCE_MEMBER}": "vault:kv/db#password"}.`;
  return { pointer, message, hint };
}

function notWhole(pointer: string): InputFault {
  const message = 'A reference stands for a whole secret, not for a part of one.';
  return { pointer, message, hint: "Mark this member as secret in the flow's `input`." };
}

function notSecret(pointer: string): InputFault {
  const message = `\`${REFERENCE_MEMBER}\` refers to a secret, but the flow takes none here.`;
  return { pointer, message, hint: 'Set "secret": true for this member in its `input`.' };
}
