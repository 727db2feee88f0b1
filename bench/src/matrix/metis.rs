//! METIS's nested dissection (G. Karypis, V. Kumar, A fast and high quality multilevel scheme for partitioning irregular graphs, 1998).

use std::ptr::null_mut;
use std::sync::Mutex;

use metis_sys as metis;

use crate::matrix::Csr;

/// METIS draws from the C library's generator, of which a process has one: calls at the same time would change each other's orders.
static ALONE: Mutex<()> = Mutex::new(());

/// The old number of each new unknown, the same in every run. The pattern must be symmetric.
pub fn nested_dissection(a: &Csr) -> Vec<u32> {
    let (mut starts, mut neighbours) = (vec![0], Vec::with_capacity(a.nnz()));
    for i in 0..a.n {
        neighbours.extend(a.row(i).iter().filter(|&&j| j as usize != i));
        starts.push(neighbours.len() as i32);
    }
    if neighbours.is_empty() {
        return (0..a.n as u32).collect();
    }
    let mut options = [0; metis::METIS_NOPTIONS as usize];
    let (mut old, mut new) = (vec![0; a.n], vec![0; a.n]);
    let _alone = ALONE.lock().expect("no thread panics while METIS runs");
    // SAFETY: METIS reads one start more than there are unknowns, and as many neighbours as the last of them says, all of which
    // are unknowns. It writes the options, whose number it defines, and a number for each unknown to `old` and to `new`. Without
    // weights it takes null.
    let status = unsafe {
        metis::METIS_SetDefaultOptions(options.as_mut_ptr());
        options[metis::moptions_et_METIS_OPTION_SEED as usize] = 1;
        metis::METIS_NodeND(
            &mut (a.n as i32),
            starts.as_mut_ptr(),
            neighbours.as_mut_ptr(),
            null_mut(),
            options.as_mut_ptr(),
            old.as_mut_ptr(),
            new.as_mut_ptr(),
        )
    };
    // The arguments are right, so only memory can be missing, without which this program's own vectors end it too.
    assert_eq!(status, metis::rstatus_et_METIS_OK, "METIS made no order");
    old.into_iter().map(|i: i32| i as u32).collect()
}
