//! Transactions: parsing the RPC's form, hashing, and conversion to what blockifier executes.

use std::sync::Arc;

use blockifier::transaction::account_transaction::{AccountTransaction, ExecutionFlags};
use blockifier::transaction::transaction_execution::Transaction as Executable;
use serde::Deserialize;
use starknet_api::core::{
    ChainId, ClassHash, CompiledClassHash, ContractAddress, EntryPointSelector, Nonce,
};
use starknet_api::data_availability::DataAvailabilityMode;
use starknet_api::executable_transaction as executable;
use starknet_api::execution_resources::GasAmount;
use starknet_api::rpc_transaction::{
    RpcDeployAccountTransaction, RpcDeployAccountTransactionV3, RpcInvokeTransaction,
    RpcInvokeTransactionV3,
};
use starknet_api::transaction::fields::{
    AccountDeploymentData, AllResourceBounds, Calldata, Fee, PaymasterData, ResourceBounds, Tip,
    TransactionSignature, ValidResourceBounds,
};
use starknet_api::transaction::{
    CalculateContractAddress, DeclareTransaction, DeclareTransactionV3, DeployAccountTransaction,
    InvokeTransaction, L1HandlerTransaction, Transaction as Body, TransactionHash,
    TransactionOptions,
};
use starknet_api::transaction_hash::get_transaction_hash;
use starknet_types_core::felt::Felt;

use crate::class::Class;
use crate::error::{Result, input};
use crate::json::parse_json;

/// Set in a transaction's version when it is only to be estimated or simulated.
const QUERY_VERSION: &str = "0x100000000000000000000000000000003";

pub struct Transaction {
    pub body: Body,
    pub hash: TransactionHash,
    pub query: bool,
    pub class: Option<Arc<Class>>,
    pub paid_fee_on_l1: Fee,
    /// Sender, deployed account, or receiver of a message.
    pub address: ContractAddress,
}

#[derive(Deserialize)]
struct Head {
    r#type: String,
    #[serde(default)]
    version: Option<String>,
}

#[derive(Deserialize)]
struct WireDeclare {
    sender_address: ContractAddress,
    compiled_class_hash: CompiledClassHash,
    signature: TransactionSignature,
    nonce: Nonce,
    resource_bounds: AllResourceBounds,
    tip: Tip,
    paymaster_data: PaymasterData,
    account_deployment_data: AccountDeploymentData,
    nonce_data_availability_mode: DataAvailabilityMode,
    fee_data_availability_mode: DataAvailabilityMode,
}

#[derive(Deserialize)]
struct WireL1Handler {
    contract_address: ContractAddress,
    entry_point_selector: EntryPointSelector,
    calldata: Vec<Felt>,
    nonce: Nonce,
    #[serde(default)]
    paid_fee_on_l1: Fee,
}

/// Which checks an execution makes.
#[derive(Clone, Copy, Debug)]
pub struct Flags {
    pub validate: bool,
    pub charge_fee: bool,
    /// Off: a nonce above the account's is accepted.
    pub strict_nonce: bool,
    /// On: the L2-gas bound of the sender does not limit the run.
    pub unbounded_gas: bool,
    /// On: contracts see the query version even if the transaction has the plain one.
    pub query: bool,
}

impl Default for Flags {
    fn default() -> Self {
        Flags {
            validate: true,
            charge_fee: true,
            strict_nonce: true,
            unbounded_gas: false,
            query: false,
        }
    }
}

