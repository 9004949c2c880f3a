import { describePages, OTHERS } from './docs-suite-spec.js';

describePages(OTHERS);
