import { QueryClient, QueryClientProvider } from '@tanstack/preact-query';
import { ErrorBoundary, LocationProvider, Router, Route, lazy } from 'preact-iso';
import { LiveProvider } from './live.tsx';
import { SessionGate } from './session.tsx';
import { Shell } from './shell.tsx';
import { NotFound } from './not-found.tsx';

const Home = lazy(() => import('../screens/home/home.tsx'));
const SearchLab = lazy(() => import('../screens/search/search-lab.tsx'));
const Memories = lazy(() => import('../screens/memory/memories.tsx'));
const Memory = lazy(() => import('../screens/memory/memory.tsx'));
const TimeMachine = lazy(() => import('../screens/time/time-machine.tsx'));
const Sessions = lazy(() => import('../screens/session/sessions.tsx'));
const Session = lazy(() => import('../screens/session/session.tsx'));
const Review = lazy(() => import('../screens/review/review.tsx'));
const Layers = lazy(() => import('../screens/layers/layers.tsx'));
const Spaces = lazy(() => import('../screens/spaces/spaces.tsx'));
const Documents = lazy(() => import('../screens/documents/documents.tsx'));
const Document = lazy(() => import('../screens/documents/document.tsx'));
const Audit = lazy(() => import('../screens/audit/audit.tsx'));
const Proof = lazy(() => import('../screens/proof/proof.tsx'));
const Learning = lazy(() => import('../screens/learning/learning.tsx'));
const Operations = lazy(() => import('../screens/operations/operations.tsx'));

/** The client repeats a call itself; `useAsk` repeats what failed all the same. */
const queries = new QueryClient({
  defaultOptions: { queries: { retry: false, staleTime: 2_000, gcTime: 60_000, refetchOnWindowFocus: true } },
});

/** The whole console: who is asking, the frame, and one screen. */
export function App() {
  return (
    <LocationProvider scope="/console">
      <QueryClientProvider client={queries}>
        <SessionGate>
          <LiveProvider>
            <Shell>
              <ErrorBoundary>
                <Router>
                  <Route path="/console" component={Home} />
                  <Route path="/console/search" component={SearchLab} />
                  <Route path="/console/memories" component={Memories} />
                  <Route path="/console/memories/:id" component={Memory} />
                  <Route path="/console/time" component={TimeMachine} />
                  <Route path="/console/sessions" component={Sessions} />
                  <Route path="/console/sessions/:id" component={Session} />
                  <Route path="/console/review" component={Review} />
                  <Route path="/console/layers" component={Layers} />
                  <Route path="/console/spaces" component={Spaces} />
                  <Route path="/console/documents" component={Documents} />
                  <Route path="/console/documents/:id" component={Document} />
                  <Route path="/console/audit" component={Audit} />
                  <Route path="/console/proof" component={Proof} />
                  <Route path="/console/learning" component={Learning} />
                  <Route path="/console/operations" component={Operations} />
                  <Route default component={NotFound} />
                </Router>
              </ErrorBoundary>
            </Shell>
          </LiveProvider>
        </SessionGate>
      </QueryClientProvider>
    </LocationProvider>
  );
}
