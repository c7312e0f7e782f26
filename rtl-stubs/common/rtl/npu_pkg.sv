// SPDX-License-Identifier: Apache-2.0
/// What the blocks share: sizes of the largest part, and time.
package npu_pkg;
  /// Queues of a device, as many as the register window has pages
  parameter int unsigned MaxQueues = 2048;
  /// Active slots at most
  parameter int unsigned MaxSlots = 128;
  /// Priorities of a queue, 0 the highest
  parameter int unsigned Priorities = 8;
  /// Model groups
  parameter int unsigned Groups = 64;
  /// Bits of a model group's weight
  parameter int unsigned WeightWidth = 12;

  /// Time in scheduler cycles since the creation of the system (T-TIM-1)
  typedef logic [63:0] cycle_t;

  /// The lowest bit that is set.
  function automatic logic [63:0] lowest(input logic [63:0] bits);
    lowest = bits & (~bits + 64'd1);
  endfunction

  /// Bit number of a one-hot word.
  function automatic logic [5:0] encode(input logic [63:0] onehot);
    encode = {|(onehot & 64'hffffffff00000000), |(onehot & 64'hffff0000ffff0000),
              |(onehot & 64'hff00ff00ff00ff00), |(onehot & 64'hf0f0f0f0f0f0f0f0),
              |(onehot & 64'hcccccccccccccccc), |(onehot & 64'haaaaaaaaaaaaaaaa)};
  endfunction

  /// How many bits are set, by adding neighbours.
  function automatic logic [6:0] count(input logic [63:0] bits);
    logic [63:0] sum;
    sum = bits - ((bits >> 1) & 64'h5555555555555555);
    sum = (sum & 64'h3333333333333333) + ((sum >> 2) & 64'h3333333333333333);
    sum = (sum + (sum >> 4)) & 64'h0f0f0f0f0f0f0f0f;
    sum = sum + (sum >> 8);
    sum = sum + (sum >> 16);
    sum = sum + (sum >> 32);
    count = sum[6:0];
  endfunction
endpackage
