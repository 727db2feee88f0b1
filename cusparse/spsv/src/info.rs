//! An info of libsptrsv.

use doors::sptrsv;
use doors::status::Status;
use std::ptr;

/// Destroyed with its owner.
pub struct Info(pub sptrsv::Info);
// SAFETY: an info may be used by any thread, one at a time.
unsafe impl Send for Info {}

impl Info {
    /// One of libsptrsv's defaults.
    pub fn plain() -> Result<Info, Status> {
        let mut info = ptr::null_mut();
        // SAFETY: writes one pointer.
        Status::from_sptrsv(unsafe { sptrsv::sptrsvCreateInfo(&mut info) })?;
        Ok(Info(info))
    }
}

impl Drop for Info {
    fn drop(&mut self) {
        // SAFETY: made by `plain`, and destroyed once.
        unsafe { sptrsv::sptrsvDestroyInfo(self.0) };
    }
}
