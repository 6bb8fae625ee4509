import type { CommandServices } from '../commands/context.ts';
import type { Ledger } from '../commands/ledger/ledger.ts';
import type { PolicyLearning } from '../commands/policies/policy-learning.ts';
import type { FactQueue } from '../commands/record-facts.ts';
import type { OutOfReach } from '../domain/erasure/receipt.ts';
import type { PriceList } from '../domain/ledger/prices.ts';
import type { DocumentReader } from '../ports/document-reader.ts';
import type { Embedders } from '../ports/embedder.ts';
import type { ProjectionOperations } from '../projections/operations.ts';
import type { ConflictFinder } from '../queries/conflicts.ts';
import type { ContentRoutingDirectory } from '../queries/content-routing/content-routing-directory.ts';
import type { ContentRouter } from '../queries/content-routing/content-router.ts';
import type { QuestionSpaces } from '../queries/content-routing/question-spaces.ts';
import type { ContextBuilder } from '../queries/context/context-builder.ts';
import type { MultiHopSearch } from '../queries/hops/multi-hop-search.ts';
import type { ExperienceReader } from '../queries/experience/experience-reader.ts';
import type { Past } from '../queries/past.ts';
import type { PolicyReader } from '../queries/policies/policy-reader.ts';
import type { LessonReader } from '../queries/experience/lesson-reader.ts';
import type { TraceReader } from '../queries/experience/trace-reader.ts';
import type { ReadModels } from '../queries/read-models.ts';
import type { WhatIfs } from '../queries/what-if.ts';
import type { RoutedSearch } from '../queries/routing/routed-search.ts';
import type { RoutingDirectory } from '../queries/routing/routing-directory.ts';
import type { Surfaces } from '../queries/surfaces.ts';
import type { SummaryReader } from '../queries/summaries/list-summaries.ts';
import type { TenantDirectory } from '../queries/tenant-directory.ts';
import type { Environment } from '../profiles.ts';
import type { BulkPace } from './admission/bulk-pace.ts';
import type { Admission } from './admission/admission.ts';
import type { ConfiguredModel } from './operation/models.ts';
import type { Operation } from './operation.ts';
import type { OwnWrites } from './own-writes.ts';
import type { SummaryDemand } from './context/summary-demand.ts';
import type { Tokenizer } from '../ports/tokenizer.ts';
import type { LogProofs } from '../tlog/log-proofs.ts';
import type { PositionTokens } from './position-tokens.ts';

/** What a server says about itself. */
export interface About {
  readonly version: string;
  readonly environment: Environment;
  readonly operations: readonly Pick<Operation, 'name' | 'access' | 'serves'>[];
}

/** Everything that operations depend on; assembled by the composition root. */
export interface Services {
  readonly about: About;
  readonly admission: Admission;
  readonly bulkPace: BulkPace;
  readonly commands: CommandServices;
  readonly documentReader: DocumentReader;
  readonly facts: FactQueue;
  readonly models: ReadModels;
  readonly ownWrites: OwnWrites;
  readonly surfaces: Surfaces;
  readonly positions: PositionTokens;
  readonly ledger: Ledger;
  /** Summaries are written by a language model, which costs something. */
  readonly summariesCost: boolean;
  readonly summaries: SummaryReader;
  readonly traces: TraceReader;
  readonly lessons: LessonReader;
  readonly experience: ExperienceReader;
  readonly policies: PolicyReader;
  readonly learning: PolicyLearning;
  readonly search: Pick<RoutedSearch, 'search'>;
  readonly multiHop: MultiHopSearch;
  readonly contexts: Pick<ContextBuilder, 'build'>;
  /** Read models as of a position, beside the live ones. */
  readonly past: Past;
  readonly whatIfs: WhatIfs;
  readonly demand: SummaryDemand;
  readonly conflicts: ConflictFinder;
  readonly routing: RoutingDirectory;
  readonly contentRouting: ContentRoutingDirectory;
  /** Chooses the spaces of documents that name none. */
  readonly contentRouter: ContentRouter;
  /** Folders that sources may read. */
  readonly ingestRoots: readonly string[];
  /** Chooses the spaces of questions that leave them open. */
  readonly questionSpaces: QuestionSpaces;
  readonly directory: TenantDirectory;
  readonly operations: ProjectionOperations;
  readonly embedders: Embedders;
  readonly languageModels: readonly ConfiguredModel[];
  readonly prices: PriceList;
  readonly tokenizer: Tokenizer;
  readonly proofs: LogProofs;
  /** The copies that no erasure reaches. */
  readonly outOfReach: readonly OutOfReach[];
}
