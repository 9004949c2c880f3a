import type { Evaluator } from '#ports';
import type { JsonObject, JsonValue } from '#core';
import { expressionsIn, isExpression } from '#expressions';
import { readJson, WrongJson } from '#json';
import type { WorkItem } from '#worker';
import { CliError, EXIT } from '../exit.js';
import { expressionProblem, sceneOf } from '../worker/action-expressions.js';
import { memberOf } from './kube-api.js';

const BYTES_MAX = 1024 * 1024;

const POD_FIELDS = [
  'affinity',
  'nodeSelector',
  'priorityClassName',
  'resourceClaims',
  'runtimeClassName',
  'schedulerName',
  'terminationGracePeriodSeconds',
  'tolerations',
  'topologySpreadConstraints',
].join('|');
/**
 * Where parameters may decide: they say what a Job asks of the cluster and what its containers run.
 * The rights of a pod in the cluster are for the template alone.
 */
const OPEN_PLACES = [
  /^\/metadata\/(labels|annotations)\//,
  /^\/spec\/(activeDeadlineSeconds|ttlSecondsAfterFinished|suspend)$/,
  /^\/spec\/template\/metadata\/(labels|annotations)\//,
  new RegExp(`^/spec/template/spec/(${POD_FIELDS})(/|$)`),
  /^\/spec\/template\/spec\/(initContainers|containers)\/\d+\/(args|command|image|resources)(\/|$)/,
  /^\/spec\/template\/spec\/(initContainers|containers)\/\d+\/env\/\d+\/value$/,
];

/** In these texts Kubernetes puts the value of a variable in the place of `$(NAME)`. */
const EXPANDED =
  /^\/spec\/template\/spec\/\w+\/\d+\/(?:(?:args|command)(?:\/\d+)?|env\/\d+\/value)$/;

/** Values that the launcher gives each Job: a template may only say the same. */
const DECIDED: Readonly<Record<string, JsonValue>> = {
  '/spec/backoffLimit': 0,
  '/spec/completions': 1,
  '/spec/parallelism': 1,
  '/spec/podReplacementPolicy': 'Failed',
  '/spec/template/spec/restartPolicy': 'Never',
};

/** These would make the end of a Job another thing than the end of its one pod. */
const REFUSED = ['completionMode', 'manualSelector', 'podFailurePolicy', 'selector'];

/** The manifest of a Job that a template makes, or the reason why it makes none. */
type Filled = { readonly manifest: JsonObject } | { readonly fault: string };

/** A manifest of a Job with expressions. */
export class JobTemplate {
  private constructor(
    private readonly manifest: JsonObject,
    private readonly evaluator: Evaluator,
  ) {}

  /** Reads a template. Throws a `CliError` that names the place of what is wrong. */
  static read(text: string, file: string, evaluator: Evaluator): JobTemplate {
    try {
      const manifest = readJson(text, { bytes: BYTES_MAX }) as JsonObject;
      const problem = problemOf(manifest);
      if (problem !== null) throw new CliError(EXIT.usage, `${file}: ${problem}`);
      return new JobTemplate(manifest, evaluator);
    } catch (error) {
      if (!(error instanceof WrongJson)) throw error;
      const hint = 'From YAML: kubectl create --dry-run=client -o json -f job.yaml > job.json';
      throw new CliError(EXIT.usage, `${file} is not JSON: ${error.message}`, hint);
    }
  }

  /** The namespace that it names. */
  get namespace(): string | undefined {
    const { namespace } = memberOf(this.manifest, 'metadata');
    return typeof namespace === 'string' ? namespace : undefined;
  }

  /** The manifest for an action. Rejects where expressions cannot be evaluated now. */
  async fill(item: WorkItem): Promise<Filled> {
    const members = [{ name: '', template: this.manifest, as: 'json' as const }];
    const answer = await this.evaluator.answer({ members, scene: sceneOf(item) });
    if ('fault' in answer) return { fault: `${answer.fault.member}: ${answer.fault.reason}` };
    return { manifest: withoutReferences(answer.values[''], this.manifest) as JsonObject };
  }
}

/**
 * A filled template in which what expressions gave names no variable: parameters would read those
 * that the template takes from Secrets of the cluster.
 */
function withoutReferences(
  filled: JsonValue | undefined,
  template: JsonValue,
  pointer = '',
): JsonValue {
  if (isExpression(template)) return EXPANDED.test(pointer) ? quoted(filled!) : filled!;
  if (typeof template !== 'object' || template === null) return template;
  const held = filled as Readonly<Record<string, JsonValue>>;
  const inner = Object.entries(template as JsonObject).map(([name, value = null]) => {
    return [name, withoutReferences(held[name], value, `${pointer}/${name}`)] as const;
  });
  return Array.isArray(template) ? inner.map(([, value]) => value) : Object.fromEntries(inner);
}

/** Kubernetes takes `$$` for `$`. */
function quoted(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.replaceAll('$', '$$$$');
  return Array.isArray(value) ? value.map((one: JsonValue) => quoted(one)) : value;
}

function problemOf(manifest: JsonValue): string | null {
  if (typeof manifest !== 'object' || manifest === null || Array.isArray(manifest)) {
    return 'it is no manifest';
  }
  const { apiVersion, kind } = manifest as JsonObject;
  if (apiVersion !== 'batch/v1' || kind !== 'Job') return 'it is no Job of batch/v1';
  const first = valueAt(manifest, '/spec/template/spec/containers/0/name');
  if (typeof first !== 'string') return '/spec/template/spec/containers/0/name: it is missing';
  return problemOfSpec(manifest) ?? problemOfExpressions(manifest);
}

function problemOfSpec(manifest: JsonValue): string | null {
  for (const [pointer, value] of Object.entries(DECIDED)) {
    const found = valueAt(manifest, pointer);
    if (found !== undefined && found !== value)
      return `${pointer}: it is always ${JSON.stringify(value)}`;
  }
  const refused = REFUSED.find((name) => valueAt(manifest, `/spec/${name}`) !== undefined);
  return refused === undefined ? null : `/spec/${refused}: the Job of an action has none`;
}

function problemOfExpressions(manifest: JsonValue): string | null {
  for (const { pointer, text } of expressionsIn(manifest)) {
    if (!OPEN_PLACES.some((place) => place.test(pointer))) {
      return `${pointer}: parameters must not decide on this, so no expression may stand here`;
    }
    const problem = expressionProblem(text);
    if (problem !== null) return `${pointer}: ${problem}`;
  }
  return null;
}

function valueAt(value: JsonValue | undefined, pointer: string): JsonValue | undefined {
  let found = value as Readonly<Record<string, JsonValue>> | undefined;
  for (const name of pointer.split('/').slice(1)) {
    const isHeld = typeof found === 'object' && found !== null && Object.hasOwn(found, name);
    found = isHeld ? (found?.[name] as typeof found) : undefined;
  }
  return found;
}
