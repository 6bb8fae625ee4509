import { changingTypes } from '../time/changes.ts';

/** Events by what a reader of the audit asks for. */
export const eventGroups: Readonly<Record<string, readonly string[]>> = {
  'changes of memories': [...changingTypes, 'MemoryAffirmed'],
  'deletions and erasures': [
    'MemoryDeleted',
    'MemoryErased',
    'DocumentDeleted',
    'DocumentErased',
    'ErasureRequested',
    'ErasureCompleted',
  ],
  reads: ['AuditRead', 'MemoriesAccessed'],
  'searches and contexts': [
    'SearchPerformed',
    'ContextAssembled',
    'MemoriesAccessed',
    'TrajectoryRecorded',
    'LanguageModelCalled',
  ],
  links: ['MemoriesLinked', 'MemoriesUnlinked'],
  'feedback and outcomes': ['FeedbackGiven', 'OutcomeObserved', 'SessionEnded'],
  'summaries and lessons': ['SummaryGenerated', 'ReasoningTraceRecorded', 'LessonLearned', 'LessonRevised'],
  'documents and sources': [
    'DocumentReceived',
    'DocumentStored',
    'DocumentRefused',
    'DocumentDeleted',
    'SourceConfigured',
    'SourceRan',
  ],
  'duplicates and reviews': ['DuplicateFound', 'DuplicatesResolved', 'MemoryReviewed'],
  'settings and policies': [
    'RoutingConfigured',
    'SummaryConfigured',
    'LimitsConfigured',
    'SpaceConfigured',
    'TrustConfigured',
    'BudgetConfigured',
    'KillSwitchSet',
    'PolicyPromoted',
    'PolicyRolledBack',
  ],
  keys: ['TenantCreated', 'ApiKeyCreated', 'ApiKeyRevoked'],
  costs: ['CostIncurred', 'BudgetExhausted'],
  operations: ['ProjectionRebuilt', 'ProjectionSwitched', 'ParkedStreamRetried', 'ParkedEventSkipped'],
};
