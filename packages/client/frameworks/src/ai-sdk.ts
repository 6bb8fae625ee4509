export { memoryMiddleware, type MemoryMiddlewareOptions } from './ai-sdk/middleware.ts';
export { memoryTools, type MemoryToolsOptions } from './ai-sdk/tools.ts';
