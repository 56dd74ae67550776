//! Local interfaces: objects that are passed as what they are.

use std::sync::Arc;

use taut::SystemException;

use super::local_objects::keys::master_key::{AllReply, CopyError, Lost};
use super::local_objects::keys::{Key, KeyRef, MasterKey, MasterKeyRef, Remote, RemoteRef};

struct Steel(&'static str);

impl Key for Steel {
    fn shape(&self) -> taut::Result<String> {
        Ok(self.0.to_owned())
    }
}

impl Remote for Steel {
    fn size(&self) -> taut::Result<i32> {
        Ok(1)
    }
}

impl MasterKey for Steel {
    fn copy(
        &self,
        other: Option<&KeyRef>,
        spare: &mut Option<KeyRef>,
    ) -> Result<(Option<KeyRef>, Option<KeyRef>), CopyError> {
        let Some(other) = other else {
            return Err(Lost { since: 7 }.into());
        };
        let last = spare.replace(Arc::clone(other));
        Ok((Some(Arc::new(Steel("copy"))), last))
    }

    fn all(&self, more: &[Option<KeyRef>]) -> taut::Result<AllReply> {
        Ok(AllReply {
            result: more.to_vec(),
            token: "token".to_owned(),
            first: more.first().cloned().flatten(),
        })
    }

    fn give(
        &self,
        token: &String,
        other: &mut String,
        _where: Option<&RemoteRef>,
    ) -> Result<(), SystemException> {
        other.push_str(token);
        Ok(())
    }
}

#[test]
fn local_objects_are_passed_as_they_are() {
    let master: MasterKeyRef = Arc::new(Steel("master"));
    let key: KeyRef = master.clone();
    let mut spare = None;
    let (copy, last) = master.copy(Some(&key), &mut spare).unwrap();
    assert!(last.is_none());
    assert_eq!(copy.unwrap().shape(), Ok("copy".to_owned()));
    assert!(Arc::ptr_eq(&spare.clone().unwrap(), &key));
    let lost = master.copy(None, &mut spare).err();
    assert_eq!(lost, Some(Lost { since: 7 }.into()));

    let all = master.all(&[Some(key.clone()), None]).unwrap();
    assert_eq!((all.result.len(), all.token.as_str()), (2, "token"));
    assert!(Arc::ptr_eq(&all.first.unwrap(), &key));

    let mut token = "a".to_owned();
    master.give(&"b".to_owned(), &mut token, None).unwrap();
    assert_eq!(token, "ab");
}
