import { describePages, OPERATIONS } from './docs-suite-spec.js';

describePages(OPERATIONS);
