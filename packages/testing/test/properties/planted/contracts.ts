// The contracts of contracts/planted with their promises as invariants: sixteen with a planted bug, and four correct ones.
import { createTestChain, type LocalTestChain } from '@starkbox/testing';
import type { HistoryContext, InvariantOptions, ReturnedValue } from '@starkbox/testing/properties';
import * as fc from 'fast-check';
import { ec, encode, hash, shortString } from 'starknet';

/** Without the actors, which are the same for all. */
type Promises = Pick<InvariantOptions<undefined>, 'contracts' | 'actions' | 'invariants'>;

export interface PlantedContract {
  readonly name: string;
  /** The kind of the bug, or the part of a correct contract that looks like one. */
  readonly kind: string;
  readonly isCorrect?: boolean;
  readonly prepare: (stage: Stage) => Promise<Promises>;
}

/** Classes with the bugs, or without them. */
export type Variant = 'planted' | 'repaired';

const ACTORS = 4;
const PLENTY = 1n << 250n;
const MAX_HELD = 1_000_000_000n;

/** A chain with the contracts of one check. */
export class Stage {
  readonly chain: LocalTestChain;
  /** Address of the account that is no actor. */
  readonly owner: string;
  readonly actors: readonly string[];
  readonly #folder: URL;
  readonly #variant: Variant;

  /** @param folder of contracts/planted */
  constructor(chain: LocalTestChain, folder: URL, variant: Variant) {
    this.chain = chain;
    const [owner = '', ...others] = chain.accounts.map(({ address }) => address);
    this.owner = owner;
    this.actors = others.slice(0, ACTORS);
    this.#folder = folder;
    this.#variant = variant;
  }

  get actor(): string {
    return this.actors[0] ?? this.owner;
  }

