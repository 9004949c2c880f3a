import { EventEmitter } from 'node:events';
import type { JobView, ObjectView, PodView, SecretView } from './field-rules.js';

/** Objects by the names of their resources. */
interface Views {
  readonly jobs: JobView;
  readonly pods: PodView;
  readonly secrets: SecretView;
}

/** The name of a resource. */
export type Resource = keyof Views;

/** A change of an object. */
export interface Change {
  readonly version: number;
  readonly resource: Resource;
  readonly type: 'ADDED' | 'DELETED' | 'MODIFIED';
  readonly object: ObjectView;
}

/** Objects by resource and name, with one version for all of them, as in etcd. */
export class ObjectTable extends EventEmitter<{ change: [change: Change] }> {
  readonly #objects = new Map<string, ObjectView>();
  #log: Change[] = [];
  #version = 1;
  #oldest = 0;

  get version(): number {
    return this.#version;
  }

  get<R extends Resource>(resource: R, name: string): Views[R] | undefined {
    return this.#objects.get(`${resource}/${name}`) as Views[R] | undefined;
  }

  /** Objects of a resource that a label selector fits. */
  list<R extends Resource>(resource: R, selector = ''): readonly Views[R][] {
    const of = [...this.#objects].filter(([key]) => key.startsWith(`${resource}/`));
    return of.map(([, one]) => one as Views[R]).filter((one) => fits(one, selector));
  }

  /** Makes an object or replaces it; what is kept has the version of the change. */
  put<T extends ObjectView>(resource: Resource, object: T): T {
    const key = `${resource}/${object.metadata.name}`;
    const type = this.#objects.has(key) ? 'MODIFIED' : 'ADDED';
    return this.#note({ resource, type, object }) as T;
  }

  remove(resource: Resource, name: string): void {
    const object = this.#objects.get(`${resource}/${name}`);
    if (object !== undefined) this.#note({ resource, type: 'DELETED', object });
  }

  /** Changes after a version; null: they are not known any more. */
  since(version: number): readonly Change[] | null {
    if (version < this.#oldest) return null;
    return this.#log.filter((change) => change.version > version);
  }

  /** Forgets all changes so far: who watches from before gets 410. */
  compact(): void {
    this.#log = [];
    this.#oldest = this.#version;
  }

  #note({ object, resource, type }: Omit<Change, 'version'>): ObjectView {
    this.#version += 1;
    const metadata = { ...object.metadata, resourceVersion: String(this.#version) };
    const kept = { ...object, metadata };
    const key = `${resource}/${metadata.name}`;
    if (type === 'DELETED') this.#objects.delete(key);
    else this.#objects.set(key, kept);
    const change: Change = { version: this.#version, resource, type, object: kept };
    this.#log.push(change);
    this.emit('change', change);
    return kept;
  }
}

/** Whether an object has the labels of a selector: `a=b,c=d`. */
export function fits({ metadata }: ObjectView, selector: string): boolean {
  if (selector === '') return true;
  return selector.split(',').every((one) => {
    const [name = '', value] = one.split('=');
    return metadata.labels?.[name] === value;
  });
}
