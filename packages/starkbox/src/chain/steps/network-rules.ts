// Limits of the gateways of public networks, and the checks of a submission against them.
import { groupDigits } from '@starkbox/abi/basics';
import { exactAmountText } from '@starkbox/abi/internal';
import type { Class, ClassLimits } from '@starkbox/engine';
import type { BROADCASTED_DECLARE_TXN, ErrorName } from '@starkbox/spec';
import { fail } from '../../errors.js';
import { stringify } from '../../json/json.js';
import { proofBytes } from '../execution/mock-proof.js';
import type { Submission } from '../execution/prepare-transaction.js';
import type { Broadcasted } from '../history/stored-texts.js';
import { latestHeader } from '../world/find-block.js';
import type { World } from '../world/world.js';

/** Named as in the configuration of the gateway and of its compiler. */
interface Limits {
  /** Fri, of L2 gas. */
  readonly min_gas_price: bigint;
  /** Of the L2 gas price of the latest block. */
  readonly min_gas_price_percentage: bigint;
  readonly max_l2_gas_amount: bigint;
  /** Felts; proof facts count too. */
  readonly max_calldata_length: bigint;
  /** Felts. */
  readonly max_signature_length: bigint;
  /** Bytes. */
  readonly max_proof_size: bigint;
  /** Felts of the Sierra program. */
  readonly max_contract_bytecode_size: bigint;
  /** Bytes of the class as JSON. */
  readonly max_contract_class_object_size: bigint;
  /** Felts of CASM. */
  readonly max_bytecode_size: bigint;
  readonly max_allowed_nonce_gap: bigint;
}

/** Of the fields that a gateway wants empty. */
type EmptyField = 'account_deployment_data' | 'paymaster_data';

type Network = 'mainnet' | 'sepolia';

/**
 * Facts of github.com/starkware-libs/sequencer at commit 60161ba of 2026-08-20:
 * - crates/apollo_deployments/resources/app_configs/gateway_config.json (2026-06-21), and the same values as defaults in
 *   crates/apollo_gateway_config/src/config.rs (2026-07-22): all limits but `max_bytecode_size`,
 *   and the Sierra versions;
 * - crates/apollo_gateway/src/stateless_transaction_validator.rs (2026-07-22): empty fields, data availability modes, the
 *   order of entry points, and the errors in errors.rs beside it;
 * - crates/apollo_sierra_compilation_config/src/config.rs (2026-02-05): `max_bytecode_size`;
 * - deployments/sequencer/configs/overlays/hybrid/common/services/gateway.yaml (2026-06-01): nonce gap, bytecode size and
 *   gas price of all deployments; those of mainnet and sepolia-alpha change no limit, and both set
 *   `audited_libfuncs_only` in sierra-compiler.yaml (2026-05-31).
 */
const LIMITS: Limits = {
  min_gas_price: 8_000_000_000n,
  min_gas_price_percentage: 100n,
  max_l2_gas_amount: 1_210_000_000n,
  max_calldata_length: 5000n,
  max_signature_length: 4000n,
  max_proof_size: 480_000n,
  max_contract_bytecode_size: 81_920n,
  max_contract_class_object_size: 4_089_446n,
  max_bytecode_size: 81_920n,
  max_allowed_nonce_gap: 200n,
};

type Version = readonly [major: bigint, minor: bigint, patch: bigint];

const MIN_SIERRA: Version = [1n, 1n, 0n];
/** With any patch. */
const MAX_SIERRA: Version = [1n, 9n, 0n];

const ENTRY_POINTS = ['CONSTRUCTOR', 'EXTERNAL', 'L1_HANDLER'] as const;

const INVALID = 'VALIDATION_FAILURE';
const TOO_LARGE = 'CONTRACT_CLASS_SIZE_IS_TOO_LARGE';

/** What a gateway objects to. */
export interface Finding {
  readonly error: ErrorName;
  /** The rule, the value and the limit. */
  readonly rule: string;
  readonly text: string;
}

/** The members of a transaction that rules without a look at the chain are about. */
export interface Checked {
  readonly type: 'INVOKE' | 'DECLARE' | 'DEPLOY_ACCOUNT';
  readonly account_deployment_data?: readonly string[];
  readonly paymaster_data: readonly string[];
  readonly resource_bounds: {
    readonly l2_gas: { readonly max_amount: string; readonly max_price_per_unit: string };
  };
  readonly calldata?: readonly string[];
  readonly constructor_calldata?: readonly string[];
  readonly proof_facts?: readonly string[] | null;
  readonly signature: readonly string[];
  readonly nonce_data_availability_mode: string;
  readonly fee_data_availability_mode: string;
}

