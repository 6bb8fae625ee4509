/** What a caller did, as the table of actors counts it. */
export const actionKinds = [
  'wrote',
  'deleted',
  'searched',
  'rated',
  'audited',
  'administered',
  'internal',
] as const;

export type ActionKind = (typeof actionKinds)[number];

const typesOf: Readonly<Record<Exclude<ActionKind, 'internal'>, readonly string[]>> = {
  wrote: [
    'MemoryStored',
    'MemoryUpdated',
    'MemoryRestored',
    'MemoryArchived',
    'MemoryUnarchived',
    'MemoryAffirmed',
    'MemoriesLinked',
    'MemoriesUnlinked',
    'DocumentReceived',
    'DocumentRefused',
    'DocumentReprocessed',
    'DocumentRestored',
    'ConversationRecorded',
    'ReasoningTraceRecorded',
    'SummaryGenerated',
    'LessonLearned',
    'LessonRevised',
  ],
  deleted: [
    'MemoryDeleted',
    'MemoryErased',
    'DocumentDeleted',
    'DocumentErased',
    'DocumentTextErased',
    'FeedbackErased',
    'QuestionErased',
    'ReasoningTraceErased',
    'LessonForgotten',
    'ErasureRequested',
  ],
  searched: ['SearchPerformed', 'ContextAssembled'],
  rated: ['FeedbackGiven', 'OutcomeObserved', 'SessionEnded', 'ReasoningTraceResolved'],
  audited: ['AuditRead'],
  administered: [
    'TenantCreated',
    'ApiKeyCreated',
    'ApiKeyRevoked',
    'RoutingConfigured',
    'LimitsConfigured',
    'ContentRoutingConfigured',
    'SummaryConfigured',
    'ExperienceConfigured',
    'BudgetConfigured',
    'TrustConfigured',
    'KillSwitchSet',
    'PolicyPromoted',
    'PolicyRolledBack',
    'SpaceConfigured',
    'SpaceRemoved',
    'SpacesRestricted',
    'SourceConfigured',
    'SourceRemoved',
    'SourceRunRequested',
    'FactsRebuildRequested',
    'FactsSwitched',
    'ProjectionRebuildBegun',
    'ProjectionRebuildEnded',
    'ProjectionSwitched',
    'ParkedStreamRetried',
    'ParkedEventSkipped',
    'MemoryReviewed',
    'DuplicatesResolved',
    'CheckpointCosigned',
    'LogRestored',
  ],
};

const kinds = new Map(
  Object.entries(typesOf).flatMap(([kind, types]) => types.map((type) => [type, kind as ActionKind])),
);

/** The kind of an event: `internal` for the bookkeeping of the program, and for types that this version does not know. */
export const kindOf = (type: string): ActionKind => kinds.get(type) ?? 'internal';

/** The types that `kindOf` knows, each once. */
export const knownTypes: readonly string[] = Object.values(typesOf).flat();
