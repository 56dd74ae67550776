//! An asynchronous client: its calls are futures, which wait without a thread.

taut::include_idl!("bank");

use std::time::Duration;

use bank::BranchRef;

/// Asks for the balance of an account.
async fn balance(branch: &BranchRef, owner: &str) -> Result<f64, Box<dyn std::error::Error>> {
    let account = branch.open_async(owner).await?;
    let account = account.ok_or("the branch opened no account")?;
    Ok(account.balance_async().await?)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let builder = taut::Orb::builder().arguments(&mut arguments)?;
    let timeout = Some(Duration::from_secs(5));
    let orb = builder.settings(|settings| settings.client.call_timeout = timeout);
    let orb = orb.build()?;
    let [reference] = &arguments[..] else {
        return Err("usage: async_teller REFERENCE".into());
    };
    let branch: BranchRef = orb.string_to_object(reference)?.narrow_async().await?;

    // Two calls at the same time, over one connection.
    let (ada, charles) = tokio::join!(balance(&branch, "Ada"), balance(&branch, "Charles"));
    println!("Ada has {}, Charles has {}", ada?, charles?);
    Ok(())
}
