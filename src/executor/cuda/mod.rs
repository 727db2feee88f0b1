//! The CUDA executor: every call into the driver is in this folder.
//!
//! `cust` gives devices, contexts, memory and the driver's errors; its `sys` gives what it cannot wrap,
//! above all launches on a stream that the caller owns. `driver.c` binds the driver at run time.

pub mod args;
mod dense;
pub mod engine;
mod errors;
mod factor;
mod factor_diagonal;
mod factor_nodes;
mod factor_order;
mod kept;
mod launch;
mod locked;
mod memory;
mod memory_pool;
mod module;
mod page_pool;
mod pattern;
mod permute;
mod plan;
mod setup;
pub mod shared;
mod stored;
mod sweep;
mod timed;
mod values;

pub use factor::CudaFactor;
pub use kept::KeptPattern;
pub use launch::{Graph, Kernel, KernelName, Launcher};
pub use memory::{stream_beside_captures, synchronize_all, DeviceArray};
pub use plan::{CudaPlan, How, PlanArrays};
pub use setup::SetupTimes;
pub use stored::Stored;
pub use sweep::CudaSweep;

use std::collections::HashMap;
use std::ffi::{c_int, CString};
use std::mem::ManuallyDrop;
use std::sync::{Arc, Mutex, Weak};

use cust::context::Context as PrimaryContext;
use cust::device::Device;
use cust::sys;

use self::errors::{check, from_cust};
use self::memory_pool::MemoryPool;
use self::module::Module;
use self::page_pool::PagePool;
use crate::address::Stream;
use crate::error::{Error, Result};
use crate::executor::lock;
use crate::gpus::{Speed, Traits};

include!(concat!(env!("OUT_DIR"), "/kernels.rs"));

extern "C" {
    fn sptrsv_driver_present() -> c_int;
    // Later than cust's bindings: drivers have it from CUDA 12.0 on.
    fn cuCtxGetId(context: sys::CUcontext, id: *mut u64) -> sys::CUresult;
}

/// A context: its address, and the number that tells it from others that have been there before it.
type Place = (usize, u64);

/// What is open, by context. Handles on the same one share it, so only the first loads the kernels and makes a pool of memory,
/// and a handle that is made while a stream is capturing asks the driver for nothing that a capture forbids.
static OPEN: Mutex<Vec<(Place, Weak<Gpu>)>> = Mutex::new(Vec::new());

/// One context on one GPU with the kernels loaded. Handles on the same context share it, and infos keep it alive after they
/// are gone.
pub struct Gpu {
    context: sys::CUcontext,
    /// The driver's number of the context, or 0: another one may come to lie at the same address.
    id: u64,
    device: sys::CUdevice,
    name: String,
    multiprocessors: u32,
    shared_bytes_per_block: u32,
    cached_bytes: u32,
    speed: Speed,
    has_clusters: bool,
    has_warp_sums: bool,
    modules: ManuallyDrop<Vec<Module>>,
    functions: Mutex<HashMap<String, usize>>,
    locked: PagePool,
    pool: Option<MemoryPool>,
    // Released last: only if this library made the context current by itself.
    primary: Mutex<Option<PrimaryContext>>,
}

// SAFETY: driver objects may be used from any thread that makes the context current, which `bind` does.
unsafe impl Send for Gpu {}
unsafe impl Sync for Gpu {}

/// Keeps a context current, and what is done meanwhile out of the captures of other streams: in CUDA's strictest mode they would
/// forbid all waits and allocations, and be lost by them. Gives back the caller's context and mode when dropped.
pub struct Bound {
    pops: bool,
    mode: Option<u32>,
}

impl Bound {
    fn new(pops: bool) -> Bound {
        let relaxed = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED as u32;
        Bound { pops, mode: exchange_capture_mode(relaxed) }
    }
}

