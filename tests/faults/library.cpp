extern "C" int gpugauge_fault_library() {
  return 0;
}
