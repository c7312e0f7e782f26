// SPDX-License-Identifier: Apache-2.0
// Assertions on the block's clock and reset, which synthesis does not see; and ranges of
// parameters, which it does.
`ifndef NPU_ASSERT_SVH
`define NPU_ASSERT_SVH
`ifdef SYNTHESIS
`define NPU_ASSERT(Name, Property)
`else
`define NPU_ASSERT(Name, Property) \
  Name : assert property (@(posedge clk_i) disable iff (!rst_ni) (Property)) \
  else $error("%m: %s", `"Property`");
`endif

// A block with a parameter outside its range cannot be made: an error of elaboration, in Verilator
// as in Yosys.
`define NPU_RANGE(Name, Least, Most) \
  if (Name < Least || Name > Most) begin : gen_refused_``Name \
    $error(`"Name must be Least to Most`"); \
  end
`define NPU_POWER_OF_TWO(Name, Least, Most) \
  if (Name < Least || Name > Most || 2 ** $clog2(Name) != Name) begin : gen_refused_``Name \
    $error(`"Name must be Least to Most, a power of two`"); \
  end
`endif