/// Gives the thread another mode and returns the one that it had; none where the driver cannot. Modes are numbers here, as a
/// newer driver may have more of them.
fn exchange_capture_mode(mut mode: u32) -> Option<u32> {
    // SAFETY: reads one mode and writes another.
    let result = unsafe { sys::cuThreadExchangeStreamCaptureMode((&raw mut mode).cast()) };
    (result == sys::cudaError_enum::CUDA_SUCCESS).then_some(mode)
}

impl Drop for Bound {
    fn drop(&mut self) {
        if let Some(mode) = self.mode {
            exchange_capture_mode(mode);
        }
        if self.pops {
            let mut previous = std::ptr::null_mut();
            // SAFETY: undoes the push of `Gpu::bind` on the same thread.
            unsafe { sys::cuCtxPopCurrent_v2(&mut previous) };
        }
    }
}

fn no_driver(why: impl Into<String>) -> Error {
    Error::NoDriver(why.into())
}

/// What a user can do about the result of cuInit is not in its name.
fn why_the_driver_does_not_start(result: sys::CUresult) -> String {
    use sys::cudaError_enum::*;
    let meaning = match result {
        CUDA_ERROR_NO_DEVICE => "the NVIDIA driver sees no GPU",
        CUDA_ERROR_STUB_LIBRARY => "libcuda.so.1 is a toolkit's stub, not the driver's library",
        CUDA_ERROR_SYSTEM_DRIVER_MISMATCH => {
            "libcuda.so.1 and the kernel's NVIDIA driver are of different versions; restart the machine after an update"
        }
        _ => "the NVIDIA driver does not start",
    };
    format!("{meaning} (cuInit failed with {result:?})")
}

impl Gpu {
    /// The calling thread's current context, else the primary context of device 0.
    pub fn open() -> Result<Arc<Self>> {
        // SAFETY: no arguments.
        if unsafe { sptrsv_driver_present() } == 0 {
            return Err(no_driver("libcuda.so.1 was not found"));
        }
        // SAFETY: plain driver call.
        let result = unsafe { sys::cuInit(0) };
        if result != sys::cudaError_enum::CUDA_SUCCESS {
            return Err(no_driver(why_the_driver_does_not_start(result)));
        }
        let mut context = std::ptr::null_mut();
        // SAFETY: writes one pointer.
        check(unsafe { sys::cuCtxGetCurrent(&mut context) }, "cuCtxGetCurrent")?;
        let primary = if context.is_null() {
            let device = Device::get_device(0).map_err(|e| no_driver(format!("no GPU ({e:?})")))?;
            let primary = from_cust(PrimaryContext::new(device), "cuDevicePrimaryCtxRetain")?;
            context = primary.as_raw();
            // cust makes it current. The caller's thread gets back what it had, which is none: left current,
            // the context would be found there again when the last handle has released it.
            // SAFETY: plain driver call.
            check(unsafe { sys::cuCtxSetCurrent(std::ptr::null_mut()) }, "cuCtxSetCurrent")?;
            Some(primary)
        } else {
            None
        };
        let mut id = 0;
        // SAFETY: writes one number.
        let has_id = unsafe { cuCtxGetId(context, &mut id) } == sys::cudaError_enum::CUDA_SUCCESS;
        let place = (context as usize, id);
        // Held until the kernels are loaded: whoever wants the same ones waits for them.
        let mut open = lock(&OPEN);
        open.retain(|(_, gpu)| gpu.strong_count() > 0);
        let shared = open.iter().find(|(at, _)| has_id && *at == place).and_then(|(_, gpu)| gpu.upgrade());
        if let Some(gpu) = shared {
            // The first handle may have found it current. This one needs it for as long as it is there.
            if let Some(primary) = primary {
                lock(&gpu.primary).get_or_insert(primary);
            }
            return Ok(gpu);
        }
        let gpu = Arc::new(Gpu::load_all(place, primary)?);
        open.push((place, Arc::downgrade(&gpu)));
        Ok(gpu)
    }

