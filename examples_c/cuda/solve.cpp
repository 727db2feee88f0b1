// A complete program on a GPU in C++17: owners free what they hold, errors are exceptions. It solves L x = f, where L is
// the lower triangle of the five-point stencil on a grid of 300 x 300 points.
//
//     c++ -std=c++17 solve.cpp -I/opt/sptrsv/include -I/usr/local/cuda/include -L/opt/sptrsv/lib -lsptrsv
//         -L/usr/local/cuda/lib64 -lcudart -Wl,-rpath,/opt/sptrsv/lib:/usr/local/cuda/lib64
#include <cuda_runtime_api.h>
#include <sptrsv.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

void check(sptrsvStatus_t status) {
    if (status != SPTRSV_STATUS_SUCCESS)
        throw std::runtime_error(std::string(sptrsvGetErrorName(status)) + ": " + sptrsvGetLastErrorString());
}

void check(cudaError_t error) {
    if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

// Memory of the GPU.
template <class T>
class DeviceArray {
  public:
    explicit DeviceArray(std::size_t count) {
        void *p = nullptr;
        check(cudaMalloc(&p, count * sizeof(T)));
        array.reset(static_cast<T *>(p));
    }
    explicit DeviceArray(const std::vector<T> &from) : DeviceArray(from.size()) {
        check(cudaMemcpy(get(), from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    T *get() const { return array.get(); }

  private:
    struct Free {
        void operator()(T *p) const { cudaFree(p); }
    };
    std::unique_ptr<T, Free> array;
};

// An object of the library, by the functions that create and destroy it.
template <class T>
class Object {
  public:
    Object(sptrsvStatus_t (*create)(T *), sptrsvStatus_t (*destroy)(T)) : destroy(destroy) { check(create(&object)); }
    Object(const Object &) = delete;
    Object &operator=(const Object &) = delete;
    ~Object() { destroy(object); }
    operator T() const { return object; }

  private:
    T object = nullptr;
    sptrsvStatus_t (*destroy)(T);
};

// op(A) x = f for a lower triangular matrix in CSR, which is analysed once; the matrix must outlive it.
class TriangularSolver {
  public:
    TriangularSolver(const DeviceArray<int> &ptr, const DeviceArray<int> &ind, const DeviceArray<double> &val, int rows,
                     int entries, cudaStream_t stream)
        : ptr(ptr.get()), ind(ind.get()), val(val.get()), rows(rows), entries(entries), buffer(size_of_buffer(stream)) {
        check(sptrsvAnalysis(handle, op, rows, entries, descr, SPTRSV_R_64F, this->val, this->ptr, this->ind, info, policy,
                             buffer.get()));
    }

    // Enqueued on the stream; waits for nothing.
    void solve(const DeviceArray<double> &f, DeviceArray<double> &x) {
        const double one = 1.0;
        check(sptrsvSolve(handle, op, rows, entries, &one, descr, SPTRSV_R_64F, val, ptr, ind, info, f.get(), x.get(), policy,
                          buffer.get()));
    }

  private:
    std::size_t size_of_buffer(cudaStream_t stream) {
        std::size_t bytes = 0;
        check(sptrsvSetStream(handle, stream));
        check(sptrsvBufferSize(handle, op, rows, entries, descr, SPTRSV_R_64F, val, ptr, ind, info, &bytes));
        return bytes;
    }

    static constexpr sptrsvOperation_t op = SPTRSV_OPERATION_NON_TRANSPOSE;
    static constexpr sptrsvSolvePolicy_t policy = SPTRSV_SOLVE_POLICY_USE_LEVEL;
    const int *ptr, *ind;
    const double *val;
    int rows, entries;
    Object<sptrsvHandle_t> handle{sptrsvCreate, sptrsvDestroy};
    Object<sptrsvMatDescr_t> descr{sptrsvCreateMatDescr, sptrsvDestroyMatDescr};
    Object<sptrsvInfo_t> info{sptrsvCreateInfo, sptrsvDestroyInfo};
    DeviceArray<char> buffer;
};

double solve_on_grid(int n) {
    std::vector<int> ptr{0}, ind;
    std::vector<double> val, f;
    for (int i = 0; i < n * n; i++) {  // f is that of x = 1
        double sum = 4.0;
        auto before = [&](int column) { ind.push_back(column), val.push_back(-1.0), sum -= 1.0; };
        if (i >= n) before(i - n);
        if (i % n > 0) before(i - 1);
        ind.push_back(i), val.push_back(4.0);
        ptr.push_back(static_cast<int>(ind.size()));
        f.push_back(sum);
    }

    cudaStream_t stream;
    check(cudaStreamCreate(&stream));
    double error = 0.0;
    {
        DeviceArray<int> d_ptr(ptr), d_ind(ind);
        DeviceArray<double> d_val(val), d_f(f), d_x(f.size());
        TriangularSolver solver(d_ptr, d_ind, d_val, n * n, ptr.back(), stream);
        solver.solve(d_f, d_x);
        std::vector<double> x(f.size());
        check(cudaMemcpyAsync(x.data(), d_x.get(), x.size() * sizeof(double), cudaMemcpyDeviceToHost, stream));
        check(cudaStreamSynchronize(stream));
        for (double value : x) error = std::max(error, std::abs(value - 1.0));
    }
    check(cudaStreamDestroy(stream));
    return error;
}

}  // namespace

int main() try {
    const double error = solve_on_grid(300);
    std::printf("largest error %.1e\n", error);
    return error < 1e-12 ? 0 : 1;
} catch (const std::exception &e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 1;
}
