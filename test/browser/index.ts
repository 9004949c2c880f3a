export { openBrowser } from './chromium.js';
export { type ConsolePlan, ConsoleStage } from './console-stage.js';
export { describeInBrowser } from './describe-in-browser.js';
export { untilTrue } from './until-true.js';
export { type Sight, Visitor } from './visitor.js';
