// Steps of the simulation while they are edited, kept in the address of the page.
import type { Names } from '@starkbox/abi';
import { canonicalFelt } from '@starkbox/abi/basics';
import { readMulticall } from '@starkbox/abi/internal';
import { useEffect, useRef, useState } from 'react';
import { useOwnNames } from '../../format/names.js';
import { remember, remembered } from '../../navigation/form-in-address.js';
import { useRoute } from '../../navigation/route.js';
import { useBatch } from '../../parts/send/batch.js';
import { call } from '../../rpc/client.js';
import { MAX_STEPS, newStep, packed, type StepDraft, unpacked } from './steps.js';
import { type OverrideDraft, packedOverrides, unpackedOverrides } from './what-if.js';

const MAX_FIELD_LENGTH = 30;

export type StepList = ReturnType<typeof useSteps>;

export function useSteps() {
  // The form resolves these names only.
  const names = useOwnNames();
  const nameOf = (address: string): string => names.get(address) ?? address;
  const { query } = useRoute();
  const batch = useBatch();
  const [start] = useState(remembered);
  const [steps, setSteps] = useState<readonly StepDraft[]>(() => {
    if (query.get('from') === 'batch' && batch.length > 0)
      return [newStep('account 0', batch, nameOf)];
    return unpacked(start['steps']);
  });
  const [block, setBlock] = useState(() =>
    typeof start['at'] === 'string' ? shortText(start['at']) : 'pre-confirmed',
  );
  const [whatIf, setWhatIf] = useState<readonly OverrideDraft[]>(() =>
    unpackedOverrides(start['if']),
  );
  const [focused, setFocused] = useState<number | undefined>();
  const [isJudged, setJudged] = useState(false);
  const isTouched = useRef(false);
  useEffect(() => {
    if (isTouched.current || steps.length > 0)
      remember({ steps: packed(steps), at: block, if: packedOverrides(whatIf) });
    isTouched.current = true;
  }, [steps, block, whatIf]);

  // Names can arrive before or after the transaction is read.
  const latestNames = useRef(names);
  useEffect(() => {
    latestNames.current = names;
    setSteps((old) => old.map((step) => named(step, names)));
  }, [names]);

  const current = steps.find(({ id }) => id === focused) ?? steps[0];
  const move = (id: number, by: 1 | -1): void => {
    const at = steps.findIndex((step) => step.id === id);
    const [moved, displaced] = [steps[at], steps[at + by]];
    if (!moved || !displaced) return;
    setSteps(
      steps.map((step, index) => (index === at ? displaced : index === at + by ? moved : step)),
    );
  };
  const add = (): void => {
    if (steps.length >= MAX_STEPS) return;
    const step = newStep(steps.at(-1)?.as ?? 'account 0');
    setSteps([...steps, step]);
    setFocused(step.id);
    setJudged(false);
  };
  const change = (next: StepDraft): void =>
    setSteps(steps.map((step) => (step.id === next.id ? next : step)));
  const remove = (removed: number): void => setSteps(steps.filter(({ id }) => id !== removed));
  /** Replaces all steps by one with the calls of a transaction. */
  const take = async (hash: string): Promise<void> => {
    const { step, blockBefore } = await stepFromTransaction(hash);
    setSteps([named(step, latestNames.current)]);
    setFocused(step.id);
    if (blockBefore !== undefined) setBlock(String(blockBefore));
  };
  return {
    steps,
    current,
    block,
    isJudged,
    /** Equal as long as nothing was edited. */
    written: JSON.stringify([packed(steps), block, packedOverrides(whatIf)]),
    whatIf,
    setWhatIf,
    setBlock,
    setFocused,
    setJudged,
    move,
    add,
    change,
    remove,
    take,
  };
}

/** The same step if no address has a name. */
function named(step: StepDraft, names: Names): StepDraft {
  const hasName = (address: string): boolean => names.has(address);
  if (!hasName(step.as) && !step.calls.some(({ contract }) => hasName(contract))) return step;
  return {
    ...step,
    as: names.get(step.as) ?? step.as,
    calls: step.calls.map((call) => ({
      ...call,
      contract: names.get(call.contract) ?? call.contract,
    })),
  };
}

/** Of the page's address, which is untrusted. */
const shortText = (value: unknown): string =>
  typeof value === 'string' ? value.slice(0, MAX_FIELD_LENGTH) : '';

async function stepFromTransaction(
  hash: string,
): Promise<{ readonly step: StepDraft; readonly blockBefore: number | undefined }> {
  const asking = { transaction_hash: canonicalFelt(hash) ?? hash };
  const [transaction, receipt] = await Promise.all([
    call('starknet_getTransactionByHash', asking),
    call('starknet_getTransactionReceipt', asking),
  ]);
  const calls =
    transaction.type === 'INVOKE' && 'calldata' in transaction
      ? readMulticall(transaction.calldata)
      : undefined;
  if (!calls || !('sender_address' in transaction)) {
    throw new Error('Only invoke transactions can be simulated again.');
  }
  const step = newStep(transaction.sender_address, calls);
  const blockBefore =
    'block_number' in receipt && typeof receipt.block_number === 'number'
      ? Math.max(0, receipt.block_number - 1)
      : undefined;
  return { step, blockBefore };
}
