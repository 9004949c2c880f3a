export { openTracer, type TracerOptions } from './open-tracer.js';