/** Refuses by the first finding. */
function refuseBy(findings: Iterable<Finding>): void {
  for (const { error, rule, text } of findings) fail(error, `${rule}: ${text}`);
}

/** The rules of a network, by which its gateway refuses transactions. */
export class NetworkRules {
  readonly limits: Limits = LIMITS;
  readonly network: Network;
  readonly #checksBounds: boolean;

  /** @param checksBounds false where no fees are charged: bounds are then free, as in a sequencer without fees */
  constructor(network: Network, checksBounds: boolean) {
    this.network = network;
    this.#checksBounds = checksBounds;
  }

  /** Refuses what a gateway refuses without looking at the chain; the order is the gateway's. */
  checkSubmission(values: Broadcasted): void {
    refuseBy(this.findings(values, values.type === 'INVOKE' ? values.proof : undefined));
    if (values.type === 'DECLARE') this.#checkSentClass(values.contract_class);
  }

  /** What a gateway refuses of a transaction alone, in its order. */
  *findings(values: Checked, proof?: Parameters<typeof proofBytes>[0]): Generator<Finding> {
    if (values.type !== 'DEPLOY_ACCOUNT') yield* this.#empty('account_deployment_data', values);
    yield* this.#empty('paymaster_data', values);
    if (this.#checksBounds) yield* this.#bounds(values);
    const { calldata, constructor_calldata, proof_facts: facts } = values;
    const felts = (calldata ?? constructor_calldata ?? []).length + (facts?.length ?? 0);
    yield* this.#atMost(INVALID, 'max_calldata_length', 'length of the calldata', felts);
    const { length } = values.signature;
    yield* this.#atMost(INVALID, 'max_signature_length', 'length of the signature', length);
    const bytes = proofBytes(proof).length;
    yield* this.#atMost(INVALID, 'max_proof_size', 'size of the proof in bytes', bytes);
    for (const rule of ['nonce_data_availability_mode', 'fee_data_availability_mode'] as const) {
      if (values[rule] === 'L1') continue;
      yield { error: INVALID, rule, text: `is ${values[rule]}; ${this.network} allows only L1.` };
    }
  }

  *#empty(
    rule: EmptyField,
    values: { readonly [F in EmptyField]?: readonly string[] },
  ): Generator<Finding> {
    const { length } = values[rule] ?? [];
    if (length === 0) return;
    yield {
      error: INVALID,
      rule,
      text: `has ${length} felts; ${this.network} requires it to be empty.`,
    };
  }

