import { createRequire } from 'node:module';
import type { MetadataStorage } from 'class-transformer/types/MetadataStorage.js';

interface Storage {
  readonly defaultMetadataStorage: MetadataStorage;
}

const storage = createRequire(import.meta.url)('class-transformer/cjs/storage.js') as Storage;

/** Where decorators of class-transformer are kept; the package has no door to it. */
export const transformations = storage.defaultMetadataStorage;
