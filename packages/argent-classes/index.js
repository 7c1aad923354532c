// Places of the classes of Argent accounts, packed with their CASM.
export const regular = new URL('./classes/argent.class', import.meta.url);
export const multisig = new URL('./classes/argent-multisig.class', import.meta.url);
