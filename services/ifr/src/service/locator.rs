//! The locator that finds the servant for a definition by its kind.

use std::sync::Arc;

use taut::{
    Cookie, ObjectId, Poa, Servant, ServantLocator, ServantManagerError, SystemExceptionKind, minor,
};

use super::servants::Definitions;
use super::shared::Shared;
use crate::contents::{Key, refused};
use crate::{
    AliasDefSkeleton, ArrayDefSkeleton, ConstantDefSkeleton, DefinitionKind, EnumDefSkeleton,
    ExceptionDefSkeleton, ExtAbstractInterfaceDefSkeleton, ExtAttributeDefSkeleton,
    ExtInterfaceDefSkeleton, ExtLocalInterfaceDefSkeleton, ExtValueDefSkeleton, FixedDefSkeleton,
    ModuleDefSkeleton, NativeDefSkeleton, OperationDefSkeleton, PrimitiveDefSkeleton,
    RepositorySkeleton, SequenceDefSkeleton, StringDefSkeleton, StructDefSkeleton,
    UnionDefSkeleton, ValueBoxDefSkeleton, ValueMemberDefSkeleton, WstringDefSkeleton,
};

type Located = Result<(Arc<dyn Servant>, Cookie), ServantManagerError>;

/// Finds the servant for a definition: there is one for each kind.
pub(super) struct Locator {
    shared: Arc<Shared>,
    servants: Vec<(DefinitionKind, Arc<dyn Servant>)>,
}

impl Locator {
    pub(super) fn new(shared: &Arc<Shared>) -> Self {
        use DefinitionKind as Kind;
        let all = Arc::new(Definitions::new(Arc::clone(shared)));
        let one = || Arc::clone(&all);
        let servants: Vec<(Kind, Arc<dyn Servant>)> = vec![
            (
                Kind::DkRepository,
                Arc::new(RepositorySkeleton::from_arc(one())),
            ),
            (Kind::DkModule, Arc::new(ModuleDefSkeleton::from_arc(one()))),
            (
                Kind::DkConstant,
                Arc::new(ConstantDefSkeleton::from_arc(one())),
            ),
            (
                Kind::DkException,
                Arc::new(ExceptionDefSkeleton::from_arc(one())),
            ),
            (Kind::DkStruct, Arc::new(StructDefSkeleton::from_arc(one()))),
            (Kind::DkUnion, Arc::new(UnionDefSkeleton::from_arc(one()))),
            (Kind::DkEnum, Arc::new(EnumDefSkeleton::from_arc(one()))),
            (Kind::DkAlias, Arc::new(AliasDefSkeleton::from_arc(one()))),
            (Kind::DkNative, Arc::new(NativeDefSkeleton::from_arc(one()))),
            (
                Kind::DkPrimitive,
                Arc::new(PrimitiveDefSkeleton::from_arc(one())),
            ),
            (Kind::DkString, Arc::new(StringDefSkeleton::from_arc(one()))),
            (
                Kind::DkWstring,
                Arc::new(WstringDefSkeleton::from_arc(one())),
            ),
            (Kind::DkFixed, Arc::new(FixedDefSkeleton::from_arc(one()))),
            (
                Kind::DkSequence,
                Arc::new(SequenceDefSkeleton::from_arc(one())),
            ),
            (Kind::DkArray, Arc::new(ArrayDefSkeleton::from_arc(one()))),
            (
                Kind::DkAttribute,
                Arc::new(ExtAttributeDefSkeleton::from_arc(one())),
            ),
            (
                Kind::DkOperation,
                Arc::new(OperationDefSkeleton::from_arc(one())),
            ),
            (
                Kind::DkInterface,
                Arc::new(ExtInterfaceDefSkeleton::from_arc(one())),
            ),
            (
                Kind::DkAbstractInterface,
                Arc::new(ExtAbstractInterfaceDefSkeleton::from_arc(one())),
            ),
            (
                Kind::DkLocalInterface,
                Arc::new(ExtLocalInterfaceDefSkeleton::from_arc(one())),
            ),
            (
                Kind::DkValue,
                Arc::new(ExtValueDefSkeleton::from_arc(one())),
            ),
            (
                Kind::DkValueBox,
                Arc::new(ValueBoxDefSkeleton::from_arc(one())),
            ),
            (
                Kind::DkValueMember,
                Arc::new(ValueMemberDefSkeleton::from_arc(one())),
            ),
        ];
        Self {
            shared: Arc::clone(shared),
            servants,
        }
    }
}

impl ServantLocator for Locator {
    fn preinvoke(&self, id: &ObjectId, _adapter: &Poa, _operation: &str) -> Located {
        let gone = || {
            refused(
                SystemExceptionKind::ObjectNotExist,
                minor::OBJECT_NOT_ACTIVE,
            )
        };
        let key = self.shared.references().key(id).ok_or_else(gone)?;
        let kind = match key {
            Key::REPOSITORY => DefinitionKind::DkRepository,
            key if key.as_primitive().is_some() => DefinitionKind::DkPrimitive,
            key => self.shared.read().get(key)?.content.kind(),
        };
        let mut servants = self.servants.iter();
        let found = servants.find(|(one, _)| *one == kind).ok_or_else(gone)?;
        Ok((Arc::clone(&found.1), None))
    }
}
