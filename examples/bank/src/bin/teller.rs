//! A client: opens an account and withdraws money from it.

taut::include_idl!("bank");

use bank::account::WithdrawError;
use bank::{Account, Branch, BranchRef};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The ORB takes its own arguments, such as -ORBInitRef, and leaves yours.
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let orb = taut::Orb::init(&mut arguments)?;
    let [reference] = &arguments[..] else {
        return Err("usage: teller REFERENCE".into());
    };

    // IOR:…, file:///run/bank.ior, corbaloc::host:2809/Bank, corbaname::host#bank/main …
    let branch: BranchRef = orb.string_to_object(reference)?.narrow()?;

    let account = branch.open("Ada")?.ok_or("the branch opened no account")?;
    match account.withdraw(100.0) {
        Ok(()) => println!("balance {}", account.balance()?),
        Err(WithdrawError::Overdrawn(overdrawn)) => println!("{} missing", overdrawn.missing),
        Err(WithdrawError::System(exception)) => return Err(exception.into()),
    }
    Ok(())
}
