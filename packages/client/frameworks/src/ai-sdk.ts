export { memoryMiddleware, type MemoryMiddlewareOptions } from './ai-sdk/middleware.ts';
export {
  memoryTools,
  type FoundMemories,
  type MemoryTools,
  type MemoryToolsOptions,
  type ShownMemory,
} from './ai-sdk/tools.ts';
