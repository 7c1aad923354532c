// Public API: the wire types, methods and errors of the documents. No DOM, no Node.
export * from './method-names.js';
export * from './spec.js';
