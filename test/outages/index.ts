export { harmsOf, outageText } from './outage-text.js';
export { OUTAGE_FLOWS } from './orders.js';
export {
  hangingReceiver,
  type OutagePlan,
  type OutageTarget,
  outlive,
  type Outlived,
  targetOf,
} from './outlive.js';
