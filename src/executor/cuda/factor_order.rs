//! The order of what a factorisation works on, made on the GPU of the rows by level.
#![forbid(unsafe_code)]

use super::shared::factor::{FactorOrderArgs, FACTOR_ORDER_BLOCK};
use super::{CudaPlan, DeviceArray, KernelName, Launcher};
use crate::error::Result;

const COUNT: KernelName<FactorOrderArgs> = KernelName::new("factor_order_count_");
const PLACE: KernelName<FactorOrderArgs> = KernelName::new("factor_order_place_");

/// Work items of up to `rows` rows of one level: where each begins among the positions, then the end of the last one; and their
/// number.
pub fn items(
    plan: &CudaPlan,
    launcher: &Launcher,
    level_ptr: &[u32],
    rows: u32,
) -> Result<(DeviceArray, u32)> {
    let items: u32 = level_ptr.windows(2).map(|level| (level[1] - level[0]).div_ceil(rows)).sum();
    let on_gpu = DeviceArray::copy_of(launcher.gpu, level_ptr, launcher.stream)?;
    let levels = level_ptr.len().saturating_sub(1) as u32;
    let args = FactorOrderArgs { level_ptr: on_gpu.address(), levels, rows, ..Default::default() };
    Ok((order(plan, launcher, "items", args, items)?, items))
}

/// Nodes of `size` consecutive rows by level.
pub fn nodes(plan: &CudaPlan, launcher: &Launcher, size: u32) -> Result<(DeviceArray, u32)> {
    let nodes = plan.stored.n() / size;
    let args = FactorOrderArgs { order: plan.stored.base.order, rows: size, ..Default::default() };
    Ok((order(plan, launcher, "nodes", args, nodes)?, nodes))
}

/// `kept` numbers by the kernels whose names end with `of`, and the number of rows behind them. Waits for the stream.
fn order(
    plan: &CudaPlan,
    launcher: &Launcher,
    of: &str,
    args: FactorOrderArgs,
    kept: u32,
) -> Result<DeviceArray> {
    let (gpu, stream, n) = (launcher.gpu, launcher.stream, plan.stored.n());
    let blocks = n.div_ceil(FACTOR_ORDER_BLOCK);
    let of_blocks = DeviceArray::temporary(gpu, 4 * blocks as usize, stream)?;
    let out = DeviceArray::on_stream(gpu, 4 * (kept as usize + 1), stream)?;
    let args = FactorOrderArgs { n, items: kept, kept: of_blocks.address(), out: out.address(), ..args };
    launcher.setup_kernel(COUNT, of)?.launch(blocks, FACTOR_ORDER_BLOCK, 0, &args)?;
    launcher.setup_kernel(PLACE, of)?.launch(blocks, FACTOR_ORDER_BLOCK, 0, &args)?;
    super::memory::synchronize(stream)?;
    Ok(out)
}