    /// The same of a context that nothing is known of.
    fn load_all((context, id): Place, primary: Option<PrimaryContext>) -> Result<Self> {
        let mut gpu = Gpu {
            context: context as sys::CUcontext,
            id,
            device: 0,
            name: String::new(),
            multiprocessors: 0,
            shared_bytes_per_block: 0,
            cached_bytes: 0,
            speed: Speed::default(),
            has_clusters: false,
            has_warp_sums: false,
            modules: ManuallyDrop::new(Vec::new()),
            functions: Mutex::default(),
            locked: PagePool::default(),
            pool: None,
            primary: Mutex::new(primary),
        };
        let bound = gpu.bind()?;
        let mut device = 0;
        // SAFETY: writes one int.
        check(unsafe { sys::cuCtxGetDevice(&mut device) }, "cuCtxGetDevice")?;
        gpu.device = device;
        gpu.name = Device::get_device(device as u32).and_then(|d| d.name()).unwrap_or_default();
        use sys::CUdevice_attribute_enum::*;
        gpu.multiprocessors = gpu.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        gpu.shared_bytes_per_block = gpu.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?;
        gpu.cached_bytes = gpu.attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?;
        // Two transfers a clock, of so many bits.
        let [clock, memory_clock, bits] = [
            CU_DEVICE_ATTRIBUTE_CLOCK_RATE,
            CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE,
            CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH,
        ]
        .map(|which| gpu.attribute(which).map_or(0.0, f64::from));
        let traits = Traits {
            multiprocessors: gpu.multiprocessors,
            megahertz: clock / 1e3,
            bandwidth: memory_clock * 1e3 * bits / 8.0 * 2.0 / 1e9,
            cache: gpu.cached_bytes.into(),
        };
        gpu.speed = Speed::of(&gpu.name, traits);
        // Kernels for clusters are made where the compiler knows them.
        let major = gpu.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        gpu.has_clusters = major >= 9 && NEWEST >= 90;
        gpu.has_warp_sums = major >= 8 && NEWEST >= 80;
        if FATBINS.is_empty() {
            return Err(Error::NoKernels { gpu: gpu.name.clone() });
        }
        gpu.pool = MemoryPool::new(device);
        gpu.locked.fill()?;
        for image in FATBINS {
            let Some(module) = Module::load(image)? else { return Err(gpu.why_it_has_no_code()?) };
            let kernels = module.kernels()?.into_iter().map(|(name, f)| (name, f as usize));
            lock(&gpu.functions).extend(kernels);
            gpu.modules.push(module);
        }
        drop(bound);
        Ok(gpu)
    }

    /// Why the driver can load nothing of a fatbin.
    fn why_it_has_no_code(&self) -> Result<Error> {
        use sys::CUdevice_attribute_enum::*;
        let major = self.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = self.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        let capability = 10 * major + minor;
        let mut version = 0;
        // SAFETY: writes one int.
        check(unsafe { sys::cuDriverGetVersion(&mut version) }, "cuDriverGetVersion")?;
        let driver = version as u32;
        Ok(match capability >= OLDEST && driver < COMPILER {
            true => Error::DriverTooOld { driver, compiler: COMPILER },
            false => Error::NoKernelImage { gpu: self.name.clone(), capability, compiled: COMPILED },
        })
    }

    fn attribute(&self, which: sys::CUdevice_attribute_enum) -> Result<u32> {
        let mut value = 0;
        // SAFETY: writes one int.
        check(unsafe { sys::cuDeviceGetAttribute(&mut value, which, self.device) }, "cuDeviceGetAttribute")?;
        Ok(value as u32)
    }

    fn pool(&self) -> Option<&MemoryPool> {
        self.pool.as_ref()
    }

