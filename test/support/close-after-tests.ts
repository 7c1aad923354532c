// Setup of every test file: what its tests opened is closed after each test, or after the file.
import { afterAll, afterEach } from 'vitest';
import { closeFile, closeTest } from './closing.js';

afterEach(closeTest);
afterAll(closeFile);
