import { DEPLOYMENTS } from '../stack/index.js';
import { crashPoints } from './crash-points-suite-spec.js';

crashPoints(DEPLOYMENTS[1]);
