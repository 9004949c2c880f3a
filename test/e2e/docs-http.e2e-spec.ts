import { describePages, HTTP } from './docs-suite-spec.js';

describePages(HTTP);
