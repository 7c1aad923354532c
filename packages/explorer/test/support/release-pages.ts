// Setup of every browser test file: pages that a test opened are released when it ends.
import { afterEach } from 'vitest';
import { sharedPages } from './stage.js';

afterEach(async () => (await sharedPages()).release());
