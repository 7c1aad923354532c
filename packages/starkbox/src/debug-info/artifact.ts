// Artifacts of the compiler: names of their files, their debug information, and the settings that add it.

/** Names of Sierra classes as Scarb and the compiler write them. */
export const ARTIFACT: RegExp = /\.(contract_class|sierra)\.json$/;

/** Where Scarb writes what it says about statements, among the annotations of a Sierra program. */
export const ANNOTATIONS = {
  functions: {
    tool: 'github.com/software-mansion/cairo-profiler',
    member: 'statements_functions',
  },
  locations: {
    tool: 'github.com/software-mansion/cairo-coverage',
    member: 'statements_code_locations',
  },
} as const;

export const ADD_DEBUG_INFO: string =
  'In Scarb.toml, below [cairo], set add-statements-code-locations-debug-info and ' +
  'add-statements-functions-debug-info to true (with the prefix unstable- in older releases of Scarb), ' +
  'and build again.';
