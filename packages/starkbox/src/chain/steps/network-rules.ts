// Limits of the gateways of public networks, and the checks of a submission against them.
import type { Class, ClassLimits } from '@starkbox/engine';
import { fail } from '../../errors.js';
import { stringify } from '../../json/json.js';
import type { ErrorName } from '../../spec.js';
import { latestHeader } from '../world/find-block.js';
import type { World } from '../world/world.js';
import type { Broadcasted, Submission } from './prepare-transaction.js';

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
  /** Felts of the Sierra program. */
  readonly max_contract_bytecode_size: bigint;
  /** Bytes of the class as JSON. */
  readonly max_contract_class_object_size: bigint;
  /** Felts of CASM. */
  readonly max_bytecode_size: bigint;
  readonly max_allowed_nonce_gap: bigint;
}

type Network = 'mainnet' | 'sepolia';

/**
 * Facts of github.com/starkware-libs/sequencer at commit 60161ba of 2026-08-20:
 * - crates/apollo_deployments/resources/app_configs/gateway_config.json (2026-06-21), and the same values as defaults in
 *   crates/apollo_gateway_config/src/config.rs (2026-07-22): all limits but `max_bytecode_size`;
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
  max_contract_bytecode_size: 81_920n,
  max_contract_class_object_size: 4_089_446n,
  max_bytecode_size: 81_920n,
  max_allowed_nonce_gap: 200n,
};

const TOO_LARGE = 'CONTRACT_CLASS_SIZE_IS_TOO_LARGE';

/** The rules of a network, by which its gateway refuses transactions. */
export class NetworkRules {
  readonly limits: Limits = LIMITS;
  readonly #network: Network;

  constructor(network: Network) {
    this.#network = network;
  }

  /** Refuses what a gateway refuses without looking at the chain; the order is the gateway's. */
  checkSubmission(values: Broadcasted): void {
    const { max_price_per_unit: price, max_amount } = values.resource_bounds.l2_gas;
    this.#atLeast('min_gas_price', BigInt(price), this.limits.min_gas_price);
    if (values.type !== 'DECLARE') {
      const gas = BigInt(max_amount);
      this.#atMost('VALIDATION_FAILURE', 'max_l2_gas_amount', 'max_amount of l2_gas', gas);
      const felts =
        values.type === 'INVOKE'
          ? values.calldata.length + (values.proof_facts?.length ?? 0)
          : values.constructor_calldata.length;
      this.#atMost('VALIDATION_FAILURE', 'max_calldata_length', 'length of the calldata', felts);
    }
    const { length } = values.signature;
    this.#atMost('VALIDATION_FAILURE', 'max_signature_length', 'length of the signature', length);
    if (values.type !== 'DECLARE') return;
    const { contract_class: sent } = values;
    const felts = sent.sierra_program.length;
    this.#atMost(TOO_LARGE, 'max_contract_bytecode_size', 'length of the Sierra program', felts);
    const bytes = Buffer.byteLength(stringify(sent));
    this.#atMost(TOO_LARGE, 'max_contract_class_object_size', 'size of the class in bytes', bytes);
  }

  /** The limits of the node, without that of the bytecode if the rule is as strict: it gives its reason. */
  limitsBeside(limits: ClassLimits): ClassLimits {
    const { bytecodeFelts, ...others } = limits;
    return this.limits.max_bytecode_size <= (bytecodeFelts ?? 0) ? others : limits;
  }

  /** Refuses a class that compiles here and not on the network. */
  async checkClass(declared: Class): Promise<void> {
    const { bytecodeFelts, sierraVersion } = declared.figures;
    this.#atMost(TOO_LARGE, 'max_bytecode_size', 'length of the CASM bytecode', bytecodeFelts);
    const found = await declared.unauditedLibfunc();
    if (!found) return;
    const { name, auditedSince } = found;
    const why = auditedSince
      ? `audited from Sierra ${auditedSince} on, and the class is of Sierra ${sierraVersion}`
      : 'not on the list of audited libfuncs';
    fail(
      'COMPILATION_FAILED',
      `audited_libfuncs_only: the libfunc ${name} is ${why}; ${this.#network} allows audited ones only.`,
    );
  }

  /** Refuses a price or a nonce that the gateway refuses after the latest block. */
  async checkAgainstLatest(world: World, { transaction, values }: Submission): Promise<void> {
    const { min_gas_price_percentage: percentage, max_allowed_nonce_gap } = this.limits;
    const price = BigInt(values.resource_bounds.l2_gas.max_price_per_unit);
    const current = BigInt(latestHeader(world).prices.l2_gas_price.price_in_fri);
    this.#atLeast('min_gas_price_percentage', price, (current * percentage) / 100n);
    const account = BigInt(await world.latestState.nonceAt(transaction.address));
    const gap = BigInt(transaction.nonce) - account;
    const [rule, most] =
      values.type === 'DECLARE'
        ? ['reject_future_declare_txs', 0n]
        : ['max_allowed_nonce_gap', max_allowed_nonce_gap];
    if (gap <= most) return;
    fail(
      'INVALID_TRANSACTION_NONCE',
      `${rule}: the nonce is ${gap} above that of the account, ${account}; ${this.#network} allows at most ${most}.`,
    );
  }

  #atMost(error: ErrorName, rule: keyof Limits, what: string, value: bigint | number): void {
    const limit = this.limits[rule];
    if (BigInt(value) <= limit) return;
    fail(error, `${rule}: the ${what} is ${value}; ${this.#network} allows at most ${limit}.`);
  }

  #atLeast(rule: keyof Limits, price: bigint, least: bigint): void {
    if (price >= least) return;
    fail(
      'VALIDATION_FAILURE',
      `${rule}: the max_price_per_unit of l2_gas is ${price} fri; ${this.#network} asks for at least ${least}.`,
    );
  }
}

export function networkRules(name: Network | 'off'): NetworkRules | undefined {
  return name === 'off' ? undefined : new NetworkRules(name);
}
