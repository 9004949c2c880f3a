import { DISTRIBUTED } from '../stack/index.js';
import { crashPoints } from './crash-points-suite-spec.js';

crashPoints(DISTRIBUTED);
