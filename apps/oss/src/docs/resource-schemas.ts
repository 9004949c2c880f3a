import { ARCHIVE_SCHEMAS } from './archive-schemas.js';
import { AUDIT_SCHEMAS } from './audit-schemas.js';
import { KEY_SCHEMAS } from './key-schemas.js';
import { OPERATION_SCHEMAS } from './operation-schemas.js';
import { OUTLOOK_SCHEMAS } from './outlook-schemas.js';
import { WORK_SCHEMAS } from './work-schemas.js';

/** The schemas of what is neither a task nor a flow, by name. */
export const RESOURCE_SCHEMAS: Readonly<Record<string, object>> = {
  ...KEY_SCHEMAS,
  ...AUDIT_SCHEMAS,
  ...ARCHIVE_SCHEMAS,
  ...OUTLOOK_SCHEMAS,
  ...OPERATION_SCHEMAS,
  ...WORK_SCHEMAS,
};
