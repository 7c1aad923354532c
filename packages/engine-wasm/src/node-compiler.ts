// The thread of one compilation in Node.
import { parentPort, workerData } from 'node:worker_threads';
import { compileHere } from './compilation.js';

parentPort?.postMessage(compileHere(workerData));
