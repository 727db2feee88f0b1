# $1 GPU: before/after of solve_shared, narrow variants
export CUDA_VISIBLE_DEVICES=$1
M="porous-32-p2,porous-40-edge,points3d-150k,points2d-400k,coarse-100-1,coarse-120-2,power-law-300k"
run() { # name, lib
  echo "=== $1"; shift; B=$1; shift
  timeout 100 $B/bin/sptrsv bench --suite report,fit,meshes --matrix $M --algorithm one_word --no-peers --effort 0.01 "$@" 2>&1 | grep -E "^ *(\| )?(porous|points|coarse|power)|ONE_WORD" | head -60
}
run head /tmp/h
run shared /tmp/x
SPTRSV_NARROW_ALL=2 run shared-none /tmp/x
for k in 0 1 2 3; do SPTRSV_NARROW_ALL=1 SPTRSV_NARROW=$k run "all narrow $k" /tmp/x; done
