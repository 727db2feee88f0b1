//! The solvers: libsptrsv through its C interface, and the peers to compare it with (cuSPARSE's SpSV, SpSM and csrsv2, and
//! what it has around a solve; on the host a loop and MKL).
//! All of them do their work behind one trait, [`contender::Contender`].

pub mod abi;
pub mod contender;
pub mod cusparse;
pub mod factorisation;
pub mod find;
pub mod host_peers;
pub mod krylov;
pub mod library;
pub mod pair;
pub mod peers;
#[cfg(test)]
pub mod standin;
pub mod sweep;
