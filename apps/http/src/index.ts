export { HttpModule, type HttpOptions } from './http.module.js';
export { httpParts, httpProcess } from './http.process.js';
export { RequestExecutor } from './request.executor.js';
