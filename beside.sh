# non-timing work on GPU $1, beside the soak
export CUDA_VISIBLE_DEVICES=$1
cd /tmp/h
./run-tests > /tmp/g/run-tests.txt 2>&1
export LD_LIBRARY_PATH=/tmp/h/lib
C=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
timeout 400 bin/sptrsv bench --suite fit,report --algorithm panel --reps 10000 --compare-each --effort 30 --no-peers --matrix factor-7pt-32,factor-9pt > /tmp/g/panel.txt 2>&1
for t in dense diagonal factor pair relax; do for tool in memcheck initcheck synccheck; do
  echo "== $tool $t"; timeout 150 $C --tool $tool c_tests/test_$t 2>&1 | tail -3; done; done > /tmp/g/sanit.txt 2>&1
for a in block nodal; do echo "== racecheck $a t"; timeout 200 $C --tool racecheck bin/sptrsv bench --suite grids --max-rows 20000 --generated-values --op t --algorithm $a --no-peers --reps 1 --effort 0.01 2>&1 | tail -4; done > /tmp/g/race.txt 2>&1
echo done > /tmp/g/beside.done
