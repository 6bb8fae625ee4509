export { Stratalog } from './stratalog.ts';
export type { Experience, Reasoning } from './reasoning.ts';
export {
  Memory,
  type AddedItem,
  type AddOptions,
  type ByIdOptions,
  type EntityIds,
  type GetAllOptions,
  type HistoryItem,
  type MemoryItem,
  type MemoryOptions,
  type Message,
  type SearchOptions,
  type UpdateOptions,
} from './memory.ts';
export type { Memories, MemoryVersion, LinkType } from './memories.ts';
export type { AskedSummaries, Summaries, SummaryConfiguration, SummaryPage } from './summaries.ts';
export type { DocumentFile, DocumentOptions, Documents } from './documents.ts';
export type { Duplicates } from './duplicates.ts';
export type { Reviews } from './reviews.ts';
export type { Sources } from './sources.ts';
export type { Spaces } from './spaces.ts';
export type { Audit, AuditFilter } from './audit.ts';
export type { Admin, Budgets, Keys, Projections, Routing as RoutingSettings } from './admin.ts';
export type { BulkMemory } from './bulk.ts';
export type { LinePart, LineSource } from './request-body.ts';
export { PagedList, type Page } from './paged-list.ts';
export type { CallOptions, ChangeOptions, CommandOptions, StratalogOptions } from './options.ts';
export type { ApiRequest, RequestOptions } from './request.ts';
export {
  ConnectionLostError,
  isProblem,
  ProblemError,
  StratalogError,
  TimeoutError,
  UnreachableError,
  type FieldError,
  type ProblemCode,
  type ProblemDocument,
} from './errors.ts';
export type * from './api-types.ts';
export type { Memory as StoredMemory } from './api-types.ts';