  /** The class that has a bug, or its repaired variant. */
  changed(name: string): URL {
    const folder = this.#variant === 'planted' ? 'classes' : 'repaired';
    return new URL(`${folder}/${name}.sierra.json`, this.#folder);
  }

  /** A class that has no bug. */
  fixed(name: string): URL {
    return new URL(`classes/${name}.sierra.json`, this.#folder);
  }

  async deploy(artifact: URL, args: readonly unknown[] = []): Promise<string> {
    const contract = await this.chain.deployContract(artifact, JSON.parse(textOf(args)));
    return contract.address;
  }

  /** A token that the actors and other holders have. */
  asset(amount: bigint = MAX_HELD, holders: readonly string[] = []): Promise<string> {
    return this.deploy(this.fixed('asset'), [[...this.actors, ...holders], amount]);
  }

  /** Lets a contract take tokens of the actors. */
  async approve(asset: string, spender: string): Promise<void> {
    for (const actor of this.actors) {
      const account = this.chain.accounts.find(({ address }) => address === actor);
      const token = await this.chain.contractAt(asset, account);
      await token.invoke('approve', [spender, PLENTY]);
    }
  }
}

/** Integers as decimal strings, which starknet.js takes. */
const textOf = (args: readonly unknown[]): string =>
  JSON.stringify(args, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );

/** A prepared chain and the options of its check. The caller closes the chain. */
export async function openPlanted(
  contract: PlantedContract,
  folder: URL,
  variant: Variant = 'planted',
): Promise<{ readonly chain: LocalTestChain; readonly options: InvariantOptions<undefined> }> {
  const chain = await createTestChain();
  try {
    const stage = new Stage(chain, folder, contract.isCorrect ? 'planted' : variant);
    const promises = await contract.prepare(stage);
    return { chain, options: { actors: stage.actors, ...promises } };
  } catch (error) {
    await chain.close();
    throw error;
  }
}

type Context = HistoryContext<undefined>;

async function sumOf(
  holders: readonly string[],
  amountOf: (holder: string) => Promise<bigint>,
): Promise<bigint> {
  let sum = 0n;
  for (const holder of holders) sum += await amountOf(holder);
  return sum;
}

type Pair = readonly [bigint, bigint];
const pairOf = ({ call }: Context, contract: string, name: string, ...args: string[]) =>
  call<Pair>(contract, name, args);

const isZero = (value: ReturnedValue): boolean => BigInt(String(value)) === 0n;

/** The promise of both contracts with shares. */
const sharesKeepTheirValue =
  (vault: string) =>
  async (context: Context): Promise<boolean> => {
    const [assets, shares] = await pairOf(context, vault, 'totals');
    const [markAssets, markShares] = await pairOf(context, vault, 'mark');
    return assets * markShares >= markAssets * shares;
  };

const shareVault: PlantedContract = {
  name: 'share_vault',
  kind: 'rounding',
  async prepare(stage) {
    const asset = await stage.asset();
    const vault = await stage.deploy(stage.changed('share_vault'), [asset]);
    await stage.approve(asset, vault);
    return {
      contracts: [vault],
      invariants: { 'the assets behind a share never decrease': sharesKeepTheirValue(vault) },
    };
  },
};

const treasury: PlantedContract = {
  name: 'treasury',
  kind: 'missing access check',
  async prepare(stage) {
    const contract = await stage.deploy(stage.changed('treasury'), [stage.owner]);
    const payer = shortString.encodeShortString('PAYER');
    return {
      contracts: [contract],
      invariants: {
        // No actor is an administrator.
        'only an administrator makes a payer': async ({ call, actors }) => {
          for (const actor of actors) {
            if (await call<boolean>(contract, 'has_role', [payer, actor])) return false;
          }
          return true;
        },
      },
    };
  },
};

/** The promise of both banks. */
async function bankOf(stage: Stage, bankClass: URL): Promise<Promises> {
  const asset = await stage.asset(MAX_HELD, [stage.owner]);
  const bank = await stage.deploy(bankClass, [asset]);
  const receiver = await stage.deploy(stage.fixed('receiver'), [bank, asset]);
  const token = await stage.chain.contractAt(asset, stage.chain.accounts[0]);
  await token.invoke('transfer', [receiver, MAX_HELD]);
  await stage.approve(asset, bank);
  return {
    contracts: [bank, receiver],
    invariants: {
      'the bank holds all balances': async ({ call, actors }) => {
        const owed = await sumOf([...actors, receiver], (holder) =>
          call(bank, 'balance_of', [holder]),
        );
        return (await call(asset, 'balance_of', [bank])) >= owed;
      },
    },
  };
}

const bank: PlantedContract = {
  name: 'bank',
  kind: 'effects after a re-entrant call',
  prepare: (stage) => bankOf(stage, stage.changed('bank')),
};

const lending: PlantedContract = {
  name: 'lending',
  kind: 'stale price',
  async prepare(stage) {
    const feed = await stage.deploy(stage.fixed('feed'), [stage.actor, 250n]);
    const pool = await stage.deploy(stage.changed('lending'), [feed]);
    return {
      contracts: [pool, feed],
      invariants: {
        'no loan uses a price older than an hour': async (context) => {
          for (const actor of context.actors) {
            const [time, priceTime] = await pairOf(context, pool, 'last_loan', actor);
            if (time > priceTime + 3600n) return false;
          }
          return true;
        },
      },
    };
  },
};

const timelock: PlantedContract = {
  name: 'timelock',
  kind: 'off-by-one time lock',
  async prepare(stage) {
    const lock = await stage.deploy(stage.changed('timelock'), [stage.actor]);
    return {
      contracts: [lock],
      invariants: {
        'a change waits two days': async ({ call }) => {
          const count = await call(lock, 'count');
          for (let id = 0n; id < count; id += 1n) {
            const change = await call<Readonly<Record<string, bigint>>>(lock, 'change', [id]);
            const { announced_at = 0n, executed_at = 0n } = change;
            if (executed_at !== 0n && executed_at < announced_at + 172_800n) return false;
          }
          return true;
        },
      },
    };
  },
};

const deed: PlantedContract = {
  name: 'deed',
  kind: 'unchecked approval change',
  async prepare(stage) {
    const deeds = await stage.deploy(stage.changed('deed'));
    return {
      contracts: [deeds],
      invariants: {
        'an approval is the present owner’s': async ({ call }) => {
          const count = await call(deeds, 'count');
          for (let id = 1n; id <= count; id += 1n) {
            const [spender, by] = await call<readonly ReturnedValue[]>(deeds, 'approval', [id]);
            const owner = await call<ReturnedValue>(deeds, 'owner_of', [id]);
            if (!isZero(spender) && by !== owner) return false;
          }
          return true;
        },
      },
    };
  },
};

const vesting: PlantedContract = {
  name: 'vesting',
  kind: 'double claim',
  async prepare(stage) {
    const asset = await stage.asset();
    const grants = await stage.deploy(stage.changed('vesting'), [asset]);
    await stage.approve(asset, grants);
    return {
      contracts: [grants],
      invariants: {
        'all grants can be paid': async ({ call, actors }) => {
          const owed = await sumOf(actors, async (actor) => {
            const grant = await call<Readonly<Record<string, bigint>>>(grants, 'grant_of', [actor]);
            return (grant['amount'] ?? 0n) - (grant['claimed'] ?? 0n);
          });
          return (await call(asset, 'balance_of', [grants])) >= owed;
        },
      },
    };
  },
};

const exchange: PlantedContract = {
  name: 'exchange',
  kind: 'fee on the wrong side',
  async prepare(stage) {
    const pool = await stage.deploy(stage.changed('exchange'), [stage.actors, MAX_HELD]);
    return {
      contracts: [pool],
      invariants: {
        'a swap does not decrease the product': async (context) => {
          const [first, second] = await pairOf(context, pool, 'reserves');
          return first * second >= (await context.call(pool, 'product'));
        },
      },
    };
  },
};

const savings: PlantedContract = {
  name: 'savings',
  kind: 'storage collision after an upgrade',
  async prepare(stage) {
    const asset = await stage.asset();
    const { classHash } = await stage.chain.declare(stage.changed('savings_next'));
    const owner = stage.actor;
    const contract = await stage.deploy(stage.fixed('savings'), [owner, asset, classHash]);
    await stage.approve(asset, contract);
    return {
      contracts: [contract],
      invariants: {
        'all savings and requests can be paid': async (context) => {
          const owed = await sumOf(context.actors, async (actor) => {
            const [balance, requested] = await pairOf(context, contract, 'position', actor);
            return balance + requested;
          });
          return (await context.call(asset, 'balance_of', [contract])) >= owed;
        },
      },
    };
  },
};

const lockbox: PlantedContract = {
  name: 'lockbox',
  kind: 'integer truncation',
  async prepare(stage) {
    const asset = await stage.asset(1n << 130n);
    const boxes = await stage.deploy(stage.changed('lockbox'), [asset]);
    await stage.approve(asset, boxes);
    return {
      contracts: [boxes],
      invariants: {
        'the contract holds the content of all boxes': async ({ call, actors }) => {
          const owed = await sumOf(actors, (actor) => call(boxes, 'content_of', [actor]));
          return (await call(asset, 'balance_of', [boxes])) >= owed;
        },
      },
    };
  },
};

const SIGNED_PAYMENTS = 6;

const signedPayments: PlantedContract = {
  name: 'signed_payments',
  kind: 'replayed signature',
  async prepare(stage) {
    const contract = await stage.deploy(stage.changed('signed_payments'));
    const secret = '0x1234';
    const key = encode.addHexPrefix(encode.removeHexPrefix(ec.starkCurve.getStarkKey(secret)));
    const payments = Array.from({ length: SIGNED_PAYMENTS }, (_, nonce) => {
      const to = stage.actors[nonce % ACTORS] ?? stage.owner;
      const amount = BigInt(100 * (nonce + 1));
      const message = hash.computePoseidonHashOnElements([key, to, amount, nonce]);
      const { r, s } = ec.starkCurve.sign(message, secret);
      return { amount, args: [key, to, amount, nonce, r, s] };
    });
    const signed = payments.reduce((sum, { amount }) => sum + amount, 0n);
    return {
      contracts: [{ address: contract, exclude: ['pay'] }],
      actions: {
        // Signatures cannot be drawn: these are all that the signer has made.
        pay: {
          arguments: fc.tuple(
            fc.bigInt({ min: 0n, max: BigInt(SIGNED_PAYMENTS - 1) }),
            fc.bigInt({ min: 0n, max: BigInt(ACTORS - 1) }),
          ),
          async run({ send, actors }: Context, index: bigint, submitter: bigint) {
            const payment = payments[Number(index)];
            const from = actors[Number(submitter)];
            if (payment && from) await send(from, contract, 'pay', payment.args);
          },
        },
        deposit: {
          arguments: fc.tuple(fc.bigInt({ min: 0n, max: 5_000n })),
          async run({ send, actors }: Context, amount: bigint) {
            await send(actors[0] ?? '', contract, 'deposit', [key, amount]);
          },
        },
      },
      invariants: {
        'the signer pays no more than all signed payments': async ({ call }) =>
          (await call(contract, 'paid_by', [key])) <= signed,
      },
    };
  },
};

const exitQueue: PlantedContract = {
  name: 'exit_queue',
  kind: 'queue that sticks',
  async prepare(stage) {
    const queue = await stage.deploy(stage.changed('exit_queue'));
    return {
      contracts: [queue],
      invariants: {
        'the head of the queue can be processed': async (context) => {
          const [head, tail] = await pairOf(context, queue, 'ends');
          // A failing call violates the invariant.
          if (head < tail) await context.call<undefined>(queue, 'process');
        },
      },
    };
  },
};

const staking: PlantedContract = {
  name: 'staking',
  kind: 'rewards at a change of the stake',
  async prepare(stage) {
    const contract = await stage.deploy(stage.changed('staking'));
    return {
      contracts: [contract],
      invariants: {
        'the funds pay all rewards': async ({ call, actors }) => {
          const owed = await sumOf(actors, (actor) => call(contract, 'earned', [actor]));
          return (await call(contract, 'funds')) >= owed;
        },
      },
    };
  },
};

const auction: PlantedContract = {
  name: 'auction',
  kind: 'lost refund',
  async prepare(stage) {
    const asset = await stage.asset();
    const contract = await stage.deploy(stage.changed('auction'), [asset, stage.actor]);
    await stage.approve(asset, contract);
    return {
      contracts: [contract],
      invariants: {
        'the contract holds the highest bid and all refunds': async ({ call, actors }) => {
          const refunds = await sumOf(actors, (actor) => call(contract, 'refund_of', [actor]));
          const bid = await call(contract, 'held_bid');
          return (await call(asset, 'balance_of', [contract])) === bid + refunds;
        },
      },
    };
  },
};

const ballot: PlantedContract = {
  name: 'ballot',
  kind: 'votes counted twice after a transfer',
  async prepare(stage) {
    const contract = await stage.deploy(stage.changed('ballot'), [stage.actors, 1_000n]);
    return {
      contracts: [contract],
      invariants: {
        'no proposal has more votes than the supply': async (context) => {
          const supply = await context.call(contract, 'total_supply');
          const count = await context.call(contract, 'count');
          for (let id = 1n; id <= count; id += 1n) {
            const [inFavour, against] = await pairOf(context, contract, 'votes_of', String(id));
            if (inFavour + against > supply) return false;
          }
          return true;
        },
      },
    };
  },
};

/** More than the rounding of as many calls as a history has. */
const ROUNDING = 200n;

const debtBook: PlantedContract = {
  name: 'debt_book',
  kind: 'debt without its index',
  async prepare(stage) {
    const contract = await stage.deploy(stage.changed('debt_book'));
    return {
      contracts: [contract],
      invariants: {
        'the debts of all accounts are the total': async ({ call, actors }) => {
          const sum = await sumOf(actors, (actor) => call(contract, 'debt_of', [actor]));
          return sum + ROUNDING >= (await call(contract, 'total'));
        },
      },
    };
  },
};

const guardedShares: PlantedContract = {
  name: 'guarded_shares',
  kind: 'rounding',
  isCorrect: true,
  async prepare(stage) {
    const pot = await stage.deploy(stage.fixed('guarded_shares'));
    return {
      contracts: [pot],
      invariants: { 'the assets behind a share never decrease': sharesKeepTheirValue(pot) },
    };
  },
};

const escrow: PlantedContract = {
  name: 'escrow',
  kind: 'effects after a re-entrant call',
  isCorrect: true,
  prepare: (stage) => bankOf(stage, stage.fixed('escrow')),
};

const crowdfund: PlantedContract = {
  name: 'crowdfund',
  kind: 'double claim, time lock',
  isCorrect: true,
  async prepare(stage) {
    const asset = await stage.asset();
    const contract = await stage.deploy(stage.fixed('crowdfund'), [asset, stage.actor]);
    await stage.approve(asset, contract);
    return {
      contracts: [contract],
      invariants: {
        'the owner takes nothing before the deadline': async (context) => {
          const [deadline, takenAt] = await pairOf(context, contract, 'times');
          return takenAt === 0n || takenAt >= deadline;
        },
        'contributions are there until they are taken': async (context) => {
          const [, takenAt] = await pairOf(context, contract, 'times');
          const contributed = await sumOf(context.actors, (actor) =>
            context.call(contract, 'contribution_of', [actor]),
          );
          const held = await context.call(asset, 'balance_of', [contract]);
          return held === (takenAt === 0n ? contributed : 0n);
        },
      },
    };
  },
};

const delegation: PlantedContract = {
  name: 'delegation',
  kind: 'approval change, votes after a transfer',
  isCorrect: true,
  async prepare(stage) {
    const contract = await stage.deploy(stage.fixed('delegation'), [stage.actors, 1_000n]);
    return {
      contracts: [contract],
      invariants: {
        'an account has the votes of those who delegate to it': async ({ call, actors }) => {
          const expected = new Map(actors.map((actor) => [BigInt(actor), 0n]));
          for (const actor of actors) {
            const delegate = BigInt(
              String(await call<ReturnedValue>(contract, 'delegate_of', [actor])),
            );
            const balance = await call(contract, 'balance_of', [actor]);
            expected.set(delegate, (expected.get(delegate) ?? 0n) + balance);
          }
          for (const actor of actors) {
            if ((await call(contract, 'votes_of', [actor])) !== expected.get(BigInt(actor)))
              return false;
          }
          return true;
        },
        'the votes are no more than the supply': async ({ call, actors }) => {
          const votes = await sumOf(actors, (actor) => call(contract, 'votes_of', [actor]));
          return votes <= (await call(contract, 'total_supply'));
        },
      },
    };
  },
};

export const PLANTED: readonly PlantedContract[] = [
  shareVault,
  treasury,
  bank,
  lending,
  timelock,
  deed,
  vesting,
  exchange,
  savings,
  lockbox,
  signedPayments,
  exitQueue,
  staking,
  auction,
  ballot,
  debtBook,
];

export const CORRECT: readonly PlantedContract[] = [guardedShares, escrow, crowdfund, delegation];
