import { z } from 'zod';
import type { TenantContext } from '../../domain/access/context.ts';
import type { ContentToRoute } from '../../domain/content-routing/rules.ts';
import type { RoutedBy } from '../../domain/documents/events.ts';
import { text } from '../../domain/json.ts';
import { externalIdSchema, identifier, layerSchema, scopeSchema } from '../../domain/layers.ts';
import { metadataSchema, spacesSchema, tagsSchema, timestamp } from '../../domain/memory/content.ts';
import type { TrustSource } from '../../domain/trust/trust.ts';
import type { DocumentReader } from '../../ports/document-reader.ts';
import type { CommandServices } from '../context.ts';

/** What a caller says about a file. */
export const documentFields = {
  filename: text(1_024).min(1).optional().meta({ description: 'Name of the file, with its folders' }),
  mediaType: text(256).min(1).optional().meta({
    description: 'Media type of the file. What its bytes say counts more',
  }),
  contentType: identifier.optional().meta({
    description: 'Kind of text, such as `documentation`. Default: what the file says or looks like',
  }),
  source: identifier.optional().meta({ description: 'Where the file comes from, such as `wiki`' }),
  sourceUri: text(4_096).min(1).optional().meta({ description: 'Address of the file' }),
  title: text(1_024).min(1).optional().meta({ description: 'Default: the title in the file, or its name' }),
  layer: layerSchema.default('user'),
  scope: scopeSchema.extend({ company: identifier.optional() }).default({}),
  spaces: spacesSchema.default([]),
  tags: tagsSchema.default([]),
  metadata: metadataSchema.default({}),
  occurredAt: timestamp.optional(),
};

const fileToReceive = z.object({ ...documentFields, externalId: externalIdSchema.optional() });

export type FileToReceive = z.output<typeof fileToReceive> & {
  readonly bytes: Uint8Array;
  /** A known document may have the externalId: the file is its next revision. */
  readonly mayReplace: boolean;
  /** The externalId that the document had until now, where a file was renamed. */
  readonly movedFrom?: string | undefined;
  /** The document that the file was attached to. */
  readonly parent?: string | undefined;
  /** Owner of a new document that the server stores on somebody's behalf. */
  readonly createdBy?: string | undefined;
};

/** A query, which commands may not import. */
export type RouteContent = (
  caller: TenantContext,
  content: ContentToRoute,
  signal?: AbortSignal,
) => Promise<{
  readonly spaces: readonly string[];
  readonly because: RoutedBy;
  readonly details: {
    readonly rules?: readonly number[];
    readonly subjects?: readonly { readonly space: string }[];
    readonly model?: string;
  };
}>;

export interface ReceiveParts {
  readonly services: CommandServices;
  readonly reader: DocumentReader;
  /** Chooses the spaces of a document whose sender names none. */
  readonly route: RouteContent;
  /** Where the text comes from, see `Trust`. */
  readonly trustSource: TrustSource;
  readonly signal?: AbortSignal | undefined;
}
