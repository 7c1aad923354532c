// A token, an exchange and a caller of it, and new classes of the exchange with one difference each.
pub mod coin;
pub mod pool;
mod pool_event;
mod pool_fee;
mod pool_gas;
mod pool_layout;
mod pool_limit;
mod pool_same;
mod pool_strict;
mod router;
