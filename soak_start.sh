# $1: GPU
cd /tmp/h && CUDA_VISIBLE_DEVICES=$1 LD_LIBRARY_PATH=/tmp/h/lib setsid nohup ./soak 20 > /tmp/g/soak.txt 2>&1 &
