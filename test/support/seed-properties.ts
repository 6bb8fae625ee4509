import * as fc from 'fast-check';
import { givenSeed } from './random.ts';

const seed = givenSeed();
if (seed !== undefined) fc.configureGlobal({ seed });
