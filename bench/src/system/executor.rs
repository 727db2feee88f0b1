//! Where a run happens: device memory, a stream and timing through the CUDA driver, or plain host memory.

use std::ffi::{c_char, c_void, CStr, CString};
use std::time::{Duration, Instant};

use crate::base::dynamic::{functions, Table};
use crate::base::numbers::counted;
use crate::base::{memory, Result};

type Pointer = u64;
type Handle = *mut c_void;

functions! {
    /// The driver's entry points in use.
    Driver {
        init: "cuInit" (u32);
        version: "cuDriverGetVersion" (*mut i32);
        device: "cuDeviceGet" (*mut i32, i32);
        name: "cuDeviceGetName" (*mut c_char, i32, i32);
        attribute: "cuDeviceGetAttribute" (*mut i32, i32, i32);
        retain: "cuDevicePrimaryCtxRetain" (*mut Handle, i32);
        set_current: "cuCtxSetCurrent" (Handle);
        alloc: "cuMemAlloc_v2" (*mut Pointer, usize);
        free: "cuMemFree_v2" (Pointer);
        to_device: "cuMemcpyHtoD_v2" (Pointer, *const c_void, usize);
        to_host: "cuMemcpyDtoH_v2" (*mut c_void, Pointer, usize);
        on_device: "cuMemcpyDtoDAsync_v2" (Pointer, Pointer, usize, Handle);
        fill: "cuMemsetD8_v2" (Pointer, u8, usize);
        stream_create: "cuStreamCreate" (*mut Handle, u32);
        stream_query: "cuStreamQuery" (Handle);
        event_create: "cuEventCreate" (*mut Handle, u32);
        event_record: "cuEventRecord" (Handle, Handle);
        event_elapsed: "cuEventElapsedTime" (*mut f32, Handle, Handle);
        module_load: "cuModuleLoadData" (*mut Handle, *const c_char);
        module_function: "cuModuleGetFunction" (*mut Handle, Handle, *const c_char);
        module_unload: "cuModuleUnload" (Handle);
        launch: "cuLaunchKernel"
            (Handle, u32, u32, u32, u32, u32, u32, u32, Handle, *mut *mut c_void, *mut *mut c_void);
        error_name: "cuGetErrorName" (i32, *mut *const c_char);
    }
}

const CUDA_ERROR_NOT_READY: i32 = 600;
const CUDA_SUCCESS: i32 = 0;

/// Where matrices, vectors and solvers live.
pub enum Executor {
    Host,
    Cuda(Box<Gpu>),
}

/// The GPU with its primary context current, a stream, and events enough for one batch.
pub struct Gpu {
    driver: Driver,
    pub stream: Handle,
    events: Vec<Handle>,
    pub name: String,
    pub driver_version: String,
    pub capability: String,
}

/// Solves timed in one go, without waiting in between.
pub const BATCH: usize = 64;

/// Longest that any one batch of work may take before it counts as hung.
const DEADLINE: Duration = Duration::from_secs(120);
/// For so long the host looks for the end of work without a rest.
const LOOKS: Duration = Duration::from_millis(2);

impl Gpu {
    fn open() -> Result<Gpu> {
        let names = ["libcuda.so.1".into(), "libcuda.so".into()];
        let (library, _) =
            crate::base::dynamic::open(&names).map_err(|_| "no NVIDIA driver was found".to_string())?;
        let driver = Driver::load(&library, "")?;
        let mut gpu = Gpu {
            driver,
            stream: std::ptr::null_mut(),
            events: Vec::new(),
            name: String::new(),
            driver_version: String::new(),
            capability: String::new(),
        };
        let mut version = 0;
        let (mut device, mut context) = (0, std::ptr::null_mut());
        let mut name = [0 as c_char; 256];
        let (mut major, mut minor) = (0, 0);
        // SAFETY: every pointer leads to a live variable of the type that the driver writes.
        unsafe {
            let d = &gpu.driver;
            gpu.check((d.init)(0), "starting the driver")?;
            gpu.check((d.version)(&mut version), "asking for the driver's version")?;
            gpu.check((d.device)(&mut device, 0), "opening the first GPU")?;
            gpu.check((d.name)(name.as_mut_ptr(), 256, device), "asking for the GPU's name")?;
            gpu.check((d.attribute)(&mut major, 75, device), "asking for the compute capability")?;
            gpu.check((d.attribute)(&mut minor, 76, device), "asking for the compute capability")?;
            gpu.check((d.retain)(&mut context, device), "opening the GPU's context")?;
            gpu.check((d.set_current)(context), "entering the GPU's context")?;
            // Not the non-blocking kind: copies and fills of the default stream must be in order with it.
            let mut stream = std::ptr::null_mut();
            gpu.check((d.stream_create)(&mut stream, 0), "creating a stream")?;
            gpu.name = CStr::from_ptr(name.as_ptr()).to_string_lossy().into_owned();
            gpu.stream = stream;
            for _ in 0..=BATCH {
                let mut event = std::ptr::null_mut();
                gpu.check((gpu.driver.event_create)(&mut event, 0), "creating an event")?;
                gpu.events.push(event);
            }
        }
        gpu.driver_version = format!("{}.{}", version / 1000, version % 1000 / 10);
        gpu.capability = format!("{major}.{minor}");
        Ok(gpu)
    }

