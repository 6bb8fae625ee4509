import { position } from '../example-values.ts';

export const trainExample = { bootstrap: true };

export const trainedExample = { version: 'learned-1', learnedFrom: 24, position };
