/** Values that the examples of several areas have in common. */
export const position = '92edf2a77f45-1c';
export const at = '2026-05-04T09:30:00.000Z';
export const searchId = '019a0c3f-0d2e-7f31-8a55-5b1f6f0a7c21.2c3a3a8430bc3c6bcd16045da7071dfc';
