//! The solvers: libsptrsv through its C interface, and the peers to compare it with (cuSPARSE's SpSV, SpSM and csrsv2, and
//! what it has around a solve). All of them do their work behind one trait, [`contender::Contender`].

pub mod abi;
pub mod contender;
pub mod cusparse;
pub mod factorisation;
pub mod find;
pub mod library;
pub mod pair;
pub mod peers;
#[cfg(test)]
mod standin;
pub mod sweep;
