import { useAddress } from '../../app/address.tsx';
import type { AddressValues } from '../../app/address-values.ts';
import { usePages } from '../../app/use-pages.ts';
import { layers } from '../../app/vocabulary.ts';
import { Empty } from '../../ui/empty.tsx';
import { Field, Filters, Select } from '../../ui/field.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { DocumentRow } from './document-row.tsx';

const states = ['stored', 'failed', 'deleted'] as const;

/** The values of the address that select documents, which links keep. */
export const listValues = ({
  layer,
  space,
  type,
  prefix,
  parent,
  state,
}: Readonly<Record<string, string>>): AddressValues => ({ layer, space, type, prefix, parent, state });

/** The documents that the caller can see, newest first, with filters. */
export function DocumentList() {
  const { values, set } = useAddress();
  const { layer, space, type, prefix, parent } = values;
  const state = states.find((one) => one === values['state']);
  const documents = usePages('documents.list', [
    {
      limit: 50,
      ...(layer && { layer: [layer] }),
      ...(space && { space }),
      ...(type && { contentType: type }),
      ...(prefix && { prefix }),
      ...(parent && { parent }),
      ...(state && { state }),
    },
  ]);
  const isFiltered = [layer, space, type, prefix, parent, state].some(Boolean);
  return (
    <>
      <Filters aria-label="Filters">
        <Select
          label="State"
          value={state ?? ''}
          onValue={(value) => set({ state: value })}
          choices={[['', 'All but deleted'], ...states.map((one) => [one, one] as const)]}
        />
        <Select
          label="Layer"
          value={layer ?? ''}
          onValue={(value) => set({ layer: value })}
          choices={[['', 'All layers'], ...layers.map((name) => [name, name] as const)]}
        />
        <Field label="Space" value={space ?? ''} onValue={(value) => set({ space: value })} />
        <Field label="Type of content" value={type ?? ''} onValue={(value) => set({ type: value })} />
        <Field
          label="externalId begins with"
          value={prefix ?? ''}
          onValue={(value) => set({ prefix: value })}
          isSearch
        />
      </Filters>
      <PagedList
        of={documents}
        what="the documents"
        label="Documents"
        rowHeight={62}
        empty={
          <Empty title={isFiltered ? 'No document matches these filters' : 'There is no document yet'}>
            {isFiltered
              ? 'Remove a filter to see more.'
              : 'Drop a file above, send a folder with “stratalog ingest”, or configure a source.'}
          </Empty>
        }
      >
        {(document) => <DocumentRow document={document} values={listValues(values)} />}
      </PagedList>
    </>
  );
}
