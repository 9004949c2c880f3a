export { describeInBrowser, openBrowser } from './chromium.js';
export { type Sight, Visitor } from './visitor.js';
