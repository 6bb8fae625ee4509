export interface Screen {
  readonly path: string;
  readonly name: string;
  /** Operations of which the role must be allowed one, by `operationId`; without it everyone sees the screen. */
  readonly needs?: readonly string[];
}

/** The entries of the menu, in its order. */
export const screens: readonly Screen[] = [
  { path: '/', name: 'Home' },
  { path: '/search', name: 'Search lab', needs: ['search'] },
  { path: '/memories', name: 'Memories', needs: ['listMemories'] },
  { path: '/time', name: 'Time machine', needs: ['auditEvents'] },
  { path: '/sessions', name: 'Sessions', needs: ['auditEvents'] },
  { path: '/review', name: 'Review', needs: ['listReviews'] },
  { path: '/layers', name: 'Layers', needs: ['stats'] },
  { path: '/spaces', name: 'Spaces', needs: ['listSpaces'] },
  { path: '/documents', name: 'Documents', needs: ['listDocuments'] },
  { path: '/audit', name: 'Audit', needs: ['auditEvents'] },
  { path: '/proof', name: 'Proof', needs: ['auditHeads'] },
  { path: '/learning', name: 'Learning', needs: ['policies', 'experience', 'listStrategies'] },
  { path: '/operations', name: 'Operations', needs: ['listProjections', 'routing', 'budgets'] },
];
