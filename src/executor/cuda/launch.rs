//! Kernel launches on the caller's stream, and graphs of them.

use std::ffi::{c_int, c_uint, c_void};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use cust::sys;

use super::errors::check;
use super::{memory, Gpu};
use crate::address::Stream;
use crate::error::Result;
use crate::problem::DataType;

/// Launches kernels for one value type on one stream.
#[derive(Clone, Copy)]
pub struct Launcher<'a> {
    pub gpu: &'a Arc<Gpu>,
    pub stream: Stream,
    pub dtype: DataType,
    /// How many multiprocessors launches are sized for.
    pub multiprocessors: u32,
}

/// What the names of kernels begin with that take the same arguments.
#[derive(Clone, Copy)]
pub struct KernelName<A> {
    begin: &'static str,
    args: PhantomData<fn(A)>,
}

impl<A> KernelName<A> {
    pub const fn new(begin: &'static str) -> Self {
        KernelName { begin, args: PhantomData }
    }
}

/// A kernel's whole name, made where a solve wants it and so without an allocation.
struct Name {
    text: [u8; Name::LONGEST],
    length: usize,
}

impl Name {
    const LONGEST: usize = 64;

    fn new(name: fmt::Arguments) -> Self {
        let mut made = Name { text: [0; Name::LONGEST], length: 0 };
        fmt::Write::write_fmt(&mut made, name).expect("no kernel has so long a name");
        made
    }

    fn as_str(&self) -> &str {
        std::str::from_utf8(&self.text[..self.length]).expect("made of whole texts")
    }
}

impl fmt::Write for Name {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.length + text.len();
        self.text.get_mut(self.length..end).ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }
}

/// A kernel, ready to be launched with its arguments.
#[derive(Clone, Copy)]
pub struct Kernel<A> {
    function: sys::CUfunction,
    stream: Stream,
    overlapped: bool,
    args: PhantomData<fn(A)>,
}

/// CUlaunchAttribute, where the value is a number.
#[repr(C, align(8))]
struct LaunchAttribute {
    id: c_uint,
    padding: c_uint,
    value: c_int,
    rest: [c_int; 15],
}

/// CUlaunchConfig.
#[repr(C)]
struct LaunchConfig {
    blocks: [c_uint; 3],
    threads: [c_uint; 3],
    shared: c_uint,
    stream: sys::CUstream,
    attributes: *const LaunchAttribute,
    count: c_uint,
}

/// CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION.
const PROGRAMMATIC_STREAM_SERIALIZATION: c_uint = 6;

// Later than cust's bindings; every driver has it that knows a GPU with clusters.
extern "C" {
    fn cuLaunchKernelEx(
        config: *const LaunchConfig,
        function: sys::CUfunction,
        parameters: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) -> sys::CUresult;
}

impl<'a> Launcher<'a> {
    /// One for launches on all multiprocessors.
    pub fn new(gpu: &'a Arc<Gpu>, stream: Stream, dtype: DataType) -> Self {
        Launcher { gpu, stream, dtype, multiprocessors: gpu.multiprocessors() }
    }

    /// The same for launches sized as if the GPU had that many multiprocessors; 0 stands for all.
    pub fn sized_for(self, sm_count_target: u32) -> Self {
        match sm_count_target {
            0 => self,
            multiprocessors => Launcher { multiprocessors, ..self },
        }
    }

    /// The kernel for the value type, of those whose names begin with `name`: the one whose name goes on with `variant`.
    pub fn kernel<A>(&self, name: KernelName<A>, variant: impl fmt::Display) -> Result<Kernel<A>> {
        let name = Name::new(format_args!("{}{variant}_{}", name.begin, self.dtype.letter()));
        let function = self.gpu.function(name.as_str())?;
        Ok(Kernel { function, stream: self.stream, overlapped: false, args: PhantomData })
    }

    /// The same for a kernel that begins with `wait_for_previous_kernel`: its blocks start as those of the kernel before
    /// it on the stream end, and so a launch costs a solve behind another kernel less. Not so in a graph, which keeps
    /// plain edges.
    pub fn kernel_overlapped<A>(&self, name: KernelName<A>, variant: impl fmt::Display) -> Result<Kernel<A>> {
        let overlapped = self.gpu.has_clusters() && !memory::is_capturing(self.stream)?;
        Ok(Kernel { overlapped, ..self.kernel(name, variant)? })
    }

    /// A kernel of a setup, which knows no value type, begins with `wait_for_previous_kernel` too, and is in no graph.
    pub fn setup_kernel<A>(&self, name: KernelName<A>, variant: &str) -> Result<Kernel<A>> {
        let name = Name::new(format_args!("{}{variant}", name.begin));
        let (function, overlapped) = (self.gpu.function(name.as_str())?, self.gpu.has_clusters());
        Ok(Kernel { function, stream: self.stream, overlapped, args: PhantomData })
    }

    /// Whether the stream takes graphs of the library's own. While it captures, there would be one place for the arguments of all
    /// launches. On a stream of a green context the results of such graphs were wrong (`test_sm_count`).
    pub fn takes_graphs(&self) -> Result<bool> {
        Ok(!memory::is_capturing(self.stream)? && !memory::is_of_green_context(self.stream))
    }
}

