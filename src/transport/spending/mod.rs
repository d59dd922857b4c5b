//! Spending: what a run may spend, and what it has spent.
//!
//! - `budget`: limits over all endpoints, what is reserved and what was spent
//! - `payment`: what one attempt reserves and is charged
//! - `money`: what tokens cost

mod budget;
mod money;
mod payment;

pub use budget::{Budget, BudgetLimits, TokenCount};
pub use money::{Money, Price};
pub(crate) use payment::in_tokens;
pub(in crate::transport) use payment::{Payment, PaymentSlot};
