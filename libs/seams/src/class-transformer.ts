import { createRequire } from 'node:module';
import type { MetadataStorage } from 'class-transformer/types/MetadataStorage.js';
import type * as Executors from 'class-transformer/types/TransformOperationExecutor.js';

interface Storage {
  readonly defaultMetadataStorage: MetadataStorage;
}

interface Defaults {
  readonly defaultOptions: object;
}

const load = createRequire(import.meta.url);
const storage = load('class-transformer/cjs/storage.js') as Storage;
const { defaultOptions } = load(
  'class-transformer/cjs/constants/default-options.constant.js',
) as Defaults;
const { TransformOperationExecutor } = load(
  'class-transformer/cjs/TransformOperationExecutor.js',
) as typeof Executors;
const { TransformationType } = load('class-transformer') as typeof import('class-transformer');

/** Where decorators of class-transformer are kept; the package has no door to it. */
export const transformations = storage.defaultMetadataStorage;

/**
 * Values without a class are as they were given: the package takes a member `constructor` of one
 * for its class, and leaves out members that are called as methods of all objects.
 */
class Reader extends TransformOperationExecutor {
  override transform(
    ...[source, value, type, ...more]: Parameters<Executors.TransformOperationExecutor['transform']>
  ): unknown {
    // At run time there may be none.
    return (type as unknown) === undefined ? value : super.transform(source, value, type, ...more);
  }
}

/** As `plainToInstance`, of JSON: what is given is not changed, and values have any members. */
export function instanceOf(type: new () => object, plain: object): object {
  const reader = new Reader(TransformationType.PLAIN_TO_CLASS, defaultOptions);
  // The package takes a member that names a kind away from its object.
  const copy = structuredClone(plain);
  return reader.transform(undefined, copy, type, undefined as never, false) as object;
}
