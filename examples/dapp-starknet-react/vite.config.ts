// JSX without a plugin.
export default { oxc: { jsx: { runtime: 'automatic' } } };
