import { useAddress } from '../../app/address.tsx';
import { useSession } from '../../app/session.tsx';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { DocumentList } from './document-list.tsx';
import { SourceList } from './source-list.tsx';
import { Uploads } from './uploads.tsx';
import './documents.css';

/** Documents and the sources that bring them. */
export default function Documents() {
  const { values } = useAddress();
  const { may } = useSession();
  const maySeeSources = may('listSources');
  const isSources = values['tab'] === 'sources' && maySeeSources;
  return (
    <Page
      title={isSources ? 'Sources' : 'Documents'}
      question={
        isSources
          ? 'What is read by itself, when, and did it work?'
          : 'What came, and what was skipped, and why?'
      }
    >
      {maySeeSources && (
        <Tabs
          label="Documents and sources"
          tabs={[
            ['documents', 'Documents'],
            ['sources', 'Sources'],
          ]}
        />
      )}
      {isSources ? (
        <SourceList />
      ) : (
        <>
          {may('postDocument') && may('putDocument') && <Uploads />}
          <DocumentList />
        </>
      )}
    </Page>
  );
}
