//! A server: a branch of the bank, which opens accounts.

taut::include_idl!("bank");

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use bank::account::WithdrawError;
use bank::{Account, AccountRef, AccountSkeleton, Branch, BranchSkeleton, Overdrawn};
use taut::{Poa, Reference};
use taut_naming::Registration;

/// The servant of an account: any type that implements the trait of its interface.
struct Money(Mutex<f64>);

impl Account for Money {
    fn balance(&self) -> taut::Result<f64> {
        Ok(*self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn withdraw(&self, amount: f64) -> Result<(), WithdrawError> {
        let mut balance = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if amount > *balance {
            let missing = amount - *balance;
            return Err(Overdrawn { missing }.into());
        }
        *balance -= amount;
        Ok(())
    }
}

/// The servant of the branch, which keeps one account for each owner.
struct Main {
    poa: Poa,
    accounts: Mutex<HashMap<String, AccountRef>>,
}

impl Branch for Main {
    fn open(&self, owner: &str) -> taut::Result<Option<AccountRef>> {
        let mut accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(account) = accounts.get(owner) {
            return Ok(Some(account.clone()));
        }
        let money = AccountSkeleton::new(Money(Mutex::new(250.0)));
        let account = self.poa.activate(money)?;
        accounts.insert(owner.to_owned(), account.clone());
        Ok(Some(account))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Where to listen is told by -ORBListenEndpoints, and where names are by -ORBInitRef.
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let orb = taut::Orb::init(&mut arguments)?;

    let poa = orb.root_poa()?;
    let accounts = Mutex::default();
    let main = Main {
        poa: poa.clone(),
        accounts,
    };
    let branch = poa.activate(BranchSkeleton::new(main))?;
    poa.manager().activate()?; // until then, requests wait

    // Clients may call it corbaloc::this-host:2809/Bank.
    orb.bind_object_key("Bank", branch.as_object());
    println!("{}", branch.as_object()); // IOR:…

    // An argument is a name, at which the branch is found as long as it is there.
    let bind = |name: &String| Registration::bind(&orb, name, branch.as_object());
    let _named = arguments.first().map(bind).transpose()?;
    orb.run();
    Ok(())
}
