// SPDX-License-Identifier: Apache-2.0
// In the modules of npu_top: a block is called with an operation; then that act follows.
task automatic call(input npu_act_pkg::act_t block, input npu_act_pkg::op_t op,
                    input npu_act_pkg::act_t then_act);
  act_o.next     = block;
  act_o.op       = op;
  act_o.then_act = then_act;
endtask
