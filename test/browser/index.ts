export { describeInBrowser, HAS_BROWSER, openBrowser } from './chromium.js';
export { type ConsolePlan, ConsoleStage } from './console-stage.js';
export { type Sight, Visitor } from './visitor.js';
