/** The fields of Kubernetes 1.37 on the way to what a launcher writes; others are refused. */
interface Fields {
  /** Names, those that must be there marked by `!`. */
  readonly names: string;
  /** Fields of objects within; of lists, those of each entry. */
  readonly within?: Readonly<Record<string, Fields>>;
}

const METADATA: Fields = {
  names: `annotations creationTimestamp deletionGracePeriodSeconds deletionTimestamp finalizers
    generateName generation labels managedFields name! namespace ownerReferences resourceVersion
    selfLink uid`,
  within: {
    ownerReferences: { names: 'apiVersion! blockOwnerDeletion controller kind! name! uid!' },
  },
};

const SECRET_KEY: Fields = { names: 'key! name optional' };

const CONTAINER: Fields = {
  names: `args command env envFrom image imagePullPolicy lifecycle livenessProbe name! ports
    readinessProbe resizePolicy resources restartPolicy restartPolicyRules securityContext
    startupProbe stdin stdinOnce terminationMessagePath terminationMessagePolicy tty volumeDevices
    volumeMounts workingDir`,
  within: {
    env: {
      names: 'name! value valueFrom',
      within: {
        valueFrom: {
          names: 'configMapKeyRef fieldRef fileKeyRef resourceFieldRef secretKeyRef',
          within: { secretKeyRef: SECRET_KEY },
        },
      },
    },
    resources: { names: 'claims limits requests' },
    volumeMounts: {
      names: 'mountPath! mountPropagation name! readOnly recursiveReadOnly subPath subPathExpr',
    },
  },
};

const POD: Fields = {
  names: `activeDeadlineSeconds affinity automountServiceAccountToken containers! dnsConfig
    dnsPolicy enableServiceLinks ephemeralContainers hostAliases hostIPC hostNetwork hostPID
    hostUsers hostname imagePullSecrets initContainers nodeName nodeSelector os overhead preemptionPolicy
    priority priorityClassName readinessGates resourceClaims resources restartPolicy runtimeClassName
    schedulerName schedulingGates securityContext serviceAccount serviceAccountName
    setHostnameAsFQDN shareProcessNamespace subdomain terminationGracePeriodSeconds tolerations
    topologySpreadConstraints volumes`,
  within: { containers: CONTAINER, initContainers: CONTAINER },
};

const JOB: Fields = {
  names: 'apiVersion! kind! metadata! spec! status',
  within: {
    metadata: METADATA,
    spec: {
      names: `activeDeadlineSeconds backoffLimit backoffLimitPerIndex completionMode completions
        managedBy manualSelector maxFailedIndexes parallelism podFailurePolicy podReplacementPolicy
        selector successPolicy suspend template! ttlSecondsAfterFinished`,
      within: {
        template: {
          names: 'metadata spec!',
          within: { metadata: { ...METADATA, names: METADATA.names.replace('!', '') }, spec: POD },
        },
      },
    },
  },
};

const SECRET: Fields = {
  names: 'apiVersion! data immutable kind! metadata! stringData type',
  within: { metadata: METADATA },
};

/** Fields of each resource that a launcher makes. */
export const FIELDS: Readonly<Record<string, Fields>> = { jobs: JOB, secrets: SECRET };

/** The first fault of an object, as the API tells it; null: there is none. */
export function faultOf(value: unknown, { names, within = {} }: Fields, at = ''): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return `${at || 'the body'}: must be an object`;
  }
  const listed = names.split(/\s+/);
  const known = new Set(listed.map((name) => name.replace('!', '')));
  const unknown = Object.keys(value).find((name) => !known.has(name));
  if (unknown !== undefined) return `strict decoding error: unknown field "${at}${unknown}"`;
  for (const name of listed.filter((one) => one.endsWith('!'))) {
    if (!(name.slice(0, -1) in value)) return `${at}${name.slice(0, -1)}: Required value`;
  }
  for (const [name, fields] of Object.entries(within)) {
    const inner = (value as Readonly<Record<string, unknown>>)[name];
    if (inner === undefined) continue;
    const all = Array.isArray(inner) ? (inner as unknown[]) : [inner];
    for (const [n, one] of all.entries()) {
      const place = Array.isArray(inner) ? `${at}${name}[${n}].` : `${at}${name}.`;
      const fault = faultOf(one, fields, place);
      if (fault !== null) return fault;
    }
  }
  return null;
}

const QUANTITY = /^\d+(\.\d+)?(m|k|Ki|[MGTPE]i?)?$/;

/** Why the values of a Job are refused that has the right fields; null: they are taken. */
export function valueFaultOf(job: JobView): string | null {
  const { containers, restartPolicy } = job.spec.template.spec;
  if (restartPolicy !== 'Never') return 'spec.template.spec.restartPolicy: Unsupported value';
  for (const [n, { env = [], image, resources = {} }] of containers.entries()) {
    const place = `spec.template.spec.containers[${n}]`;
    if (typeof image !== 'string' || image === '') return `${place}.image: Required value`;
    for (const amounts of Object.values(resources)) {
      const wrong = Object.entries(amounts).find(([, value]) => !QUANTITY.test(String(value)));
      if (wrong !== undefined) return `${place}.resources: Invalid value: "${wrong[1]}"`;
    }
    const wrong = env.find(({ value }) => value !== undefined && typeof value !== 'string');
    if (wrong !== undefined) return `${place}.env: ${wrong.name} must be a string`;
  }
  return null;
}

/** An entry of the environment of a container. */
interface EnvironmentEntry {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
}

/** A container, as far as the fake carries it out. */
interface ContainerView {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly EnvironmentEntry[];
  readonly resources?: Readonly<Record<string, Readonly<Record<string, number | string>>>>;
  readonly terminationMessagePath?: string;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

/** The part that all objects have in common. */
export interface ObjectView {
  readonly metadata: {
    readonly name: string;
    readonly uid?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly uid: string }[];
    readonly deletionTimestamp?: string;
    readonly resourceVersion?: string;
  };
  readonly status?: Readonly<Record<string, unknown>>;
}

/** A Job. */
export interface JobView extends ObjectView {
  readonly spec: {
    readonly activeDeadlineSeconds?: number;
    readonly backoffLimit?: number;
    readonly ttlSecondsAfterFinished?: number;
    readonly template: {
      readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
      readonly spec: PodSpecView;
    };
  };
}

/** The containers of a pod, and how it runs them. */
interface PodSpecView {
  readonly restartPolicy?: string;
  readonly terminationGracePeriodSeconds?: number;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly containers: readonly ContainerView[];
  readonly volumes?: readonly {
    readonly name: string;
    readonly secret?: {
      readonly secretName: string;
      readonly items?: readonly { readonly key: string; readonly path: string }[];
    };
  }[];
}

/** A pod. */
export interface PodView extends ObjectView {
  readonly spec: PodSpecView;
}

/** A Secret. */
export interface SecretView extends ObjectView {
  readonly data?: Readonly<Record<string, string>>;
}