    fn check(&self, code: i32, doing: &str) -> Result<()> {
        if code == CUDA_SUCCESS {
            return Ok(());
        }
        let mut name: *const c_char = std::ptr::null();
        // SAFETY: the driver writes a pointer to a string that lives as long as it, or leaves NULL.
        let name = unsafe {
            (self.driver.error_name)(code, &mut name);
            if name.is_null() {
                "unknown".into()
            } else {
                CStr::from_ptr(name).to_string_lossy()
            }
        };
        Err(format!("{doing} failed with {name} ({code})"))
    }

    fn record(&self, event: Handle) -> Result<()> {
        // SAFETY: events and stream live as long as self.
        self.check(unsafe { (self.driver.event_record)(event, self.stream) }, "recording an event")
    }

    /// Milliseconds between two events that have passed.
    fn elapsed(&self, pair: &[Handle]) -> Result<f64> {
        let mut ms = 0f32;
        // SAFETY: events live as long as self; the driver writes one float.
        let code = unsafe { (self.driver.event_elapsed)(&mut ms, pair[0], pair[1]) };
        self.check(code, "reading an event").map(|()| f64::from(ms))
    }

    /// Waits for the stream, but not for ever: a hung kernel must not hang the program.
    fn wait(&self) -> Result<()> {
        let begin = Instant::now();
        loop {
            // SAFETY: the stream lives as long as self.
            match unsafe { (self.driver.stream_query)(self.stream) } {
                CUDA_ERROR_NOT_READY if begin.elapsed() > DEADLINE => {
                    return Err(format!("{HUNG}: no end after {} s", DEADLINE.as_secs()));
                }
                // To sleep takes as long as the analysis of a small system.
                CUDA_ERROR_NOT_READY if begin.elapsed() < LOOKS => std::hint::spin_loop(),
                CUDA_ERROR_NOT_READY => std::thread::sleep(Duration::from_micros(20)),
                code => return self.check(code, "work on the GPU"),
            }
        }
    }
}

/// The variable of the environment that says how many threads the library's host executor has.
pub const THREADS: &str = "SPTRSV_NUM_THREADS";

/// Threads of the library's host executor: SPTRSV_NUM_THREADS, else the number of processors that this process may use.
pub fn host_threads() -> usize {
    const MOST: usize = 1024;
    let wanted = std::env::var(THREADS).ok().and_then(|text| text.trim().parse().ok());
    match wanted {
        Some(threads) if (1..=MOST).contains(&threads) => threads,
        _ => std::thread::available_parallelism().map_or(1, usize::from).min(MOST),
    }
}

/// How the message of a hung GPU begins; nothing more can be run after it.
pub const HUNG: &str = "the GPU hangs";

impl Executor {
    pub fn cuda() -> Result<Executor> {
        Gpu::open().map(|gpu| Executor::Cuda(Box::new(gpu)))
    }

    /// The machine in words.
    pub fn description(&self) -> String {
        match self {
            Executor::Host => {
                let threads = counted(host_threads(), "thread", "threads");
                format!("host executor, {threads}")
            }
            Executor::Cuda(g) => {
                format!(
                    "{} (compute capability {}, driver for CUDA {})",
                    g.name, g.capability, g.driver_version
                )
            }
        }
    }

    /// Host memory that a solve takes at least, in bytes per row and per entry. Where a file has far more rows than
    /// entries, the steps before the one that finds no memory would take minutes.
    pub fn host_bytes(&self) -> [u64; 2] {
        match self {
            Executor::Host => [90, 20],
            Executor::Cuda(_) => [24, 20],
        }
    }

    pub fn is_host(&self) -> bool {
        matches!(self, Executor::Host)
    }

    /// The stream that work goes to; NULL on the host.
    pub fn stream(&self) -> *mut c_void {
        match self {
            Executor::Host => std::ptr::null_mut(),
            Executor::Cuda(g) => g.stream,
        }
    }

