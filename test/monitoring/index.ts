export { alertsOfScrapes, type Scrapes } from './alerts-of-scrapes.js';
export { askedRules } from './asked-rules.js';
export { findPromtool } from './find-promtool.js';
export {
  alertRules,
  alertsTested,
  alertsTestedFromNothing,
  dashboards,
  monitoringText,
  namedMetrics,
  scrapedNames,
} from './named-metrics.js';
