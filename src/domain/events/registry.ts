import { LimitsConfigured } from '../admission/events.ts';
import { ContentRoutingConfigured } from '../content-routing/events.ts';
import { ConversationRecorded, FactsDrawn, FactsProposed } from '../conversations/events.ts';
import { FactsRebuildRequested, FactsSwitched } from '../conversations/generations.ts';
import { ClaimReleased, ClaimTaken, CommandAnswered } from '../claim/claim.ts';
import {
  BudgetConfigured,
  BudgetExhausted,
  CostIncurred,
  CostReserved,
  LedgerMonthOpened,
} from '../ledger/events.ts';
import {
  PolicyCompared,
  PolicyPromoted,
  PolicyRolledBack,
  PolicyUpdated,
} from '../learning/policy-events.ts';
import { OutcomeObserved, SessionEnded } from '../learning/events.ts';
import { UseObserved, ValuesCompared } from '../learning/value-events.ts';
import {
  LessonForgotten,
  LessonLearned,
  LessonRevised,
  ExperienceConfigured,
  ReasoningTraceErased,
  ReasoningTraceRecorded,
  ReasoningTraceResolved,
} from '../experience/events.ts';
import { MemoriesLinked, MemoriesUnlinked } from '../links/links.ts';
import { ReferenceDropped, ReferenceRecorded } from '../links/reference-events.ts';
import { FactClaimed, MemoryAffirmed } from '../memory/affirmation.ts';
import {
  MemoryArchived,
  MemoryDeleted,
  MemoryErased,
  MemoryRestored,
  MemoryReviewed,
  MemoryStored,
  MemoryUnarchived,
  MemoryUpdated,
} from '../memory/events.ts';
import {
  AuditRead,
  ContextAssembled,
  FeedbackErased,
  FeedbackGiven,
  MemoriesAccessed,
  QuestionErased,
  QuestionJudged,
  SearchPerformed,
} from '../retrieval/events.ts';
import { LanguageModelCalled } from '../retrieval/model-call.ts';
import { TrajectoryRecorded } from '../retrieval/trajectory.ts';
import { KillSwitchSet, RoutingConfigured } from '../routing/events.ts';
import {
  SummaryConfigured,
  SummaryGenerated,
  SummaryInvalidated,
  SummaryRequested,
} from '../summaries/events.ts';
import { ApiKeyCreated, ApiKeyRevoked, TenantCreated } from '../tenant/tenant.ts';
import {
  ModelsCompared,
  ParkedEventSkipped,
  ParkedStreamRetried,
  ProjectionRebuildBegun,
  ProjectionRebuildEnded,
  ProjectionRebuilt,
  ProjectionSwitched,
} from '../operation/events.ts';
import { ErasureAdvanced, ErasureCompleted, ErasureCounted, ErasureRequested } from '../erasure/events.ts';
import {
  SpaceConfigured,
  SpaceDetached,
  SpaceRemoved,
  SpacesRestricted,
  TrustConfigured,
} from '../spaces/events.ts';
import { DuplicateFound, DuplicatesResolved, DuplicateWithdrawn } from '../duplicates/events.ts';
import {
  DocumentAdvanced,
  DocumentDeleted,
  DocumentErased,
  DocumentPlanned,
  DocumentReceived,
  DocumentRefused,
  DocumentReprocessed,
  DocumentRestored,
  DocumentStored,
  DocumentTextErased,
  DocumentTextRead,
} from '../documents/events.ts';
import { SourceConfigured, SourceRan, SourceRemoved, SourceRunRequested } from '../sources/events.ts';
import { CheckpointCosigned, CheckpointSigned, LogRestored } from '../tlog/events.ts';
import type { AnyEventDefinition, EventOf } from './define.ts';

const definitions = [
  MemoryStored,
  MemoryUpdated,
  MemoryDeleted,
  MemoryRestored,
  MemoryArchived,
  MemoryUnarchived,
  MemoryReviewed,
  MemoryErased,
  MemoryAffirmed,
  FactClaimed,
  ClaimTaken,
  ClaimReleased,
  CommandAnswered,
  MemoriesLinked,
  MemoriesUnlinked,
  ReferenceRecorded,
  ReferenceDropped,
  FeedbackGiven,
  QuestionJudged,
  QuestionErased,
  FeedbackErased,
  SummaryRequested,
  SummaryGenerated,
  SummaryInvalidated,
  BudgetConfigured,
  LedgerMonthOpened,
  CostReserved,
  CostIncurred,
  BudgetExhausted,
  ReasoningTraceRecorded,
  ReasoningTraceResolved,
  ReasoningTraceErased,
  LessonLearned,
  LessonRevised,
  LessonForgotten,
  SearchPerformed,
  MemoriesAccessed,
  ContextAssembled,
  TrajectoryRecorded,
  LanguageModelCalled,
  OutcomeObserved,
  SessionEnded,
  UseObserved,
  AuditRead,
  TenantCreated,
  ApiKeyCreated,
  ApiKeyRevoked,
  RoutingConfigured,
  LimitsConfigured,
  ContentRoutingConfigured,
  SummaryConfigured,
  ExperienceConfigured,
  KillSwitchSet,
  PolicyUpdated,
  PolicyCompared,
  PolicyPromoted,
  PolicyRolledBack,
  ValuesCompared,
  ProjectionRebuilt,
  ProjectionRebuildBegun,
  ProjectionRebuildEnded,
  ModelsCompared,
  ProjectionSwitched,
  ParkedStreamRetried,
  ParkedEventSkipped,
  CheckpointSigned,
  CheckpointCosigned,
  LogRestored,
  SpaceConfigured,
  SpaceRemoved,
  SpaceDetached,
  SpacesRestricted,
  TrustConfigured,
  DuplicateFound,
  DuplicateWithdrawn,
  DuplicatesResolved,
  DocumentTextRead,
  DocumentReceived,
  DocumentPlanned,
  DocumentRefused,
  DocumentAdvanced,
  DocumentStored,
  DocumentReprocessed,
  DocumentDeleted,
  DocumentRestored,
  DocumentTextErased,
  DocumentErased,
  SourceConfigured,
  SourceRemoved,
  SourceRunRequested,
  SourceRan,
  ErasureRequested,
  ErasureCounted,
  ErasureAdvanced,
  ErasureCompleted,
  ConversationRecorded,
  FactsProposed,
  FactsDrawn,
  FactsRebuildRequested,
  FactsSwitched,
] as const;

/** Union of all events. */
export type StratalogEvent = EventOf<(typeof definitions)[number]>;
export type EventType = StratalogEvent['type'];

/** All event definitions by type name. */
export const eventDefinitions: ReadonlyMap<string, AnyEventDefinition> = new Map(
  (definitions as readonly unknown[] as readonly AnyEventDefinition[]).map((definition) => [
    definition.type,
    definition,
  ]),
);