    /// Memory of this executor, filled with bytes that make every number a NaN.
    pub fn alloc(&self, bytes: usize) -> Result<Buffer<'_>> {
        let bytes = bytes.max(16);
        match self {
            Executor::Host => {
                let words = bytes.div_ceil(8);
                let mut host = memory::room(words, "arrays of the host executor")?;
                host.resize(words, u64::MAX);
                let address = host.as_mut_ptr() as u64;
                Ok(Buffer { executor: self, address, bytes, _host: host })
            }
            Executor::Cuda(g) => {
                let mut address = 0;
                // SAFETY: the driver writes the address, and later bytes of memory it has just given.
                unsafe {
                    g.check((g.driver.alloc)(&mut address, bytes), "allocating memory on the GPU")?;
                }
                let buffer = Buffer { executor: self, address, bytes, _host: Vec::new() };
                buffer.poison()?;
                Ok(buffer)
            }
        }
    }

    pub fn upload<T: Copy>(&self, data: &[T]) -> Result<Buffer<'_>> {
        let buffer = self.alloc(std::mem::size_of_val(data))?;
        buffer.write(data)?;
        Ok(buffer)
    }

    /// Has the driver compile a kernel of a text in PTX. The host executor runs none.
    pub fn compile(&self, ptx: &str, name: &str) -> Result<Kernel<'_>> {
        let Executor::Cuda(gpu) = self else { return Err("the host executor runs no kernels".into()) };
        let text = |words: &str| CString::new(words).map_err(|e| e.to_string());
        let (ptx, name) = (text(ptx)?, text(name)?);
        let mut module = std::ptr::null_mut();
        // SAFETY: the driver reads a text that ends with NUL, and writes a handle.
        let code = unsafe { (gpu.driver.module_load)(&mut module, ptx.as_ptr()) };
        gpu.check(code, "compiling a kernel")?;
        let mut kernel = Kernel { gpu, module, function: std::ptr::null_mut() };
        // SAFETY: as above; the module is loaded.
        let code = unsafe { (gpu.driver.module_function)(&mut kernel.function, module, name.as_ptr()) };
        gpu.check(code, "looking a kernel up").map(|()| kernel)
    }

    pub fn synchronize(&self) -> Result<()> {
        match self {
            Executor::Host => Ok(()),
            Executor::Cuda(g) => g.wait(),
        }
    }

    /// Runs `work` `count` times (at most BATCH) and returns each run's time in milliseconds. On a GPU the
    /// runs follow one another in the stream with an event between each two.
    pub fn time(&self, count: usize, mut work: impl FnMut() -> Result<()>) -> Result<Vec<f64>> {
        let count = count.min(BATCH);
        match self {
            Executor::Host => (0..count)
                .map(|_| {
                    let begin = Instant::now();
                    work()?;
                    Ok(begin.elapsed().as_secs_f64() * 1e3)
                })
                .collect(),
            Executor::Cuda(g) => {
                g.record(g.events[0])?;
                for &event in &g.events[1..=count] {
                    work()?;
                    g.record(event)?;
                }
                g.wait()?;
                g.events[..=count].windows(2).map(|pair| g.elapsed(pair)).collect()
            }
        }
    }

    /// As `time`, for work that must be prepared each time: `before` is run before each `work`, and not timed. At most
    /// BATCH / 2 runs.
    pub fn time_prepared<S: ?Sized>(
        &self,
        count: usize,
        state: &mut S,
        before: impl Fn(&mut S) -> Result<()>,
        work: impl Fn(&mut S) -> Result<()>,
    ) -> Result<Vec<f64>> {
        let count = count.min(BATCH / 2);
        match self {
            Executor::Host => (0..count)
                .map(|_| {
                    before(state)?;
                    let begin = Instant::now();
                    work(state)?;
                    Ok(begin.elapsed().as_secs_f64() * 1e3)
                })
                .collect(),
            Executor::Cuda(g) => {
                let pairs = || g.events.chunks_exact(2).take(count);
                for pair in pairs() {
                    before(state)?;
                    g.record(pair[0])?;
                    work(state)?;
                    g.record(pair[1])?;
                }
                g.wait()?;
                pairs().map(|pair| g.elapsed(pair)).collect()
            }
        }
    }
}

/// A kernel on a GPU.
pub struct Kernel<'e> {
    gpu: &'e Gpu,
    module: Handle,
    function: Handle,
}