    /// Does what takes memory for work on `stream`. Where there is too little, all that is kept for further analyses goes back to
    /// the driver, also what the first try has left, and it is tried once more. What fails then leaves nothing behind.
    pub fn with_all_memory<T>(&self, stream: Stream, mut work: impl FnMut() -> Result<T>) -> Result<T> {
        let mut result = Err(Error::OutOfMemory { place: "device", bytes: 0 });
        for _ in 0..2 {
            result = work();
            if !matches!(result, Err(Error::OutOfMemory { place: "device", .. })) {
                break;
            }
            if let (Some(pool), Ok(_bound)) = (&self.pool, self.bind()) {
                pool.give_back(stream);
            }
        }
        result
    }

    pub fn multiprocessors(&self) -> u32 {
        self.multiprocessors
    }

    /// How fast it is, for predicted times.
    pub fn speed(&self) -> Speed {
        self.speed
    }

    /// What the last cache before the memory holds.
    pub fn cached_bytes(&self) -> u32 {
        self.cached_bytes
    }

    /// Shared memory that a block can have.
    pub fn shared_bytes_per_block(&self) -> u32 {
        self.shared_bytes_per_block
    }

    /// Whether two handles work in the same context.
    pub fn same_context(&self, other: &Gpu) -> bool {
        (self.context, self.id) == (other.context, other.id)
    }

    pub fn describe(&self) -> String {
        format!("device {} ({})", self.device, self.name)
    }

    /// Makes the context current on this thread for as long as the result lives. Fails where it has been destroyed, also where
    /// another one is at its place since then, as after cudaDeviceReset: nothing that was there may be used or freed.
    pub fn bind(&self) -> Result<Bound> {
        let mut current = std::ptr::null_mut();
        // SAFETY: writes one pointer.
        check(unsafe { sys::cuCtxGetCurrent(&mut current) }, "cuCtxGetCurrent")?;
        let pushes = current != self.context;
        if pushes {
            // SAFETY: the context is alive as long as its owner (the program, or `primary`) keeps it.
            check(unsafe { sys::cuCtxPushCurrent_v2(self.context) }, "cuCtxPushCurrent")?;
        }
        let bound = Bound::new(pushes);
        let mut id = 0;
        // A driver that does not know of numbers tells nothing.
        if self.id != 0 {
            // SAFETY: writes one number, that of the current context.
            let result = unsafe { cuCtxGetId(std::ptr::null_mut(), &mut id) };
            use sys::cudaError_enum::*;
            match result {
                CUDA_SUCCESS if id == self.id => {}
                CUDA_SUCCESS | CUDA_ERROR_CONTEXT_IS_DESTROYED | CUDA_ERROR_INVALID_CONTEXT => {
                    return Err(Error::ContextGone);
                }
                other => check(other, "cuCtxGetId")?,
            }
        }
        Ok(bound)
    }

    /// Whether there are kernels whose blocks come in clusters, which see each other's shared memory.
    pub fn has_clusters(&self) -> bool {
        self.has_clusters
    }

    /// Whether the lanes of a warp can be summed up in one instruction, which some kernels are made for.
    pub fn has_warp_sums(&self) -> bool {
        self.has_warp_sums
    }

    /// The kernel `name`, whichever module holds it.
    fn function(&self, name: &str) -> Result<sys::CUfunction> {
        let mut functions = lock(&self.functions);
        if let Some(f) = functions.get(name) {
            return Ok(*f as sys::CUfunction);
        }
        // The driver did not list it.
        let text = CString::new(name).expect("names of kernels have no zeros");
        for module in self.modules.iter() {
            if let Some(f) = module.kernel(&text)? {
                functions.insert(name.to_string(), f as usize);
                return Ok(f);
            }
        }
        Err(Error::Driver { call: "cuModuleGetFunction", error: format!("no kernel is named {name}") })
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        let bound = self.bind();
        if bound.is_ok() {
            self.locked.free();
            if let Some(pool) = &self.pool {
                pool.destroy();
            }
            // SAFETY: dropped once, here; the context is current.
            unsafe { ManuallyDrop::drop(&mut self.modules) };
        }
        drop(bound);
        lock(&self.primary).take();
    }
}
