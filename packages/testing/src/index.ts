// Public API of the package.
export { startTestNode, type TestNode } from './test-node.js';
