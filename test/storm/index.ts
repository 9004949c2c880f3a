export { type Blow, type BlowReport, formatReports, storm, type StormPlan } from './storm.js';
