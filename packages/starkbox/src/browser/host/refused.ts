// Stands for parts that need Node: an L1, a paymaster, lock files of forks, and classes in packages.

function refusal(part: string): () => never {
  return function refuse(): never {
    throw new Error(`A chain in a browser has no ${part}: use createChain of starkbox on Node`);
  };
}

const noL1: () => never = refusal('L1');
const noLockFile: () => never = refusal('lock file');

const noPaymaster: () => never = refusal('paymaster');

export { noL1 as accountOf, noL1 as Ethereum, noL1 as startAnvil, noPaymaster as Paymaster };
export const AnvilState: object = { open: noL1 };
export const AnvilAutosave: object = { start: noL1 };
export const LockFile: object = { open: noLockFile };
export const conflict: () => never = noLockFile;
export const argentClasses: () => never = refusal('classes of Argent accounts');