impl Transaction {
    /// Parses the RPC's form. A DECLARE comes with its class instead of `contract_class`.
    pub fn parse(text: &str, chain_id: &ChainId, class: Option<Arc<Class>>) -> Result<Self> {
        let head: Head = parse_json("transaction", text)?;
        let query = head.version.as_deref() == Some(QUERY_VERSION);
        if head.r#type != "L1_HANDLER" && !query && head.version.as_deref() != Some("0x3") {
            return Err(input(format!(
                "transaction.version: {:?} is not supported: only 0x3 and its query form",
                head.version.unwrap_or_default()
            )));
        }
        let (body, paid_fee_on_l1) = match head.r#type.as_str() {
            "INVOKE" => (parse_invoke(text)?, Fee(0)),
            "DEPLOY_ACCOUNT" => (parse_deploy_account(text)?, Fee(0)),
            "DECLARE" => (parse_declare(text, class.as_deref())?, Fee(0)),
            "L1_HANDLER" => parse_l1_handler(text)?,
            other => {
                return Err(input(format!(
                    "transaction.type: {other:?} is not INVOKE, DECLARE, DEPLOY_ACCOUNT or L1_HANDLER"
                )));
            }
        };
        let address = match &body {
            Body::Invoke(tx) => tx.sender_address(),
            Body::Declare(tx) => tx.sender_address(),
            Body::DeployAccount(tx) => tx
                .calculate_contract_address()
                .map_err(|error| input(format!("DEPLOY_ACCOUNT: {error}")))?,
            Body::L1Handler(tx) => tx.contract_address,
            Body::Deploy(tx) => tx
                .calculate_contract_address()
                .map_err(|error| input(format!("DEPLOY: {error}")))?,
        };
        let options = TransactionOptions { only_query: query };
        let hash = get_transaction_hash(&body, chain_id, &options)
            .map_err(|error| input(format!("transaction: {error}")))?;
        Ok(Transaction { body, hash, query, class, paid_fee_on_l1, address })
    }

    pub fn type_name(&self) -> &'static str {
        match self.body {
            Body::Invoke(_) => "INVOKE",
            Body::Declare(_) => "DECLARE",
            Body::DeployAccount(_) => "DEPLOY_ACCOUNT",
            Body::L1Handler(_) => "L1_HANDLER",
            Body::Deploy(_) => "DEPLOY",
        }
    }

    pub fn nonce(&self) -> Felt {
        match &self.body {
            Body::Invoke(tx) => tx.nonce().0,
            Body::Declare(tx) => tx.nonce().0,
            Body::DeployAccount(tx) => tx.nonce().0,
            Body::L1Handler(tx) => tx.nonce.0,
            Body::Deploy(_) => Felt::ZERO,
        }
    }

    /// Hash of the message that an L1 handler consumes, as the messaging contract on L1 computes it.
    pub fn message_hash(&self) -> Option<String> {
        match &self.body {
            Body::L1Handler(tx) => Some(tx.calc_msg_hash().to_string()),
            _ => None,
        }
    }

    /// Empty for what is not signed.
    pub fn signature(&self) -> TransactionSignature {
        match &self.body {
            Body::Invoke(tx) => tx.signature(),
            Body::Declare(tx) => tx.signature(),
            Body::DeployAccount(tx) => tx.signature(),
            Body::L1Handler(_) | Body::Deploy(_) => TransactionSignature::default(),
        }
    }

    pub fn pays_in_wei(&self) -> bool {
        matches!(self.body, Body::L1Handler(_))
    }

    /// The class of a DECLARE that gives its compiled class hash. It is executed without the class's code, and without
    /// the check of that hash, so that the code need not be read.
    pub fn declared_without_code(&self) -> Option<&Class> {
        let Body::Declare(tx) = &self.body else { return None };
        self.class
            .as_deref()
            .filter(|class| class.compiled_hash == Some(tx.compiled_class_hash().0))
    }

    /// What blockifier runs. The hash stays the one that was signed.
    pub fn executable(&self, flags: Flags) -> Result<Executable> {
        let execution_flags = ExecutionFlags {
            only_query: self.query || flags.query,
            charge_fee: flags.charge_fee,
            validate: flags.validate,
            strict_nonce_check: flags.strict_nonce,
        };
        let tx_hash = self.hash;
        let account = |tx| Executable::Account(AccountTransaction { tx, execution_flags });
        Ok(match &self.body {
            Body::Invoke(tx) => {
                let mut tx = tx.clone();
                if let (true, InvokeTransaction::V3(tx)) = (flags.unbounded_gas, &mut tx) {
                    unbind(&mut tx.resource_bounds);
                }
                account(executable::InvokeTransaction { tx, tx_hash }.into())
            }
            Body::Declare(tx) => {
                let mut tx = tx.clone();
                if let (true, DeclareTransaction::V3(tx)) = (flags.unbounded_gas, &mut tx) {
                    unbind(&mut tx.resource_bounds);
                }
                let class = self.class.as_ref().ok_or_else(|| input("DECLARE: class missing"))?;
                let class_info = match self.declared_without_code() {
                    Some(class) => class.info_without_code()?,
                    None => class.info()?,
                };
                account(executable::DeclareTransaction { tx, tx_hash, class_info }.into())
            }
            Body::DeployAccount(tx) => {
                let mut tx = tx.clone();
                if let (true, DeployAccountTransaction::V3(tx)) = (flags.unbounded_gas, &mut tx) {
                    unbind(&mut tx.resource_bounds);
                }
                let contract_address = self.address;
                account(
                    executable::DeployAccountTransaction { tx, tx_hash, contract_address }.into(),
                )
            }
            Body::L1Handler(tx) => Executable::L1Handler(executable::L1HandlerTransaction {
                tx: tx.clone(),
                tx_hash,
                paid_fee_on_l1: self.paid_fee_on_l1,
            }),
            Body::Deploy(_) => return Err(input("DEPLOY transactions cannot be executed")),
        })
    }
}

