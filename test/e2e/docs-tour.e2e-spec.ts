import { describePages, TOUR } from './docs-suite-spec.js';

describePages(TOUR);
