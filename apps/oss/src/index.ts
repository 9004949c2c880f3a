export { bodyLimitFor, type FlowCatalogue, OSS_OPTIONS, type OssOptions } from './options.js';
export { OssModule } from './oss.module.js';
export { ossParts, ossProcess } from './oss.process.js';
export { openApiDocument } from './docs/openapi.js';
