//! An asynchronous client: its calls wait in threads that may block.

taut::include_idl!("bank");

use std::time::Duration;

use bank::{Account, Branch, BranchRef};
use taut::SystemException;
use tokio::task::spawn_blocking;

/// Asks for the balance of an account without holding up the executor.
async fn balance(branch: BranchRef, owner: String) -> Result<f64, Box<dyn std::error::Error>> {
    let call = move || -> Result<Option<f64>, SystemException> {
        let account = branch.open(&owner)?;
        account.map(|account| account.balance()).transpose()
    };
    let balance = spawn_blocking(call).await??;
    Ok(balance.ok_or("the branch opened no account")?)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let builder = taut::Orb::builder().arguments(&mut arguments)?;
    // A future that is dropped does not end its call; a time-out does.
    let timeout = Some(Duration::from_secs(5));
    let orb = builder.settings(|settings| settings.client.call_timeout = timeout);
    let orb = orb.build()?;
    let [reference] = &arguments[..] else {
        return Err("usage: async_teller REFERENCE".into());
    };

    let reference = reference.clone();
    let find = move || -> Result<BranchRef, SystemException> {
        Ok(orb.string_to_object(&reference)?.narrow()?)
    };
    let branch = spawn_blocking(find).await??;

    // Two calls at the same time, over two connections.
    let ada = balance(branch.clone(), "Ada".to_owned());
    let charles = balance(branch, "Charles".to_owned());
    let (ada, charles) = tokio::join!(ada, charles);
    println!("Ada has {}, Charles has {}", ada?, charles?);
    Ok(())
}
