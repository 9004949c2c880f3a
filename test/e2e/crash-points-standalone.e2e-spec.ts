import { STANDALONE } from '../stack/index.js';
import { crashPoints } from './crash-points-suite-spec.js';

crashPoints(STANDALONE);
