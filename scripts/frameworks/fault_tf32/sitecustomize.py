"""Sets PyTorch's switch for TF32 when this Python starts, as a line of a program would: `gpugauge selftest --inject` leads
PYTHONPATH here. The file that GPUGAUGE_FAULT_MARK names tells that it was done."""
import os

import torch

torch.backends.cuda.matmul.allow_tf32 = os.environ["GPUGAUGE_FAULT_TF32"] == "on"
if "GPUGAUGE_FAULT_MARK" in os.environ:
    with open(os.environ["GPUGAUGE_FAULT_MARK"], "w", encoding="utf-8"):
        pass