  *#bounds(values: Checked): Generator<Finding> {
    const { max_price_per_unit: price, max_amount } = values.resource_bounds.l2_gas;
    yield* this.#atLeast('min_gas_price', BigInt(price), this.limits.min_gas_price);
    if (values.type === 'DECLARE') return;
    const gas = BigInt(max_amount);
    yield* this.#atMost(INVALID, 'max_l2_gas_amount', 'max_amount of l2_gas', gas);
  }

  /** What a gateway refuses at the L2 gas price of the block before. */
  *priceFindings(values: Checked, current: bigint): Generator<Finding> {
    if (!this.#checksBounds) return;
    const price = BigInt(values.resource_bounds.l2_gas.max_price_per_unit);
    const least = (current * this.limits.min_gas_price_percentage) / 100n;
    yield* this.#atLeast('min_gas_price_percentage', price, least);
  }

  #checkSentClass(contractClass: BROADCASTED_DECLARE_TXN['contract_class']): void {
    this.#checkSierraVersion(contractClass.sierra_program);
    const felts = contractClass.sierra_program.length;
    refuseBy(
      this.#atMost(TOO_LARGE, 'max_contract_bytecode_size', 'length of the Sierra program', felts),
    );
    const bytes = Buffer.byteLength(stringify(contractClass));
    refuseBy(
      this.#atMost(
        TOO_LARGE,
        'max_contract_class_object_size',
        'size of the class in bytes',
        bytes,
      ),
    );
    for (const kind of ENTRY_POINTS) {
      const selectors = contractClass.entry_points_by_type[kind].map(({ selector }) =>
        BigInt(selector),
      );
      if (
        selectors.every((selector, index) => index === 0 || selector > (selectors[index - 1] ?? 0n))
      )
        continue;
      fail(
        'VALIDATION_FAILURE',
        `entry_points_by_type: the selectors of ${kind} are not in ascending order; ${this.network} requires them sorted and unique.`,
      );
    }
  }

  #checkSierraVersion(program: readonly string[]): void {
    const [major = 0n, minor = 0n, patch = 0n] = program.slice(0, 3).map(BigInt);
    const rule = isBefore([major, minor, patch], MIN_SIERRA)
      ? 'min_sierra_version'
      : isBefore(MAX_SIERRA, [major, minor, 0n])
        ? 'max_sierra_version'
        : undefined;
    if (!rule) return;
    const range = `from ${MIN_SIERRA.join('.')} to ${MAX_SIERRA.slice(0, 2).join('.')}`;
    fail(
      'UNSUPPORTED_CONTRACT_CLASS_VERSION',
      `${rule}: the Sierra version is ${major}.${minor}.${patch}; ${this.network} allows those ${range}.`,
    );
  }

  /** The limits of the node, without that of the bytecode if the rule is as strict: it gives its reason. */
  limitsBeside(limits: ClassLimits): ClassLimits {
    const { bytecodeFelts, ...others } = limits;
    return this.limits.max_bytecode_size <= (bytecodeFelts ?? 0) ? others : limits;
  }

  /** Refuses a class that compiles here and not on the network. */
  async checkClass(declared: Class): Promise<void> {
    refuseBy(await this.classFindings(declared));
  }

  /** What the network's compiler refuses of a class. */
  async classFindings(declared: Class): Promise<readonly Finding[]> {
    const { bytecodeFelts, sierraVersion } = declared.figures;
    const size = this.#atMost(
      TOO_LARGE,
      'max_bytecode_size',
      'length of the CASM bytecode',
      bytecodeFelts,
    );
    const libfunc = await declared.unauditedLibfunc();
    if (!libfunc) return [...size];
    const { name, auditedSince } = libfunc;
    const why = auditedSince
      ? `audited from Sierra ${auditedSince} on, and the class is of Sierra ${sierraVersion}`
      : 'not on the list of audited libfuncs';
    const text = `the libfunc ${name} is ${why}; ${this.network} allows only audited libfuncs.`;
    return [...size, { error: 'COMPILATION_FAILED', rule: 'audited_libfuncs_only', text }];
  }

  /** Refuses a price or a nonce that the gateway refuses after the latest block. */
  async checkAgainstLatest(world: World, { transaction, values }: Submission): Promise<void> {
    const { max_allowed_nonce_gap } = this.limits;
    const current = BigInt(latestHeader(world).prices.l2_gas_price.price_in_fri);
    refuseBy(this.priceFindings(values, current));
    const account = BigInt(await world.latestState.nonceAt(transaction.address));
    const gap = BigInt(transaction.nonce) - account;
    const [rule, most] =
      values.type === 'DECLARE'
        ? ['reject_future_declare_txs', 0n]
        : ['max_allowed_nonce_gap', max_allowed_nonce_gap];
    if (gap <= most) return;
    fail(
      'INVALID_TRANSACTION_NONCE',
      `${rule}: the nonce is ${gap} above the account's nonce ${account}; ${this.network} allows at most ${most}.`,
    );
  }

  *#atMost(
    error: ErrorName,
    rule: keyof Limits,
    what: string,
    value: bigint | number,
  ): Generator<Finding> {
    const limit = this.limits[rule];
    if (BigInt(value) <= limit) return;
    yield {
      error,
      rule,
      text: `the ${what} is ${groupDigits(value)}; ${this.network} allows at most ${groupDigits(limit)}.`,
    };
  }

  *#atLeast(rule: keyof Limits, price: bigint, least: bigint): Generator<Finding> {
    if (price >= least) return;
    const text = `the max_price_per_unit of l2_gas is ${priceText(price)}; ${this.network} requires at least ${priceText(least)}.`;
    yield { error: INVALID, rule, text };
  }
}

const GFRI_DECIMALS = 9;
/** Prices below are written in fri. */
const LEAST_GFRI = 1_000_000n;

const priceText = (price: bigint): string =>
  price < LEAST_GFRI
    ? exactAmountText(price, 'fri', 0)
    : exactAmountText(price, 'gfri', GFRI_DECIMALS);

function isBefore(version: Version, other: Version): boolean {
  const at = version.findIndex((part, index) => part !== other[index]);
  return (version[at] ?? 0n) < (other[at] ?? 0n);
}

export function networkRules({
  rules,
  chargeFee,
}: {
  readonly rules: Network | 'off';
  readonly chargeFee: boolean;
}): NetworkRules | undefined {
  return rules === 'off' ? undefined : new NetworkRules(rules, chargeFee);
}
