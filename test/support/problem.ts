import { expect } from 'vitest';
import type { Reply } from './api.ts';

/** Expects a problem document (RFC 9457) with this status and stable code that names each of `paths`. */
export function expectProblem(
  { status, headers, body }: Reply,
  wantedStatus: number,
  code: string,
  ...paths: string[]
): void {
  expect({ status, code: body?.code, detail: body?.detail }).toMatchObject({ status: wantedStatus, code });
  expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
  expect(body).toMatchObject({
    type: expect.stringMatching(/./),
    title: expect.stringMatching(/./),
    status: wantedStatus,
    detail: expect.stringMatching(/./),
    requestId: expect.stringMatching(/./),
  });
  expect(body.requestId).toBe(headers.get('x-request-id'));
  const named = (body.errors ?? []).map(({ path }: { path: string }) => path);
  expect(named).toEqual(expect.arrayContaining(paths));
}

/** Expects a 400 that names these fields. */
export function expectInvalid(reply: Reply, ...paths: string[]): void {
  expectProblem(reply, 400, 'validation-failed', ...paths);
}
