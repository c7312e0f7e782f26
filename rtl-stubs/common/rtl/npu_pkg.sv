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
endpackage
