// For Starkbox's own packages: the part of the internal API that imports nothing else. Programs that start often import
// this entry alone, because the whole package takes 60 ms to load.

export * from './felt.js';
export * from './json.js';
export * from './text-layout.js';