impl<A: Copy> Kernel<A> {
    /// Blocks of `threads` threads that fit on one multiprocessor.
    pub fn occupancy(&self, threads: u32, shared: u32) -> Result<u32> {
        let mut blocks = 0;
        // SAFETY: writes one int.
        let result = unsafe {
            sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(
                &mut blocks,
                self.function,
                threads as i32,
                shared as usize,
            )
        };
        check(result, "cuOccupancyMaxActiveBlocksPerMultiprocessor")?;
        Ok(blocks.max(1) as u32)
    }

    /// Allows blocks with that much dynamic shared memory.
    pub fn allow_shared(&self, bytes: u32) -> Result<()> {
        let attribute = sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        // SAFETY: plain driver call.
        check(
            unsafe { sys::cuFuncSetAttribute(self.function, attribute, bytes as i32) },
            "cuFuncSetAttribute",
        )
    }

    /// Launches `blocks` blocks; nothing for none. Safe for the reasons at [`Address`](crate::address::Address).
    pub fn launch(&self, blocks: u32, threads: u32, shared: u32, args: &A) -> Result<()> {
        if blocks == 0 {
            return Ok(());
        }
        let mut parameters = [args as *const A as *mut c_void];
        if self.overlapped {
            let id = PROGRAMMATIC_STREAM_SERIALIZATION;
            let attribute = LaunchAttribute { id, padding: 0, value: 1, rest: [0; 15] };
            let config = LaunchConfig {
                blocks: [blocks, 1, 1],
                threads: [threads, 1, 1],
                shared,
                stream: self.stream.handle(),
                attributes: &attribute,
                count: 1,
            };
            // SAFETY: as below; the configuration is copied too.
            let result = unsafe {
                cuLaunchKernelEx(&config, self.function, parameters.as_mut_ptr(), std::ptr::null_mut())
            };
            // Where that is refused a plain launch says why, or does.
            if result == sys::cudaError_enum::CUDA_SUCCESS {
                return Ok(());
            }
        }
        // SAFETY: the kernel takes one argument, of the type that C++ has for A (as tests/kernels.rs checks) and so of A's layout (as the
        // test of `shared` checks). It is copied during the call; `Address` says why its addresses may be followed.
        let result = unsafe {
            sys::cuLaunchKernel(
                self.function,
                blocks,
                1,
                1,
                threads,
                1,
                1,
                shared,
                self.stream.handle(),
                parameters.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
        check(result, "cuLaunchKernel")
    }

    /// Launches one thread for each of `threads_needed`.
    pub fn cover(&self, threads_needed: u64, threads: u32, args: &A) -> Result<()> {
        self.launch(threads_needed.div_ceil(threads as u64) as u32, threads, 0, args)
    }
}

/// An instantiated graph of kernels, each after the one before it.
pub struct Graph {
    gpu: Arc<Gpu>,
    exec: sys::CUgraphExec,
}

// SAFETY: used from one thread at a time, behind the info's lock.
unsafe impl Send for Graph {}

/// A graph that is being made. Nothing is captured for it: while a stream captures, other threads may not wait for the context.
pub struct Chain {
    graph: sys::CUgraph,
    last: Option<sys::CUgraphNode>,
}

impl Chain {
    /// Adds a launch of a kernel with `args` by value behind all that there are.
    pub fn add<A: Copy>(&mut self, kernel: &Kernel<A>, blocks: u32, threads: u32, args: &A) -> Result<()> {
        let mut parameters = [args as *const A as *mut c_void];
        let launch = sys::CUDA_KERNEL_NODE_PARAMS {
            func: kernel.function,
            gridDimX: blocks,
            gridDimY: 1,
            gridDimZ: 1,
            blockDimX: threads,
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: 0,
            kernelParams: parameters.as_mut_ptr(),
            extra: std::ptr::null_mut(),
        };
        let before = self.last.as_slice();
        let mut node = std::ptr::null_mut();
        // SAFETY: the graph is alive; the rest as for `Kernel::launch`.
        let result = unsafe {
            sys::cuGraphAddKernelNode(&mut node, self.graph, before.as_ptr(), before.len(), &launch)
        };
        check(result, "cuGraphAddKernelNode")?;
        self.last = Some(node);
        Ok(())
    }
}

impl Drop for Chain {
    fn drop(&mut self) {
        // SAFETY: destroyed once; what was instantiated from it stays.
        unsafe { sys::cuGraphDestroy(self.graph) };
    }
}

impl Graph {
    /// The graph of what `body` adds, with the GPU's context current.
    pub fn of(gpu: &Arc<Gpu>, body: impl FnOnce(&mut Chain) -> Result<()>) -> Result<Graph> {
        let mut graph = std::ptr::null_mut();
        // SAFETY: writes one handle.
        check(unsafe { sys::cuGraphCreate(&mut graph, 0) }, "cuGraphCreate")?;
        let mut chain = Chain { graph, last: None };
        body(&mut chain)?;
        let mut exec = std::ptr::null_mut();
        // SAFETY: writes one handle; the graph is alive.
        let made = unsafe { sys::cuGraphInstantiateWithFlags(&mut exec, chain.graph, 0) };
        check(made, "cuGraphInstantiate")?;
        Ok(Graph { gpu: gpu.clone(), exec })
    }

    pub fn launch(&self, stream: Stream) -> Result<()> {
        // SAFETY: the graph is alive; launches of one graph are ordered by the driver.
        check(unsafe { sys::cuGraphLaunch(self.exec, stream.handle()) }, "cuGraphLaunch")
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        if let Ok(_bound) = self.gpu.bind() {
            // SAFETY: destroyed once; the driver keeps it until a launch in flight is done.
            unsafe { sys::cuGraphExecDestroy(self.exec) };
        }
    }
}
