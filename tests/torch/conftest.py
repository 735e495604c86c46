"""What all tests of the Python package share: one thread, and the operator made known to torch."""

from __future__ import annotations

import kv_quant_sparse_flash_attention as package
import torch

# With several threads a busy machine spends its time on waiting for them.
torch.set_num_threads(1)
package.register()
