import { describe, expect, it } from 'vitest';
import { mergePatchOf, patchOf, rebased } from '../../../console/src/screens/spaces/space-fields.ts';

const before = { retentionDays: '365', acceptedTypes: '', versionTracking: 'false', dedupStrategy: 'none' };

describe('patchOf', () => {
  it('has only what was changed, with its type', () => {
    expect(
      patchOf(before, {
        ...before,
        retentionDays: '30',
        acceptedTypes: 'code, note,',
        versionTracking: 'true',
      }),
    ).toEqual({ retentionDays: 30, acceptedTypes: ['code', 'note'], versionTracking: true });
  });

  it('brings back the default of a field that was emptied', () => {
    expect(patchOf(before, { ...before, retentionDays: ' ' })).toEqual({ retentionDays: null });
  });

  it('is empty without a change', () => {
    expect(patchOf(before, { ...before, retentionDays: '365 ' })).toEqual({});
  });
});

describe('rebased', () => {
  it('keeps the changes of the form, and takes over those of others', () => {
    const draft = { ...before, retentionDays: '30' };
    const now = { ...before, retentionDays: '90', dedupStrategy: 'exact' };
    expect(patchOf(now, rebased(draft, before, now))).toEqual({ retentionDays: 30 });
  });
});

describe('numbers', () => {
  it('are not made up from other texts', () => {
    expect(() => patchOf(before, { ...before, retentionDays: 'a year' })).toThrow('must be a number');
  });
});

describe('mergePatchOf', () => {
  it('reads an object, and nothing from an empty text', () => {
    expect(mergePatchOf('{"pii": {"email": "redact"}}')).toEqual({ pii: { email: 'redact' } });
    expect(mergePatchOf('  ')).toEqual({});
  });

  it('refuses what is no object or no JSON', () => {
    expect(() => mergePatchOf('[1]')).toThrow('object');
    expect(() => mergePatchOf('null')).toThrow('object');
    expect(() => mergePatchOf('{')).toThrow(SyntaxError);
  });
});
