import { QueryClient, QueryClientProvider } from '@tanstack/preact-query';
import { ErrorBoundary, LocationProvider, Router, Route } from 'preact-iso';
import { LiveProvider } from './live.tsx';
import { SessionGate } from './session.tsx';
import { Shell } from './shell.tsx';
import { NotFound } from './not-found.tsx';
import { lazyScreen } from './lazy-screen.tsx';

const Home = lazyScreen(() => import('../screens/home/home.tsx'));
const SearchLab = lazyScreen(() => import('../screens/search/search-lab.tsx'));
const Memories = lazyScreen(() => import('../screens/memory/memories.tsx'));
const Memory = lazyScreen(() => import('../screens/memory/memory.tsx'));
const TimeMachine = lazyScreen(() => import('../screens/time/time-machine.tsx'));
const Sessions = lazyScreen(() => import('../screens/session/sessions.tsx'));
const Session = lazyScreen(() => import('../screens/session/session.tsx'));
const Review = lazyScreen(() => import('../screens/review/review.tsx'));
const Layers = lazyScreen(() => import('../screens/layers/layers.tsx'));
const Spaces = lazyScreen(() => import('../screens/spaces/spaces.tsx'));
const Documents = lazyScreen(() => import('../screens/documents/documents.tsx'));
const Document = lazyScreen(() => import('../screens/documents/document.tsx'));
const Audit = lazyScreen(() => import('../screens/audit/audit.tsx'));
const Proof = lazyScreen(() => import('../screens/proof/proof.tsx'));
const Learning = lazyScreen(() => import('../screens/learning/learning.tsx'));
const Operations = lazyScreen(() => import('../screens/operations/operations.tsx'));

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
