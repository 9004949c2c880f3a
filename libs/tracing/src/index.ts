export { openTracer } from './open-tracer.js';
