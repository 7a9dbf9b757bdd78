// A family that needs a shared library, as those of NVIDIA's libraries do. It measures nothing: what is
// tested is how the loader's refusal is told.
extern "C" int gpugauge_fault_library();

int main() {
  return gpugauge_fault_library();
}
