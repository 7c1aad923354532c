// Entry point of the pages that a node serves.
import { start } from './start.js';

start();
