export { openMemoryTransport, type MemoryTransportOptions } from './memory-transport.js';