impl Kernel<'_> {
    /// Launches it in the executor's stream, on a grid of blocks of threads.
    ///
    /// # Safety
    ///
    /// The kernel takes these arguments, numbers of 64 bits each, and stays within the memory that they lead to.
    pub unsafe fn launch(&self, grid: (u32, u32), block: (u32, u32), arguments: &[u64]) -> Result<()> {
        let address = |a: &u64| std::ptr::from_ref(a).cast_mut().cast();
        let mut addresses: Vec<*mut c_void> = arguments.iter().map(address).collect();
        let ((x, y), (w, h), list) = (grid, block, addresses.as_mut_ptr());
        let (g, none) = (self.gpu, std::ptr::null_mut());
        // SAFETY: the module is loaded, and the driver copies the arguments before it returns; the rest is the caller's.
        let code = unsafe { (g.driver.launch)(self.function, x, y, 1, w, h, 1, 0, g.stream, list, none) };
        g.check(code, "launching a kernel")
    }
}

impl Drop for Kernel<'_> {
    fn drop(&mut self) {
        // SAFETY: the module is loaded, and not used again. An error here was already seen by an earlier call.
        unsafe { (self.gpu.driver.module_unload)(self.module) };
    }
}

/// A piece of an executor's memory.
pub struct Buffer<'e> {
    executor: &'e Executor,
    address: u64,
    bytes: usize,
    // Keeps the memory of the host executor.
    _host: Vec<u64>,
}

impl Buffer<'_> {
    pub fn ptr(&self) -> *mut c_void {
        self.address as *mut c_void
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Overwrites the memory with bytes that make every number a NaN, and waits for that.
    pub fn poison(&self) -> Result<()> {
        match self.executor {
            // SAFETY: the buffer has this many bytes.
            Executor::Host => unsafe { std::ptr::write_bytes(self.address as *mut u8, 0xff, self.bytes) },
            Executor::Cuda(g) => unsafe {
                g.check((g.driver.fill)(self.address, 0xff, self.bytes), "filling memory on the GPU")?;
                // No other stream waits for that one, whose copies do.
                let mut one = 0u8;
                if self.bytes > 0 {
                    let to = (&raw mut one).cast();
                    g.check((g.driver.to_host)(to, self.address, 1), "copying from the GPU")?;
                }
            },
        }
        Ok(())
    }

    /// Copies as many bytes as the smaller one of two buffers of an executor has, in the executor's stream.
    pub fn copy_from(&self, from: &Buffer) -> Result<()> {
        let bytes = self.bytes.min(from.bytes);
        match self.executor {
            // SAFETY: both buffers have this many bytes, and are two.
            Executor::Host => unsafe {
                std::ptr::copy_nonoverlapping(from.address as *const u8, self.address as *mut u8, bytes)
            },
            // SAFETY: as above; the stream lives as long as the GPU.
            Executor::Cuda(g) => unsafe {
                let code = (g.driver.on_device)(self.address, from.address, bytes, g.stream);
                g.check(code, "copying on the GPU")?
            },
        }
        Ok(())
    }

    pub fn write<T: Copy>(&self, data: &[T]) -> Result<()> {
        let bytes = std::mem::size_of_val(data);
        assert!(bytes <= self.bytes);
        let from = data.as_ptr().cast::<c_void>();
        // SAFETY: both sides have at least this many bytes.
        unsafe {
            match self.executor {
                Executor::Host => {
                    std::ptr::copy_nonoverlapping(from.cast::<u8>(), self.address as *mut u8, bytes)
                }
                Executor::Cuda(g) => {
                    g.check((g.driver.to_device)(self.address, from, bytes), "copying to the GPU")?
                }
            }
        }
        Ok(())
    }

    pub fn read<T: Copy>(&self, out: &mut [T]) -> Result<()> {
        let bytes = std::mem::size_of_val(out);
        assert!(bytes <= self.bytes);
        let to = out.as_mut_ptr().cast::<c_void>();
        // SAFETY: both sides have at least this many bytes.
        unsafe {
            match self.executor {
                Executor::Host => {
                    std::ptr::copy_nonoverlapping(self.address as *const u8, to.cast::<u8>(), bytes)
                }
                Executor::Cuda(g) => {
                    g.check((g.driver.to_host)(to, self.address, bytes), "copying from the GPU")?
                }
            }
        }
        Ok(())
    }
}

impl Drop for Buffer<'_> {
    fn drop(&mut self) {
        if let Executor::Cuda(g) = self.executor {
            // SAFETY: the memory is this buffer's own. An error here was already seen by an earlier call.
            unsafe { (g.driver.free)(self.address) };
        }
    }
}

/// The executor asked for; without a wish, the GPU where there is one.
pub fn open(wish: Option<&str>) -> Result<Executor> {
    match wish {
        Some("host") => Ok(Executor::Host),
        Some("cuda") => Executor::cuda().map_err(|e| format!("{e}; --executor host solves on the CPU")),
        None => Ok(Executor::cuda().unwrap_or(Executor::Host)),
        Some(other) => Err(format!("there is no executor '{other}'; known are cuda, host")),
    }
}