fn parse_invoke(text: &str) -> Result<Body> {
    let wire: RpcInvokeTransactionV3 = parse_json("INVOKE", text)?;
    let bounds = effective_bounds(&wire.resource_bounds);
    let mut tx = InvokeTransaction::from(RpcInvokeTransaction::V3(wire));
    if let InvokeTransaction::V3(tx) = &mut tx {
        tx.resource_bounds = bounds;
    }
    Ok(Body::Invoke(tx))
}

fn parse_deploy_account(text: &str) -> Result<Body> {
    let wire: RpcDeployAccountTransactionV3 = parse_json("DEPLOY_ACCOUNT", text)?;
    let bounds = effective_bounds(&wire.resource_bounds);
    let mut tx = DeployAccountTransaction::from(RpcDeployAccountTransaction::V3(wire));
    if let DeployAccountTransaction::V3(tx) = &mut tx {
        tx.resource_bounds = bounds;
    }
    Ok(Body::DeployAccount(tx))
}

fn parse_declare(text: &str, class: Option<&Class>) -> Result<Body> {
    let wire: WireDeclare = parse_json("DECLARE", text)?;
    let class = class.ok_or_else(|| input("DECLARE: the class must be compiled and given"))?;
    Ok(Body::Declare(DeclareTransaction::V3(DeclareTransactionV3 {
        resource_bounds: effective_bounds(&wire.resource_bounds),
        tip: wire.tip,
        signature: wire.signature,
        nonce: wire.nonce,
        class_hash: ClassHash(class.hash),
        compiled_class_hash: wire.compiled_class_hash,
        sender_address: wire.sender_address,
        nonce_data_availability_mode: wire.nonce_data_availability_mode,
        fee_data_availability_mode: wire.fee_data_availability_mode,
        paymaster_data: wire.paymaster_data,
        account_deployment_data: wire.account_deployment_data,
    })))
}

fn parse_l1_handler(text: &str) -> Result<(Body, Fee)> {
    let wire: WireL1Handler = parse_json("L1_HANDLER", text)?;
    if wire.calldata.is_empty() {
        return Err(input("L1_HANDLER.calldata: the sender's address is missing"));
    }
    let body = Body::L1Handler(L1HandlerTransaction {
        version: L1HandlerTransaction::VERSION,
        nonce: wire.nonce,
        contract_address: wire.contract_address,
        entry_point_selector: wire.entry_point_selector,
        calldata: Calldata(Arc::new(wire.calldata)),
    });
    Ok((body, wire.paid_fee_on_l1))
}

/// Bounds on L1 gas alone are the older form, which is hashed and charged differently.
fn effective_bounds(bounds: &AllResourceBounds) -> ValidResourceBounds {
    let is_set = |bound: &ResourceBounds| bound.max_amount.0 > 0 && bound.max_price_per_unit.0 > 0;
    if is_set(&bounds.l1_gas) && !is_set(&bounds.l2_gas) && !is_set(&bounds.l1_data_gas) {
        ValidResourceBounds::L1Gas(bounds.l1_gas)
    } else {
        ValidResourceBounds::AllResources(*bounds)
    }
}

fn unbind(bounds: &mut ValidResourceBounds) {
    /// More than validation and execution together may use under any protocol version.
    const AMPLE: GasAmount = GasAmount(1 << 40);
    if let ValidResourceBounds::AllResources(bounds) = bounds {
        bounds.l2_gas.max_amount = AMPLE;
    }
}
