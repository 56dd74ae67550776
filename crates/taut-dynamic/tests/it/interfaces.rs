//! Signatures of IDL that is read at run time.

use std::io;
use std::path::Path;

use taut_dynamic::{Interfaces, Mode};
use taut_types::TCKind;

struct Source(&'static str);

impl taut_idl::FileLoader for Source {
    fn load(&mut self, _: &Path, _: usize) -> io::Result<Vec<u8>> {
        Ok(self.0.as_bytes().to_vec())
    }
}

#[test]
fn an_interface_has_the_operations_of_its_bases_and_attributes() {
    let mut source = Source(
        "module Bank {
           exception Refused { string why; };
           interface Named { readonly attribute string name; };
           interface Account : Named {
             attribute long limit;
             long withdraw(in long amount, out boolean last) raises (Refused);
             oneway void note(in string text);
           };
         };",
    );
    let options = taut_idl::Options::default();
    let compilation = taut_idl::compile_with(&["bank.idl"], &options, &mut source);
    let interfaces = Interfaces::new(&compilation.model);
    let account = interfaces.find("Bank::Account").unwrap();
    assert_eq!(account.repository_id, "IDL:Bank/Account:1.0");
    assert_eq!(account.bases, ["IDL:Bank/Named:1.0"]);
    let names: Vec<_> = account.operations.iter().map(|(name, _)| &**name).collect();
    assert_eq!(
        names,
        ["_get_limit", "_set_limit", "withdraw", "note", "_get_name"]
    );
    let withdraw = account.signature("withdraw").unwrap();
    assert_eq!(withdraw.result.kind(), TCKind::Long);
    let modes: Vec<_> = withdraw.parameters.iter().map(|one| one.mode).collect();
    assert_eq!(modes, [Mode::In, Mode::Out]);
    assert!(withdraw.exception("IDL:Bank/Refused:1.0").is_some());
    assert!(account.signature("note").unwrap().is_oneway);
    let error = account.signature("deposit").unwrap_err();
    assert!(
        error.starts_with("Bank::Account has no operation `deposit`: there are "),
        "{error}"
    );
    assert!(interfaces.find("IDL:Bank/Named:1.0").is_some());
    assert_eq!(interfaces.all().len(), 2);
}
