# Shared by the doctor's tests: machines as trees of files.

# A machine with a driver of 535.183.01 and a GPU, as files: nothing of it can run here.
make_tree() {
  mkdir -p tree/etc tree/proc/driver/nvidia tree/proc/sys/kernel tree/sys/bus/pci/devices/0000:01:00.0 tree/usr/lib/x86_64-linux-gnu \
    tree/var/lib/dpkg tree/dev
  printf 'PRETTY_NAME="Ubuntu 22.04.5 LTS"\nID=ubuntu\nVERSION_ID="22.04"\n' >tree/etc/os-release
  printf 'NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Release Build\n' >tree/proc/driver/nvidia/version
  echo 5.15.0-100-generic >tree/proc/sys/kernel/osrelease
  echo 0x10de >tree/sys/bus/pci/devices/0000:01:00.0/vendor
  echo 0x030200 >tree/sys/bus/pci/devices/0000:01:00.0/class
  echo 0x2330 >tree/sys/bus/pci/devices/0000:01:00.0/device
  touch tree/dev/nvidiactl tree/dev/nvidia0 tree/dev/nvidia-uvm
  for name in libcuda libnvidia-ml; do
    touch "tree/usr/lib/x86_64-linux-gnu/$name.so.535.183.01"
    ln -s "$name.so.535.183.01" "tree/usr/lib/x86_64-linux-gnu/$name.so.1"
  done
  printf 'Package: nvidia-driver-535\nStatus: install ok installed\nVersion: 535.183.01-0ubuntu1\n\n' >tree/var/lib/dpkg/status
}
