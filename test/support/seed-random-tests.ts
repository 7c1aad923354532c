// Setup of every test file: fast-check uses our seed where a test has none of its own, and a failure names it.
import fc from 'fast-check';
import { SEED } from './seed.js';

fc.configureGlobal({ seed: SEED });
