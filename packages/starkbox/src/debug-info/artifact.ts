// Artifacts of the compiler: names of their files, their debug information, and the settings that add it.

/** Names of Sierra classes as Scarb and the compiler write them. */
export const ARTIFACT: RegExp = /\.(contract_class|sierra)\.json$/;

/** Annotations of a Sierra program in which Scarb writes its functions, locations, variables and types. */
export const ANNOTATIONS = {
  functions: {
    tool: 'github.com/software-mansion/cairo-profiler',
    member: 'statements_functions',
  },
  locations: {
    tool: 'github.com/software-mansion/cairo-coverage',
    member: 'statements_code_locations',
  },
  variables: {
    tool: 'github.com/software-mansion-labs/cairo-debugger',
    member: 'functions_info',
  },
  structs: {
    tool: 'github.com/software-mansion-labs/cairo-debugger/user-types',
    member: 'structs',
  },
  enums: {
    tool: 'github.com/software-mansion-labs/cairo-debugger/user-types',
    member: 'enums',
  },
} as const;

export const ADD_DEBUG_INFO: string =
  'In Scarb.toml, below [cairo], set add-statements-code-locations-debug-info and ' +
  'add-statements-functions-debug-info to true (with the prefix unstable- in older releases of Scarb), ' +
  'and build again.';
