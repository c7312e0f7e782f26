// SPDX-License-Identifier: Apache-2.0
// Assertions on the block's clock and reset. Synthesis does not see them.
`ifndef NPU_ASSERT_SVH
`define NPU_ASSERT_SVH
`ifdef SYNTHESIS
`define NPU_ASSERT(Name, Property)
`else
`define NPU_ASSERT(Name, Property) \
  Name : assert property (@(posedge clk_i) disable iff (!rst_ni) (Property)) \
  else $error("%m: %s", `"Property`");
`endif
`endif
